//! Review: an operator who has seen a belief and what its sources say now verifies, rejects, postpones or retracts it. Every
//! decision leaves a receipt and can be rolled back, which leaves one as well.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
    reason::required_reason,
};
use cairn_domain::{
    AgentName, Belief, BeliefId, BeliefLane, BeliefStatus, Consumer, Invalid, MILLIS_PER_DAY, Receipt,
    ReceiptAction, ReceiptDetail, Ref, ReviewDecision, Time,
};
use cairn_engine::{Agent, Home, Missing, Review};
use cairn_store::{
    Store,
    protected::{self, BeliefDecision, Decided},
};

/// How often a decision is retried because memories changed meanwhile.
const MAX_ATTEMPTS: usize = 20;
/// How long a review is postponed by default.
const DEFER_DAYS: i64 = 7;

/// An operator's decision about a belief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewVerdict {
    /// Which belief.
    pub belief: BeliefId,
    /// The decision.
    pub decision: ReviewDecision,
    /// Why.
    pub reason: String,
    /// The `confirms` value of `review show`: if the text or a source has changed since, the decision fails.
    pub confirm: Option<String>,
    /// Until when the review is postponed.
    pub until: Option<Time>,
    /// Who may receive it once it is verified; empty for all.
    pub consumers: Vec<Consumer>,
}

/// A decision that was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewOutcome {
    /// The receipt.
    pub receipt: Receipt,
    /// The belief that stands for it now: the same, or the candidate that came back.
    pub belief: BeliefId,
    /// The hash that was confirmed: of the text and of the sources.
    pub confirms: String,
}

/// Carries out a decision and leaves a receipt.
pub async fn decide(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    verdict: ReviewVerdict,
) -> Result<ReviewOutcome> {
    grant.require(agent)?;
    let reason = required_reason(&verdict.reason, "a decision", "decided")?;
    if !verdict.consumers.is_empty() && verdict.decision != ReviewDecision::AcceptVerified {
        let hint = "consumers can be named only with `accept_verified`; nothing was decided";
        return Err(Invalid::new(format!("{} takes no consumers", verdict.decision), hint).into());
    }
    let desk = ReviewedAgent::open(home, agent).await?;
    for _ in 0..MAX_ATTEMPTS {
        let version = desk.version().await?;
        let review = desk.agent.review(verdict.belief).await?;
        if let Some(confirm) = verdict.confirm.as_deref().filter(|confirm| *confirm != review.confirms) {
            return Err(OperatorError::Refused {
                problem: format!(
                    "{} or its sources have changed: {confirm} is now {}",
                    verdict.belief, review.confirms
                ),
                hint: format!(
                    "check it again with `cairn review show {}`; nothing was decided",
                    verdict.belief
                ),
            });
        }
        if let Some(problem) = review.refuses(verdict.decision) {
            let hint = format!("`cairn review show {}` shows what can be decided", verdict.belief);
            return Err(OperatorError::Refused { problem, hint });
        }
        let becomes = new_state(grant, &desk.agent, &review, &verdict, home.now())?;
        let told = ReceiptDetail {
            was: state_summary(&review.why.record.belief),
            becomes: summary_after(&review.why.record.belief, &becomes),
            reason: format!("{reason}; confirmed {}", review.confirms),
            undo: "cairn review rollback {receipt}".to_owned(),
        };
        let decision = BeliefDecision {
            version,
            number: review.why.record.number,
            becomes,
            action: Review::action(verdict.decision),
            subject: verdict.belief.to_string(),
            told,
        };
        if let Some(receipt) = desk.commit(grant, decision, home.now()).await? {
            return Ok(ReviewOutcome { receipt, belief: verdict.belief, confirms: review.confirms });
        }
    }
    Err(busy())
}

/// Undoes the decision that a receipt records. A verified belief never becomes a candidate again, so it is retracted and a new
/// candidate with the same words takes its place.
pub async fn roll_back(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    number: u64,
    reason: &str,
) -> Result<ReviewOutcome> {
    grant.require(agent)?;
    let reason = required_reason(reason, "a decision", "decided")?;
    let desk = ReviewedAgent::open(home, agent).await?;
    for _ in 0..MAX_ATTEMPTS {
        let version = desk.version().await?;
        let receipt =
            desk.agent.receipt(number).await?.ok_or_else(|| refused(number, "there is no such receipt"))?;
        let Ok(Ref::Belief(id)) = receipt.subject.parse() else {
            return Err(refused(number, "it is not about a belief"));
        };
        if !is_decision(receipt.action) {
            return Err(refused(number, "it does not record a decision"));
        }
        let undone = format!("receipt {number}");
        let receipts = desk.agent.receipts_of(&receipt.subject).await?;
        if receipts.iter().any(|one| one.action == ReceiptAction::Rollback && one.told.undo == undone) {
            return Err(refused(number, "it was already rolled back"));
        }
        if receipts.iter().any(|one| one.number > number && is_decision(one.action)) {
            return Err(refused(number, "there is a later decision about it; roll that back first"));
        }
        let review = desk.agent.review(id).await?;
        let (becomes, belief) = undone_state(&desk.agent, &review, &receipt)?;
        let told = ReceiptDetail {
            was: state_summary(&review.why.record.belief),
            becomes: summary_after(&review.why.record.belief, &becomes),
            reason: reason.clone(),
            undo: undone,
        };
        let (action, subject) = (ReceiptAction::Rollback, receipt.subject.clone());
        let decision =
            BeliefDecision { version, number: review.why.record.number, becomes, action, subject, told };
        if let Some(receipt) = desk.commit(grant, decision, home.now()).await? {
            return Ok(ReviewOutcome { receipt, belief, confirms: review.confirms });
        }
    }
    Err(busy())
}

