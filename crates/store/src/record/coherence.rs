//! The entropy of exchanges.

use crate::{
    Result, StoreError,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{EntropyPart, ExchangeEntropy, ExchangeId, MessageId, Time};

/// Which exchanges are meant.
#[derive(Debug, Clone, Default)]
pub struct CoherenceFilter {
    /// Those of this session alone.
    pub session: Option<String>,
    /// Those measured at this moment or later.
    pub since: Option<Time>,
}

/// Writes the entropy of an exchange over what was measured of it before.
pub(crate) fn set_entropy(tx: &mut Tx<'_>, measured: &ExchangeEntropy) -> Result<()> {
    let parts = serde_json::to_string(&measured.parts).map_err(|error| StoreError::Refused {
        problem: format!("contributions cannot be written: {error}"),
        hint: "report this".to_owned(),
    })?;
    let sql = "INSERT INTO coherence (agent_id, exchange_id, session, at, entropy, parts) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (agent_id, exchange_id) DO UPDATE SET at = excluded.at, entropy = excluded.entropy,
               parts = excluded.parts";
    let ExchangeEntropy { exchange, session, at, entropy, .. } = measured;
    let id = exchange.bytes().as_slice();
    tx.later(sql, values![tx.agent_id, id, session.as_str(), at.millis(), *entropy, parts.as_str()])
}

/// Deletes what was measured of the exchanges that these messages belong to.
pub(crate) fn delete_entropy(tx: &mut Tx<'_>, messages: &[MessageId]) -> Result<()> {
    let sql =
        "DELETE FROM coherence WHERE agent_id = ?1 AND exchange_id IN (SELECT o.message_id FROM message AS m
               JOIN message AS o ON o.agent_id = m.agent_id AND o.seq = m.exchange_seq
               WHERE m.agent_id = ?1 AND o.agent_id = ?1 AND m.message_id = ?2)";
    let rows: Vec<Vec<_>> =
        messages.iter().map(|id| values![tx.agent_id, id.bytes().as_slice()].to_vec()).collect();
    tx.execute_each(sql, &rows)
}

impl Tx<'_> {
    /// The entropy of an exchange; `None` if none of its messages was measured.
    pub fn exchange_entropy(&mut self, exchange: ExchangeId) -> Result<Option<ExchangeEntropy>> {
        let sql = "SELECT exchange_id, session, at, entropy, parts FROM coherence
                   WHERE agent_id = ?1 AND exchange_id = ?2";
        self.first(sql, values![self.agent_id, exchange.bytes().as_slice()], read_entropy)
    }

    /// The entropy of at most `limit` exchanges, the newest first.
    pub fn coherence(&mut self, filter: &CoherenceFilter, limit: u32) -> Result<Vec<ExchangeEntropy>> {
        let (since, limit) = (filter.since.map_or(i64::MIN, Time::millis), i64::from(limit));
        if let Some(session) = &filter.session {
            let sql = "SELECT exchange_id, session, at, entropy, parts FROM coherence
                       WHERE agent_id = ?1 AND session = ?2 AND at >= ?3 ORDER BY at DESC, exchange_id DESC LIMIT ?4";
            return self.query(sql, values![self.agent_id, session.as_str(), since, limit], read_entropy);
        }
        let sql = "SELECT exchange_id, session, at, entropy, parts FROM coherence
                   WHERE agent_id = ?1 AND at >= ?2 ORDER BY at DESC, exchange_id DESC LIMIT ?3";
        self.query(sql, values![self.agent_id, since, limit], read_entropy)
    }
}

fn read_entropy(row: &Row<'_>) -> Result<ExchangeEntropy> {
    let parts: Vec<EntropyPart> =
        serde_json::from_str(row.str(4)?).map_err(|error| StoreError::damaged(error, "coherence.parts"))?;
    Ok(ExchangeEntropy {
        exchange: ExchangeId::from_bytes(row.byte_array(0, "coherence.exchange_id")?),
        session: row.text(1)?,
        at: Time::from_millis(row.int(2)?),
        entropy: row.float(3)?,
        parts,
    })
}
