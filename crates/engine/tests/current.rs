//! Current values: of hundreds of things that changed, the new value ranks before the old one, and the old one is never
//! given as if it held.

use cairn_domain::{Draft, RecordKind, Role, Status, Time};
use cairn_engine::{Agent, Effects, Found, Hit, Missing, Question};
use cairn_testkit::{SimulatedClock, home};

/// A thing that changes: what is said first, what is said later, and what is asked. `{who}`, `{old}` and `{new}` stand for
/// names.
const CHANGES: [(&str, &str, &str); 6] = [
    ("{who} lives in {old}.", "{who} moved to {new}.", "Where does {who} live?"),
    ("{who} works at {old}.", "{who} works at {new} now.", "Where does {who} work?"),
    (
        "{who}'s favourite city is {old}.",
        "{who}'s favourite city is {new}.",
        "What is {who}'s favourite city?",
    ),
    ("{who} drives a {old}.", "{who} switched from a {old} to a {new}.", "What does {who} drive?"),
    ("{who} {old}'da yaşıyor.", "{who} {new}'a taşındı.", "{who} nerede yaşıyor?"),
    (
        "The deadline of project {who} is {old} 3.",
        "The deadline of project {who} is {new} 9.",
        "When is the deadline of project {who}?",
    ),
];
const PEOPLE: usize = 504;

/// A name that nobody else has.
fn name(i: usize, seed: &str) -> String {
    const PARTS: [&str; 8] = ["Ba", "Ro", "Mi", "Ta", "Lu", "Ne", "Sa", "Vo"];
    const ENDS: [&str; 8] = ["rin", "lek", "mara", "dov", "sel", "tani", "gor", "wen"];
    let first = PARTS[i % 8];
    let (second, end) = (PARTS[(i / 8) % 8].to_lowercase(), ENDS[(i / 64) % 8]);
    format!("{first}{second}{end}{seed}")
}

fn filled(template: &str, who: &str, old: &str, new: &str) -> String {
    template.replace("{who}", who).replace("{old}", old).replace("{new}", new)
}

fn is_superseded(hit: &Hit) -> bool {
    match &hit.found {
        Found::Memory(record, _) => record.memory.status == Status::Superseded,
        Found::Belief(_) | Found::Digest(..) | Found::Attachment(_) | Found::Shared(_) => false,
        Found::Message(_) => {
            let replaced = |status: Status| status == Status::Superseded;
            !hit.memories.is_empty() && hit.memories.iter().all(|record| replaced(record.memory.status))
        }
    }
}

async fn say(agent: &Agent, text: String, day: i64, session: usize) {
    let at = Time::from_millis(1_760_000_000_000 + day * 86_400_000);
    let draft = Draft { at: Some(at), session: Some(format!("s{session}")), ..Draft::new(Role::User, text) };
    let kept = agent.remember(draft).await.expect("kept");
    agent.form_message(kept.message).await.expect("formed");
}

/// covers: C-123, C-124, C-125, X-C11
#[test]
fn what_was_replaced_is_never_given_as_current() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
        let cases: Vec<(String, String, String, &str)> = (0..PEOPLE)
            .map(|i| (name(i, ""), name(i, "ton"), name(i, "burg"), CHANGES[i % CHANGES.len()].2))
            .collect();
        for (i, (who, old, new, _)) in cases.iter().enumerate() {
            say(&agent, filled(CHANGES[i % CHANGES.len()].0, who, old, new), 1, 2 * i).await;
        }
        for (i, (who, old, new, _)) in cases.iter().enumerate() {
            say(&agent, filled(CHANGES[i % CHANGES.len()].1, who, old, new), 200, 2 * i + 1).await;
        }
        let (mut replaced, mut newest_first) = ([0_usize; CHANGES.len()], [0_usize; CHANGES.len()]);
        for (i, (who, old, new, asked)) in cases.iter().enumerate() {
            let question = Question::new(filled(asked, who, old, new));
            let hits = agent.answer(question.clone(), Effects::None).await.expect("an answer").hits;
            for hit in &hits {
                assert_eq!(is_superseded(hit), hit.replaced_by.is_some(), "{who}: {hit:?}");
            }
            let place = |holds: &dyn Fn(&str) -> bool| hits.iter().position(|hit| holds(hit.found.text()));
            let newest = place(&|text| text.contains(who.as_str()) && text.contains(new.as_str()));
            let oldest = place(&|text| text.contains(who.as_str()) && !text.contains(new.as_str()));
            let kind = i % CHANGES.len();
            newest_first[kind] +=
                usize::from(newest.is_some_and(|newest| oldest.is_none_or(|oldest| newest < oldest)));
            replaced[kind] += usize::from(oldest.is_some_and(|at| hits[at].replaced_by.is_some()));
            let memories =
                agent.answer(Question { kinds: vec![RecordKind::Memory], ..question }, Effects::None).await.expect("an answer");
            for hit in &memories.hits {
                assert_eq!(is_superseded(hit), hit.replaced_by.is_some(), "{who}: {hit:?}");
            }
            assert!(memories.hits.first().is_none_or(|hit| !is_superseded(hit)), "{who}: {:?}", memories.hits);
        }
        println!(
            "of {PEOPLE} changes, by kind: {replaced:?} were marked as replaced, {newest_first:?} gave the newest first"
        );
        let first: usize = newest_first.iter().sum();
        assert!(first * 10 >= PEOPLE * 9, "the newest first: {newest_first:?} of {PEOPLE}");
    });
}