/// The agent, for reading, and the protected half of its store.
struct ReviewedAgent {
    agent: Agent,
    store: Store,
}

impl ReviewedAgent {
    async fn open(home: &Home, name: &AgentName) -> Result<Self> {
        let agent = home.agent(name, Missing::Refuse).await?;
        Ok(Self { agent, store: home.protected_store(name).await? })
    }

    async fn version(&self) -> Result<i64> {
        Ok(self.store.read(|view| view.memory_version()).await?)
    }

    async fn commit(&self, grant: &Grant, decision: BeliefDecision, now: Time) -> Result<Option<Receipt>> {
        let actor = grant.authority().to_owned();
        let Some(number) = protected::decide(&self.store, decision, actor, now).await? else {
            return Ok(None);
        };
        let receipt = self.store.read(|view| view.receipt(number)).await?;
        Ok(receipt)
    }
}

pub(crate) fn new_state(
    grant: &Grant,
    agent: &Agent,
    review: &Review,
    verdict: &ReviewVerdict,
    now: Time,
) -> Result<Decided> {
    Ok(match verdict.decision {
        // A declaration adds no operator's word to the confidence.
        ReviewDecision::AcceptVerified if grant.is_declared() => {
            let belief = Belief { lane: BeliefLane::Verified, ..review.why.record.belief.clone() };
            Decided::Verified { belief: Box::new(belief), link: None }
        }
        ReviewDecision::AcceptVerified => {
            let verified = agent.verified(review);
            let (belief, link) = verified.ok_or_else(|| OperatorError::Refused {
                problem: format!("there is no evidence for {}", verdict.belief),
                hint: "reject it, or wait until there is some".to_owned(),
            })?;
            let belief = Belief { allowed_consumers: allowed_consumers(&verdict.consumers), ..belief };
            Decided::Verified { belief: Box::new(belief), link: Some(link) }
        }
        ReviewDecision::Reject | ReviewDecision::Retract => Decided::Retracted { belief: retracted(review) },
        ReviewDecision::Defer => {
            let until =
                verdict.until.unwrap_or(Time::from_millis(now.millis() + DEFER_DAYS * MILLIS_PER_DAY));
            if until <= now {
                return Err(
                    Invalid::new("this time is in the past", "postpone it to a time in the future").into()
                );
            }
            Decided::Deferred(until)
        }
    })
}

/// The named consumers in their fixed order; all if none is named.
fn allowed_consumers(named: &[Consumer]) -> Vec<Consumer> {
    Consumer::ALL.into_iter().filter(|one| named.is_empty() || named.contains(one)).collect()
}

/// The state of a belief after undoing a decision, and the belief that stands for it then.
fn undone_state(agent: &Agent, review: &Review, receipt: &Receipt) -> Result<(Decided, BeliefId)> {
    let record = &review.why.record;
    let again = |retracted: Option<Box<Belief>>| {
        let (belief, links) = agent.candidate_again(review);
        let id = belief.id;
        (Decided::Again { retracted, belief: Box::new(belief), links }, id)
    };
    let stands = record.belief.status.stands();
    match receipt.action {
        ReceiptAction::AcceptVerified if stands && record.belief.lane == BeliefLane::Verified => {
            Ok(again(Some(retracted(review))))
        }
        ReceiptAction::Reject | ReceiptAction::Retract
            if record.belief.status == BeliefStatus::Retracted && review.why.after.is_none() =>
        {
            Ok(again(None))
        }
        ReceiptAction::Defer if stands => Ok((Decided::Undeferred, record.belief.id)),
        _ => Err(refused(receipt.number, "the belief has changed since then")),
    }
}

fn is_decision(action: ReceiptAction) -> bool {
    matches!(
        action,
        ReceiptAction::AcceptVerified | ReceiptAction::Reject | ReceiptAction::Defer | ReceiptAction::Retract
    )
}

fn retracted(review: &Review) -> Box<Belief> {
    Box::new(Belief { status: BeliefStatus::Retracted, ..review.why.record.belief.clone() })
}

fn state_summary(belief: &Belief) -> String {
    let allowed: Vec<&str> = belief.allowed_consumers.iter().map(|one| one.as_str()).collect();
    let only = if allowed.len() < Consumer::ALL.len() {
        format!(", for {}", allowed.join(", "))
    } else {
        String::new()
    };
    format!("{} {}, confidence {:.2}{only}", belief.lane, belief.status, belief.confidence)
}

fn summary_after(before: &Belief, becomes: &Decided) -> String {
    match becomes {
        Decided::Verified { belief, .. } | Decided::Retracted { belief } => state_summary(belief),
        Decided::Deferred(until) => format!("{}, put off until {}", state_summary(before), until.minute()),
        Decided::Undeferred => state_summary(before),
        Decided::Again { belief, .. } => format!("{} as {}", state_summary(belief), belief.id),
    }
}

fn refused(number: u64, why: &str) -> OperatorError {
    OperatorError::Refused {
        problem: format!("receipt {number} cannot be rolled back: {why}"),
        hint: "`cairn why REF` lists the receipts of a belief; nothing was changed".to_owned(),
    }
}

fn busy() -> OperatorError {
    OperatorError::Refused {
        problem: "memories are changing too fast to decide".to_owned(),
        hint: "try again in a moment; nothing was decided".to_owned(),
    }
}
