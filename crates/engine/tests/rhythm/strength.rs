//! How strong memories are, as the product tells it: what is on the tip of the tongue, what fades faster for being neglected,
//! what was rehearsed.

use crate::rhythm::world::{World, memory};
use cairn_domain::{Memory, Tier};
use cairn_store::MemoryAttachments;
use cairn_testkit::run;

/// covers: C-10
#[test]
fn what_is_well_stored_and_hardly_comes_to_mind_is_listed_and_told() {
    run(async {
        let world = World::new().await;
        let stored = |text: &str, storage| Memory { storage, ..memory(text) };
        world
            .make(vec![
                (stored("The kiln key hangs behind the door.", 6.0), MemoryAttachments::default()),
                (stored("The kiln door sticks.", 2.0), MemoryAttachments::default()),
            ])
            .await;
        let listed = async || {
            let found = world.agent.on_the_tip_of_the_tongue(9).await.expect("listed");
            found.into_iter().map(|record| record.memory.text).collect::<Vec<_>>()
        };
        assert_eq!(listed().await, [""; 0], "all of it comes to mind");
        world.pass_days(60);
        assert_eq!(listed().await, ["The kiln key hangs behind the door."]);
        for (text, expected) in
            [("The kiln key hangs behind the door.", true), ("The kiln door sticks.", false)]
        {
            let why = world.agent.why_memory(world.memory(text).await.memory.id).await.expect("why");
            assert_eq!(why.on_the_tip_of_the_tongue, expected, "{text}");
        }
    });
}

/// covers: C-26, X-C4
#[test]
fn what_is_used_less_than_half_as_much_as_the_average_fades_faster() {
    run(async {
        let world = World::new().await;
        let used = |text: &str, accesses| Memory { accesses, tier: Tier::Semantic, ..memory(text) };
        world
            .make(vec![
                (used("neglected", 1), MemoryAttachments::default()),
                (used("used as others are", 4), MemoryAttachments::default()),
                (used("used the most", 7), MemoryAttachments::default()),
            ])
            .await;
        world.dream().await;
        world.pass_days(2);
        world.dream().await;
        let faded = async |text: &str| (world.memory(text).await.memory.stability / 4.0).ln();
        let (neglected, usual) = (faded("neglected").await, faded("used as others are").await);
        assert!(usual < 0.0, "both fade: {usual}");
        assert!((neglected / usual - 1.5).abs() < 1e-6, "{neglected} {usual}");
    });
}

/// covers: C-176
#[test]
fn how_often_a_memory_was_rehearsed_is_told() {
    run(async {
        let world = World::new().await;
        let important = Memory { importance: 0.9, utility: 0.9, ..memory("The spare key is with Zoe.") };
        world.make(vec![(important, MemoryAttachments::default())]).await;
        let id = world.memory("The spare key is with Zoe.").await.memory.id;
        assert_eq!(world.agent.why_memory(id).await.expect("why").rehearsals, 0);
        world.pass_days(40);
        let report = world.agent.run_rhythm("rehearsal", &mut |_| {}).await.expect("run");
        assert_eq!(world.agent.why_memory(id).await.expect("why").rehearsals, 1, "{report:?}");
    });
}
