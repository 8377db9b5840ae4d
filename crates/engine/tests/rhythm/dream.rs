//! Each step of a dream; a second dream changes nothing, and a dry run predicts exactly what a real one does.

use crate::rhythm::world::{World, about, assert_same, day, memory, related};
use cairn_domain::{Category, Ekman, Memory, RelationKind, Status, TemporalType, Tier};
use cairn_engine::RhythmProgress;
use cairn_store::MemoryAttachments;
use cairn_testkit::run;

/// Memories on which every step has something to do.
pub(crate) async fn full_of_things_to_do(world: &World) {
    let plain = || MemoryAttachments::default();
    let used = |text: &str, accesses| Memory { accesses, accessed_at: day(89), ..memory(text) };
    world
        .make(vec![
            (memory("fades"), plain()),
            (Memory { arousal: 0.6, emotion: Some(Ekman::Joy), ..memory("was glad") }, plain()),
            (used("used three times", 3), plain()),
            (Memory { utility: 0.8, utility_at: day(89), ..memory("was useful") }, plain()),
            (
                Memory {
                    valid_until: Some(day(30)),
                    temporal_type: TemporalType::TimeBounded,
                    category: Category::Plan,
                    ..memory("a plan")
                },
                plain(),
            ),
            (
                Memory { utility: 0.1, utility_at: day(89), accessed_at: day(10), ..memory("was of no use") },
                plain(),
            ),
            (memory("older claim"), plain()),
        ])
        .await;
    let older = world.memory("older claim").await.number;
    world
        .make(vec![
            (
                Memory { valid_from: day(5), ..memory("newer claim") },
                related(plain(), older, RelationKind::Contradicts),
            ),
            (used("Ana likes tulips.", 1), plain()),
        ])
        .await;
    let tulips = world.memory("Ana likes tulips.").await.number;
    world
        .make(vec![(used("Ana grows tulips.", 1), related(plain(), tulips, RelationKind::Elaborates))])
        .await;
    let runs = [
        "User runs in the park.",
        "User runs in the park early.",
        "User runs in the park late.",
        "User runs in the wet park.",
    ];
    let mut running = Vec::new();
    for (at, text) in runs.into_iter().enumerate() {
        let at = day(80 + at as i64);
        running.push((
            Memory { valid_from: at, accessed_at: at, stability: 40.0, ..memory(text) },
            about(text, &["Park"]),
        ));
    }
    world.make(running).await;
    let mut faded = Vec::new();
    for text in ["The kiln stood in Porto.", "The kiln was from 1998.", "The kiln ate much gas."] {
        faded.push((Memory { utility: 0.45, ..memory(text) }, about(text, &["Kiln"])));
    }
    world.make(faded).await;
}

/// covers: C-77, C-78, C-79, C-80, C-84, C-88, C-92, C-93, C-94, C-211
#[test]
fn every_step_does_its_part_and_says_why() {
    run(async {
        let world = World::new().await;
        full_of_things_to_do(&world).await;
        world.pass_days(90);
        let report = world.dream().await;
        let names: Vec<&str> = report.steps.iter().map(|step| step.name.as_str()).collect();
        let twelve = [
            "tier decay",
            "emotion",
            "replay",
            "promotion",
            "utility decay",
            "rehearsal",
            "foresight",
            "forgetting",
            "clustering",
            "consolidation",
            "redundancy",
            "abstraction",
        ];
        assert_eq!(names, twelve);
        for step in
            report.steps.iter().filter(|step| !["clustering", "redundancy"].contains(&step.name.as_str()))
        {
            assert!(step.changed > 0, "{step:?}");
        }
        assert!(report.changes.iter().all(|change| !change.reason.is_empty()), "{:?}", report.changes);
        let tier = async |text: &str| world.memory(text).await.memory.tier;
        assert_eq!(tier("used three times").await, Tier::Semantic);
        assert_eq!(tier("was useful").await, Tier::Semantic);
        assert_eq!(tier("was of no use").await, Tier::Dormant);
        assert_eq!((tier("older claim").await, tier("newer claim").await), (Tier::Dormant, Tier::Episodic));
        let plan = world.memory("a plan").await.memory;
        assert_eq!(
            (plan.status, plan.tier, plan.valid_until),
            (Status::Superseded, Tier::Dormant, Some(day(30)))
        );
        let mut theme = vec!["Kiln".to_owned()];
        for part in ["The kiln stood in Porto.", "The kiln was from 1998.", "The kiln ate much gas."] {
            theme.push(format!("- “{part}” [{}]", world.memory(part).await.memory.id));
        }
        let theme = world.memory(&theme.join("\n")).await;
        let part = world.memory("The kiln was from 1998.").await;
        assert_eq!((part.memory.status, part.superseded_by), (Status::Superseded, Some(theme.number)));
        let why = world.agent.why_memory(theme.memory.id).await.expect("why");
        assert_eq!(why.evidence.len(), 3, "it rests on all that its parts rested on");
        let as_its_parts = part.memory.importance;
        assert!((theme.memory.importance - as_its_parts).abs() < 1e-9, "{}", theme.memory.importance);
        let pattern = world.memory("User runs in the park. (×4, 2026-05-20 – 2026-05-23)").await.memory;
        let runs = world.memory("User runs in the park.").await.memory.importance;
        assert_eq!(pattern.category, Category::Pattern);
        assert!(pattern.importance <= runs + 1e-9, "{}", pattern.importance);
        let fades = world.memory("fades").await.memory;
        assert!(fades.stability < 4.0 * 1.5, "{}", fades.stability);
        let explained = world.agent.explain_memory(part.memory.id).await.expect("explained");
        assert!(explained.changes.iter().any(|change| change.step == "consolidation"), "{explained:?}");
    });
}

