//! Memories, the same in every store. Each case takes a place that holds nothing yet.

use cairn_domain::{
    Category, DataSource, EntityKind, Evidence, Form, Memory, MemoryId, MessageId, Mode, Privacy,
    RelationKind, SHORT_TERM_LAYER, Status, TemporalType, Tier, Time, Verdict, WriteSource,
};
use cairn_store::{
    Committed, FollowedPattern, Formation, MemoryAttachments, MemoryEnd, MemoryFilter, MemoryScope,
    NewMemory, NewMention, RelationPruning, RelationRecord, Reopened, Revised, StatementRecord, Store,
    StoreError, Strengthened, Superseded, TagRecord,
};

fn now() -> Time {
    Time::from_millis(1_794_736_800_000)
}

/// Runs every case, each in a place of its own that `place` makes and `open` opens.
///
/// # Panics
/// If a case fails.
pub async fn all<P>(place: impl Fn() -> P, open: impl AsyncFn(&P) -> Store) {
    a_memory_comes_back_with_all_it_rests_on(&open(&place()).await).await;
    names_and_ways_are_counted(&open(&place()).await).await;
    let home = place();
    whoever_decided_on_an_older_state_decides_again(&open(&home).await, &open(&home).await).await;
    what_was_said_stays_when_a_memory_changes(&open(&place()).await).await;
    the_immutable_stays_as_it_is(&open(&place()).await).await;
    the_least_relations_are_let_go(&open(&place()).await).await;
    a_tag_waits_in_its_session_until_it_is_captured(&open(&place()).await).await;
    the_nearest_memories_are_found_as_they_are_now(&open(&place()).await).await;
    what_is_given_together_is_counted(&open(&place()).await).await;
}

/// A memory of this text.
pub fn memory(text: &str) -> Memory {
    Memory {
        id: MemoryId::of(text, 0),
        text: text.to_owned(),
        form: Form::Fact,
        category: Category::Fact,
        status: Status::New,
        tier: Tier::Episodic,
        layer: SHORT_TERM_LAYER.to_owned(),
        session: Some("s1".to_owned()),
        thread: None,
        mode: Mode::Chat,
        temporal_type: TemporalType::Persistent,
        valid_from: now(),
        valid_until: None,
        recorded_at: now(),
        write_source: WriteSource::Formation,
        data_source: DataSource::UserMessage,
        source_confidence: 0.75,
        source_hash: None,
        privacy: Privacy::Open,
        pinned: false,
        immutable: false,
        flashbulb: false,
        importance: 0.5,
        utility: 0.5,
        utility_at: now(),
        storage: 1.0,
        stability: 1.5,
        accesses: 0,
        accessed_at: now(),
        surfaced: 0,
        valence: -0.25,
        arousal: 0.125,
        emotion: None,
    }
}

