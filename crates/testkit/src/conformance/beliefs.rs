//! Beliefs, the same in every store. Each case takes a place that holds nothing yet.

use super::memories::{make, memory};
use cairn_domain::{
    Belief, BeliefId, BeliefKind, BeliefLane, BeliefStatus, ConfidenceParts, Consumer, Draft, Evidence,
    Message, MessageLimits, Privacy, ReceiptAction, ReceiptDetail, Role, Stance, SubjectType, Time,
};
use cairn_store::{
    BeliefChange, BeliefChanges, BeliefFilter, BeliefLink, BeliefRecord, BeliefTransition, LinkEnd,
    MemoryAttachments, Store,
};

const KEY: &str = "entity:user:identity:residence";

fn now() -> Time {
    Time::from_millis(1_794_736_800_000)
}

/// Runs every case, each in a place of its own that `place` makes and `open` opens.
///
/// # Panics
/// If a case fails.
pub async fn all<P>(place: impl Fn() -> P, open: impl AsyncFn(&P) -> Store) {
    a_belief_comes_back_with_all_it_rests_on(&open(&place()).await).await;
    one_belief_stands_under_a_key_and_none_comes_back(&open(&place()).await).await;
    whoever_decided_on_an_older_state_writes_nothing(&open(&place()).await).await;
    beliefs_are_found_by_kind_subject_status_and_when_they_are_due(&open(&place()).await).await;
    what_was_taken_back_is_known_until_it_stands_again(&open(&place()).await).await;
}

/// A belief that says this under the key of these cases, after another.
pub fn belief(value: &str, before: Option<BeliefId>) -> Belief {
    Belief {
        id: BeliefId::of(KEY, value, before),
        kind: BeliefKind::Identity,
        subject_type: SubjectType::Entity,
        subject_id: "user".to_owned(),
        key: KEY.to_owned(),
        value: value.to_owned(),
        summary: format!("User lives in {value}."),
        detail: format!("User lives in {value}."),
        tags: vec!["residence".to_owned(), value.to_owned()],
        lane: BeliefLane::Candidate,
        status: BeliefStatus::Active,
        confidence: 0.573_366,
        parts: ConfidenceParts {
            source_count: 1,
            source_diversity: 1,
            support_weight: 1.0,
            contradiction_weight: 0.0,
            recency_weight: 1.0,
            operator_confirmed: false,
        },
        freshness: 1.0,
        last_supported_at: now(),
        last_contradicted_at: None,
        due_at: Time::from_millis(now().millis() + 1_000),
        privacy: Privacy::Personal,
        allowed_consumers: Consumer::ALL.to_vec(),
        created_at: now(),
    }
}

/// A memory of these words, which somebody really said.
///
/// # Panics
/// If it cannot be written.
pub async fn said(store: &Store, words: &str) -> u32 {
    let message: Message =
        Draft::new(Role::User, words).into_message(now(), &MessageLimits::default()).expect("a message");
    let id = message.id;
    store.append(vec![message], now()).await.expect("kept");
    let evidence = vec![Evidence::support(id.to_string(), "user", words, now())];
    make(store, words, MemoryAttachments { evidence, ..MemoryAttachments::default() }).await
}

/// A link to a memory of these words.
pub fn link(number: u32, stance: Stance, words: &str) -> BeliefLink {
    let support = Evidence::support(memory(words).id.to_string(), "user", words, now());
    let evidence = Evidence { stance, root: format!("ex_{number}"), ..support };
    BeliefLink { to: LinkEnd::Memory(number), evidence, said_at: now() }
}

/// A belief that is held from now on.
pub fn made(belief: Belief, after: Option<u32>, links: Vec<BeliefLink>) -> BeliefChange {
    let told =
        ReceiptDetail { becomes: belief.summary.clone(), reason: "said".into(), ..ReceiptDetail::default() };
    let what = BeliefTransition::Made { belief: Box::new(belief), after, links };
    BeliefChange { what, action: ReceiptAction::Create, told }
}

fn moved(record: &BeliefRecord, status: BeliefStatus, links: Vec<BeliefLink>) -> BeliefChange {
    let belief = Box::new(Belief { status, confidence: 0.25, ..record.belief.clone() });
    let what = BeliefTransition::Moved { number: record.number, belief, links };
    BeliefChange { what, action: ReceiptAction::Supersede, told: ReceiptDetail::default() }
}

