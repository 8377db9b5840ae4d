//! The low-risk lane: what an operator has declared beforehand to be verified without a look, and nothing broader. Kinds of
//! belief that say how somebody wants to work, how a project or a tool stands; well supported, with nothing against it, and
//! with a source that says so word for word now. Each leaves a receipt that names the declaration, and can be rolled back as
//! if an operator had decided it; what was taken back once is not taken up again.

use crate::{Grant, OperatorError, Outcome, Result, Verdict, decide};
use cairn_domain::{
    AgentName, BeliefKind, BeliefLane, BeliefStatus, Invalid, Privacy, Receipt, ReceiptAction,
    ReviewDecision, SourceState,
};
use cairn_engine::{Agent, Home, Missing, Recommendation, Review, Shape};
use cairn_store::LOW_RISK;

/// The kinds that may be declared to be of low risk. Who somebody is and how people stand to each other never may.
const MAY_BE_LOW_RISK: [BeliefKind; 4] = [
    BeliefKind::OperatorPreference,
    BeliefKind::ProjectState,
    BeliefKind::ToolingState,
    BeliefKind::RuntimeState,
];
/// Candidates that are looked at in one run, the best supported first, and those that are verified at most.
const LOOKED_AT: u32 = 500;
const MOST: usize = 20;

/// The kinds as they are set: their names with commas between, or `none`.
pub(crate) fn declared(kinds: &[BeliefKind]) -> Result<String> {
    if let Some(kind) = kinds.iter().find(|kind| !MAY_BE_LOW_RISK.contains(kind)) {
        let may = MAY_BE_LOW_RISK.map(BeliefKind::as_str).join(", ");
        let hint = format!("it stays with `cairn review`; these may be declared: {may}");
        return Err(Invalid::new(format!("{kind} is never of low risk"), hint).into());
    }
    let mut names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    Ok(if names.is_empty() { NONE.to_owned() } else { names.join(",") })
}

/// How it is set that nothing is of low risk.
pub(crate) const NONE: &str = "none";

/// Verifies what an operator has declared beforehand; without a declaration nothing. What was done, each with its receipt.
pub async fn apply_low_risk(home: &Home, name: &AgentName) -> Result<Vec<Outcome>> {
    let agent = home.agent(name, Missing::Refuse).await?;
    let Some((kinds, receipt)) = declaration(home, &agent).await? else { return Ok(Vec::new()) };
    let grant = Grant { authority: format!("declared:{receipt}"), declared: true };
    let is_declared = |kind: BeliefKind| kinds.split(',').any(|name| name == kind.as_str());
    let mut done = Vec::new();
    for (record, shape) in agent.to_review(false, LOOKED_AT).await? {
        if done.len() == MOST {
            break;
        }
        if shape != Shape::NearReady || !is_declared(record.belief.kind) {
            continue;
        }
        let review = agent.review(record.belief.id).await?;
        if !is_sure(&review) || was_taken_back(&agent, &review).await? {
            continue;
        }
        let verdict = Verdict {
            belief: record.belief.id,
            decision: ReviewDecision::AcceptVerified,
            reason: format!("{} was declared to be of low risk by receipt {receipt}", record.belief.kind),
            confirm: Some(review.confirms),
            until: None,
            consumers: Vec::new(),
        };
        match decide(&grant, home, name, verdict).await {
            Ok(outcome) => done.push(outcome),
            // Something has changed while it was looked at: it is looked at again the next time.
            Err(OperatorError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// The kinds that an operator has declared, and the receipt that proves it. What no operator's receipt tells is no
/// declaration, whatever the database says.
async fn declaration(home: &Home, agent: &Agent) -> Result<Option<(String, u64)>> {
    let store = home.protected_store(agent.name()).await?;
    let Some((kinds, number)) = store.read(|view| view.protected_setting(LOW_RISK)).await? else {
        return Ok(None);
    };
    let receipt = agent.receipt(number).await?;
    let proves = |receipt: &Receipt| {
        receipt.subject == LOW_RISK
            && receipt.action == ReceiptAction::Configure
            && receipt.told.becomes == kinds
            && receipt.actor.starts_with("operator:")
    };
    Ok((kinds != NONE && receipt.as_ref().is_some_and(proves)).then_some((kinds, number)))
}

/// Whether nothing is left to look at.
fn is_sure(review: &Review) -> bool {
    let belief = &review.why.record.belief;
    belief.lane == BeliefLane::Candidate
        && belief.status == BeliefStatus::Active
        && belief.privacy == Privacy::Open
        && review.deferred_until.is_none()
        && review.verification.state == SourceState::ExactMatch
        && review.recommended.0 == Recommendation::Accept
}

/// Whether an operator has taken back, or did not accept, what says the same.
async fn was_taken_back(agent: &Agent, review: &Review) -> Result<bool> {
    let retracted = |belief: &cairn_store::BeliefRecord| belief.belief.status == BeliefStatus::Retracted;
    if review.why.before.iter().any(retracted) {
        return Ok(true);
    }
    let receipts = agent.receipts_of(&review.why.record.belief.id.to_string()).await?;
    Ok(receipts.iter().any(|receipt| receipt.actor.starts_with("operator:")))
}
