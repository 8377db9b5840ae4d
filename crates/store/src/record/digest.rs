//! Digests, their versions and what they stand on.

use super::columns::{ColumnReader, StoredRecord, columns, insert_statement, parse_word};
use crate::{
    Result,
    database::{Row, Value, values},
    transaction::Tx,
};
use cairn_cognition::parent_entity::ParentEntity;
use cairn_domain::{Category, Digest, DigestId, DigestKind, Form, Privacy, Status, Tier, Time};
use std::{ops::Range, sync::LazyLock};

/// Versions of digests looked at, at most, of all that cite one record.
const CITING: i64 = 100;

/// A version of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestRecord {
    /// Its place in the order of making.
    pub number: u32,
    /// Its name, the same for every version.
    pub id: DigestId,
    /// Which version, from 1 on.
    pub version: u32,
    /// Whether it is the newest.
    pub newest: bool,
    /// The digest.
    pub digest: Digest,
    /// When it was made.
    pub made_at: Time,
}

/// The columns of a memory that say in which digests it belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Its number.
    pub number: u32,
    /// The revision that holds its text.
    pub revision: u32,
    /// When it began.
    pub valid_from: Time,
    /// The thread it belongs to.
    pub thread: Option<String>,
    /// The kind of thing it says.
    pub category: Category,
    /// Where it stands.
    pub status: Status,
    /// How it is kept.
    pub tier: Tier,
    /// How much it matters.
    pub importance: f64,
    /// How useful it has been.
    pub utility: f64,
    /// Whether it was told, and not made of others.
    pub told: bool,
    /// Who may see it.
    pub privacy: Privacy,
}

/// Writes the next version of a digest.
pub(crate) fn insert_digest(tx: &mut Tx<'_>, digest: &Digest, now: Time) -> Result<()> {
    let id = digest.id();
    let last = "SELECT COALESCE(MAX(version), 0) FROM digest WHERE agent_id = ?1 AND digest_id = ?2";
    let last = tx.first(last, values![tx.agent_id, id.bytes().as_slice()], |row| row.int(0))?.unwrap_or(0);
    let over = "UPDATE digest SET newest = 0 WHERE agent_id = ?1 AND digest_id = ?2 AND version = ?3";
    tx.execute(over, values![tx.agent_id, id.bytes().as_slice(), last])?;
    let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM digest WHERE agent_id = ?1";
    let number = tx.first(next, values![tx.agent_id], |row| row.int(0))?.unwrap_or(1);
    let (id, version, newest, at) = (id.bytes().as_slice(), last + 1, 1_i64, now.millis());
    let mut values = values![tx.agent_id, number, id, version, newest, at].to_vec();
    values.extend(digest.column_values());
    tx.execute(&INSERT_DIGEST, &values)?;
    let sql = "INSERT INTO digest_source (agent_id, number, place, source) VALUES (?1, ?2, ?3, ?4)";
    let mut rows = Vec::with_capacity(digest.sources.len());
    for (place, source) in (0_i64..).zip(&digest.sources) {
        rows.push(values![tx.agent_id, number, place, source.as_str()].to_vec());
    }
    tx.execute_each(sql, &rows)
}

/// Replaces the parents of all entities.
pub(crate) fn set_entity_parents(tx: &mut Tx<'_>, entity_parents: &[ParentEntity]) -> Result<()> {
    tx.execute("DELETE FROM topic WHERE agent_id = ?1", values![tx.agent_id])?;
    let sql = "INSERT INTO topic (agent_id, entity_id, parent_id, share) VALUES (?1, ?2, ?3, ?4)";
    let row = |parent: &ParentEntity| {
        values![tx.agent_id, i64::from(parent.entity), i64::from(parent.parent), parent.share].to_vec()
    };
    let rows: Vec<Vec<_>> = entity_parents.iter().map(row).collect();
    tx.execute_each(sql, &rows)
}

columns! {
    digest_columns: Digest, "digest" as "digest" {
        kind: word "kind",
        scope: text "scope",
        from: time "span_from",
        until: time "span_until",
        text: text "text",
        inputs: text "inputs",
        made_by: text "made_by",
    } besides { sources: Vec::new(), }
}

static INSERT_DIGEST: LazyLock<String> = LazyLock::new(|| {
    insert_statement("digest", &["number", "digest_id", "version", "newest", "made_at"], Digest::COLUMNS)
});

