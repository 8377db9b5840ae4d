//! Embedders: which model turns messages into vectors, and how far it came.

use super::{
    columns::{ColumnReader, StoredRecord, columns, parse_word},
    message::next_seq,
};
use crate::{
    Result, StoreError,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{Role, Time};

/// Stage in the life of an embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedderState {
    /// It is being filled to take the active one's place.
    Filling,
    /// Its vectors answer.
    Active,
    /// Another took its place; its vectors are being taken away.
    Retired,
}

/// A model that turns texts into vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderRecord {
    /// Its number.
    pub id: u32,
    /// Its name: the model and everything that makes its vectors comparable.
    pub name: String,
    /// How many numbers a vector has.
    pub dimension: usize,
    /// Stage in its life; at most one per agent is active.
    pub state: EmbedderState,
    /// Every message before this one has its vectors.
    pub reached: u32,
    /// How many vectors of messages there are.
    pub vectors: u64,
    /// Every revision of a memory before this one has its vector.
    pub revisions: u32,
}

/// A message that is to get a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embeddable {
    /// Its place in the order of recording.
    pub seq: u32,
    /// Who spoke.
    pub role: Role,
    /// By which name.
    pub speaker: String,
    /// The words.
    pub text: String,
    /// The message before it in its session.
    pub before: Option<PreviousMessage>,
}

/// The end of the message before another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousMessage {
    /// Who spoke.
    pub role: Role,
    /// By which name.
    pub speaker: String,
    /// The last words.
    pub text: String,
}

/// Bytes of the message before that are handed out with a message.
const BEFORE_BYTES: usize = 400;
/// The largest dimension there is.
const MAX_DIMENSION: usize = 8_192;

/// An embedder and when it was made or refilled: an index file is trusted only if it names both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredEmbedder {
    pub(crate) record: EmbedderRecord,
    pub(crate) since: i64,
}

columns! {
    embedder_columns: EmbedderRecord, "embedder" as "embedder" {
        id: number "embedder_id",
        name: text "name",
        dimension: count "dimension",
        reached: number "reached",
        vectors: count "vectors",
        revisions: number "revisions",
    } besides { state: EmbedderState::Retired, }
}

macro_rules! select_embedder {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            embedder_columns!(),
            ", state, created_at FROM embedder WHERE agent_id = ?1 ",
            $rest
        )
    };
}

/// Every embedder of an agent, by number.
pub(crate) fn embedders(tx: &mut Tx<'_>) -> Result<Vec<StoredEmbedder>> {
    tx.query(select_embedder!("ORDER BY embedder_id"), values![tx.agent_id], read_embedder)
}

/// The embedder whose vectors answer.
pub(crate) fn active_embedder(tx: &mut Tx<'_>) -> Result<Option<StoredEmbedder>> {
    tx.first(select_embedder!("AND state = 'active'"), values![tx.agent_id], read_embedder)
}

pub(super) fn embedder_at(tx: &mut Tx<'_>, id: u32) -> Result<StoredEmbedder> {
    let sql = select_embedder!("AND embedder_id = ?2");
    let found = tx.first(sql, values![tx.agent_id, i64::from(id)], read_embedder)?;
    found.ok_or_else(|| {
        refused(format!("there is no embedder {id}"), "ask for the embedder by its name first")
    })
}

/// The embedder called `name`, if nothing about it has to be written.
pub(crate) fn known_embedder(
    tx: &mut Tx<'_>,
    name: &str,
    dimension: usize,
) -> Result<Option<StoredEmbedder>> {
    let sql = select_embedder!("AND name = ?2");
    let Some(known) = tx.first(sql, values![tx.agent_id, name], read_embedder)? else { return Ok(None) };
    if known.record.dimension != dimension {
        return Err(refused(
            format!(
                "the embedder `{name}` makes vectors of {} numbers here, and now says {dimension}",
                known.record.dimension
            ),
            "vectors of different dimensions cannot be compared: give the changed model a name of its own",
        ));
    }
    Ok(Some(known))
}