/// covers: X-C9, X-C16, C-150, C-207, C-208, C-209, C-210, I8
#[test]
fn a_second_dream_right_after_changes_nothing() {
    run(async {
        let world = World::new().await;
        full_of_things_to_do(&world).await;
        world.pass_days(90);
        world.dream().await;
        let before = world.memories().await;
        let second = world.dream().await;
        assert_eq!(second.steps.iter().map(|step| step.changed).sum::<u64>(), 0, "{:?}", second.steps);
        assert_same(&before, &world.memories().await, "at once");
        world.clock.pass_ms(40_000);
        world.dream().await;
        assert_same(&before, &world.memories().await, "less than a minute later");
    });
}

/// covers: C-152
#[test]
fn a_dream_takes_at_most_five_hundred_memories_at_a_time() {
    run(async {
        let world = World::new().await;
        let one = |at: u32| memory(&format!("Tulip {at} grows in bed {at}."));
        world.make((0..1_100).map(one).map(|one| (one, MemoryAttachments::default())).collect()).await;
        world.pass_days(90);
        let mut batches: Vec<(&'static str, usize)> = Vec::new();
        let told = &mut |progress: RhythmProgress<'_>| batches.push((progress.step, progress.changed));
        let dream = world.agent.run_rhythm("dream", told).await.expect("dreamt");
        let step = dream.steps.iter().max_by_key(|step| step.changed).expect("a step");
        assert!(step.changed > 1_000, "{:?}", dream.steps);
        let of_step: Vec<usize> =
            batches.iter().filter(|(name, _)| *name == step.name).map(|(_, changed)| *changed).collect();
        assert!(of_step.len() >= 3 && of_step.iter().all(|changed| *changed <= 500), "{of_step:?}");
    });
}

/// covers: C-267
#[test]
fn a_dry_run_tells_what_a_dream_does_and_changes_nothing() {
    run(async {
        let world = World::new().await;
        full_of_things_to_do(&world).await;
        world.pass_days(90);
        let before = world.state().await;
        let name = "main".parse().expect("a name");
        let dry = world.home.try_rhythm(&name, "dream", &mut |_| {}).await.expect("tried");
        assert_eq!(world.state().await, before);
        let real = world.dream().await;
        assert_eq!(dry.changes, real.changes);
        let counts = |report: &cairn_engine::RhythmReport| {
            report
                .steps
                .iter()
                .map(|step| (step.name.clone(), step.looked_at, step.changed))
                .collect::<Vec<_>>()
        };
        assert_eq!(counts(&dry), counts(&real));
        let left = std::fs::read_dir(world.home.path()).expect("listed");
        assert!(left.flatten().all(|entry| !entry.file_name().to_string_lossy().starts_with(".dry-run")));
    });
}

/// covers: C-91, C-96, C-97, X-C21, X-C4
#[test]
fn where_there_are_too_many_the_least_useful_rest_and_wake_again() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let config = "[embedder]\nkind = \"none\"\n[rhythms]\nmost_active = 100\nbatch = 7\n";
        let world = World::with(folder.path(), crate::rhythm::world::START, config, |home| home).await;
        let made = (0..120).map(|at| {
            let utility = f64::from(at) / 240.0 + 0.3;
            (
                Memory { utility, stability: 400.0, ..memory(&format!("number {at}")) },
                MemoryAttachments::default(),
            )
        });
        world.make(made.collect()).await;
        world.pass_days(20);
        world.dream().await;
        let all = world.all().await;
        let rest: Vec<&str> = all
            .iter()
            .filter(|it| it.memory.tier == Tier::Dormant)
            .map(|it| it.memory.text.as_str())
            .collect();
        assert_eq!(rest.len(), 30, "down to nine tenths");
        assert!((0..30).all(|at| rest.contains(&format!("number {at}").as_str())), "{rest:?}");
        let least = world.memory("number 0").await.memory.id;
        let woken = world.agent.wake_memory(least).await.expect("woken");
        assert_ne!(woken.memory.tier, Tier::Dormant);
    });
}

