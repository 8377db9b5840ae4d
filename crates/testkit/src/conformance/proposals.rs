//! Proposals, the same in every store.

use super::open_agent::{agent, moved};
use crate::SimulatedClock;
use cairn_domain::{Draft, IdentityEdit, ProposalOrigin, ProposalStatus, Role};
use cairn_engine::{Agent, Audience, Home, ProposalDraft, StoredProposal};

async fn propose(agent: &Agent, text: &str, evidence: Vec<String>) -> cairn_engine::Result<StoredProposal> {
    let edit = IdentityEdit { file: "SOUL.md".to_owned(), replaces: None, text: text.to_owned() };
    let (reason, origin) = ("it came up".to_owned(), ProposalOrigin::Agent);
    agent.propose(ProposalDraft { edit, reason, evidence, origin }, Audience::Agent).await
}

/// covers: W-82, X-W8
pub(super) async fn a_proposal_waits_moves_and_expires(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    let said = agent.remember(Draft::new(Role::User, "Never promise me a date.")).await.expect("kept");
    let first = propose(&agent, "- I never promise a date.", vec![said.message.to_string()]);
    let first = first.await.expect("stored");
    assert_eq!(first.evidence[0].quoted, "Never promise me a date.");
    clock.pass_ms(1);
    let again = propose(&agent, "- I never promise a date.", Vec::new()).await.expect("known");
    assert_eq!(again.record.id, first.record.id, "the same change waits once");
    for place in 2..=5 {
        propose(&agent, &format!("- Rule {place}."), Vec::new()).await.expect("stored");
    }
    let full = propose(&agent, "- One more.", Vec::new()).await.expect_err("refused");
    assert!(full.to_string().contains("5 proposals wait"), "{full}");
    let waiting = agent.pending_proposals().await.expect("listed");
    assert_eq!(waiting.len(), 5);

    let moved = moved(home, &agent).await;
    assert_eq!(moved.pending_proposals().await.expect("listed"), waiting);

    clock.pass_ms(cairn_domain::PROPOSAL_TIMEOUT_MS);
    assert!(agent.pending_proposals().await.expect("listed").is_empty());
    assert_eq!(agent.proposal(first.record.id).await.expect("there").status, ProposalStatus::Expired);
    propose(&agent, "- One more.", Vec::new()).await.expect("there is room again");
}