fn new(memory: Memory, bound: MemoryAttachments) -> NewMemory {
    let (reason, reasons) = ("nothing like it was known".to_owned(), r#"{"verdict":"create"}"#.to_owned());
    NewMemory {
        memory,
        verdict: Verdict::Create,
        reason,
        reasons,
        bound,
        tag_ms: None,
        in_mind: true,
        superseded_by: None,
    }
}

fn naming(mentions: Vec<NewMention>) -> MemoryAttachments {
    MemoryAttachments { mentions, ..MemoryAttachments::default() }
}

fn message(name: &str) -> MessageId {
    MessageId::from_bytes(*MemoryId::of(name, 1).bytes())
}

async fn commit(store: &Store, formation: Formation) -> Committed {
    let version = store.read(|view| view.memory_version()).await.expect("a version");
    store.commit(Formation { version, ..formation }, now()).await.expect("written")
}

/// Makes a memory of this text.
///
/// # Panics
/// If it cannot be written.
pub async fn make(store: &Store, text: &str, bound: MemoryAttachments) -> u32 {
    let id = memory(text).id;
    let done =
        commit(store, Formation { made: vec![new(memory(text), bound)], ..Formation::default() }).await;
    assert_eq!(done, Committed::Done(vec![id]));
    store.read(|view| view.memory(id)).await.expect("read").expect("there").number
}

/// That the user lives there: a statement of which there is one value at a time.
pub fn statement(value: &str) -> StatementRecord {
    StatementRecord {
        number: 0,
        subject: "user".to_owned(),
        attribute: "residence".to_owned(),
        value: value.to_owned(),
        negated: false,
        single: true,
        confidence: 0.9,
        pending: false,
    }
}

/// covers: C-194, C-195
async fn what_is_given_together_is_counted(store: &Store) {
    for text in ["User lives in Lisbon.", "User has a cat.", "User likes tea."] {
        make(store, text, MemoryAttachments::default()).await;
    }
    let give = async |numbers: &[u32], together: &[(u32, u32)]| {
        let given =
            numbers.iter().map(|number| (*number, Memory { storage: 2.0, ..memory("any") })).collect();
        store.give(given, together.to_vec(), now()).await.expect("noted");
    };
    give(&[0, 1, 2], &[(0, 1), (0, 2), (1, 2)]).await;
    give(&[0, 2], &[(0, 2)]).await;
    store
        .read(|view| {
            assert_eq!(view.given_together(&[2, 1, 0], 1)?.len(), 3);
            assert_eq!(view.given_together(&[0, 1, 2], 2)?, [(0, 2)]);
            assert_eq!(view.given_together(&[0, 1], 2)?, [], "both have to be asked about");
            let given = view.memories_at(&[0])?.remove(0).memory;
            assert_eq!((given.accesses, given.storage.to_bits()), (2, 2.0_f64.to_bits()));
            Ok(())
        })
        .await
        .expect("read");
}

/// covers: W-17, W-18, W-19, W-20, W-21, W-10, C-119, C-153, C-162
async fn a_memory_comes_back_with_all_it_rests_on(store: &Store) {
    let first = make(store, "User met Ana at Siemens.", MemoryAttachments::default()).await;
    let mention =
        |kind, name: &str| NewMention { kind, name: name.to_owned(), slug: name.to_lowercase(), alias: None };
    let said = message("said");
    let evidence = Evidence::support(said.to_string(), "user", "I live in Lisbon with Ana", now());
    let relation = RelationRecord {
        from: 0,
        to: first,
        kind: RelationKind::RelatedTo,
        confidence: 0.4,
        reason: "both speak of Ana".to_owned(),
    };
    let bound = MemoryAttachments {
        evidence: vec![evidence.clone(), evidence.clone()],
        statements: vec![statement("lisbon")],
        mentions: vec![mention(EntityKind::Place, "Lisbon"), mention(EntityKind::Concept, "Ana")],
        relations: vec![relation.clone(), relation.clone()],
        vector: None,
    };
    let formation = Formation {
        message: Some((said, "[]".to_owned())),
        made: vec![new(memory("User lives in Lisbon with Ana."), bound)],
        working: Some(("s1".to_owned(), Vec::new())),
        ..Formation::default()
    };
    assert!(matches!(commit(store, formation.clone()).await, Committed::Done(made) if made.len() == 1));
    assert_eq!(commit(store, formation).await, Committed::Known, "a message is formed once");
    let person = naming(vec![mention(EntityKind::Person, "Ana")]);
    make(store, "Ana is a nurse.", person).await;
    store
        .read(|view| {
            let found = view.memories(MemoryFilter::default(), u32::MAX, 10)?;
            assert_eq!(found.len(), 3);
            let record = &found[1];
            assert_eq!(record.memory, memory("User lives in Lisbon with Ana."));
            let reasons = view.reasons(record.number)?;
            assert_eq!(reasons.as_deref(), Some(r#"{"verdict":"create"}"#));
            assert_eq!(
                view.evidence_of(record.number)?,
                std::slice::from_ref(&evidence),
                "the same source counts once"
            );
            assert_eq!(view.memories_on(said)?, [record.number]);
            assert_eq!(view.statements(record.number)?[0].value, "lisbon");
            assert_eq!(view.numbers_about("user", "residence", 9)?, [record.number]);
            assert_eq!(view.held_statements(9)?, view.statements(record.number)?);
            assert_eq!(view.relations(first)?, [RelationRecord { from: record.number, ..relation.clone() }]);
            assert_eq!(view.entities_of(record.number)?.len(), 2);
            assert_eq!(view.working("s1")?.len(), 1);
            assert_eq!(view.formed(said)?.as_deref(), Some("[]"));
            let (holding, memories) = view.memory_terms(&["lisbon".to_owned(), "ana".to_owned()])?;
            assert_eq!((holding, memories), (vec![1, 3], 3));
            assert_eq!(view.memories_holding(&["lisbon"], 9)?, [record.number]);
            let by_both = view.memories_holding(&["ana", "lisbon"], 2)?;
            assert_eq!(
                (by_both[0], by_both.len()),
                (record.number, 2),
                "what holds both, and the rarer, comes first"
            );
            Ok(())
        })
        .await
        .expect("read");
    store.end_session("s1".to_owned(), Vec::new(), now()).await.expect("cleared");
    assert_eq!(store.read(|view| view.working("s1")).await.expect("read"), []);
}

/// covers: W-20, W-21, W-22, C-116
async fn names_and_ways_are_counted(store: &Store) {
    let mention = |kind, name: &str, alias: Option<&str>| NewMention {
        kind,
        name: name.to_owned(),
        slug: name.to_lowercase(),
        alias: alias.map(str::to_owned),
    };
    let lisbon = mention(EntityKind::Place, "Lisbon", Some("lisboa"));
    let both = naming(vec![lisbon, mention(EntityKind::Concept, "Ana", None)]);
    make(store, "User lives in Lisbon with Ana.", both).await;
    let person = naming(vec![mention(EntityKind::Person, "Ana", None)]);
    make(store, "Ana is a nurse.", person).await;
    store
        .read(|view| {
            let entities = view.entities(None, 9)?;
            let ana = entities.iter().find(|entity| entity.slug == "ana").expect("Ana");
            assert_eq!((ana.kind, ana.mentions), (EntityKind::Person, 2), "what she is was found out later");
            assert_eq!(view.hub("ana", 9)?.len(), 2);
            let naming =
                |entity, session| MemoryFilter { entity: Some(entity), session, ..MemoryFilter::default() };
            assert_eq!(view.memories(naming("ana", None), u32::MAX, 9)?.len(), 2);
            assert_eq!(view.memories(naming("lisboa", None), u32::MAX, 9)?.len(), 1, "by its other name");
            assert_eq!(view.memories(naming("ana", Some("nowhere")), u32::MAX, 9)?.len(), 0);
            let lisbon = view.entity("lisboa")?.expect("by its other name");
            assert_eq!(
                (lisbon.slug.as_str(), view.aliases(lisbon.id)?),
                ("lisbon", vec!["lisboa".to_owned()])
            );
            let together = view.together_with(lisbon.id, 9)?;
            assert_eq!((together.len(), together[0].0.slug.as_str(), together[0].1), (1, "ana", 1));
            assert_eq!(view.naming(&[ana.id, lisbon.id], 1)?, [(ana.id, 1), (lisbon.id, 0)]);
            let mut named = view.names_in(&[0, 1])?;
            named.sort_unstable();
            assert_eq!(named.len(), 3);
            assert!([(0, ana.id), (0, lisbon.id), (1, ana.id)].iter().all(|pair| named.contains(pair)));
            Ok(())
        })
        .await
        .expect("read");
    let followed = |yielded| {
        let pattern = "causes>causes".to_owned();
        vec![FollowedPattern { pattern, origin: "static", yielded }]
    };
    store.count_patterns(followed(true)).await.expect("counted");
    store.count_patterns(followed(false)).await.expect("counted");
    let patterns = store.read(|view| view.traversal_patterns()).await.expect("read");
    assert_eq!(patterns, [("causes>causes".to_owned(), 2, 1)]);
}

async fn whoever_decided_on_an_older_state_decides_again(one: &Store, other: &Store) {
    let formation = |text: &str| Formation {
        message: Some((message(text), "[]".to_owned())),
        made: vec![new(memory(text), MemoryAttachments::default())],
        ..Formation::default()
    };
    assert!(matches!(one.commit(formation("tea"), now()).await.expect("written"), Committed::Done(_)));
    assert_eq!(other.commit(formation("coffee"), now()).await.expect("asked"), Committed::Stale);
    let formed = one.read(|view| view.formed(message("coffee"))).await.expect("read");
    assert_eq!(formed, None, "nothing of it is written");
    assert!(matches!(commit(other, formation("coffee")).await, Committed::Done(_)));
}

/// covers: X-B4, C-117, C-118, C-120, C-122, C-160
async fn what_was_said_stays_when_a_memory_changes(store: &Store) {
    let number = make(store, "User likes tea.", MemoryAttachments::default()).await;
    let was = store.read(|view| view.memories_at(&[number])).await.expect("read")[0].clone();
    let stronger = Memory { stability: 4.0, accesses: 7, ..was.memory.clone() };
    let formation = Formation {
        revised: vec![Revised {
            number,
            text: "User likes tea, above all Assam.".to_owned(),
            reason: "it says more about the same".to_owned(),
            bound: MemoryAttachments::default(),
        }],
        strengthened: vec![Strengthened { number, memory: stronger, evidence: Vec::new() }],
        ..Formation::default()
    };
    commit(store, formation).await;
    let held =
        store.read(|view| Ok((view.memories_holding(&["tea"], 9)?, view.memories_holding(&["assam"], 9)?)));
    assert_eq!(held.await.expect("read"), (vec![number], vec![number]), "found once, by what it says now");
    let later = Time::from_millis(now().millis() + 1_000);
    let next = Memory { valid_from: later, ..memory("User cannot stand tea any more.") };
    let reason = "the opposite".to_owned();
    let superseded = Superseded { number, by: Some(MemoryEnd::Made(0)), until: later, reason };
    let formation = Formation {
        made: vec![new(next.clone(), MemoryAttachments::default())],
        superseded: vec![superseded],
        ..Formation::default()
    };
    commit(store, formation).await;
    store
        .read(|view| {
            let old = view.memories_at(&[number])?.remove(0);
            assert_eq!(old.memory.text, "User likes tea, above all Assam.");
            assert_eq!((old.memory.accesses, old.memory.stability), (7, 4.0));
            assert_eq!((old.memory.status, old.memory.valid_until), (Status::Superseded, Some(later)));
            let texts: Vec<String> =
                view.revisions(number)?.into_iter().map(|revision| revision.text).collect();
            assert_eq!(texts, ["User likes tea.", "User likes tea, above all Assam."]);
            let new = view.memory(next.id)?.expect("there");
            assert_eq!(old.superseded_by, Some(new.number));
            assert_eq!(view.relations(number)?[0].kind, RelationKind::Supersedes);
            assert_eq!(view.memories(MemoryFilter::default(), u32::MAX, 9)?.len(), 1);
            let all = MemoryFilter { scope: MemoryScope::All, ..MemoryFilter::default() };
            assert_eq!(view.memories(all, u32::MAX, 9)?.len(), 2);
            // What was replaced later held before, and is not among what was kept another way.
            let before = Time::from_millis(later.millis() - 1);
            let then = MemoryFilter { as_of: Some(before), ..MemoryFilter::default() };
            assert!(view.memories(then, u32::MAX, 9)?.iter().any(|record| record.number == number));
            let resting = MemoryFilter { tier: Some(Tier::Dormant), ..all };
            assert!(view.memories(resting, u32::MAX, 9)?.is_empty());
            let elsewhere = MemoryFilter { thread: Some("elsewhere"), ..all };
            assert!(view.memories(elsewhere, u32::MAX, 9)?.is_empty());
            let nobody = MemoryFilter { entity: Some("nobody"), ..all };
            assert!(view.memories(nobody, u32::MAX, 9)?.is_empty());
            let days = view.days(None, None, 9)?;
            let counted: u64 = days.iter().map(|day| day.messages).sum();
            assert_eq!(counted, view.counts()?.messages);
            assert!(days.iter().all(|day| day.begins_at.millis() % (24 * 60 * 60 * 1_000) == 0));
            assert!(view.days(None, days.last().map(|day| day.begins_at), 9)?.is_empty());
            Ok(())
        })
        .await
        .expect("read");
    reopening_lets_both_hold(store, number).await;
}

/// A memory whose replacement was undone holds again, with a revision that says why.
async fn reopening_lets_both_hold(store: &Store, number: u32) {
    let old = store.read(|view| view.memories_at(&[number])).await.expect("read").remove(0);
    let reopened = Reopened {
        number,
        replaced_by: old.superseded_by,
        tier: old.memory.tier,
        text: old.memory.text.clone(),
        reason: "both hold".to_owned(),
    };
    store.reopen(reopened, now()).await.expect("reopened");
    store
        .read(|view| {
            let again = view.memories_at(&[number])?.remove(0);
            assert_eq!((again.memory.status, again.memory.valid_until), (Status::Current, None));
            assert_eq!((again.superseded_by, &again.memory.text), (None, &old.memory.text));
            assert_eq!(view.relations(number)?[0].kind, RelationKind::RelatedTo);
            let last = view.revisions(number)?.pop().expect("a revision");
            assert_eq!(last.reason, "both hold");
            assert_eq!(view.memories(MemoryFilter::default(), u32::MAX, 9)?.len(), 2);
            Ok(())
        })
        .await
        .expect("read");
}

/// covers: C-113, X-C21
async fn the_least_relations_are_let_go(store: &Store) {
    let mut numbers = Vec::new();
    for name in ["one", "two", "three", "four"] {
        numbers.push(make(store, name, MemoryAttachments::default()).await);
    }
    let relation = |to: usize, kind, confidence| RelationRecord {
        from: 0,
        to: numbers[to],
        kind,
        confidence,
        reason: "for the test".to_owned(),
    };
    let relations = vec![
        relation(0, RelationKind::RelatedTo, 0.9),
        relation(1, RelationKind::RelatedTo, 0.2),
        relation(2, RelationKind::Causes, 0.1),
        relation(3, RelationKind::SameEntity, 0.7),
    ];
    let bound = MemoryAttachments { relations, ..MemoryAttachments::default() };
    let formation = |from: usize, to: usize| Formation {
        made: vec![new(memory(&format!("five {from} {to}")), bound.clone())],
        pruning: Some(RelationPruning { from, to }),
        ..Formation::default()
    };
    let left = async |from: u32| {
        let relations = store.read(|view| view.relations(from)).await.expect("read");
        relations.into_iter().map(|relation| relation.kind).collect::<Vec<_>>()
    };
    commit(store, formation(5, 2)).await;
    assert_eq!(left(4).await.len(), 4, "there are not too many yet");
    commit(store, formation(8, 3)).await;
    let (first, second) = (left(4).await, left(5).await);
    assert_eq!(first.len() + second.len(), 3, "{first:?} {second:?}");
    assert!(first.contains(&RelationKind::Causes) && second.contains(&RelationKind::Causes), "kept for ever");
}

/// covers: C-197
async fn a_tag_waits_in_its_session_until_it_is_captured(store: &Store) {
    let tagged =
        NewMemory { tag_ms: Some(7_200_000), ..new(memory("a small moment"), MemoryAttachments::default()) };
    commit(store, Formation { made: vec![tagged], ..Formation::default() }).await;
    let tags = async |session: &'static str| store.read(move |view| view.tags(session)).await.expect("read");
    let waiting = TagRecord { number: 0, tagged_at: now(), ttl_ms: 7_200_000 };
    assert_eq!((tags("s1").await, tags("s2").await), (vec![waiting], vec![]));
    let great = new(memory("a great moment"), MemoryAttachments::default());
    commit(store, Formation { made: vec![great], captured: vec![0], ..Formation::default() }).await;
    assert_eq!(tags("s1").await, [], "a tag is captured once");
}

/// covers: C-160, X-C19
async fn the_immutable_stays_as_it_is(store: &Store) {
    let rock = Memory { immutable: true, ..memory("The agent never deploys on Fridays.") };
    let made =
        Formation { made: vec![new(rock.clone(), MemoryAttachments::default())], ..Formation::default() };
    commit(store, made).await;
    let number = store.read(|view| view.memory(rock.id)).await.expect("read").expect("there").number;
    let reason = "tried".to_owned();
    let superseded = Superseded { number, by: Some(MemoryEnd::Made(0)), until: now(), reason };
    let change = Formation {
        version: 1,
        made: vec![new(memory("The agent deploys on Fridays."), MemoryAttachments::default())],
        superseded: vec![superseded],
        ..Formation::default()
    };
    let refused = store.commit(change, now()).await.expect_err("refused by the database itself");
    assert!(refused.to_string().contains("immutable"), "{refused}");
    assert!(!matches!(refused, StoreError::Refused { .. }), "no code above it has to remember");
    let text = "The agent deploys whenever it likes.".to_owned();
    let revised = Revised { number, text, reason: "tried".to_owned(), bound: MemoryAttachments::default() };
    let reworded = Formation { version: 1, revised: vec![revised], ..Formation::default() };
    let refused = store.commit(reworded, now()).await.expect_err("refused by the database itself");
    assert!(refused.to_string().contains("immutable"), "{refused}");
    let stronger = Memory { accesses: 3, ..rock.clone() };
    let counters = Formation {
        strengthened: vec![Strengthened { number, memory: stronger, evidence: Vec::new() }],
        ..Formation::default()
    };
    commit(store, counters).await;
    let all = store.read(|view| view.memories(MemoryFilter::default(), u32::MAX, 9)).await.expect("read");
    assert_eq!((all.len(), all[0].memory.accesses, all[0].memory.status), (1, 3, Status::New));
}

/// covers: W-09, C-25
async fn the_nearest_memories_are_found_as_they_are_now(store: &Store) {
    let embedder = store.embedder("a".into(), 4, now()).await.expect("an embedder").id;
    let with = |vector: [f32; 4]| MemoryAttachments {
        vector: Some((embedder, vector.to_vec())),
        ..MemoryAttachments::default()
    };
    let east = make(store, "east", with([1.0, 0.0, 0.0, 0.0])).await;
    let north = make(store, "north", with([0.0, 1.0, 0.0, 0.0])).await;
    let nearest = async |vector: [f32; 4]| {
        store.read(|view| view.nearest_memories(&vector, 2)).await.expect("searched")
    };
    assert_eq!(
        nearest([0.8, 0.6, 0.0, 0.0]).await.iter().map(|near| near.0).collect::<Vec<_>>(),
        [east, north]
    );
    let revised = |number, vector: Option<[f32; 4]>| Revised {
        number,
        text: "west".to_owned(),
        reason: "it turned".to_owned(),
        bound: vector.map_or_else(MemoryAttachments::default, with),
    };
    commit(
        store,
        Formation { revised: vec![revised(east, Some([-1.0, 0.0, 0.0, 0.0]))], ..Formation::default() },
    )
    .await;
    assert_eq!(nearest([1.0, 0.0, 0.0, 0.0]).await[0].0, north, "what it said before does not count");
    assert_eq!(nearest([-1.0, 0.0, 0.0, 0.0]).await[0], (east, 1.0));
    // One that got no vector is given it later, before any that came after it.
    commit(store, Formation { revised: vec![revised(north, None)], ..Formation::default() }).await;
    make(store, "south", with([0.0, -1.0, 0.0, 0.0])).await;
    assert_eq!(nearest([0.0, -1.0, 0.0, 0.0]).await.len(), 1, "it waits for the one before it");
    let missing = store.read(|view| view.revisions_from(3, 9)).await.expect("read");
    assert_eq!(missing.iter().map(|(revision, _)| *revision).collect::<Vec<_>>(), [3, 4]);
    let vectors = vec![(3, vec![0.0, 0.0, 1.0, 0.0]), (4, vec![0.0, -1.0, 0.0, 0.0])];
    assert!(!store.add_revision_vectors(embedder, 4, vectors.clone()).await.expect("asked"));
    assert!(store.add_revision_vectors(embedder, 3, vectors).await.expect("added"));
    assert!(nearest([0.0, -1.0, 0.0, 0.0]).await[0].1 > 0.99);
    assert_eq!(nearest([0.0, 0.0, 1.0, 0.0]).await[0].0, north);
    let read = store.read(|view| view.memory_vectors(0, 9)).await.expect("the vectors themselves");
    assert_eq!(read[0], (east, vec![-1.0, 0.0, 0.0, 0.0]), "only what is said now");
}
