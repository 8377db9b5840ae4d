//! Leases as they are set: checked before anything is written.

use crate::{error::Result, setting_value::setting_value};
use cairn_domain::{Invalid, ResponsibilityLease, Time};
use cairn_engine::lease_terms;
use cairn_store::LEASE_PREFIX;

/// Actions that one lease may be for.
const MAX_ACTIONS: u32 = 10_000;
/// Characters of a lease's name.
const MAX_NAME_CHARS: usize = 64;

/// The name of the setting that holds a lease.
pub(crate) fn lease_name(name: &str) -> Result<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
        let hint = format!("use up to {MAX_NAME_CHARS} of a-z 0-9 - _ .");
        return Err(Invalid::new(format!("`{}` is not a name of a lease", name.escape_debug()), hint).into());
    }
    Ok(format!("{LEASE_PREFIX}{name}"))
}

/// The stored form of a lease; empty if it is ended.
pub(crate) fn lease_value(lease: Option<&ResponsibilityLease>, now: Time) -> Result<String> {
    let Some(lease) = lease else { return Ok(String::new()) };
    lease_terms(lease.clone(), 0)?;
    let refuse = |problem: &str, hint: &str| Err(Invalid::new(problem, hint).into());
    if lease.commands.is_empty() && lease.tools.is_empty() {
        return refuse("the lease covers nothing", "name commands with --command or tools with --tool");
    }
    if lease.expires_at <= now {
        return refuse("the lease has already ended", "give a time to come with --until");
    }
    if lease.max_actions == 0 || lease.max_actions > MAX_ACTIONS {
        return refuse("a lease is for 1 to 10,000 actions", "give their number with --actions");
    }
    if lease.objective.trim().is_empty() {
        return refuse("the lease has no objective", "say in a sentence what it is for, with --objective");
    }
    setting_value(Some(lease))
}
