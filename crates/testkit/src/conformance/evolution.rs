//! Code evolution, the same in every store.

use super::open_agent::{agent, moved};
use crate::SimulatedClock;
use cairn_domain::{Draft, Mode, ProposalOrigin, Role};
use cairn_engine::{FrictionKind, Home};

/// One call of a tool that ended as it says, in a request of its own.
fn request(number: u32, result: &str) -> Vec<Draft> {
    let draft = |place: u32, role, speaker: &str, text: &str| Draft {
        source_id: Some(format!("{number}-{place}")),
        session: Some(format!("s{number}")),
        thread: Some("tides".to_owned()),
        mode: Some(Mode::Code),
        role,
        speaker: Some(speaker.to_owned()),
        text: text.to_owned(),
        ..Draft::default()
    };
    vec![
        draft(0, Role::User, "user", "Publish it."),
        draft(1, Role::Tool, "Bash", r#"Bash {"command":"make deploy"}"#),
        draft(2, Role::Tool, "Bash", result),
    ]
}

/// covers: W-84, W-85, W-87, W-92
pub(super) async fn friction_is_seen_proposed_once_and_moves(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    for number in 0..3 {
        agent.ingest_drafts(request(number, "error: the bucket is closed for writing")).await.expect("kept");
        clock.pass_ms(60_000);
    }
    let report = agent.evolution(None).await.expect("asked");
    let seen = &report.projects[0].frictions;
    assert_eq!(
        (seen.len(), seen[0].kind, seen[0].times),
        (1, FrictionKind::RepeatedFailure, 3),
        "{report:?}"
    );
    let exchanges = agent.worked_exchanges(Some("tides"), 10).await.expect("asked");
    assert_eq!(exchanges.len(), 3);
    let spine = agent.exchange_spine(&exchanges[0].exchange.to_string()).await.expect("joined");
    assert_eq!((spine.calls.len(), spine.request.as_str()), (1, "Publish it."));
    for _ in 0..2 {
        agent.run_rhythm("evolution", &mut |_| {}).await.expect("run");
        let proposals = agent.evolution(None).await.expect("asked").proposals;
        assert_eq!(proposals.len(), 1, "{proposals:?}");
        assert_eq!(proposals[0].record.origin, ProposalOrigin::Evolution);
        assert!(proposals[0].scaffold.is_some(), "{proposals:?}");
    }
    let here = moved(home, &agent).await;
    assert_eq!(here.evolution(None).await.expect("asked"), agent.evolution(None).await.expect("asked"));
    let shards = agent.research_shards(None).await.expect("asked");
    assert_eq!(shards.len(), 3);
    assert!(shards.iter().all(|shard| !shard.is_approved()) && agent.research_export().await.is_err());
    assert_eq!(here.research_shards(None).await.expect("asked"), shards);
}