/// The replacement of a hit comes along only where the question may see it.
///
/// covers: C-123, W-118
#[test]
fn what_replaced_a_hit_comes_no_way_around_a_filter() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
        say(&agent, "Marin lives in Lisbon.".to_owned(), 1, 1).await;
        say(&agent, "Marin moved to Porto.".to_owned(), 200, 2).await;
        for kinds in [vec![], vec![RecordKind::Exchange], vec![RecordKind::Memory]] {
            let asked = |session: &str| Question {
                kinds: kinds.clone(),
                session: Some(session.to_owned()),
                ..Question::new("Where does Marin live, in Lisbon or in Porto?")
            };
            let old = agent.answer(asked("s1"), Effects::None).await.expect("an answer").hits;
            assert!(old.iter().all(|hit| hit.found.text().contains("Lisbon")), "{kinds:?}: {old:?}");
            assert!(old.iter().all(|hit| hit.replaced_by.is_some()), "{kinds:?}: {old:?}");
            assert_eq!(old.len(), usize::from(kinds != [RecordKind::Memory]), "{kinds:?}: {old:?}");
            let new = agent.answer(asked("s2"), Effects::None).await.expect("an answer").hits;
            assert!(new.len() == 1 && new[0].found.text().contains("Porto"), "{kinds:?}: {new:?}");
            assert!(new[0].replaced_by.is_none());
        }
        // Said again later, and elsewhere: neither is seen from before.
        say(&agent, "Marin moved to Porto.".to_owned(), 300, 3).await;
        let before = Time::from_millis(1_760_000_000_000 + 250 * 86_400_000);
        for kinds in [vec![], vec![RecordKind::Memory]] {
            let asked = Question {
                kinds: kinds.clone(),
                as_of: Some(before),
                ..Question::new("Where does Marin live?")
            };
            for hit in agent.answer(asked, Effects::None).await.expect("an answer").hits {
                let sources: Vec<Time> = match &hit.found {
                    Found::Message(record) => vec![record.message.at],
                    Found::Memory(_, sources) | Found::Digest(_, sources) => {
                        sources.iter().map(|record| record.message.at).collect()
                    }
                    Found::Belief(record) => vec![record.belief.last_supported_at],
                    Found::Attachment(record) => vec![record.receipt.attached_at],
                    Found::Shared(shared) => vec![shared.record.memory.valid_from],
                };
                assert!(sources.iter().all(|at| *at <= before), "{kinds:?}: {hit:?}");
            }
        }
        let by_agent = Question { sender: Some(Role::Assistant), ..Question::new("Where does Marin live?") };
        for kinds in [vec![], vec![RecordKind::Memory]] {
            let hits = agent
                .answer(Question { kinds: kinds.clone(), ..by_agent.clone() }, Effects::None)
                .await
                .expect("an answer")
                .hits;
            assert!(hits.is_empty(), "{kinds:?}: {hits:?}");
        }
    });
}
