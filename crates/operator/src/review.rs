//! Review: a belief is verified, rejected, put off or taken back, by an operator who has seen what it says and what its sources
//! say now. What was decided can be undone the same way, and leaves a receipt as well.

use crate::{Grant, OperatorError, Result};
use cairn_domain::{
    AgentName, Belief, BeliefId, BeliefLane, BeliefStatus, Consumer, Invalid, Receipt, ReceiptAction,
    ReceiptDetail, Ref, ReviewDecision, Time,
};
use cairn_engine::{Agent, Home, Missing, Review};
use cairn_store::{
    Store,
    protected::{self, Decided, Decision},
};

/// How often it is decided again because something changed meanwhile.
const ATTEMPTS: usize = 20;
/// For how long a candidate is put off, if nobody says otherwise.
const PUT_OFF_DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;

/// What an operator asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Which belief.
    pub belief: BeliefId,
    /// What becomes of it.
    pub decision: ReviewDecision,
    /// Why.
    pub reason: String,
    /// What `review show` told to confirm: if it is no longer so, nothing is done.
    pub confirm: Option<String>,
    /// Until when it is put off.
    pub until: Option<Time>,
    /// Who may be given it once it is verified; all if nobody is named.
    pub consumers: Vec<Consumer>,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The receipt.
    pub receipt: Receipt,
    /// The belief that stands for it now: the same, or the candidate that came back.
    pub belief: BeliefId,
    /// What was confirmed: the hash of the text and of the sources.
    pub confirms: String,
}

/// Does what an operator decided, with a receipt.
pub async fn decide(grant: &Grant, home: &Home, agent: &AgentName, verdict: Verdict) -> Result<Outcome> {
    let reason = given(&verdict.reason)?;
    if !verdict.consumers.is_empty() && verdict.decision != ReviewDecision::AcceptVerified {
        let hint = "name consumers with `accept_verified` alone; nothing was decided";
        return Err(Invalid::new(format!("{} gives it to nobody", verdict.decision), hint).into());
    }
    let desk = Desk::open(home, agent).await?;
    for _ in 0..ATTEMPTS {
        let version = desk.version().await?;
        let review = desk.agent.review(verdict.belief).await?;
        if let Some(confirm) = verdict.confirm.as_deref().filter(|confirm| *confirm != review.confirms) {
            return Err(OperatorError::Refused {
                problem: format!(
                    "{} or its sources have changed: {confirm} is now {}",
                    verdict.belief, review.confirms
                ),
                hint: format!("look again with `cairn review show {}`; nothing was decided", verdict.belief),
            });
        }
        if let Some(problem) = review.refuses(verdict.decision) {
            let hint = format!("`cairn review show {}` tells what can be decided", verdict.belief);
            return Err(OperatorError::Refused { problem, hint });
        }
        let becomes = becomes((grant, &desk.agent), &review, &verdict, home.now())?;
        let told = ReceiptDetail {
            was: standing(&review.why.record.belief),
            becomes: after(&review.why.record.belief, &becomes),
            reason: format!("{reason}; confirmed {}", review.confirms),
            undo: "cairn review rollback {receipt}".to_owned(),
        };
        let decision = Decision {
            version,
            number: review.why.record.number,
            becomes,
            action: Review::action(verdict.decision),
            subject: verdict.belief.to_string(),
            told,
        };
        if let Some(receipt) = desk.done(grant, decision, home.now()).await? {
            return Ok(Outcome { receipt, belief: verdict.belief, confirms: review.confirms });
        }
    }
    Err(busy())
}

/// Undoes what a receipt tells: the same workflow in reverse. A lane leads one way only, so that what was verified is retracted
/// and stands again as a candidate of its own.
pub async fn roll_back(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    number: u64,
    reason: &str,
) -> Result<Outcome> {
    let reason = given(reason)?;
    let desk = Desk::open(home, agent).await?;
    for _ in 0..ATTEMPTS {
        let version = desk.version().await?;
        let receipt =
            desk.agent.receipt(number).await?.ok_or_else(|| refused(number, "there is no such receipt"))?;
        let Ok(Ref::Belief(id)) = receipt.subject.parse() else {
            return Err(refused(number, "it is not about a belief"));
        };
        if !is_decision(receipt.action) {
            return Err(refused(number, "no operator decided it"));
        }
        let undone = format!("receipt {number}");
        let receipts = desk.agent.receipts_of(&receipt.subject).await?;
        if receipts.iter().any(|one| one.action == ReceiptAction::Rollback && one.told.undo == undone) {
            return Err(refused(number, "it was rolled back already"));
        }
        if receipts.iter().any(|one| one.number > number && is_decision(one.action)) {
            return Err(refused(number, "something was decided about it since; roll that back first"));
        }
        let review = desk.agent.review(id).await?;
        let (becomes, belief) = undo(&desk.agent, &review, &receipt)?;
        let told = ReceiptDetail {
            was: standing(&review.why.record.belief),
            becomes: after(&review.why.record.belief, &becomes),
            reason: reason.clone(),
            undo: undone,
        };
        let (action, subject) = (ReceiptAction::Rollback, receipt.subject.clone());
        let decision = Decision { version, number: review.why.record.number, becomes, action, subject, told };
        if let Some(receipt) = desk.done(grant, decision, home.now()).await? {
            return Ok(Outcome { receipt, belief, confirms: review.confirms });
        }
    }
    Err(busy())
}

