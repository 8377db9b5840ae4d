//! Numbers of turns, the same in every store.

use super::open_agent::agent;
use crate::{SimulatedClock, say};
use cairn_domain::Role;
use cairn_engine::{DynamicsReport, Home};

/// covers: W-219, W-220, X-W16
pub(super) async fn a_turn_is_learned_from_once(home: &Home, clock: &SimulatedClock) {
    let one = lived(home, "main", clock).await;
    assert_eq!((one.turns.len(), one.updates, one.usual), (4, 3, None), "{one:?}");
    let (newest, first) = (&one.turns[0], &one.turns[3]);
    assert!(first.surprise_learned.is_none() && newest.loss.is_some(), "{one:?}");
    // The numbers come of the turns alone: who lives a day later, at the same hours, learns the same.
    clock.pass_ms(86_400_000 - 5 * 65_000);
    let other = lived(home, "other", clock).await;
    for (one, other) in one.turns.iter().zip(&other.turns) {
        assert!((one.surprise_frozen - other.surprise_frozen).abs() < 1e-3, "{one:?} {other:?}");
    }
}

async fn lived(home: &Home, name: &str, clock: &SimulatedClock) -> DynamicsReport {
    let agent = agent(home, name).await;
    for turn in 0..5 {
        clock.pass_ms(60_000);
        let asked = format!("Where does ferry number {turn} moor?");
        agent.remember(say(&format!("u{turn}"), "s1", Role::User, &asked)).await.expect("kept");
        clock.pass_ms(5_000);
        agent
            .remember(say(&format!("a{turn}"), "s1", Role::Assistant, "At the old pier."))
            .await
            .expect("kept");
        agent.form(&mut |_| {}).await.expect("formed");
    }
    let report = agent.dynamics(10).await.expect("observed");
    agent.form(&mut |_| {}).await.expect("nothing is left to form");
    assert_eq!(agent.dynamics(10).await.expect("observed"), report, "nothing is learned twice");
    report
}
