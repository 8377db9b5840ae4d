//! Messages that a language model may say more clearly: which wait, which were tried, and what came of it.

use crate::{Result, database::values, transaction::Tx};
use cairn_domain::{MessageId, Time};

/// How a message stands that a language model may say more clearly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefinementState {
    /// It is still to be asked about.
    Waiting,
    /// A model was asked, and what it said was taken or refused.
    Done,
    /// It is private, and nobody is configured who may see it.
    Withheld,
    /// It was tried often enough.
    GivenUp,
}

impl RefinementState {
    fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Withheld => "withheld",
            Self::GivenUp => "given_up",
        }
    }
}

/// Where a message that waits for a language model goes from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefinementUpdate {
    /// How it stands.
    pub state: RefinementState,
    /// How often it was tried; none if that stays what it was.
    pub tries: Option<u32>,
    /// The result, or the reason there is none yet.
    pub outcome: String,
}

/// A language model's reading of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefinementRecord {
    /// How it stands: waiting, done, withheld or given up.
    pub state: String,
    /// How often it was tried.
    pub tries: u32,
    /// The result, or why there is none yet.
    pub outcome: String,
}

impl RefinementUpdate {
    /// A model has answered.
    pub(crate) fn done(outcome: &str) -> Self {
        Self { state: RefinementState::Done, tries: None, outcome: outcome.to_owned() }
    }
}

/// Lets a message wait.
pub(crate) fn queue_refinement(tx: &mut Tx<'_>, message: MessageId, now: Time) -> Result<()> {
    let sql = "INSERT INTO refinement (agent_id, message_id, state, tries, queued_at, updated_at, outcome)
               VALUES (?1, ?2, 'waiting', 0, ?3, ?3, '') ON CONFLICT (agent_id, message_id) DO NOTHING";
    tx.later(sql, values![tx.agent_id, message.bytes().as_slice(), now.millis()])
}

/// Counts one more try of a message that waits and was tried so often; false if somebody else was faster.
pub(crate) fn try_refinement(tx: &mut Tx<'_>, message: MessageId, tries: u32, now: Time) -> Result<bool> {
    let sql = "UPDATE refinement SET tries = tries + 1, updated_at = ?4
               WHERE agent_id = ?1 AND message_id = ?2 AND state = 'waiting' AND tries = ?3";
    let values = values![tx.agent_id, message.bytes().as_slice(), i64::from(tries), now.millis()];
    Ok(tx.execute(sql, values)? == 1)
}

/// Ends the wait of a message, or lets it continue after a failed try; false if it did not wait.
pub(crate) fn update_refinement(
    tx: &mut Tx<'_>,
    message: MessageId,
    update: &RefinementUpdate,
    now: Time,
) -> Result<bool> {
    let RefinementUpdate { state, tries, outcome } = update;
    let sql = "UPDATE refinement SET state = ?3, tries = COALESCE(?4, tries), outcome = ?5, updated_at = ?6
               WHERE agent_id = ?1 AND message_id = ?2 AND state = 'waiting'";
    let (id, tries) = (message.bytes().as_slice(), tries.map(i64::from));
    let values = values![tx.agent_id, id, state.as_str(), tries, outcome.as_str(), now.millis()];
    Ok(tx.execute(sql, values)? == 1)
}

/// Lets everything wait again that was withheld.
pub(crate) fn release_withheld(tx: &mut Tx<'_>) -> Result<()> {
    let sql = "UPDATE refinement SET state = 'waiting' WHERE agent_id = ?1 AND state = 'withheld'";
    tx.execute(sql, values![tx.agent_id])?;
    Ok(())
}

impl Tx<'_> {
    /// How many messages wait.
    pub fn pending_refinements(&mut self) -> Result<u64> {
        let sql = "SELECT COUNT(*) FROM refinement WHERE agent_id = ?1 AND state = 'waiting'";
        Ok(self.first(sql, values![self.agent_id], |row| row.int(0))?.unwrap_or(0) as u64)
    }

    /// The messages that wait, those that were tried the least first: each with how often it was.
    pub fn to_refine(&mut self, limit: u32) -> Result<Vec<(MessageId, u32)>> {
        let sql = "SELECT message_id, tries FROM refinement WHERE agent_id = ?1 AND state = 'waiting'
                   ORDER BY tries, queued_at, message_id LIMIT ?2";
        self.query(sql, values![self.agent_id, i64::from(limit)], |row| {
            let id = MessageId::from_bytes(row.byte_array(0, "refinement.message_id")?);
            Ok((id, row.int(1)? as u32))
        })
    }

    /// A language model's reading of a message; none if it was never to be asked.
    pub fn refinement(&mut self, message: MessageId) -> Result<Option<RefinementRecord>> {
        let sql = "SELECT state, tries, outcome FROM refinement WHERE agent_id = ?1 AND message_id = ?2";
        self.first(sql, values![self.agent_id, message.bytes().as_slice()], |row| {
            Ok(RefinementRecord { state: row.text(0)?, tries: row.int(1)? as u32, outcome: row.text(2)? })
        })
    }
}
