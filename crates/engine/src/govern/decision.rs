//! Decisions: the governor is asked, and what it says above `proceed` stays in the ledger.

use super::{
    action::ActionDraft,
    rules::{GovernRules, RepeatRule},
};
use crate::{agent::Agent, error::Result, limits::MAX_GOVERN_ACTION_CHARS, stored_json::to_stored_json};
use cairn_cognition::{
    govern::governor::{ClaimedAuthority, GovernorState, decide},
    secret::mask,
};
use cairn_domain::{
    AuthorityKind, BeliefLane, DecisionReason, Friction, GovernorDecision, Receipt, ReceiptAction,
    ReceiptDetail, Ref, Time,
};

/// How receipts name a decision that no lease was used for.
const DECISION_SUBJECT: &str = "action";

/// A question for the governor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GovernRequest {
    /// The action.
    pub action: ActionDraft,
    /// Everything that the action is said to stand on, besides the agent's leases: `mem_…`, `handoff/pottery`, `tool/Bash`, `outcome/17`.
    pub authority: Vec<String>,
    /// How often the same action was proposed in a row, this time included.
    pub in_a_row: u32,
    /// Whether the same was asked in this session and nobody said yes.
    pub asked_before: bool,
}

/// An answer of the governor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Governed {
    /// The decision.
    pub decision: GovernorDecision,
    /// The receipt of it; none if nothing stands in the way.
    pub receipt: Option<u64>,
}

/// A decision of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDecision {
    /// The number of its receipt.
    pub receipt: u64,
    /// The decision; none if its words were erased.
    pub decision: Option<GovernorDecision>,
}

/// The decision as if nobody had permitted anything: never less restrictive than with authority.
pub fn decide_without_authority(rules: &GovernRules, request: &GovernRequest, now: Time) -> GovernorDecision {
    decide(&request.action.resolve(), &[], &state_of(rules, request), now)
}

fn state_of<'a>(rules: &'a GovernRules, request: &GovernRequest) -> GovernorState<'a> {
    let repeated = rules.repeats.filter(|rule| request.in_a_row >= rule.after.max(1));
    let self_state = repeated.map(|rule| repeats_reason(rule, request.in_a_row)).into_iter().collect();
    GovernorState { rules: &rules.rules, self_state, asked_before: request.asked_before }
}

fn repeats_reason(rule: RepeatRule, in_a_row: u32) -> DecisionReason {
    DecisionReason {
        reference: "self_state#repeats".to_owned(),
        minimum: rule.mode,
        reason: format!("the same action was proposed {in_a_row} times in a row"),
        lease: None,
    }
}

impl Agent {
    /// Asks the governor about an action, and keeps what it says above `proceed` in the ledger. Does nothing else.
    pub async fn govern(&self, rules: &GovernRules, request: &GovernRequest) -> Result<Governed> {
        let mut authority: Vec<ClaimedAuthority> = Vec::new();
        for lease in self.leases().await? {
            authority.push(ClaimedAuthority::Lease { name: lease.name, terms: Box::new(lease.terms) });
        }
        for reference in &request.authority {
            let kind = self.authority_kind(reference).await?;
            if kind != AuthorityKind::Lease {
                authority.push(ClaimedAuthority::Other { reference: reference.clone(), kind });
            }
        }
        let decision = decide(&request.action.resolve(), &authority, &state_of(rules, request), self.now());
        if decision.mode == Friction::Proceed {
            return Ok(Governed { decision, receipt: None });
        }
        let used = decision.reasons.iter().find_map(|reason| reason.lease.clone());
        let kept = GovernorDecision { action: kept_words(&decision.action), ..decision.clone() };
        let told = ReceiptDetail {
            becomes: to_stored_json("a decision", &kept)?,
            reason: decision.reasons.first().map(|reason| reason.reason.clone()).unwrap_or_default(),
            ..ReceiptDetail::default()
        };
        let receipt = Receipt {
            number: 0,
            at: self.now(),
            actor: "governor".to_owned(),
            action: ReceiptAction::Decide,
            subject: used
                .filter(|_| decision.mode <= Friction::Verify)
                .unwrap_or_else(|| DECISION_SUBJECT.to_owned()),
            told,
        };
        let number = self.store.record(receipt).await?;
        Ok(Governed { decision, receipt: Some(number) })
    }

    /// The kind of thing that a ref names, when an action is said to stand on it.
    async fn authority_kind(&self, reference: &str) -> Result<AuthorityKind> {
        let known = match reference.split_once('/') {
            Some(("lease", name)) => {
                let known = self.leases().await?.iter().any(|lease| lease.name == name);
                Some(if known { AuthorityKind::Lease } else { AuthorityKind::Unknown })
            }
            Some(("tool", _)) => Some(AuthorityKind::VisibleTool),
            Some(("outcome", _)) => Some(AuthorityKind::PastSuccess),
            Some(("handoff", _)) => Some(AuthorityKind::Handoff),
            Some(("context", _)) => Some(AuthorityKind::ContextDelivery),
            _ => None,
        };
        if let Some(kind) = known {
            return Ok(kind);
        }
        Ok(match reference.parse::<Ref>() {
            Ok(Ref::Belief(id)) => match self.store.read(|view| view.belief(id)).await? {
                Some(record) if record.belief.lane == BeliefLane::Verified => AuthorityKind::VerifiedBelief,
                Some(_) => AuthorityKind::Candidate,
                None => AuthorityKind::Unknown,
            },
            Ok(Ref::Digest(_)) => AuthorityKind::Handoff,
            Ok(_) => AuthorityKind::RetrievedMemory,
            Err(_) => AuthorityKind::Unknown,
        })
    }

    /// The governor's decisions, the newest first.
    pub async fn decisions(&self, limit: u32) -> Result<Vec<RecordedDecision>> {
        let receipts = self.store.read(|view| view.receipts_with(ReceiptAction::Decide, limit)).await?;
        Ok(receipts.iter().map(recorded).collect())
    }

    /// One of them, by the number of its receipt.
    pub async fn decision(&self, receipt: u64) -> Result<Option<RecordedDecision>> {
        let found = self.receipt(receipt).await?;
        Ok(found.filter(|receipt| receipt.action == ReceiptAction::Decide).as_ref().map(recorded))
    }
}

fn recorded(receipt: &Receipt) -> RecordedDecision {
    RecordedDecision { receipt: receipt.number, decision: serde_json::from_str(&receipt.told.becomes).ok() }
}

/// Words as the ledger keeps them: without secrets, and not without end.
pub(super) fn kept_words(words: &str) -> String {
    let masked = mask(words).text.into_owned();
    match masked.char_indices().nth(MAX_GOVERN_ACTION_CHARS) {
        Some((at, _)) => format!("{}…", &masked[..at]),
        None => masked,
    }
}
