//! Proposals: an operator who has seen the change of an identity file, its evidence and how it stands to the principles accepts,
//! rejects or postpones it. Accepting goes through the plan, the backup and the receipt of every other change of that file.

use crate::{
    configure::{WantedChange, apply, undo},
    error::{OperatorError, Result},
    grant::Grant,
    interrupted::finish_interrupted,
    reason::required_reason,
};
use cairn_domain::{
    AgentName, Invalid, MAX_PENDING_PROPOSALS, PROPOSAL_TIMEOUT_MS, ProposalId, ProposalStatus, Receipt,
    ReceiptAction, ReceiptDetail, ReviewDecision, Time,
};
use cairn_engine::{Agent, EngineError, Home, Missing, ProposalReview};
use cairn_store::{
    ProposalRecord,
    protected::{self, ProposalDecision, ProposalMove},
};

/// An operator's decision about a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalVerdict {
    /// Which proposal.
    pub proposal: ProposalId,
    /// The decision.
    pub decision: ReviewDecision,
    /// Why.
    pub reason: String,
    /// The `confirms` value of `review show`: if the proposal or the file has changed since, the decision fails.
    pub confirm: Option<String>,
    /// Until when it is postponed.
    pub until: Option<Time>,
}

/// A decision about a proposal that was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalOutcome {
    /// The receipt.
    pub receipt: Receipt,
    /// The proposal.
    pub proposal: ProposalId,
    /// Where it stands now.
    pub status: ProposalStatus,
}

/// Carries out a decision about a proposal and leaves a receipt.
pub async fn decide_proposal(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    verdict: ProposalVerdict,
) -> Result<ProposalOutcome> {
    grant.require(agent)?;
    if grant.is_declared() {
        return Err(OperatorError::BeyondLimit);
    }
    let reason = required_reason(&verdict.reason, "a decision", "decided")?;
    finish_interrupted(home, agent).await?;
    let opened = home.agent(agent, Missing::Refuse).await?;
    let (id, review) = (verdict.proposal, opened.review_proposal(verdict.proposal).await?);
    if let Some(confirm) = verdict.confirm.as_deref().filter(|confirm| *confirm != review.confirms) {
        return Err(OperatorError::Refused {
            problem: format!("{id} or its file has changed: {confirm} is now {}", review.confirms),
            hint: format!("check it again with `cairn review show {id}`; nothing was decided"),
        });
    }
    if let Some(problem) = review.refuses(verdict.decision) {
        let hint = format!("`cairn review show {id}` shows what can be decided; nothing was decided");
        return Err(OperatorError::Refused { problem, hint });
    }
    let number = if verdict.decision == ReviewDecision::AcceptVerified {
        let reason = format!("{reason}; {id}, confirmed {}", review.confirms);
        apply(grant, home, agent, &WantedChange::Proposal(id), &reason).await?.receipt
    } else {
        let decision = decision_without_change(&review, &verdict, &reason, home.now())?;
        let store = home.protected_store(agent).await?;
        protected::decide_proposal(&store, decision, grant.authority().to_owned(), home.now()).await?
    };
    outcome(&opened, id, number).await
}

