//! Background work: watermarks and leases. A lease keeps two processes from doing the same work at once
//! and ends by itself when its holder dies.

use crate::{Result, database::values, transaction::Tx};
use cairn_domain::Time;

/// A job as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// How far it came.
    pub watermark: i64,
    /// Who has it in hand, and until when.
    pub lease: Option<(String, Time)>,
    /// When it last moved.
    pub updated_at: Time,
}

/// Takes the job `name` for `holder` until `until`, unless somebody else holds it now.
pub(crate) fn claim(tx: &mut Tx<'_>, name: &str, holder: &str, now: Time, until: Time) -> Result<bool> {
    let insert = "INSERT INTO job (agent_id, name, watermark, updated_at) VALUES (?1, ?2, 0, ?3)
                  ON CONFLICT (agent_id, name) DO NOTHING";
    tx.execute(insert, values![tx.agent_id, name, now.millis()])?;
    // Whoever is being given it at this moment has it.
    let unless_taken = if tx.connection.postgres().is_some() { "FOR UPDATE SKIP LOCKED" } else { "" };
    let claim = format!(
        "UPDATE job SET holder = ?3, lease_until = ?4 WHERE agent_id = ?1 AND name IN (
           SELECT free.name FROM job AS free WHERE free.agent_id = ?1 AND free.name = ?2
           AND (free.holder IS NULL OR free.holder = ?3 OR free.lease_until <= ?5) {unless_taken})"
    );
    let values = values![tx.agent_id, name, holder, until.millis(), now.millis()];
    Ok(tx.execute(&claim, values)? == 1)
}

/// Moves the watermark of a job that `holder` still holds; false if the lease was lost meanwhile.
pub(crate) fn advance(tx: &mut Tx<'_>, name: &str, holder: &str, watermark: i64, now: Time) -> Result<bool> {
    let sql =
        "UPDATE job SET watermark = ?4, updated_at = ?5 WHERE agent_id = ?1 AND name = ?2 AND holder = ?3";
    Ok(tx.execute(sql, values![tx.agent_id, name, holder, watermark, now.millis()])? == 1)
}

/// Gives the job back.
pub(crate) fn release(tx: &mut Tx<'_>, name: &str, holder: &str) -> Result<()> {
    let sql =
        "UPDATE job SET holder = NULL, lease_until = NULL WHERE agent_id = ?1 AND name = ?2 AND holder = ?3";
    tx.execute(sql, values![tx.agent_id, name, holder])?;
    Ok(())
}

/// Gives every job back that `holder` holds.
pub(crate) fn release_all(tx: &mut Tx<'_>, holder: &str) -> Result<()> {
    let sql = "UPDATE job SET holder = NULL, lease_until = NULL WHERE agent_id = ?1 AND holder = ?2";
    tx.execute(sql, values![tx.agent_id, holder])?;
    Ok(())
}

impl Tx<'_> {
    /// Every job of this agent, by name.
    pub fn jobs(&mut self) -> Result<Vec<Job>> {
        let sql = "SELECT name, watermark, holder, lease_until, updated_at FROM job WHERE agent_id = ?1 ORDER BY name";
        self.query(sql, values![self.agent_id], |row| {
            let until = row.maybe_int(3)?.map(Time::from_millis);
            Ok(Job {
                name: row.text(0)?,
                watermark: row.int(1)?,
                lease: row.maybe_text(2)?.zip(until),
                updated_at: Time::from_millis(row.int(4)?),
            })
        })
    }
}
