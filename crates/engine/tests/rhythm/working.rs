//! Working memory: what a running session has in mind, where it belongs meanwhile, and what is left of it when the session
//! is over.

use crate::rhythm::world::{CONFIG, START, World, memory};
use cairn_domain::{Category, Memory, Role, Tier};
use cairn_engine::{Briefing, Effects, RhythmOutcome};
use cairn_store::MemoryAttachments;
use cairn_testkit::{run, say};

const HOUR_MS: i64 = 3_600_000;

async fn intake(world: &World) {
    let report = world.agent.run_rhythm("intake", &mut |_| {}).await.expect("run");
    assert_eq!(report.outcome, RhythmOutcome::Done);
}

async fn tell(world: &World, id: &str, session: &str, text: &str) {
    let kept = world.agent.remember(say(id, session, Role::User, text)).await.expect("kept");
    world.agent.form_message(kept.message).await.expect("formed");
}

/// The context a model is shown at the start of a session, or after its conversation was shortened.
async fn shown(world: &World, session: &str) -> String {
    let briefing = Briefing { session: Some(session.to_owned()), tokens: 600, ..Briefing::default() };
    world.agent.context(&briefing, Effects::None).await.expect("a brief").text()
}

/// covers: C-218, C-225, C-226, L-05, X-L1
#[test]
fn what_a_session_has_in_mind_is_working_memory_until_the_session_is_over() {
    run(async {
        let world = World::new().await;
        tell(&world, "1", "a", "My dog Rex is three years old and lives in Porto.").await;
        tell(&world, "2", "a", "Remember: I am severely allergic to penicillin!").await;
        assert!(
            shown(&world, "a").await.contains("In mind in this session:"),
            "{}",
            shown(&world, "a").await
        );
        assert!(!shown(&world, "b").await.contains("In mind"), "another session has nothing in mind");
        intake(&world).await;
        let before = world.all().await;
        assert!(before.len() >= 2, "{before:?}");
        for record in &before {
            assert_eq!(
                (record.memory.tier, record.memory.layer.as_str()),
                (Tier::Working, "working"),
                "{record:?}"
            );
        }
        world.agent.end_session("a").await.expect("ended");
        assert_eq!(world.agent.in_mind("a").await.expect("read"), []);
        assert!(!shown(&world, "a").await.contains("In mind"));
        for was in &before {
            let is = world.agent.memory(was.memory.id).await.expect("there").memory;
            assert_eq!((is.tier, is.layer.as_str()), (Tier::Episodic, "short-term"));
            let kept = u32::from(was.memory.importance >= 0.6);
            assert_eq!(is.accesses, was.memory.accesses + kept, "{}: importance {}", is.text, is.importance);
        }
    });
}

/// covers: C-225
#[test]
fn what_a_session_used_twice_is_kept_better() {
    run(async {
        let world = World::new().await;
        tell(&world, "1", "a", "My dog Rex is three years old and lives in Porto.").await;
        let rex = world.all().await.remove(0);
        assert!(rex.memory.importance < 0.6, "{rex:?}");
        let question = || cairn_engine::Question {
            session: Some("a".to_owned()),
            ..cairn_engine::Question::new("How old is my dog Rex?")
        };
        for _ in 0..2 {
            let recall = world.agent.answer(question(), Effects::Strengthen).await.expect("an answer");
            assert!(!recall.hits.is_empty());
        }
        let used = world.agent.memory(rex.memory.id).await.expect("there").memory;
        world.agent.end_session("a").await.expect("ended");
        let is = world.agent.memory(rex.memory.id).await.expect("there").memory;
        assert_eq!((used.accesses, is.accesses), (2, 3));
    });
}

/// covers: C-226
#[test]
fn a_session_that_nobody_ends_is_over_after_two_quiet_hours() {
    run(async {
        let world = World::new().await;
        tell(&world, "1", "a", "My dog Rex is three years old and lives in Porto.").await;
        intake(&world).await;
        world.clock.pass_ms(HOUR_MS);
        intake(&world).await;
        assert_eq!(world.agent.in_mind("a").await.expect("read").len(), 1, "an hour is a pause");
        world.clock.pass_ms(2 * HOUR_MS);
        intake(&world).await;
        assert_eq!(world.agent.in_mind("a").await.expect("read"), []);
        assert_eq!(world.all().await[0].memory.tier, Tier::Episodic);
    });
}

#[test]
fn a_night_lets_go_of_working_memory_that_was_left_behind() {
    run(async {
        let world = World::new().await;
        let (tier, layer) = (Tier::Working, "working".to_owned());
        let left = Memory { tier, layer, ..memory("The kiln is warm.") };
        world.make(vec![(left, MemoryAttachments::default())]).await;
        world.pass_days(1);
        world.dream().await;
        assert_eq!(world.memory("The kiln is warm.").await.memory.tier, Tier::Episodic);
        let report = world.agent.run_rhythm("consolidation:working", &mut |_| {}).await.expect("run");
        assert_eq!(report.outcome, RhythmOutcome::Done);
        assert_eq!(world.memory("The kiln is warm.").await.memory.layer, "short-term", "{report:?}");
    });
}

/// covers: L-05, X-L1
#[test]
fn a_layer_of_ones_own_takes_what_is_of_its_categories() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let layer = "[layers.plans]\nconsolidation_interval = \"0 8 * * *\"\nhorizon_days = 30.0\ndecay_rate = 0.1\n\
                     categories = [\"plan\"]\n";
        let world = World::with(folder.path(), START, &format!("{CONFIG}{layer}"), |home| home).await;
        let plan = Memory { category: Category::Plan, ..memory("User visits Porto in May.") };
        world
            .make(vec![
                (plan, MemoryAttachments::default()),
                (memory("The kiln is warm."), MemoryAttachments::default()),
            ])
            .await;
        intake(&world).await;
        assert_eq!(world.memory("User visits Porto in May.").await.memory.layer, "plans");
        assert_eq!(world.memory("The kiln is warm.").await.memory.layer, "short-term");
        let report = world.agent.run_rhythm("consolidation:plans", &mut |_| {}).await.expect("run");
        assert_eq!(report.steps[0].looked_at, 1, "{report:?}");
    });
}