/// The agent, for reading, and the protected half of its store.
struct Desk {
    agent: Agent,
    store: Store,
}

impl Desk {
    async fn open(home: &Home, name: &AgentName) -> Result<Self> {
        let agent = home.agent(name, Missing::Refuse).await?;
        Ok(Self { agent, store: home.protected_store(name).await? })
    }

    async fn version(&self) -> Result<i64> {
        Ok(self.store.read(|view| view.memory_version()).await?)
    }

    async fn done(&self, grant: &Grant, decision: Decision, now: Time) -> Result<Option<Receipt>> {
        let actor = grant.authority().to_owned();
        let Some(number) = protected::decide(&self.store, decision, actor, now).await? else {
            return Ok(None);
        };
        let receipt = self.store.read(|view| view.receipt(number)).await?;
        Ok(receipt)
    }
}

fn becomes(
    (grant, agent): (&Grant, &Agent),
    review: &Review,
    verdict: &Verdict,
    now: Time,
) -> Result<Decided> {
    Ok(match verdict.decision {
        // What was only declared has nobody's word for it.
        ReviewDecision::AcceptVerified if grant.declared => {
            let belief = Belief { lane: BeliefLane::Verified, ..review.why.record.belief.clone() };
            Decided::Verified { belief: Box::new(belief), link: None }
        }
        ReviewDecision::AcceptVerified => {
            let verified = agent.verified(review);
            let (belief, link) = verified.ok_or_else(|| OperatorError::Refused {
                problem: format!("nothing speaks for {}", verdict.belief),
                hint: "reject it, or wait until something does".to_owned(),
            })?;
            let belief = Belief { allowed_consumers: allowed(&verdict.consumers), ..belief };
            Decided::Verified { belief: Box::new(belief), link: Some(link) }
        }
        ReviewDecision::Reject | ReviewDecision::Retract => Decided::Retracted { belief: retracted(review) },
        ReviewDecision::Defer => {
            let until = verdict.until.unwrap_or(Time::from_millis(now.millis() + PUT_OFF_DAYS * DAY_MS));
            if until <= now {
                return Err(Invalid::new("this time is over", "put it off until a time to come").into());
            }
            Decided::Deferred(until)
        }
    })
}

/// Those who are named, in their order; all if nobody is.
fn allowed(named: &[Consumer]) -> Vec<Consumer> {
    Consumer::ALL.into_iter().filter(|one| named.is_empty() || named.contains(one)).collect()
}

/// What undoing a decision makes of a belief, and which belief stands for it then.
fn undo(agent: &Agent, review: &Review, receipt: &Receipt) -> Result<(Decided, BeliefId)> {
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
        _ => Err(refused(
            receipt.number,
            "the belief has changed since, and something else stands in its place",
        )),
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

fn standing(belief: &Belief) -> String {
    let allowed: Vec<&str> = belief.allowed_consumers.iter().map(|one| one.as_str()).collect();
    let only = if allowed.len() < Consumer::ALL.len() {
        format!(", for {}", allowed.join(", "))
    } else {
        String::new()
    };
    format!("{} {}, confidence {:.2}{only}", belief.lane, belief.status, belief.confidence)
}

fn after(before: &Belief, becomes: &Decided) -> String {
    match becomes {
        Decided::Verified { belief, .. } | Decided::Retracted { belief } => standing(belief),
        Decided::Deferred(until) => format!("{}, put off until {}", standing(before), until.minute()),
        Decided::Undeferred => standing(before),
        Decided::Again { belief, .. } => format!("{} as {}", standing(belief), belief.id),
    }
}

fn given(reason: &str) -> Result<String> {
    match reason.trim() {
        "" => {
            Err(Invalid::new("a decision needs a reason", "tell it with --reason; nothing was decided")
                .into())
        }
        reason => Ok(reason.to_owned()),
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
        problem: "memories change faster than this can be decided".to_owned(),
        hint: "try again in a moment; nothing was decided".to_owned(),
    }
}
