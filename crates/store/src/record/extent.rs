//! How much there is.

use crate::{Result, database::values, transaction::Tx};

/// How much an agent holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Verbatim messages.
    pub messages: u64,
    /// Exchanges they form.
    pub exchanges: u64,
    /// Sessions they were said in.
    pub sessions: u64,
    /// Threads they belong to.
    pub threads: u64,
    /// Messages that have their vectors, made by the active embedder.
    pub embedded: u64,
    /// Messages that were looked at for what is worth keeping.
    pub formed: u64,
    /// Messages that a language model was asked about.
    pub refined: u64,
    /// Messages that could be put to one.
    pub unrefined: u64,
    /// Memories, replaced ones too.
    pub memories: u64,
    /// Names that memories hold.
    pub entities: u64,
    /// Digests, each counted once.
    pub digests: u64,
    /// Beliefs that stand.
    pub beliefs: u64,
}

/// The size of an agent on a server, in bytes of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowBytes {
    /// Of the messages, as lines of the archive.
    pub archive: u64,
    /// Of keywords and vectors.
    pub index: u64,
}

impl Tx<'_> {
    /// How much there is.
    pub fn counts(&mut self) -> Result<Counts> {
        let mut count = |sql: &str| -> Result<u64> {
            let counted = self.first(sql, values![self.agent_id], |row| row.maybe_int(0))?;
            Ok(counted.flatten().unwrap_or(0) as u64)
        };
        Ok(Counts {
            messages: count("SELECT COUNT(*) FROM message WHERE agent_id = ?1")?,
            // The last message of a session knows how many exchanges came before it.
            exchanges: count(
                "SELECT CAST(SUM((SELECT m.exchange_index + 1 FROM message AS m WHERE m.agent_id = ?1 AND m.session_id = s.session_id
                 ORDER BY m.seq DESC LIMIT 1)) AS BIGINT) FROM session AS s WHERE s.agent_id = ?1",
            )?,
            sessions: count("SELECT COUNT(*) FROM session WHERE agent_id = ?1")?,
            threads: count("SELECT COUNT(*) FROM thread WHERE agent_id = ?1")?,
            embedded: count("SELECT reached FROM embedder WHERE agent_id = ?1 AND state = 'active'")?,
            formed: count("SELECT COUNT(*) FROM formed WHERE agent_id = ?1")?,
            refined: count("SELECT COUNT(*) FROM refinement WHERE agent_id = ?1 AND state = 'done'")?,
            unrefined: count("SELECT COUNT(*) FROM refinement WHERE agent_id = ?1 AND state = 'waiting'")?,
            memories: count("SELECT COUNT(*) FROM memory WHERE agent_id = ?1")?,
            digests: count("SELECT COUNT(*) FROM digest WHERE agent_id = ?1 AND newest = 1")?,
            beliefs: count("SELECT COUNT(*) FROM belief WHERE agent_id = ?1 AND status IN ('active', 'stale')")?,
            entities: count("SELECT COUNT(*) FROM entity WHERE agent_id = ?1")?,
        })
    }

    /// The size of the rows; none where files hold the agent.
    pub fn row_bytes(&mut self) -> Result<Option<RowBytes>> {
        if !self.is_on_server() {
            return Ok(None);
        }
        let mut sum = |sql: &str| -> Result<u64> {
            let sum = self.first(sql, values![self.agent_id], |row| row.maybe_int(0))?;
            Ok(sum.flatten().unwrap_or(0) as u64)
        };
        let archive = sum("SELECT CAST(SUM(archive_bytes) AS BIGINT) FROM message WHERE agent_id = ?1")?;
        let keywords =
            sum("SELECT CAST(SUM(octet_length(document) + 4 * cardinality(terms)) AS BIGINT) FROM keyword
                            WHERE agent_id = ?1")?;
        let vectors =
            sum("SELECT CAST(SUM(vectors * dimension * 2) AS BIGINT) FROM embedder WHERE agent_id = ?1")?;
        Ok(Some(RowBytes { archive, index: keywords + vectors }))
    }
}