macro_rules! select_digest {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            digest_columns!(),
            ", number, digest_id, version, newest, made_at FROM digest WHERE agent_id = ?1 ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// The newest versions of the digests of a kind, the latest span first; with `scope` only those about that.
    pub fn digests(
        &mut self,
        kind: DigestKind,
        scope: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DigestRecord>> {
        let of_all = select_digest!("AND kind = ?2 AND newest = 1 ORDER BY span_from DESC, scope LIMIT ?3");
        let of_scope =
            select_digest!("AND kind = ?2 AND newest = 1 AND scope = ?4 ORDER BY span_from DESC LIMIT ?3");
        let (kind, limit) = (kind.as_str(), i64::from(limit));
        let found = match scope {
            None => self.query(of_all, values![self.agent_id, kind, limit], read_digest)?,
            Some(scope) => self.query(of_scope, values![self.agent_id, kind, limit, scope], read_digest)?,
        };
        self.with_sources(found)
    }

    /// The newest versions of all digests that were made after number `after`, for an index over their texts; in the order
    /// of making.
    pub fn digests_after(&mut self, after: u32, limit: u32) -> Result<Vec<DigestRecord>> {
        let sql = select_digest!("AND number > ?2 AND newest = 1 ORDER BY number LIMIT ?3");
        let values = values![self.agent_id, i64::from(after), i64::from(limit)];
        let found = self.query(sql, values, read_digest)?;
        self.with_sources(found)
    }

    /// Every version of a digest, the newest first.
    pub fn digest(&mut self, id: DigestId) -> Result<Vec<DigestRecord>> {
        let sql = select_digest!("AND digest_id = ?2 ORDER BY version DESC");
        let found = self.query(sql, values![self.agent_id, id.bytes().as_slice()], read_digest)?;
        self.with_sources(found)
    }

    /// A digest in its newest version.
    pub fn newest_digest(&mut self, id: DigestId) -> Result<Option<DigestRecord>> {
        let sql = select_digest!("AND digest_id = ?2 ORDER BY version DESC LIMIT 1");
        let found = self.query(sql, values![self.agent_id, id.bytes().as_slice()], read_digest)?;
        Ok(self.with_sources(found)?.pop())
    }

    /// The inputs of the newest digests of a kind: scope, beginning, hash.
    pub fn digest_inputs(&mut self, kind: DigestKind) -> Result<Vec<(String, Time, String)>> {
        let sql =
            "SELECT scope, span_from, inputs FROM digest WHERE agent_id = ?1 AND kind = ?2 AND newest = 1";
        self.query(sql, values![self.agent_id, kind.as_str()], |row| {
            Ok((row.text(0)?, Time::from_millis(row.int(1)?), row.text(2)?))
        })
    }

    /// Whether there is any digest, or any of a kind.
    pub fn has_digests(&mut self, kind: Option<DigestKind>) -> Result<bool> {
        let any = "SELECT 1 FROM digest WHERE agent_id = ?1 LIMIT 1";
        let of_kind = "SELECT 1 FROM digest WHERE agent_id = ?1 AND kind = ?2 AND newest = 1 LIMIT 1";
        let found = match kind {
            None => self.first(any, values![self.agent_id], |_| Ok(()))?,
            Some(kind) => self.first(of_kind, values![self.agent_id, kind.as_str()], |_| Ok(()))?,
        };
        Ok(found.is_some())
    }

    /// For each of these refs the digests that cite it in their newest version, by number. Of what very many versions cite
    /// only the last are looked at.
    pub fn digests_citing(&mut self, refs: &[String]) -> Result<Vec<Vec<u32>>> {
        let sql = "SELECT d.number FROM (SELECT number FROM digest_source WHERE agent_id = ?1 AND source = ?2
                   ORDER BY number DESC LIMIT ?3) AS s
                   JOIN digest AS d ON d.agent_id = ?1 AND d.number = s.number AND d.newest = 1 ORDER BY d.number DESC";
        let rows: Vec<Vec<Value<'_>>> =
            refs.iter().map(|source| values![self.agent_id, source.as_str(), CITING].to_vec()).collect();
        self.query_each(sql, &rows, |row| Ok(row.int(0)? as u32))
    }

    /// The newest versions of the digests of a kind about `scope` whose span lies between two moments, the latest first;
    /// without their sources.
    pub fn digests_within(
        &mut self,
        kind: DigestKind,
        scope: &str,
        span: Range<Time>,
        limit: u32,
    ) -> Result<Vec<DigestRecord>> {
        let sql = select_digest!(
            "AND kind = ?2 AND newest = 1 AND scope = ?3 AND span_from >= ?4 AND span_from < ?5 AND span_until <= ?5
             ORDER BY span_from DESC LIMIT ?6"
        );
        let (from, until, limit) = (span.start.millis(), span.end.millis(), i64::from(limit));
        let values = values![self.agent_id, kind.as_str(), scope, from, until, limit];
        self.query(sql, values, read_digest)
    }

    /// The versions of digests with these numbers, without their sources.
    pub fn digests_at(&mut self, numbers: &[u32]) -> Result<Vec<DigestRecord>> {
        let sql = select_digest!("AND number = ?2");
        let rows: Vec<Vec<Value<'_>>> =
            numbers.iter().map(|number| values![self.agent_id, i64::from(*number)].to_vec()).collect();
        let found = self.first_of_each(sql, &rows, read_digest)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The sources of a version of a digest, in its order.
    pub fn digest_sources(&mut self, number: u32) -> Result<Vec<String>> {
        let sql = "SELECT source FROM digest_source WHERE agent_id = ?1 AND number = ?2 ORDER BY place";
        self.query(sql, values![self.agent_id, i64::from(number)], |row| row.text(0))
    }

    /// How many digests there are, each counted once.
    pub fn digest_count(&mut self) -> Result<u64> {
        let sql = "SELECT COUNT(*) FROM digest WHERE agent_id = ?1 AND newest = 1";
        Ok(self.first(sql, values![self.agent_id], |row| row.int(0))?.unwrap_or(0) as u64)
    }

    /// The parents of entities.
    pub fn entity_parents(&mut self) -> Result<Vec<ParentEntity>> {
        let sql = "SELECT entity_id, parent_id, share FROM topic WHERE agent_id = ?1 ORDER BY entity_id";
        self.query(sql, values![self.agent_id], |row| {
            Ok(ParentEntity { entity: row.int(0)? as u32, parent: row.int(1)? as u32, share: row.float(2)? })
        })
    }

    /// How often entities stand together: one, the other, how often; and how often each stands at all.
    pub fn cooccurrences(&mut self, least: u32) -> Result<Vec<(u32, u32, u32)>> {
        let sql = "SELECT one, other, times FROM cooccurrence WHERE agent_id = ?1 AND times >= ?2 ORDER BY one, other";
        self.query(sql, values![self.agent_id, i64::from(least)], |row| {
            Ok((row.int(0)? as u32, row.int(1)? as u32, row.int(2)? as u32))
        })
    }

    /// The outline of every memory, in the order in which they began to hold.
    pub fn outlines(&mut self) -> Result<Vec<Outline>> {
        let sql = "SELECT number, revision, valid_from, thread, category, status, tier, importance, utility, form, privacy
                   FROM memory WHERE agent_id = ?1 ORDER BY valid_from, number";
        self.query(sql, values![self.agent_id], |row| {
            Ok(Outline {
                number: row.int(0)? as u32,
                revision: row.int(1)? as u32,
                valid_from: Time::from_millis(row.int(2)?),
                thread: row.maybe_text(3)?,
                category: parse_word(row.str(4)?)?,
                status: parse_word(row.str(5)?)?,
                tier: parse_word(row.str(6)?)?,
                importance: row.float(7)?,
                utility: row.float(8)?,
                told: parse_word::<Form>(row.str(9)?)?.is_told(),
                privacy: parse_word(row.str(10)?)?,
            })
        })
    }

    fn with_sources(&mut self, mut digests: Vec<DigestRecord>) -> Result<Vec<DigestRecord>> {
        for record in &mut digests {
            record.digest.sources = self.digest_sources(record.number)?;
        }
        Ok(digests)
    }
}

fn read_digest(row: &Row<'_>) -> Result<DigestRecord> {
    let columns = &mut ColumnReader::new(row);
    let digest = Digest::read_columns(columns)?;
    Ok(DigestRecord {
        number: columns.number()?,
        id: columns.named("digest.digest_id").id()?,
        version: columns.number()?,
        newest: columns.flag()?,
        digest,
        made_at: columns.time()?,
    })
}
