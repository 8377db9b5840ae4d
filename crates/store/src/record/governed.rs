//! The operator's settings, and the beliefs put off for later: read here, written by `protected` alone.

use super::columns::parse_word;
use crate::{Result, database::values, transaction::Tx};
use cairn_domain::{ProvenanceMode, Receipt, ReceiptAction, Time};
use std::collections::HashSet;

/// The setting that says how far what is held true is trusted.
pub const PROVENANCE_MODE: &str = "provenance_mode";

/// The setting that says which kinds of belief may be verified without a look.
pub const LOW_RISK: &str = "low_risk";

/// How the names of an operator's leases begin.
pub const LEASE_PREFIX: &str = "lease/";

/// How the name of what an owner shares begins; the reader's name follows.
pub const SHARE_PREFIX: &str = "share/";

/// How the name of a reader's side of a share begins; the owner's name follows.
pub const SOURCE_PREFIX: &str = "source/";

/// How the name of a permission to write into a memory begins; the writer's name follows.
pub const WRITER_PREFIX: &str = "writer/";

/// How the name of a decision about a shard begins; the name of the shard follows.
pub const TRAINING_PREFIX: &str = "training/";

/// Whether a protected value is a setting of its own rather than the hash of a file.
pub fn is_protected_setting(name: &str) -> bool {
    let is_named = |prefix: &&str| name.starts_with(*prefix);
    [PROVENANCE_MODE, LOW_RISK].contains(&name)
        || [LEASE_PREFIX, SHARE_PREFIX, SOURCE_PREFIX, TRAINING_PREFIX, WRITER_PREFIX].iter().any(is_named)
}

/// Who has signed in, as a receipt names its actor.
const OPERATOR_ACTOR: &str = "operator:";

/// The value that an operator has set under a name, and the number of its receipt. A value is what the ledger says: without
/// the receipt of an operator who set it, it is not set, whatever the row holds.
pub(crate) fn protected_setting(tx: &mut Tx<'_>, name: &str) -> Result<Option<(String, u64)>> {
    let Some((value, number)) = protected_row(tx, name)? else { return Ok(None) };
    let proves = |receipt: &Receipt| {
        receipt.subject == name
            && receipt.action == ReceiptAction::Configure
            && receipt.told.becomes == value
            && receipt.actor.starts_with(OPERATOR_ACTOR)
    };
    let holds = tx.receipt(number)?.as_ref().is_some_and(proves);
    Ok(holds.then_some((value, number)))
}

/// The value that a row holds under a name, and the number of the receipt that it names.
pub(crate) fn protected_row(tx: &mut Tx<'_>, name: &str) -> Result<Option<(String, u64)>> {
    let sql = "SELECT value, receipt FROM protected_setting WHERE agent_id = ?1 AND name = ?2";
    tx.first(sql, values![tx.agent_id, name], |row| Ok((row.text(0)?, row.int(1)? as u64)))
}

impl Tx<'_> {
    /// The value that an operator has set under a name, and the receipt that tells why.
    pub fn protected_setting(&mut self, name: &str) -> Result<Option<(String, u64)>> {
        protected_setting(self, name)
    }

    /// The names under which an operator has set something.
    pub fn protected_names(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT name FROM protected_setting WHERE agent_id = ?1 ORDER BY name";
        self.query(sql, values![self.agent_id], |row| row.text(0))
    }

    /// How far what is held true is trusted; `observe` until an operator says otherwise.
    pub fn provenance_mode(&mut self) -> Result<ProvenanceMode> {
        let set = self.protected_setting(PROVENANCE_MODE)?;
        set.map_or(Ok(ProvenanceMode::default()), |(value, _)| parse_word(&value))
    }

    /// The beliefs that an operator wants to see again after `now` only.
    pub fn deferrals(&mut self, now: Time) -> Result<HashSet<u32>> {
        let sql = "SELECT belief FROM deferral WHERE agent_id = ?1 AND until > ?2";
        let found = self.query(sql, values![self.agent_id, now.millis()], |row| Ok(row.int(0)? as u32))?;
        Ok(found.into_iter().collect())
    }

    /// Until when an operator has put a belief off, and the receipt that tells why.
    pub fn deferral(&mut self, belief: u32) -> Result<Option<(Time, u64)>> {
        let sql = "SELECT until, receipt FROM deferral WHERE agent_id = ?1 AND belief = ?2";
        let values = values![self.agent_id, i64::from(belief)];
        self.first(sql, values, |row| Ok((Time::from_millis(row.int(0)?), row.int(1)? as u64)))
    }
}
