//! Vectors and jobs, the same in every store. Each case takes a place that holds nothing yet, and may open it more than once.

use cairn_domain::{Draft, MessageLimits, Role, Time};
use cairn_store::{
    EmbedderRecord, EmbedderState, IndexQuery, NearestQuery, NewVector, PreviousMessage, Store, StoreError,
};

fn now() -> Time {
    Time::from_millis(1_794_736_800_000)
}

const DIMENSION: usize = 100;

/// Runs every case, each in a place of its own that `place` makes and `open` opens.
///
/// # Panics
/// If a case fails.
pub async fn all<P>(place: impl Fn() -> P, open: impl AsyncFn(&P) -> Store) {
    let home = place();
    vectors_are_filled_in_order_and_once(&open(&home).await, &open(&home).await).await;
    what_does_not_fit_is_refused(&open(&place()).await).await;
    let home = place();
    the_old_embedder_answers_until_the_new_one_is_whole(&open(&home).await, &open(&home).await).await;
    a_retired_embedder_comes_back_with_what_is_left(&open(&place()).await).await;
    let home = place();
    vectors_count_at_once_in_every_process(&open(&home).await, &open(&home).await).await;
    a_message_comes_with_the_end_of_the_one_before(&open(&place()).await).await;
    let home = place();
    a_job_is_given_to_one_and_taken_from_the_dead(&open(&home).await, &open(&home).await).await;
}

/// covers: X-P3, W-03
async fn a_job_is_given_to_one_and_taken_from_the_dead(one: &Store, other: &Store) {
    let at = |ms: i64| Time::from_millis(now().millis() + ms);
    let claim = async |store: &Store, holder: &str, ms: i64| {
        store.claim_job("tend", holder.to_owned(), at(ms), at(ms + 1_000)).await.expect("asked")
    };
    let all =
        tokio::join!(claim(one, "a", 0), claim(other, "b", 0), claim(one, "c", 0), claim(other, "d", 0));
    let all = [all.0, all.1, all.2, all.3];
    assert_eq!(all.iter().filter(|given| **given).count(), 1, "one of four at once");
    let holder = ["a", "b", "c", "d"][all.iter().position(|given| *given).unwrap_or(0)];
    assert!(!claim(other, "late", 999).await, "it is in good hands");
    assert!(claim(one, holder, 500).await, "whoever holds it may hold it longer");
    assert!(!claim(other, "late", 1_400).await);
    assert!(claim(other, "late", 1_500).await, "its holder is dead or might as well be");
    one.finish_job("tend", holder.to_owned(), 7, at(1_600)).await.expect("asked");
    let jobs = one.read(|view| view.jobs()).await.expect("jobs");
    assert_eq!(jobs[0].watermark, 0, "who lost a lease moves nothing");
    other.finish_job("tend", "late".to_owned(), 9, at(1_700)).await.expect("asked");
    let jobs = one.read(|view| view.jobs()).await.expect("jobs");
    assert_eq!((jobs[0].watermark, &jobs[0].lease), (9, &None));
}

/// Appends messages whose words are their numbers.
async fn say(store: &Store, numbers: std::ops::Range<u32>) {
    let message = |number: u32| {
        let draft =
            Draft { source_id: Some(number.to_string()), ..Draft::new(Role::User, format!("{number}")) };
        draft.into_message(now(), &MessageLimits::default()).expect("a message")
    };
    store.append(numbers.map(message).collect(), now()).await.expect("kept");
}