/// covers: C-89, C-90
#[test]
fn what_belongs_to_a_memory_that_was_used_gains_by_it() {
    run(async {
        let world = World::new().await;
        let used = Memory { accesses: 1, accessed_at: day(9), ..memory("Ana keeps bees.") };
        world.make(vec![(used, about("bees", &["Ana"]))]).await;
        let bees = world.memory("Ana keeps bees.").await.number;
        let related = related(about("honey", &["Market"]), bees, RelationKind::Elaborates);
        world.make(vec![(memory("There is honey on Saturdays."), related)]).await;
        world.make(vec![(memory("Ana moved from Bergen."), about("moved", &["Ana", "Bergen"]))]).await;
        world.make(vec![(memory("Rain is expected."), about("rain", &["Oslo"]))]).await;
        world.pass_days(10);
        let report = world.dream().await;
        let replayed = report.changes.iter().filter(|change| change.step == "replay");
        let mut gained: Vec<_> = replayed.map(|change| change.memory).collect();
        gained.sort();
        let mut expected =
            ["There is honey on Saturdays.", "Ana moved from Bergen."].map(|text| memory(text).id);
        expected.sort();
        assert_eq!(gained, expected, "by a relation and by an entity, and nothing else");
    });
}

/// covers: C-94, C-97
#[test]
fn what_has_faded_rests_when_a_night_has_passed_it_by() {
    run(async {
        let world = World::new().await;
        world
            .make(vec![
                (memory("the bus was late"), MemoryAttachments::default()),
                (
                    Memory { category: Category::Preference, ..memory("likes tea") },
                    MemoryAttachments::default(),
                ),
                (
                    Memory { accessed_at: day(290), ..memory("lives by the sea") },
                    MemoryAttachments::default(),
                ),
            ])
            .await;
        world.pass_days(300);
        world.dream().await;
        let tier = async |text: &str| world.memory(text).await.memory.tier;
        assert_eq!(
            tier("the bus was late").await,
            Tier::Episodic,
            "this night could have made a theme of it"
        );
        world.pass_days(1);
        let report = world.dream().await;
        assert_eq!(tier("the bus was late").await, Tier::Dormant);
        let change = report.changes.iter().find(|change| change.step == "forgetting").expect("a change");
        assert!(change.reason.starts_with("rule 3: retention 0.0"), "{}", change.reason);
        assert_eq!(tier("likes tea").await, Tier::Episodic, "preferences are kept for ever");
        assert_eq!(tier("lives by the sea").await, Tier::Episodic, "it was used this month");
    });
}

/// covers: C-177, C-175
#[test]
fn fifty_are_rehearsed_in_a_cycle_whoever_does_it() {
    run(async {
        let world = World::new().await;
        let made = (0..80).map(|at| {
            let importance = f64::from(at) / 100.0;
            (
                Memory { importance, category: Category::Preference, ..memory(&format!("number {at}")) },
                MemoryAttachments::default(),
            )
        });
        world.make(made.collect()).await;
        world.pass_days(60);
        let report = world.agent.run_rhythm("rehearsal", &mut |_| {}).await.expect("run");
        assert_eq!(report.steps[0].changed, 50);
        assert_eq!(report.changes[0].memory, memory("number 79").id, "what matters most comes first");
        assert!((world.memory("number 79").await.memory.stability - 6.0).abs() < 1e-9);
        let dream = world.dream().await;
        let step = dream.steps.iter().find(|step| step.name == "rehearsal").expect("a step");
        assert_eq!(step.changed, 0, "they share a cycle");
        world.pass_days(1);
        let next = world.agent.run_rhythm("rehearsal", &mut |_| {}).await.expect("run");
        assert_eq!(next.steps[0].changed, 30, "those that had to wait");
    });
}
