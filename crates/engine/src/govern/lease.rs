//! Leases: what an operator permits an agent for a while. They are settings that only an operator's receipt proves.

use crate::{agent::Agent, error::Result};
use cairn_cognition::govern::{
    governor::LeaseTerms,
    pattern::{CommandPattern, ToolPattern},
};
use cairn_domain::{
    Invalid, LeaseAudience, MILLIS_PER_DAY, Receipt, ReceiptAction, ResponsibilityLease, Time,
};
use cairn_store::LEASE_PREFIX;

/// That a lease has ended is told for so long.
const TOLD_FOR_DAYS: i64 = 7;

/// A lease as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingLease {
    /// Its name.
    pub name: String,
    /// The receipt that gave it.
    pub receipt: u64,
    /// Its terms, and how much of it is used.
    pub terms: LeaseTerms,
    /// Why and since when it permits nothing any more; none while it does.
    pub ended: Option<LeaseEnd>,
}

/// The end of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseEnd {
    /// Why, in words: `expired`, `its budget is spent`, `stopped by outcome 17: failed`.
    pub why: String,
    /// Since when.
    pub at: Time,
}

impl StandingLease {
    /// Whether somebody is to be told that it has ended.
    pub(crate) fn is_told_to(&self, audience: LeaseAudience, now: Time) -> bool {
        let wanted = self.terms.lease.notify.is_some_and(|it| it == audience || it == LeaseAudience::Both);
        let is_recent = |end: &LeaseEnd| now.millis() - end.at.millis() < TOLD_FOR_DAYS * MILLIS_PER_DAY;
        wanted && self.ended.as_ref().is_some_and(is_recent)
    }

    /// That it has ended, in a sentence.
    pub(crate) fn end_told(&self) -> Option<String> {
        let end = self.ended.as_ref()?;
        Some(format!("The lease {} ({}) has ended: {}.", self.name, self.terms.lease.objective, end.why))
    }
}

/// Reads the patterns of a lease.
pub fn lease_terms(lease: ResponsibilityLease, used: u32) -> std::result::Result<LeaseTerms, Invalid> {
    let commands = lease
        .commands
        .iter()
        .map(|text| CommandPattern::parse(text))
        .collect::<std::result::Result<_, _>>()?;
    let tools =
        lease.tools.iter().map(|text| ToolPattern::parse(text)).collect::<std::result::Result<_, _>>()?;
    Ok(LeaseTerms { lease, commands, tools, used, stopped: None })
}

impl Agent {
    /// The leases of this agent, by name. What was taken back is none.
    pub async fn leases(&self) -> Result<Vec<StandingLease>> {
        let now = self.now();
        let leases = self.store.read(|view| {
            let mut found = Vec::new();
            for name in view.protected_names()? {
                let Some(short) = name.strip_prefix(LEASE_PREFIX) else { continue };
                let Some((value, receipt)) = view.protected_setting(&name)? else { continue };
                let Ok(lease) = serde_json::from_str::<ResponsibilityLease>(&value) else { continue };
                let receipts = view.receipts_of(&name)?;
                // What was done under an earlier lease of the same name counts for that.
                let later = receipts.iter().filter(|one| one.number > receipt);
                let (acts, rest): (Vec<&Receipt>, Vec<&Receipt>) =
                    later.partition(|one| one.action == ReceiptAction::Decide);
                let Ok(mut terms) = lease_terms(lease, acts.len() as u32) else { continue };
                let stop = rest.into_iter().find(|one| one.action == ReceiptAction::Stop);
                terms.stopped = stop.map(stop_told);
                let ended = end_of(&terms, stop, acts.last().copied(), now);
                found.push(StandingLease { name: short.to_owned(), receipt, terms, ended });
            }
            Ok(found)
        });
        Ok(leases.await?)
    }
}

/// The first thing that has ended a lease.
fn end_of(terms: &LeaseTerms, stop: Option<&Receipt>, last: Option<&Receipt>, now: Time) -> Option<LeaseEnd> {
    let expires_at = terms.lease.expires_at;
    let stopped = stop.map(|receipt| LeaseEnd { why: stop_told(receipt), at: receipt.at });
    let spent = last.filter(|_| terms.used >= terms.lease.max_actions);
    let spent = spent.map(|receipt| LeaseEnd { why: "its budget is spent".to_owned(), at: receipt.at });
    let expired =
        (now >= expires_at).then(|| LeaseEnd { why: format!("expired at {expires_at}"), at: expires_at });
    [stopped, spent, expired].into_iter().flatten().min_by_key(|end| end.at)
}

/// The outcome that a receipt of a stop names, and the condition that it met.
fn stop_told(stop: &Receipt) -> String {
    let outcome = stop.told.becomes.replace('/', " ");
    format!("stopped by {outcome}: {}", stop.told.reason)
}
