//! Two at once: whoever decides second decides again, and one belief stands.

use crate::belief::world::World;
use cairn_engine::Missing;
use cairn_testkit::run;

/// covers: K-51, I8
#[test]
fn two_that_consolidate_one_key_at_once_make_one_belief() {
    run(async {
        let world = World::new().await;
        let other = world.home.agent(world.agent.name(), Missing::Refuse).await.expect("the same agent");
        for city in ["Oslo", "Bergen", "Leeds", "Graz"] {
            world.user(&format!("I live in {city} now.")).await;
            let (mut on_one, mut on_other) =
                (|_: cairn_engine::RhythmProgress<'_>| {}, |_: cairn_engine::RhythmProgress<'_>| {});
            // A rhythm is in one hand at a time; revalidation looks for the same beliefs meanwhile.
            let (one, two) = tokio::join!(
                world.agent.run_rhythm("beliefs", &mut on_one),
                other.run_rhythm("revalidation", &mut on_other)
            );
            one.expect("run");
            two.expect("run");
            world.pass(3);
        }
        let story = world.story("entity:user:identity:residence").await;
        assert_eq!(story.len(), 4, "{story:?}");
        assert_eq!(story.iter().filter(|(_, status)| status.stands()).count(), 1, "{story:?}");
        world.verified().await;
    });
}
