//! Verifies what an operator has declared low-risk in advance, and nothing broader: preferences, and the state of projects,
//! tools and the running system; well supported by the user's own words alone, with nothing against it, and with a source
//! that says so word for word now. What agents, tools, files and feeds say for it does not count.
//! Each leaves a receipt that names the declaration and can be rolled back as if an operator had decided it. What was taken
//! back once is not verified again.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
    review::{ReviewOutcome, ReviewVerdict, decide},
};
use cairn_domain::{AgentName, BeliefKind, BeliefLane, BeliefStatus, Invalid, Privacy, ReviewDecision};
use cairn_engine::{Agent, EvidenceShape, Home, Missing, Recommendation, Review, ReviewScope};
use cairn_store::LOW_RISK;

/// The kinds that may be declared low-risk. Identities and relationships between people never may.
const MAY_BE_LOW_RISK: [BeliefKind; 4] = [
    BeliefKind::OperatorPreference,
    BeliefKind::ProjectState,
    BeliefKind::ToolingState,
    BeliefKind::RuntimeState,
];
/// Candidates checked per run, the best supported first.
const MAX_CHECKED: u32 = 500;
/// Beliefs verified per run.
const MAX_VERIFIED: usize = 20;

/// The stored form of a declaration: the kinds separated by commas, or `none`.
pub(crate) fn declaration_value(kinds: &[BeliefKind]) -> Result<String> {
    if let Some(kind) = kinds.iter().find(|kind| !MAY_BE_LOW_RISK.contains(kind)) {
        let may = MAY_BE_LOW_RISK.map(BeliefKind::as_str).join(", ");
        let hint = format!("use `cairn review` for it; these may be declared: {may}");
        return Err(Invalid::new(format!("{kind} can never be low-risk"), hint).into());
    }
    let mut names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    Ok(if names.is_empty() { NONE.to_owned() } else { names.join(",") })
}

/// The stored form of an empty declaration.
pub(crate) const NONE: &str = "none";

/// Verifies what an operator has declared low-risk; without a declaration, nothing.
pub async fn apply_low_risk(home: &Home, name: &AgentName) -> Result<Vec<ReviewOutcome>> {
    let agent = home.agent(name, Missing::Refuse).await?;
    let Some((kinds, receipt)) = declaration(home, &agent).await? else { return Ok(Vec::new()) };
    let grant = Grant::declared(receipt, name);
    let is_declared = |kind: BeliefKind| kinds.split(',').any(|name| name == kind.as_str());
    let mut done = Vec::new();
    for (record, shape) in agent.to_review(ReviewScope::Waiting, MAX_CHECKED).await? {
        if done.len() == MAX_VERIFIED {
            break;
        }
        if shape != EvidenceShape::NearReady || !is_declared(record.belief.kind) {
            continue;
        }
        let review = agent.review(record.belief.id).await?;
        if !needs_no_review(&review) || was_taken_back(&agent, &review).await? {
            continue;
        }
        let verdict = ReviewVerdict {
            belief: record.belief.id,
            decision: ReviewDecision::AcceptVerified,
            reason: format!("{} was declared to be of low risk by receipt {receipt}", record.belief.kind),
            confirm: Some(review.confirms),
            until: None,
            consumers: Vec::new(),
        };
        match decide(&grant, home, name, verdict).await {
            Ok(outcome) => done.push(outcome),
            // Something changed meanwhile: the next run checks it again.
            Err(OperatorError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// The kinds that an operator has declared, and the receipt that proves it.
async fn declaration(home: &Home, agent: &Agent) -> Result<Option<(String, u64)>> {
    let store = home.protected_store(agent.name()).await?;
    let declared = store.read(|view| view.protected_setting(LOW_RISK)).await?;
    Ok(declared.filter(|(kinds, _)| kinds != NONE))
}

/// Whether a review would have nothing left to decide.
fn needs_no_review(review: &Review) -> bool {
    let belief = &review.why.record.belief;
    belief.lane == BeliefLane::Candidate
        && belief.status == BeliefStatus::Active
        && belief.privacy == Privacy::Open
        && review.deferred_until.is_none()
        && review.near_ready_in_own_words
        && review.recommended.0 == Recommendation::Accept
}

/// Whether an operator has retracted or rejected the same claim before.
async fn was_taken_back(agent: &Agent, review: &Review) -> Result<bool> {
    let retracted = |belief: &cairn_store::BeliefRecord| belief.belief.status == BeliefStatus::Retracted;
    if review.why.before.iter().any(retracted) {
        return Ok(true);
    }
    let receipts = agent.receipts_of(&review.why.record.belief.id.to_string()).await?;
    Ok(receipts.iter().any(|receipt| receipt.actor.starts_with("operator:")))
}