/// Writes changes on the state as it is.
///
/// # Errors
/// Those of the store.
///
/// # Panics
/// If the state cannot be read.
pub async fn believe(store: &Store, changes: Vec<BeliefChange>) -> cairn_store::Result<bool> {
    let version = store.read(|view| view.memory_version()).await.expect("a version");
    let believing = BeliefChanges { actor: "test".to_owned(), changes, considered: Vec::new() };
    store.believe(version, believing, now()).await
}

async fn newest(store: &Store) -> BeliefRecord {
    store.read(|view| view.newest_belief(KEY)).await.expect("read").expect("there")
}

/// covers: K-06, K-12, K-31, K-32, K-60, K-89, K-90, K-91, K-92, K-93
async fn a_belief_comes_back_with_all_it_rests_on(store: &Store) {
    let number = said(store, "I live in Oslo").await;
    let links = vec![link(number, Stance::Support, "I live in Oslo")];
    assert!(believe(store, vec![made(belief("oslo", None), None, links.clone())]).await.expect("written"));
    let record = newest(store).await;
    assert_eq!(record.belief, belief("oslo", None));
    let (found, rests, on) = store
        .read(|view| {
            Ok((view.belief(record.belief.id)?, view.links_of(record.number)?, view.keys_resting_on(number)?))
        })
        .await
        .expect("read");
    assert_eq!(found, Some(record.clone()));
    assert_eq!((rests, on), (links, vec![KEY.to_owned()]));
    let receipts = store.read(|view| view.receipts_of(&record.belief.id.to_string())).await.expect("read");
    let [receipt] = receipts.as_slice() else { panic!("{receipts:?}") };
    assert_eq!((receipt.number, receipt.actor.as_str(), receipt.action), (1, "test", ReceiptAction::Create));
    assert_eq!(receipt.told.becomes, "User lives in oslo.");
    let verified = store.verify().await.expect("verified");
    assert_eq!((verified.beliefs, verified.receipts, verified.findings.len()), (1, 1, 0), "{verified:?}");
    assert_eq!(store.read(|view| view.counts()).await.expect("counted").beliefs, 1);
}

/// covers: K-08, K-51, K-75, K-76, K-101, K-102, X-K7
async fn one_belief_stands_under_a_key_and_none_comes_back(store: &Store) {
    let (first, second) = (said(store, "I live in Oslo").await, said(store, "I live in Rome").await);
    let oslo = vec![link(first, Stance::Support, "I live in Oslo")];
    assert!(believe(store, vec![made(belief("oslo", None), None, oslo)]).await.expect("written"));
    let (old, rome) = (newest(store).await, vec![link(second, Stance::Support, "I live in Rome")]);
    let next = belief("rome", Some(old.belief.id));
    let beside = made(next.clone(), None, rome.clone());
    assert!(believe(store, vec![beside]).await.is_err(), "one stands already");
    let stale = Belief { status: BeliefStatus::Stale, ..next.clone() };
    assert!(believe(store, vec![made(stale, None, rome.clone())]).await.is_err(), "stale, it stands as well");
    let too_early = made(next.clone(), Some(old.number), rome.clone());
    assert!(believe(store, vec![too_early.clone()]).await.is_err(), "what it follows still stands");
    let against = vec![link(second, Stance::Contradict, "I live in Rome")];
    let replaced = moved(&old, BeliefStatus::Superseded, against);
    assert!(believe(store, vec![replaced, too_early]).await.expect("written"));
    let standing = newest(store).await;
    assert_eq!((standing.belief.value.as_str(), standing.supersedes), ("rome", Some(old.number)));
    let gone = store.read(|view| view.belief(old.belief.id)).await.expect("read").expect("kept");
    assert_eq!(
        (gone.belief.status, gone.belief.summary),
        (BeliefStatus::Superseded, old.belief.summary.clone())
    );
    for status in [BeliefStatus::Active, BeliefStatus::Stale, BeliefStatus::Invalidated] {
        let back = moved(&old, status, Vec::new());
        assert!(believe(store, vec![back]).await.is_err(), "{status}");
    }
    let verified = Belief { lane: BeliefLane::Verified, ..belief("bergen", None) };
    let verified = Belief { key: "entity:user:identity:age".to_owned(), ..verified };
    assert!(
        believe(store, vec![made(verified, None, Vec::new())]).await.is_err(),
        "it begins as a candidate"
    );
    let checked = store.verify().await.expect("verified");
    assert_eq!((checked.receipts, checked.findings.len()), (3, 0), "{checked:?}");
    let successor = store.read(|view| view.successor(old.number)).await.expect("read").expect("there");
    assert_eq!(successor.number, standing.number);
}