/// The embedder called `name`, made if it is missing. An agent's first is active at once; a later one, or one that was
/// retired, is filled before it takes over.
pub(crate) fn ensure_embedder(
    tx: &mut Tx<'_>,
    name: &str,
    dimension: usize,
    now: Time,
) -> Result<EmbedderRecord> {
    if name.is_empty() || !(1..=MAX_DIMENSION).contains(&dimension) {
        return Err(refused(
            format!("an embedder `{name}` with {dimension} numbers a vector cannot be"),
            "an embedder has a name, and its vectors have 1 to 8192 numbers",
        ));
    }
    match known_embedder(tx, name, dimension)? {
        Some(StoredEmbedder { record, since }) if record.state == EmbedderState::Retired => {
            let sql = "UPDATE embedder SET state = 'filling', created_at = ?3 WHERE agent_id = ?1 AND embedder_id = ?2";
            let since = now.millis().max(since + 1);
            tx.execute(sql, values![tx.agent_id, i64::from(record.id), since])?;
        }
        Some(StoredEmbedder { record, .. }) => return Ok(record),
        None => {
            let sql = "INSERT INTO embedder (agent_id, embedder_id, name, dimension, state, reached, vectors, created_at)
                       SELECT ?1, COALESCE(MAX(embedder_id), 0) + 1, ?2, ?3,
                       CASE WHEN COUNT(*) = 0 THEN 'active' ELSE 'filling' END, 0, 0, ?4
                       FROM embedder WHERE agent_id = ?1";
            tx.execute(sql, values![tx.agent_id, name, dimension as i64, now.millis()])?;
        }
    }
    let made = known_embedder(tx, name, dimension)?;
    made.map(|made| made.record)
        .ok_or_else(|| StoreError::damaged("no row for an embedder that was just inserted", "embedder"))
}

/// Lets an embedder that reached every message and every memory take the active one's place; false if it has not reached them.
pub(crate) fn activate_embedder(tx: &mut Tx<'_>, embedder: u32) -> Result<bool> {
    let record = embedder_at(tx, embedder)?.record;
    if record.state == EmbedderState::Active {
        return Ok(true);
    }
    // Numbers of revisions that were erased are not used again.
    let waiting = "SELECT 1 FROM memory_revision WHERE agent_id = ?1 AND revision >= ?2 LIMIT 1";
    let waiting = tx.first(waiting, values![tx.agent_id, i64::from(record.revisions)], |_| Ok(()))?;
    let has_all = record.reached >= next_seq(tx)? && waiting.is_none();
    if record.state == EmbedderState::Retired || !has_all {
        return Ok(false);
    }
    // One that was being filled for another change, and abandoned, goes as well.
    let retire = "UPDATE embedder SET state = 'retired' WHERE agent_id = ?1 AND embedder_id <> ?2";
    tx.execute(retire, values![tx.agent_id, i64::from(embedder)])?;
    let activate = "UPDATE embedder SET state = 'active' WHERE agent_id = ?1 AND embedder_id = ?2";
    tx.execute(activate, values![tx.agent_id, i64::from(embedder)])?;
    Ok(true)
}

impl Tx<'_> {
    /// Every embedder of this agent, by number.
    pub fn embedders(&mut self) -> Result<Vec<EmbedderRecord>> {
        let embedders = embedders(self)?;
        Ok(embedders.into_iter().map(|embedder| embedder.record).collect())
    }

    /// At most `limit` messages from `seq` on, as an embedder wants them.
    pub fn embeddable_from(&mut self, seq: u32, limit: u32) -> Result<Vec<Embeddable>> {
        let sql = "SELECT m.seq, m.role, m.speaker, m.text, before.role, before.speaker, before.text FROM message AS m
                   LEFT JOIN message AS before ON before.agent_id = m.agent_id AND before.seq = m.previous_seq
                   WHERE m.agent_id = ?1 AND m.seq >= ?2 ORDER BY m.seq LIMIT ?3";
        self.query(sql, values![self.agent_id, i64::from(seq), i64::from(limit)], |row| {
            let before = row.maybe_text(4)?.map(|role| -> Result<PreviousMessage> {
                Ok(PreviousMessage {
                    role: parse_word(&role)?,
                    speaker: row.text(5)?,
                    text: end_of(row.str(6)?).to_owned(),
                })
            });
            Ok(Embeddable {
                seq: row.int(0)? as u32,
                role: parse_word(row.str(1)?)?,
                speaker: row.text(2)?,
                text: row.text(3)?,
                before: before.transpose()?,
            })
        })
    }
}

/// The last bytes of a text, from a whole character on.
fn end_of(text: &str) -> &str {
    let begin = text.len().saturating_sub(BEFORE_BYTES);
    let begin = (begin..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[begin..]
}

fn read_embedder(row: &Row<'_>) -> Result<StoredEmbedder> {
    let columns = &mut ColumnReader::new(row);
    let mut record = EmbedderRecord::read_columns(columns)?;
    record.state = match columns.str()? {
        "active" => EmbedderState::Active,
        "filling" => EmbedderState::Filling,
        _ => EmbedderState::Retired,
    };
    Ok(StoredEmbedder { record, since: columns.number()? })
}

pub(super) fn refused(problem: String, hint: &str) -> StoreError {
    StoreError::Refused { problem, hint: hint.to_owned() }
}
