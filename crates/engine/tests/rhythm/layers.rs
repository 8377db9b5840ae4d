//! Consolidation of layers, and digests: what is decided says why, what is written cites what it stands on, and nothing is
//! done again that was done.

use crate::rhythm::world::{World, about, assert_same, day, memory, related};
use cairn_domain::{Category, DigestKind, Form, Memory, RelationKind, Role, Status, TemporalType, Tier};
use cairn_engine::{RhythmOutcome, RhythmReport};
use cairn_store::MemoryAttachments;
use cairn_testkit::{run, say};

async fn carry_out(world: &World, rhythm: &str) -> RhythmReport {
    let report = world.agent.run_rhythm(rhythm, &mut |_| {}).await.expect("run");
    assert_eq!(report.outcome, RhythmOutcome::Done);
    report
}

/// covers: L-02, L-09, L-10, L-11, L-12, L-13, L-25, L-26, L-27
#[test]
fn a_review_promotes_and_demotes_with_its_motivation_and_comes_again_when_it_is_due() {
    run(async {
        let world = World::new().await;
        let current = |text: &str| Memory { status: Status::Current, ..memory(text) };
        world
            .make(vec![
                (
                    Memory { importance: 0.95, utility: 0.95, ..memory("matters") },
                    MemoryAttachments::default(),
                ),
                (
                    Memory { importance: 0.1, utility: 0.1, ..current("is over") },
                    MemoryAttachments::default(),
                ),
                (
                    Memory { pinned: true, importance: 0.1, utility: 0.1, ..current("is held") },
                    MemoryAttachments::default(),
                ),
                (memory("is new"), MemoryAttachments::default()),
            ])
            .await;
        let first = carry_out(&world, "consolidation:short-term").await;
        assert_eq!(first.steps[0].looked_at, 4);
        assert_eq!(world.memory("matters").await.memory.status, Status::Current);
        assert_eq!(world.memory("is new").await.memory.status, Status::New);
        let promoted = first.changes.iter().find(|change| change.what == "status").expect("a change");
        assert!(promoted.reason.contains("recency") && promoted.was == "new", "{promoted:?}");
        let again = carry_out(&world, "consolidation:short-term").await;
        assert_eq!(again.steps[0].looked_at, 0, "nobody is reviewed twice in a row");
        world.pass_days(4);
        assert_eq!(
            carry_out(&world, "consolidation:short-term").await.steps[0].looked_at,
            4,
            "after three days"
        );
        world.pass_days(4);
        let third = carry_out(&world, "consolidation:short-term").await;
        assert_eq!(third.steps[0].looked_at, 0, "what did not change waits twice as long");
        world.pass_days(200);
        carry_out(&world, "consolidation:short-term").await;
        assert_eq!(world.memory("is over").await.memory.status, Status::Deprecated);
        assert_eq!(world.memory("is held").await.memory.status, Status::Current);
        let explained = world.agent.explain_memory(memory("is held").id).await.expect("explained");
        assert!(explained.review.expect("a review").motivation.contains("nothing may let it go"));
    });
}

/// covers: L-01, L-04, L-05, L-06, L-07, L-20, L-28, L-30, L-08
#[test]
fn intake_makes_memories_of_what_was_said_and_notes_what_has_changed() {
    run(async {
        let world = World::new().await;
        // From here on schedules count.
        world.agent.rhythms().await.expect("known");
        for (id, text) in [("1", "I live in Lisbon."), ("2", "I moved to Porto, I live in Porto now.")] {
            world.agent.remember(say(id, "s", Role::User, text)).await.expect("kept");
            world.clock.pass_ms(60_000);
        }
        world.clock.pass_ms(15 * 60_000);
        let due = world.agent.run_due_rhythms(&mut |_| {}).await.expect("run");
        let report =
            due.into_iter().find(|report| report.rhythm == "intake").expect("a quarter of an hour later");
        assert!(!world.all().await.is_empty(), "nobody had to ask for it");
        let change = report.changes.iter().find(|change| change.what == "property");
        let change = change.unwrap_or_else(|| panic!("{:?}", report.changes));
        assert!(
            change.was.to_lowercase().contains("lisbon") && change.becomes.to_lowercase().contains("porto")
        );
        assert_eq!(carry_out(&world, "intake").await.changes, []);
    });
}

/// covers: L-14, L-15, L-16, L-18, L-22, X-L1
#[test]
fn a_layer_looks_back_holds_and_looks_forward_in_versions() {
    run(async {
        let world = World::new().await;
        let plan = Memory {
            category: Category::Plan,
            temporal_type: TemporalType::TimeBounded,
            valid_until: Some(day(9)),
            ..memory("User flies to Oslo.")
        };
        let replaced = Memory {
            status: Status::Superseded,
            valid_until: Some(day(1)),
            ..memory("User lived in Lisbon.")
        };
        world
            .make(vec![
                (plan, MemoryAttachments::default()),
                (replaced, MemoryAttachments::default()),
                (memory("User lives in Porto."), MemoryAttachments::default()),
            ])
            .await;
        carry_out(&world, "consolidation:short-term").await;
        for (kind, text) in [
            (DigestKind::Retrospective, "- 2026-03-01: User lived in Lisbon."),
            (DigestKind::Current, "- 2026-03-01: User lives in Porto."),
            (DigestKind::Future, "- 2026-03-01: User flies to Oslo."),
        ] {
            let found = world.agent.digests(kind, Some("short-term"), 9).await.expect("digests");
            assert_eq!(found.len(), 1, "{kind}");
            assert_eq!((found[0].digest.text.as_str(), found[0].version), (text, 1));
            assert!(found[0].digest.sources[0].starts_with("mem_"));
        }
        world.pass_days(10);
        carry_out(&world, "consolidation:short-term").await;
        let future =
            world.agent.digests(DigestKind::Future, Some("short-term"), 9).await.expect("digests").remove(0);
        assert_eq!((future.version, future.digest.text.as_str()), (2, ""), "its time is over");
        let versions = world.store.read(|view| view.digest(future.id)).await.expect("versions");
        assert_eq!(versions.len(), 2, "what was thought before is kept");
        assert_eq!(
            world.agent.digests(DigestKind::Current, Some("long-term"), 9).await.expect("digests"),
            []
        );
    });
}

