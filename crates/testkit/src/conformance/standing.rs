//! Where the user stands, the same in every store.

use super::open_agent::{agent, moved};
use crate::{SimulatedClock, say};
use cairn_domain::{MILLIS_PER_DAY, Role, StandingTrajectory};
use cairn_engine::Home;

/// covers: W-135, W-136, W-137, W-138
pub(super) async fn a_day_moves_a_score_once_and_moves_with_its_agent(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    agent.remember(say("1", "s", Role::User, "I broke my promise.")).await.expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
    let word = |report: &cairn_engine::StandingReport| report.dimensions[2].clone();
    let now = agent.standing(7, 5).await.expect("asked");
    assert!((word(&now).score - 4.8).abs() < 1e-9 && now.trail.len() == 1, "{now:?}");
    clock.pass_ms(MILLIS_PER_DAY);
    for _ in 0..2 {
        agent.run_rhythm("standing", &mut |_| {}).await.expect("weighed");
        let weighed = word(&agent.standing(7, 5).await.expect("asked"));
        assert_eq!((weighed.days.len(), weighed.since.len()), (1, 0), "{weighed:?}");
        assert_eq!(weighed.trajectory, StandingTrajectory::Falling);
        assert!((weighed.score - 4.8).abs() < 1e-9, "{weighed:?}");
    }
    let here = moved(home, &agent).await;
    assert_eq!(here.standing(7, 5).await.expect("asked"), agent.standing(7, 5).await.expect("asked"));
}