/// A vector of length 1 that stands for a message: the nearer two numbers, the nearer their vectors. There are no more
/// numbers than dimensions.
fn towards(number: u32, dimension: usize) -> Vec<f32> {
    let numbers: Vec<f32> = (0..dimension as i32).map(|i| 0.8_f32.powi((i - number as i32).abs())).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

fn vectors_of(numbers: std::ops::Range<u32>, dimension: usize) -> Vec<NewVector> {
    numbers.map(|seq| NewVector { seq, part: 0, vector: towards(seq, dimension) }).collect()
}

async fn embedder(store: &Store, name: &str, dimension: usize) -> EmbedderRecord {
    store.embedder(name.into(), dimension, now()).await.expect("an embedder")
}

async fn fill(store: &Store, embedder: &EmbedderRecord, from: u32, to: u32) -> bool {
    let vectors = vectors_of(from..to, embedder.dimension);
    store.add_vectors(embedder.id, from, to, vectors).await.expect("asked")
}

async fn embedders(store: &Store) -> Vec<(String, EmbedderState, u32, u64)> {
    let embedders = store.read(|view| view.embedders()).await.expect("embedders");
    embedders.into_iter().map(|it| (it.name, it.state, it.reached, it.vectors)).collect()
}

/// The messages nearest to the vector of message `number`, and whose vectors they are.
async fn nearest(store: &Store, number: u32, n: usize) -> Option<(String, Vec<u32>)> {
    let found = store.read(|view| {
        let active = view.embedders()?.into_iter().find(|embedder| embedder.state == EmbedderState::Active);
        let Some(active) = active else { return Ok(None) };
        let vector = towards(number, active.dimension);
        let wanted = IndexQuery::near(NearestQuery { vector: &vector, n, later_part_penalty: 0.0 });
        let search = view.search(&wanted)?;
        let seq = |(place, _)| search.keywords().documents()[place as usize].seq;
        Ok(search.dimension().map(|_| (active.name, search.nearest(&wanted).into_iter().map(seq).collect())))
    });
    found.await.expect("searched")
}

/// covers: X-W21, W-16
async fn vectors_are_filled_in_order_and_once(one: &Store, other: &Store) {
    say(one, 0..30).await;
    let record = embedder(one, "a", DIMENSION).await;
    assert_eq!((record.state, record.reached, record.vectors), (EmbedderState::Active, 0, 0));
    assert_eq!(embedder(other, "a", DIMENSION).await, record, "the same one, however often it is asked for");
    assert_eq!(nearest(one, 0, 3).await, None, "no vector, nothing to search");
    assert!(fill(one, &record, 0, 10).await);
    assert!(!fill(other, &record, 0, 10).await, "somebody else did it");
    assert!(!fill(other, &record, 5, 15).await);
    assert!(!fill(other, &record, 11, 15).await, "nobody leaves one out");
    let (first, second) = tokio::join!(fill(one, &record, 10, 20), fill(other, &record, 10, 20));
    assert!(first ^ second, "one of two at once");
    assert_eq!(embedders(one).await, [("a".into(), EmbedderState::Active, 20, 20)]);
    assert_eq!(one.read(|view| view.counts()).await.expect("counts").embedded, 20);
    assert_eq!(nearest(one, 25, 2).await, Some(("a".into(), vec![19, 18])));
    assert!(fill(one, &record, 20, 30).await);
    assert_eq!(nearest(one, 25, 1).await, Some(("a".into(), vec![25])));
    assert_eq!(one.verify().await.expect("verified").findings, []);
}

/// covers: W-09, W-12
async fn what_does_not_fit_is_refused(store: &Store) {
    say(store, 0..4).await;
    let record = embedder(store, "a", DIMENSION).await;
    let refused = |error: StoreError| {
        assert!(matches!(error, StoreError::Refused { .. }), "{error}");
        assert!(!error.hint().is_empty());
    };
    refused(store.embedder("a".into(), 99, now()).await.expect_err("another dimension"));
    refused(store.embedder("b".into(), 0, now()).await.expect_err("no dimension"));
    let with = |seq: u32, part: u32, vector: Vec<f32>| NewVector { seq, part, vector };
    let good = |seq: u32, part: u32| with(seq, part, towards(seq, DIMENSION));
    let not_a_number = [vec![f32::NAN], vec![0.0; DIMENSION - 1]].concat();
    for (from, to, vectors, what) in [
        (0, 1, vec![with(0, 0, towards(0, 99))], "a wrong dimension"),
        (0, 1, vec![with(0, 0, not_a_number)], "no number"),
        (0, 1, vec![with(0, 0, vec![f32::INFINITY; DIMENSION])], "infinite"),
        (0, 1, vec![good(0, 0), good(1, 0)], "a message outside of the range"),
        (0, 2, vec![good(0, 0)], "a message left out at the end"),
        (0, 2, vec![good(1, 0)], "a message left out at the beginning"),
        (0, 1, vec![good(0, 1)], "no first part"),
        (0, 1, vec![good(0, 0), good(0, 2)], "a part left out"),
        (0, 1, vec![good(0, 0), good(0, 0)], "a part twice"),
        (0, 1, vec![], "nothing for a message"),
        (1, 0, vec![], "a range that runs backward"),
        (0, 5, vectors_of(0..5, DIMENSION), "a message that is not there yet"),
    ] {
        let done = store.add_vectors(record.id, from, to, vectors).await;
        refused(done.err().unwrap_or_else(|| panic!("{what} was kept")));
    }
    refused(store.add_vectors(9, 0, 1, vec![good(0, 0)]).await.expect_err("an unknown embedder"));
    assert_eq!(embedders(store).await, [("a".into(), EmbedderState::Active, 0, 0)], "nothing was changed");
    let parts = vec![good(1, 0), good(0, 1), good(0, 0)];
    assert!(store.add_vectors(record.id, 0, 2, parts).await.expect("kept"), "in any order");
    assert_eq!(embedders(store).await, [("a".into(), EmbedderState::Active, 2, 3)]);
}

/// covers: W-12
async fn the_old_embedder_answers_until_the_new_one_is_whole(one: &Store, other: &Store) {
    say(one, 0..20).await;
    let old = embedder(one, "old", DIMENSION).await;
    assert!(fill(one, &old, 0, 20).await);
    let new = embedder(one, "new", 64).await;
    assert_eq!(new.state, EmbedderState::Filling);
    assert!(fill(one, &new, 0, 15).await);
    assert!(!one.activate_embedder(new.id).await.expect("asked"), "it has not reached every message");
    for store in [one, other] {
        assert_eq!(nearest(store, 17, 1).await, Some(("old".into(), vec![17])));
    }
    assert!(fill(one, &new, 15, 20).await);
    assert!(one.activate_embedder(new.id).await.expect("asked"));
    for store in [one, other] {
        assert_eq!(nearest(store, 17, 1).await, Some(("new".into(), vec![17])));
    }
    assert!(!fill(one, &old, 20, 20).await, "a retired one gets no more vectors");
    let mut dropped = 0;
    loop {
        let some = one.drop_retired_vectors(7).await.expect("dropped");
        assert!(some <= 7);
        if some == 0 {
            break;
        }
        dropped += some;
        assert_eq!(other.verify().await.expect("verified").findings, [], "what is left is whole");
    }
    assert_eq!(dropped, 20);
    assert_eq!(embedders(other).await, [("new".into(), EmbedderState::Active, 20, 20)]);
    assert_eq!(nearest(other, 3, 2).await, Some(("new".into(), vec![3, 2])));
}

/// covers: W-12
async fn a_retired_embedder_comes_back_with_what_is_left(store: &Store) {
    say(store, 0..20).await;
    for name in ["first", "second"] {
        let record = embedder(store, name, DIMENSION).await;
        assert!(fill(store, &record, 0, 20).await);
        assert!(store.activate_embedder(record.id).await.expect("asked"));
    }
    assert_eq!(store.drop_retired_vectors(5).await.expect("dropped"), 5);
    let first = embedder(store, "first", DIMENSION).await;
    assert_eq!((first.state, first.reached), (EmbedderState::Filling, 15));
    assert_eq!(store.drop_retired_vectors(5).await.expect("dropped"), 0, "nobody is retired any more");
    assert!(fill(store, &first, 15, 20).await);
    assert!(store.activate_embedder(first.id).await.expect("asked"));
    assert_eq!(nearest(store, 16, 1).await, Some(("first".into(), vec![16])));
}

/// covers: W-16, K-103, X-B3
async fn vectors_count_at_once_in_every_process(one: &Store, other: &Store) {
    let record = embedder(one, "a", DIMENSION).await;
    for batch in 0..6 {
        let (from, to) = (batch * 10, batch * 10 + 10);
        let (writer, reader) = if batch % 2 == 0 { (one, other) } else { (other, one) };
        say(writer, from..to).await;
        assert_eq!(
            nearest(reader, to - 1, 1).await.map(|(_, found)| found),
            from.checked_sub(1).map(|last| vec![last])
        );
        assert!(fill(writer, &record, from, to).await);
        assert_eq!(nearest(reader, to - 1, 1).await, Some(("a".into(), vec![to - 1])));
        if batch == 3 {
            assert_eq!(writer.flush_vector_index().await.expect("tended"), to);
        }
    }
    assert_eq!(other.take_repair_notes(), Vec::<String>::new());
}

async fn a_message_comes_with_the_end_of_the_one_before(store: &Store) {
    let long = format!("{}é{}", "x".repeat(300), "é".repeat(200));
    for (id, session, role, text) in [
        ("1", "s", Role::User, long.as_str()),
        ("2", "t", Role::User, "elsewhere"),
        ("3", "s", Role::Assistant, "fine"),
    ] {
        let message = crate::say(id, session, role, text)
            .into_message(now(), &MessageLimits::default())
            .expect("a message");
        store.append(vec![message], now()).await.expect("kept");
    }
    let found = store.read(|view| view.embeddable_from(1, 10)).await.expect("messages");
    assert_eq!(
        found.iter().map(|it| (it.seq, it.text.as_str())).collect::<Vec<_>>(),
        [(1, "elsewhere"), (2, "fine")]
    );
    assert_eq!(found[0].before, None);
    let Some(PreviousMessage { role, text, .. }) = &found[1].before else { panic!("there is one before") };
    assert_eq!((*role, text.as_str()), (Role::User, "é".repeat(200).as_str()));
    assert_eq!(store.read(|view| view.embeddable_from(0, 1)).await.expect("messages")[0].text, long);
}