/// Facts of many days, in a thread and about a place.
async fn forty_days(world: &World) {
    let mut all = Vec::new();
    for at in 0..40 {
        let text = format!("Shelf {at} in Porto holds {} atlases.", 7 * at + 3);
        let told = Memory {
            valid_from: day(at),
            recorded_at: day(at),
            accessed_at: day(at),
            thread: (at % 2 == 0).then(|| "library".to_owned()),
            importance: 0.5 + (at as f64) / 100.0,
            stability: 400.0,
            ..memory(&text)
        };
        let bound = about(&text, if at % 2 == 0 { &["Porto", "Shelf"] } else { &["Porto"] });
        all.push((told, bound));
    }
    world.make(all).await;
}

/// covers: W-11, W-12, W-13, K-05, C-212, C-213, C-214, C-215
#[test]
fn days_weeks_months_entities_and_categories_are_condensed_and_cite_what_they_stand_on() {
    run(async {
        let world = World::new().await;
        forty_days(&world).await;
        world.pass_days(41);
        carry_out(&world, "digests").await;
        let digests = async |kind, scope| world.agent.digests(kind, Some(scope), 100).await.expect("digests");
        assert_eq!(digests(DigestKind::Day, "").await.len(), 40);
        assert_eq!(digests(DigestKind::Day, "thread:library").await.len(), 20);
        let weeks = digests(DigestKind::Week, "").await;
        assert_eq!(weeks.len(), 6, "the last by six of its days or whole");
        assert!(
            weeks[1].digest.sources.iter().all(|source| source.starts_with("dig_")),
            "a week stands on its days"
        );
        assert_eq!(weeks[1].digest.text.lines().count(), 7);
        let month = digests(DigestKind::Month, "").await;
        assert_eq!((month.len(), month[0].digest.text.lines().count()), (1, 12));
        let profile = digests(DigestKind::Profile, "porto").await;
        assert!(profile[0].digest.text.contains("Shelf 39 in Porto"), "{profile:?}");
        let category = digests(DigestKind::Category, "fact").await;
        assert_eq!(category.len(), 1);
        let summaries = || async {
            let all = world.all().await.into_iter().filter(|record| record.memory.form == Form::Summary);
            all.collect::<Vec<_>>()
        };
        let summary = summaries().await;
        assert_eq!((summary.len(), summary[0].memory.tier), (1, Tier::Semantic));
        let most = world.all().await.into_iter().filter(|record| record.memory.form.is_told());
        let most = most.map(|record| record.memory.importance).fold(0.0, f64::max);
        assert!(summary[0].memory.importance <= most, "a summary matters no more than what it tells");
        let topics = world.store.read(|view| view.entity_parents()).await.expect("topics");
        assert_eq!(topics.len(), 1, "a shelf is a part of Porto");
        let before = world.memories().await;
        let second = carry_out(&world, "digests").await;
        assert_eq!(second.steps.iter().map(|step| step.changed).sum::<u64>(), 0, "{:?}", second.steps);
        assert_same(&before, &world.memories().await, "a second time");
    });
}

/// covers: C-217, X-B10, K-04, K-03, K-122
#[test]
fn digests_follow_their_sources_and_a_correction_is_a_lesson() {
    run(async {
        let world = World::new().await;
        forty_days(&world).await;
        world.pass_days(41);
        carry_out(&world, "digests").await;
        let old = world.memory("Shelf 5 in Porto holds 38 atlases.").await;
        let text = "Shelf 5 in Porto holds 90 atlases.";
        let correction =
            Memory { category: Category::Correction, importance: 0.99, valid_from: day(5), ..memory(text) };
        world
            .make(vec![(correction, related(about(text, &["Porto"]), old.number, RelationKind::Supersedes))])
            .await;
        world.clock.pass_ms(120_000);
        carry_out(&world, "digests").await;
        let days = world.agent.digests(DigestKind::Day, Some(""), 100).await.expect("digests");
        let fifth = days
            .iter()
            .find(|record| record.digest.from == "2026-03-06".parse().expect("a day"))
            .expect("a day");
        assert_eq!(fifth.version, 2);
        assert!(fifth.digest.text.contains("90 atlases"), "{}", fifth.digest.text);
        let lessons: Vec<_> =
            world.all().await.into_iter().filter(|record| record.memory.form == Form::Lesson).collect();
        assert_eq!(lessons.len(), 1);
        assert_eq!(lessons[0].memory.text, format!("{text} (≠ {})", old.memory.text));
        let summaries =
            world.all().await.into_iter().filter(|record| record.memory.form == Form::Summary).count();
        assert_eq!(summaries, 1, "brought up to date, not made twice");
        let reflections: Vec<_> =
            world.all().await.into_iter().filter(|record| record.memory.form == Form::Reflection).collect();
        assert_eq!(reflections.len(), 1, "enough has happened once");
        let why = world.agent.why_memory(reflections[0].memory.id).await.expect("why");
        assert!(
            why.evidence.iter().all(|source| source.evidence.source.starts_with("file:")),
            "it rests on words"
        );
    });
}