/// Undoes the decision about a proposal that a receipt records: an accepted change is taken out of the file again, to the byte;
/// a rejected or postponed one waits again. None if the receipt is not about a proposal.
pub async fn roll_back_proposal(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    number: u64,
    reason: &str,
) -> Result<Option<ProposalOutcome>> {
    grant.require(agent)?;
    finish_interrupted(home, agent).await?;
    let opened = home.agent(agent, Missing::Refuse).await?;
    let store = home.protected_store(agent).await?;
    if let Some(accepted) = store.read(|view| view.proposal_accepted_by(number)).await? {
        let undone = undo(grant, home, agent, number, reason).await?;
        return outcome(&opened, accepted.id, undone.receipt).await.map(Some);
    }
    let Some(receipt) = opened.receipt(number).await? else { return Ok(None) };
    let Ok(id) = receipt.subject.parse::<ProposalId>() else { return Ok(None) };
    let reason = required_reason(reason, "a decision", "decided")?;
    let record = opened.proposal(id).await?.record;
    let is_last = record.receipt == Some(number);
    if !is_last || !matches!(receipt.action, ReceiptAction::Reject | ReceiptAction::Defer) {
        return Err(refused(number, "there is a later decision about it; roll that back first"));
    }
    let now = home.now();
    let waiting = store.read(|view| view.pending_proposals(now)).await?;
    if record.status != ProposalStatus::Pending && waiting.len() >= MAX_PENDING_PROPOSALS {
        let why = format!("the limit of {MAX_PENDING_PROPOSALS} pending proposals is reached");
        return Err(refused(number, &why));
    }
    let told = ReceiptDetail {
        was: record.status.to_string(),
        becomes: ProposalStatus::Pending.to_string(),
        reason,
        undo: format!("receipt {number}"),
    };
    let was = record.status;
    let becomes = ProposalRecord {
        status: ProposalStatus::Pending,
        expires_at: Time::from_millis(now.millis() + PROPOSAL_TIMEOUT_MS),
        deferred_until: None,
        ..record
    };
    let moves = ProposalMove { was, becomes };
    let decision = ProposalDecision { moves, action: ReceiptAction::Rollback, told };
    let done = protected::decide_proposal(&store, decision, grant.authority().to_owned(), now).await?;
    outcome(&opened, id, done).await.map(Some)
}

/// Undoes the last decision about a proposal, whichever it was.
pub async fn roll_back_last_decision(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    id: ProposalId,
    reason: &str,
) -> Result<ProposalOutcome> {
    grant.require(agent)?;
    let opened = home.agent(agent, Missing::Refuse).await?;
    let decided = opened.proposal(id).await?.record.receipt;
    let outcome = match decided {
        Some(number) => roll_back_proposal(grant, home, agent, number, reason).await?,
        None => None,
    };
    outcome.ok_or_else(|| OperatorError::Refused {
        problem: format!("nothing has been decided about {id}"),
        hint: format!("`cairn review show {id}` shows where it stands; nothing was changed"),
    })
}

async fn outcome(agent: &Agent, id: ProposalId, number: u64) -> Result<ProposalOutcome> {
    let receipt = agent.receipt(number).await?.ok_or_else(|| EngineError::NotFound(number.to_string()))?;
    Ok(ProposalOutcome { receipt, proposal: id, status: agent.proposal(id).await?.status })
}

fn decision_without_change(
    review: &ProposalReview,
    verdict: &ProposalVerdict,
    reason: &str,
    now: Time,
) -> Result<ProposalDecision> {
    let record = review.proposal.record.clone();
    let (action, becomes) = match verdict.decision {
        ReviewDecision::Defer => {
            let until = verdict.until.unwrap_or(Time::from_millis(now.millis() + PROPOSAL_TIMEOUT_MS));
            if until <= now {
                let hint = "postpone it to a time in the future";
                return Err(Invalid::new("this time is in the past", hint).into());
            }
            // Once its time has come, it waits as long as any other.
            let expires_at = Time::from_millis(until.millis() + PROPOSAL_TIMEOUT_MS);
            (ReceiptAction::Defer, ProposalRecord { deferred_until: Some(until), expires_at, ..record })
        }
        ReviewDecision::AcceptVerified | ReviewDecision::Reject | ReviewDecision::Retract => {
            (ReceiptAction::Reject, ProposalRecord { status: ProposalStatus::Rejected, ..record })
        }
    };
    let told = ReceiptDetail {
        was: ProposalStatus::Pending.to_string(),
        becomes: match becomes.deferred_until {
            Some(until) if action == ReceiptAction::Defer => {
                format!("pending, put off until {}", until.minute())
            }
            _ => becomes.status.to_string(),
        },
        reason: format!("{reason}; confirmed {}", review.confirms),
        undo: "cairn review rollback {receipt}".to_owned(),
    };
    Ok(ProposalDecision { moves: ProposalMove { was: ProposalStatus::Pending, becomes }, action, told })
}

fn refused(number: u64, why: &str) -> OperatorError {
    OperatorError::Refused {
        problem: format!("receipt {number} cannot be rolled back: {why}"),
        hint: "`cairn review show REF` lists the receipts of a proposal; nothing was changed".to_owned(),
    }
}
