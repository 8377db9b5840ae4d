//! Writes that came with a key of the caller's own, and what they were answered.

use crate::{Result, Store, database::values, transaction::Tx};
use cairn_domain::{MILLIS_PER_DAY, Time};

/// Replies that are kept of an agent …
const MAX_REPLIES: i64 = 10_000;
/// … and for how long.
const KEPT_MS: i64 = MILLIS_PER_DAY;
/// How long somebody may be at it before another may try.
const BUSY_MS: i64 = 60_000;

/// The state of a caller's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// Nothing was answered yet: whoever asks is to do it, as of the moment when it was first asked.
    New {
        /// That moment.
        at: Time,
    },
    /// Somebody else is at it.
    Busy,
    /// The key was used for something else.
    Other,
    /// It was done.
    Answered {
        /// The stored answer.
        answer: String,
    },
}

impl Store {
    /// Claims the key `name` for what has the hash `asked`.
    pub async fn claim_reply(&self, name: String, asked: [u8; 32], now: Time) -> Result<Claimed> {
        let work = move |tx: &mut Tx<'_>| claim(tx, &name, &asked, now);
        self.writer.run(work).await
    }

    /// Keeps what was answered.
    pub async fn answer_reply(&self, name: String, answer: String) -> Result<()> {
        let sql = "UPDATE reply SET answer = ?3 WHERE agent_id = ?1 AND name = ?2";
        let work = move |tx: &mut Tx<'_>| {
            tx.execute(sql, values![tx.agent_id, name.as_str(), answer.as_str()]).map(drop)
        };
        self.writer.run(work).await
    }

    /// Lets go of a key under which nothing was done.
    pub async fn drop_reply(&self, name: String) -> Result<()> {
        let sql = "DELETE FROM reply WHERE agent_id = ?1 AND name = ?2 AND answer IS NULL";
        let work = move |tx: &mut Tx<'_>| tx.execute(sql, values![tx.agent_id, name.as_str()]).map(drop);
        self.writer.run(work).await
    }
}

fn claim(tx: &mut Tx<'_>, name: &str, asked: &[u8; 32], now: Time) -> Result<Claimed> {
    let select = "SELECT asked, claimed_at, busy_until, answer FROM reply WHERE agent_id = ?1 AND name = ?2";
    let found = tx.first(select, values![tx.agent_id, name], |row| {
        Ok((*row.bytes(0)? == asked[..], row.int(1)?, row.int(2)?, row.maybe_text(3)?))
    })?;
    let (until, recent) = (now.millis() + BUSY_MS, now.millis() - KEPT_MS);
    match found {
        Some((_, claimed_at, _, Some(_))) if claimed_at < recent => {
            let sql = "DELETE FROM reply WHERE agent_id = ?1 AND name = ?2";
            tx.execute(sql, values![tx.agent_id, name])?;
            insert(tx, name, asked, now)
        }
        Some((false, ..)) => Ok(Claimed::Other),
        Some((true, .., Some(answer))) => Ok(Claimed::Answered { answer }),
        Some((true, _, busy_until, None)) if busy_until > now.millis() => Ok(Claimed::Busy),
        // Whoever was at it is gone; what they may have done is done as of the same moment again.
        Some((true, claimed_at, _, None)) => {
            let sql = "UPDATE reply SET busy_until = ?3 WHERE agent_id = ?1 AND name = ?2";
            tx.execute(sql, values![tx.agent_id, name, until])?;
            Ok(Claimed::New { at: Time::from_millis(claimed_at) })
        }
        None => insert(tx, name, asked, now),
    }
}

fn insert(tx: &mut Tx<'_>, name: &str, asked: &[u8; 32], now: Time) -> Result<Claimed> {
    let newest = "SELECT number FROM reply WHERE agent_id = ?1 ORDER BY number DESC LIMIT 1";
    let number = tx.first(newest, values![tx.agent_id], |row| row.int(0))?.unwrap_or(0) + 1;
    let insert = "INSERT INTO reply (agent_id, name, number, asked, claimed_at, busy_until)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let (at, until) = (now.millis(), now.millis() + BUSY_MS);
    tx.execute(insert, values![tx.agent_id, name, number, &asked[..], at, until])?;
    tx.execute(
        "DELETE FROM reply WHERE agent_id = ?1 AND number <= ?2",
        values![tx.agent_id, number - MAX_REPLIES],
    )?;
    Ok(Claimed::New { at: now })
}