async fn whoever_decided_on_an_older_state_writes_nothing(store: &Store) {
    let number = said(store, "I live in Oslo").await;
    let version = store.read(|view| view.memory_version()).await.expect("a version");
    let change = || {
        let links = vec![link(number, Stance::Support, "I live in Oslo")];
        vec![made(belief("oslo", None), None, links)]
    };
    let believing = || BeliefChanges { actor: "test".to_owned(), changes: change(), considered: Vec::new() };
    assert!(store.believe(version, believing(), now()).await.expect("written"));
    assert!(!store.believe(version, believing(), now()).await.expect("refused"), "somebody was quicker");
    assert_eq!(store.read(|view| view.receipts(9)).await.expect("read").len(), 1);
}

/// covers: K-64, K-105, K-106, K-107, K-108
async fn beliefs_are_found_by_kind_subject_status_and_when_they_are_due(store: &Store) {
    let number = said(store, "I live in Oslo").await;
    let other = |key: &str, kind, subject_type, subject: &str, confidence| Belief {
        id: BeliefId::of(key, "v", None),
        key: key.to_owned(),
        kind,
        subject_type,
        subject_id: subject.to_owned(),
        confidence,
        ..belief("v", None)
    };
    let links = || vec![link(number, Stance::Support, "I live in Oslo")];
    let all = vec![
        made(other("a", BeliefKind::Identity, SubjectType::Entity, "user", 0.4), None, links()),
        made(other("b", BeliefKind::ProjectState, SubjectType::Project, "atlas", 0.9), None, links()),
        made(other("c", BeliefKind::ProjectState, SubjectType::Project, "zephyr", 0.7), None, links()),
    ];
    assert!(believe(store, all).await.expect("written"));
    let found = async |filter: BeliefFilter| {
        let records = store.read(|view| view.beliefs(&filter, 9)).await.expect("read");
        records.into_iter().map(|record| record.belief.key).collect::<Vec<_>>().join(" ")
    };
    let none = BeliefFilter::default;
    assert_eq!(found(none()).await, "b c a", "the best supported first");
    assert_eq!(found(BeliefFilter { kind: Some(BeliefKind::ProjectState), ..none() }).await, "b c");
    let about = |subject: &str| BeliefFilter { subject: Some(subject.to_owned()), ..none() };
    assert_eq!(found(about("user")).await, "a");
    assert_eq!(found(about("project")).await, "b c");
    assert_eq!(found(about("project:zephyr")).await, "c");
    assert_eq!(found(BeliefFilter { status: Some(BeliefStatus::Stale), ..none() }).await, "");
    assert_eq!(found(BeliefFilter { due_by: Some(now()), ..none() }).await, "");
    let later = Time::from_millis(now().millis() + 2_000);
    assert_eq!(found(BeliefFilter { due_by: Some(later), ..none() }).await, "b c a");
    let due = store.read(|view| view.due_beliefs(later, 1, 9)).await.expect("read");
    assert_eq!(due.len(), 2, "from the second on");
}

/// covers: W-151, X-W17
async fn what_was_taken_back_is_known_until_it_stands_again(store: &Store) {
    let number = said(store, "I live in Oslo").await;
    let links = || vec![link(number, Stance::Support, "I live in Oslo")];
    let taken_back = async || {
        let records = store.read(|view| view.taken_back(KEY)).await.expect("read");
        records.into_iter().map(|record| record.belief.value).collect::<Vec<_>>()
    };
    assert!(believe(store, vec![made(belief("oslo", None), None, links())]).await.expect("written"));
    assert!(taken_back().await.is_empty(), "it stands");
    let oslo = newest(store).await;
    let gone = vec![moved(&oslo, BeliefStatus::Retracted, Vec::new())];
    assert!(believe(store, gone).await.expect("written"));
    assert_eq!(taken_back().await, ["oslo"]);
    let rome = belief("rome", Some(oslo.belief.id));
    assert!(believe(store, vec![made(rome, Some(oslo.number), links())]).await.expect("written"));
    assert_eq!(taken_back().await, ["oslo"], "whatever else is held");
    let rome = newest(store).await;
    let again = belief("oslo", Some(rome.belief.id));
    let replaced = moved(&rome, BeliefStatus::Superseded, Vec::new());
    let changes = vec![replaced, made(again, Some(rome.number), links())];
    assert!(believe(store, changes).await.expect("written"));
    assert!(taken_back().await.is_empty(), "it stands again");
}
