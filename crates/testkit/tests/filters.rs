//! Filters on a server cost no hit, however few messages pass them: the vectors of an agent are many enough to have an HNSW
//! index, and one message in a hundred passes.

use cairn_domain::{Draft, MessageLimits, Mode, Role, Time};
use cairn_store::{IndexQuery, MessageFilter, NearestQuery, NewVector, Store, StoreLocation, StoreOptions};
use cairn_testkit::postgres;
use std::{collections::HashSet, sync::Arc};

/// Enough for an index.
const MESSAGES: u32 = 10_500;
const DIMENSION: usize = 16;
const WANTED: usize = 20;

fn at(number: u32) -> Time {
    Time::from_millis(1_794_736_800_000 + i64::from(number))
}

fn is_rare(number: u32) -> bool {
    number % 100 == 7
}

/// One message in a hundred has its own thread, session, mode and sender.
async fn say(store: &Store, numbers: std::ops::Range<u32>) {
    let message = |number: u32| {
        let rare = is_rare(number);
        let draft = Draft {
            source_id: Some(number.to_string()),
            session: Some(if rare { "rare".to_owned() } else { format!("s{}", number / 50) }),
            thread: rare.then(|| "rare".to_owned()),
            mode: rare.then_some(Mode::Robot),
            at: Some(at(number)),
            ..Draft::new(if rare { Role::Tool } else { Role::User }, format!("word {number}"))
        };
        draft.into_message(at(MESSAGES), &MessageLimits::default()).expect("a message")
    };
    store.append(numbers.map(message).collect(), at(MESSAGES)).await.expect("kept");
}

fn vector(number: u32) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(u64::from(number));
    let numbers: Vec<f32> = (0..DIMENSION).map(|_| random.f32() - 0.5).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

/// The messages nearest to a vector among those that pass, each compared.
fn nearest(to: &[f32], passes: impl Fn(u32) -> bool) -> HashSet<u32> {
    let cosine = |seq: u32| to.iter().zip(vector(seq)).map(|(a, b)| a * b).sum::<f32>();
    let mut all: Vec<(f32, u32)> =
        (0..MESSAGES).filter(|seq| passes(*seq)).map(|seq| (cosine(seq), seq)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(WANTED).map(|(_, seq)| seq).collect()
}

async fn found(store: &Store, to: &[f32], filter: MessageFilter) -> HashSet<u32> {
    let near = NearestQuery { vector: to, n: WANTED, later_part_penalty: 0.0 };
    let wanted = IndexQuery { filter, ..IndexQuery::near(near) };
    let found = store.read(|view| {
        let search = view.search(&wanted)?;
        let seq = |(place, _)| search.keywords().documents()[place as usize].seq;
        Ok(search.nearest(&wanted).into_iter().map(seq).collect())
    });
    found.await.expect("searched")
}

/// covers: X-B3, K-109, C-157
#[test]
fn one_in_a_hundred_passes_and_none_of_them_is_lost() {
    let Some(server) = postgres::scratch(None) else { return };
    cairn_testkit::run(async {
        let place = StoreLocation::Server(Arc::clone(&server));
        let options = StoreOptions { place, agent: "main".parse().expect("a name"), now: at(0) };
        let store = Store::open(options).await.expect("a store");
        let embedder = store.embedder("a".into(), DIMENSION, at(0)).await.expect("an embedder");
        for from in (0..MESSAGES).step_by(1_500) {
            let to = MESSAGES.min(from + 1_500);
            say(&store, from..to).await;
            let vectors = (from..to).map(|seq| NewVector { seq, part: 0, vector: vector(seq) }).collect();
            assert!(store.add_vectors(embedder.id, from, to, vectors).await.expect("kept"));
        }
        assert!(store.vector_index_needs_flush());
        assert_eq!(store.flush_vector_index().await.expect("tended"), MESSAGES);
        let report =
            cairn_store::inspect_database_server(Arc::clone(&server), "main".parse().expect("a name")).await;
        let report = report.expect("examined");
        assert_eq!(
            (report.missing_indexes, report.unfinished_indexes),
            (Vec::new(), Vec::new()),
            "the index is there"
        );
        let ids =
            store.read(|view| Ok((view.session_id("rare")?, view.thread_id("rare")?))).await.expect("asked");
        let all = MessageFilter::default();
        let early = MESSAGES / 100;
        for number in 0..5 {
            let to = vector(1_000_000 + number);
            let rare = nearest(&to, is_rare);
            assert_eq!(found(&store, &to, MessageFilter { session: ids.0, ..all }).await, rare, "by session");
            assert_eq!(found(&store, &to, MessageFilter { thread: ids.1, ..all }).await, rare, "by thread");
            assert_eq!(
                found(&store, &to, MessageFilter { sender: Some(Role::Tool), ..all }).await,
                rare,
                "by sender"
            );
            assert_eq!(
                found(&store, &to, MessageFilter { mode: Some(Mode::Robot), ..all }).await,
                rare,
                "by mode"
            );
            let by_then = found(&store, &to, MessageFilter { as_of: Some(at(early)), ..all }).await;
            assert_eq!(by_then, nearest(&to, |seq| seq <= early), "by time");
            // Without a filter the index answers, which may miss one now and then.
            let anybody = found(&store, &to, all).await;
            let kept = nearest(&to, |_| true).intersection(&anybody).count();
            assert!(anybody.len() == WANTED && kept + 1 >= WANTED, "{kept} of {WANTED}");
        }
    });
}
