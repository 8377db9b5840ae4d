//! Vectors of what is neither message nor memory: beliefs, digests and parts of attachments. Each says the same for as long as it is there and gets a higher
//! number than those before it, so the newest one with a vector tells how far an embedder came.

use super::embedder::{EmbedderRecord, EmbedderState, active_embedder, embedder_at, refused};
use crate::{
    Result,
    database::{Row, Value, values, wide},
    index::vector::half,
    transaction::Tx,
};
use cairn_cognition::cosine::cosine;

/// Beliefs that are compared with a question by their meaning, the best supported first.
const MAX_COMPARED_BELIEFS: i64 = 1_000;
/// Parts of attachments that are compared with a question by their meaning, the newest.
const MAX_COMPARED_PARTS: i64 = 4_000;

/// The kind of what is neither message nor memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivedRecord {
    /// A belief.
    Belief,
    /// A version of a digest.
    Digest,
    /// A part of an attachment.
    AttachmentPart,
}

impl DerivedRecord {
    /// As vectors name it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Belief => "belief",
            Self::Digest => "digest",
            Self::AttachmentPart => "attachment",
        }
    }
}

/// Writes the vectors of some records, as far as they have none.
pub(crate) fn add_derived_vectors(
    tx: &mut Tx<'_>,
    embedder: u32,
    of: DerivedRecord,
    vectors: &[(u32, Vec<f32>)],
) -> Result<()> {
    let EmbedderRecord { name, dimension, state, .. } = embedder_at(tx, embedder)?.record;
    if state == EmbedderState::Retired {
        return Ok(());
    }
    let insert = "INSERT INTO embedding (agent_id, embedder_id, kind, item, part, vector)
                  VALUES (?1, ?2, ?3, ?4, 0, ?5) ON CONFLICT (agent_id, embedder_id, kind, item, part) DO NOTHING";
    for (number, vector) in vectors {
        let whole = half::encode_halves(vector).filter(|it| it.len() == half::BYTES_PER_HALF * dimension);
        let bytes = whole.ok_or_else(|| {
            refused(
                format!("`{name}` makes vectors of {dimension} finite numbers, and this is none"),
                "check the model that made it; nothing was kept",
            )
        })?;
        let (embedder, number) = (i64::from(embedder), i64::from(*number));
        tx.execute(insert, values![tx.agent_id, embedder, of.as_str(), number, Value::Halves(&bytes)])?;
    }
    Ok(())
}

impl Tx<'_> {
    /// The next records that have no vector by an embedder: number and text.
    pub fn derived_without_vectors(
        &mut self,
        embedder: u32,
        of: DerivedRecord,
        limit: u32,
    ) -> Result<Vec<(u32, String)>> {
        let last = "SELECT MAX(item) FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = ?3";
        let values = values![self.agent_id, i64::from(embedder), of.as_str()];
        let last = self.first(last, values, |row| row.maybe_int(0))?.flatten().unwrap_or(-1);
        let sql = match of {
            DerivedRecord::Belief => {
                "SELECT number, summary || ' ' || detail FROM belief WHERE agent_id = ?1 AND number > ?2
                 ORDER BY number LIMIT ?3"
            }
            DerivedRecord::Digest => {
                "SELECT number, text FROM digest WHERE agent_id = ?1 AND number > ?2 AND text <> ''
                 ORDER BY number LIMIT ?3"
            }
            DerivedRecord::AttachmentPart => {
                "SELECT number, text FROM attachment_part WHERE agent_id = ?1 AND number > ?2
                 ORDER BY number LIMIT ?3"
            }
        };
        let values = values![self.agent_id, last, i64::from(limit)];
        self.query(sql, values, |row| Ok((row.int(0)? as u32, row.text(1)?)))
    }

    /// Active beliefs that an operator has verified, by number, with how alike each is to a question; the most alike first.
    pub fn nearest_verified_beliefs(&mut self, question: &[f32], n: usize) -> Result<Vec<(u32, f32)>> {
        let Some(embedder) = active_embedder(self)? else { return Ok(Vec::new()) };
        let sql = "SELECT b.number, e.vector FROM belief AS b JOIN embedding AS e ON e.agent_id = b.agent_id
                   AND e.item = b.number WHERE b.agent_id = ?1 AND e.agent_id = ?1 AND e.embedder_id = ?2
                   AND e.kind = 'belief' AND b.lane = 'verified' AND b.status = 'active'
                   ORDER BY b.confidence DESC, b.number LIMIT ?3";
        let values = values![self.agent_id, i64::from(embedder.record.id), MAX_COMPARED_BELIEFS];
        let mut found = self.query(sql, values, |row| number_and_likeness(row, question))?;
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(n);
        Ok(found)
    }

    /// Parts of attachments, by number, with how alike each is to a question; the most alike first.
    pub fn nearest_attachment_parts(&mut self, question: &[f32], n: usize) -> Result<Vec<(u32, f32)>> {
        let Some(embedder) = active_embedder(self)? else { return Ok(Vec::new()) };
        let sql = "SELECT item, vector FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = 'attachment'
                   ORDER BY item DESC LIMIT ?3";
        let values = values![self.agent_id, i64::from(embedder.record.id), MAX_COMPARED_PARTS];
        let mut found = self.query(sql, values, |row| number_and_likeness(row, question))?;
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        found.truncate(n);
        Ok(found)
    }

    /// How alike some digests are to a question, by number; of those that have no vector there is nothing.
    pub fn digest_likeness(&mut self, question: &[f32], numbers: &[u32]) -> Result<Vec<(u32, f32)>> {
        let Some(embedder) = active_embedder(self)? else { return Ok(Vec::new()) };
        let sql =
            "SELECT item, vector FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = 'digest'
                   AND item = ANY(?3)";
        let numbers = wide(numbers);
        let values = values![self.agent_id, i64::from(embedder.record.id), numbers.as_slice()];
        self.query(sql, values, |row| number_and_likeness(row, question))
    }
}

/// The number in a row, and how alike the vector beside it is to a question.
fn number_and_likeness(row: &Row<'_>, question: &[f32]) -> Result<(u32, f32)> {
    Ok((row.int(0)? as u32, cosine(question, &half::decode_halves(&row.halves(1)?))))
}
