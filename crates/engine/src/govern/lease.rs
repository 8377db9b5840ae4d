//! Leases: what an operator permits an agent for a while. They are settings that only an operator's receipt proves.

use crate::{agent::Agent, error::Result};
use cairn_cognition::govern::{
    governor::LeaseTerms,
    pattern::{CommandPattern, ToolPattern},
};
use cairn_domain::{Invalid, ReceiptAction, ResponsibilityLease};
use cairn_store::LEASE_PREFIX;

/// A lease as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingLease {
    /// Its name.
    pub name: String,
    /// The receipt that gave it.
    pub receipt: u64,
    /// Its terms, and how much of it is used.
    pub terms: LeaseTerms,
    /// Why it permits nothing any more; none while it does.
    pub ended: Option<String>,
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
    Ok(LeaseTerms { lease, commands, tools, used })
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
                let under = |one: &&cairn_domain::Receipt| {
                    one.action == ReceiptAction::Decide && one.number > receipt
                };
                let used = receipts.iter().filter(under).count() as u32;
                let Ok(terms) = lease_terms(lease, used) else { continue };
                let ended = if now >= terms.lease.expires_at {
                    Some(format!("expired at {}", terms.lease.expires_at))
                } else {
                    (used >= terms.lease.max_actions).then(|| "its budget is spent".to_owned())
                };
                found.push(StandingLease { name: short.to_owned(), receipt, terms, ended });
            }
            Ok(found)
        });
        Ok(leases.await?)
    }
}
