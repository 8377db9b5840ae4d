//! Inquiries, the passes over them, and the growth vectors that came of them.

use super::columns::{ColumnReader, StoredRecord, columns, insert_statement, read_record};
use super::proposal::{ProposalRecord, insert_proposal};
use crate::{
    Result,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{
    ContemplationPass, InquiryId, InquiryProgress, InquirySource, MAX_PENDING_PROPOSALS, ProposalId, Time,
};
use std::sync::LazyLock;

/// An inquiry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InquiryRecord {
    /// Its name.
    pub id: InquiryId,
    /// Why it was opened.
    pub source: InquirySource,
    /// The terms it is about, divided by spaces.
    pub topic: String,
    /// The question.
    pub question: String,
    /// The evidence as JSON.
    pub evidence: String,
    /// When it was opened.
    pub opened_at: Time,
    /// How often it came up.
    pub seen: u32,
    /// When it came up last.
    pub seen_at: Time,
    /// How far it is.
    pub progress: InquiryProgress,
}

/// A pass that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassRecord {
    /// The inquiry.
    pub inquiry: InquiryId,
    /// Which pass.
    pub pass: ContemplationPass,
    /// When.
    pub made_at: Time,
    /// The outcome, in words.
    pub text: String,
    /// The evidence as JSON.
    pub evidence: String,
}

/// The outcome of an inquiry: a principle or a capability in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorRecord {
    /// The inquiry.
    pub inquiry: InquiryId,
    /// The sentence.
    pub text: String,
    /// The evidence as JSON.
    pub evidence: String,
    /// When it was made.
    pub made_at: Time,
    /// The proposal that it became part of.
    pub proposal: Option<ProposalId>,
}

/// A pass to be written, with how far its inquiry is then.
#[derive(Debug, Clone)]
pub struct MadePass {
    /// The passes that were done before: if there are others now, nothing is written.
    pub was: u32,
    /// How far the inquiry is then.
    pub progress: InquiryProgress,
    /// The pass.
    pub record: PassRecord,
    /// The vector that came of it.
    pub vector: Option<VectorRecord>,
}

/// Vectors that become one proposal.
#[derive(Debug, Clone)]
pub struct Crystallized {
    /// The proposal.
    pub proposal: ProposalRecord,
    /// The inquiries that the vectors came of.
    pub inquiries: Vec<InquiryId>,
}

/// An inquiry that came up again, as it reads from then on.
#[derive(Debug, Clone)]
pub struct InquirySeen {
    /// Its name.
    pub id: InquiryId,
    /// The terms it is about.
    pub topic: String,
    /// The question.
    pub question: String,
    /// The evidence as JSON.
    pub evidence: String,
}

/// Changes that a batch of contemplation makes.
#[derive(Debug, Clone, Default)]
pub struct GrowthBatch {
    /// Inquiries to be opened.
    pub opened: Vec<InquiryRecord>,
    /// Inquiries that came up again, each as often as it did.
    pub seen: Vec<InquirySeen>,
    /// Passes that were made.
    pub passes: Vec<MadePass>,
    /// Proposals that came of vectors.
    pub crystallized: Vec<Crystallized>,
}

impl GrowthBatch {
    /// How many changes it holds.
    pub fn count(&self) -> usize {
        self.opened.len() + self.seen.len() + self.passes.len() + self.crystallized.len()
    }
}

columns! {
    inquiry_columns: InquiryRecord, "inquiry" as "i" {
        id: id "inquiry_id",
        source: word "source",
        topic: text "topic",
        question: text "question",
        evidence: text "evidence",
        opened_at: time "opened_at",
        seen: number "seen",
        seen_at: time "seen_at",
    } besides { progress: InquiryProgress { passes: 0, due_at: None }, }
}

columns! {
    pass_columns: PassRecord, "contemplation" as "c" {
        inquiry: id "inquiry_id",
        pass: word "pass",
        made_at: time "made_at",
        text: text "text",
        evidence: text "evidence",
    }
}

columns! {
    vector_columns: VectorRecord, "growth_vector" as "v" {
        inquiry: id "inquiry_id",
        text: text "text",
        evidence: text "evidence",
        made_at: time "made_at",
    } besides { proposal: None, }
}

static INSERT_INQUIRY: LazyLock<String> =
    LazyLock::new(|| insert_statement("inquiry", &["passes", "due_at"], InquiryRecord::COLUMNS));
static INSERT_PASS: LazyLock<String> =
    LazyLock::new(|| insert_statement("contemplation", &[], PassRecord::COLUMNS));
static INSERT_VECTOR: LazyLock<String> =
    LazyLock::new(|| insert_statement("growth_vector", &[], VectorRecord::COLUMNS));

/// Writes what a batch of contemplation changes.
pub(crate) fn grow(tx: &mut Tx<'_>, batch: &GrowthBatch, now: Time) -> Result<()> {
    for inquiry in &batch.opened {
        let InquiryProgress { passes, due_at } = inquiry.progress;
        let mut values = values![tx.agent_id, i64::from(passes), due_at.map(Time::millis)].to_vec();
        values.extend(inquiry.column_values());
        tx.execute(&INSERT_INQUIRY, &values)?;
    }
    let again = "UPDATE inquiry SET seen = seen + 1, seen_at = ?3, topic = ?4, question = ?5, evidence = ?6
                 WHERE agent_id = ?1 AND inquiry_id = ?2";
    for InquirySeen { id, topic, question, evidence } in &batch.seen {
        let (id, at) = (id.bytes().as_slice(), now.millis());
        tx.execute(
            again,
            values![tx.agent_id, id, at, topic.as_str(), question.as_str(), evidence.as_str()],
        )?;
    }
    batch.passes.iter().try_for_each(|made| insert_pass(tx, made))?;
    for Crystallized { proposal, inquiries } in &batch.crystallized {
        if tx.pending_proposals(now)?.len() >= MAX_PENDING_PROPOSALS {
            break;
        }
        insert_proposal(tx, proposal)?;
        let part = "UPDATE growth_vector SET proposal = ?3 WHERE agent_id = ?1 AND inquiry_id = ?2";
        let name = proposal.id.to_string();
        for id in inquiries {
            tx.execute(part, values![tx.agent_id, id.bytes().as_slice(), name.as_str()])?;
        }
    }
    Ok(())
}

fn insert_pass(tx: &mut Tx<'_>, made: &MadePass) -> Result<()> {
    let MadePass { was, progress, record, vector } = made;
    let on =
        "UPDATE inquiry SET passes = ?4, due_at = ?5 WHERE agent_id = ?1 AND inquiry_id = ?2 AND passes = ?3";
    let id = record.inquiry.bytes().as_slice();
    let (passes, due_at) = (i64::from(progress.passes), progress.due_at.map(Time::millis));
    if tx.execute(on, values![tx.agent_id, id, i64::from(*was), passes, due_at])? == 0 {
        return Ok(());
    }
    let mut values = values![tx.agent_id].to_vec();
    values.extend(record.column_values());
    tx.execute(&INSERT_PASS, &values)?;
    if let Some(vector) = vector {
        let mut values = values![tx.agent_id].to_vec();
        values.extend(vector.column_values());
        tx.execute(&INSERT_VECTOR, &values)?;
    }
    Ok(())
}

macro_rules! select_inquiry {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            inquiry_columns!(),
            ", i.passes, i.due_at FROM inquiry AS i WHERE i.agent_id = ?1 ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inquiries, the newest first.
    pub fn inquiries(&mut self, limit: u32) -> Result<Vec<InquiryRecord>> {
        let sql = select_inquiry!("ORDER BY i.opened_at DESC, i.inquiry_id LIMIT ?2");
        self.query(sql, values![self.agent_id, i64::from(limit)], read_inquiry)
    }

    /// An inquiry by its name.
    pub fn inquiry(&mut self, id: InquiryId) -> Result<Option<InquiryRecord>> {
        let sql = select_inquiry!("AND i.inquiry_id = ?2");
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_inquiry)
    }

    /// Inquiries whose next pass is due, the one that waits longest first.
    pub fn due_inquiries(&mut self, now: Time, limit: u32) -> Result<Vec<InquiryRecord>> {
        let sql = select_inquiry!(
            "AND i.due_at IS NOT NULL AND i.due_at <= ?2 ORDER BY i.due_at, i.inquiry_id LIMIT ?3"
        );
        self.query(sql, values![self.agent_id, now.millis(), i64::from(limit)], read_inquiry)
    }

    /// The passes over an inquiry, in order.
    pub fn passes_of(&mut self, id: InquiryId) -> Result<Vec<PassRecord>> {
        let sql = concat!(
            "SELECT ",
            pass_columns!(),
            " FROM contemplation AS c WHERE c.agent_id = ?1 AND c.inquiry_id = ?2 ORDER BY c.made_at, c.pass"
        );
        self.query(sql, values![self.agent_id, id.bytes().as_slice()], read_record)
    }

    /// Passes that were made since, the newest first.
    pub fn passes_since(&mut self, since: Time, limit: u32) -> Result<Vec<PassRecord>> {
        let sql = concat!(
            "SELECT ",
            pass_columns!(),
            " FROM contemplation AS c WHERE c.agent_id = ?1 AND c.made_at >= ?2
             ORDER BY c.made_at DESC, c.inquiry_id LIMIT ?3"
        );
        self.query(sql, values![self.agent_id, since.millis(), i64::from(limit)], read_record)
    }

    /// Growth vectors, the newest first.
    pub fn growth_vectors(&mut self, limit: u32) -> Result<Vec<VectorRecord>> {
        let sql = concat!(
            "SELECT ",
            vector_columns!(),
            ", v.proposal FROM growth_vector AS v WHERE v.agent_id = ?1
             ORDER BY v.made_at DESC, v.inquiry_id LIMIT ?2"
        );
        self.query(sql, values![self.agent_id, i64::from(limit)], |row| {
            let columns = &mut ColumnReader::new(row);
            let vector = VectorRecord::read_columns(columns)?;
            Ok(VectorRecord { proposal: columns.maybe_word()?, ..vector })
        })
    }
}

fn read_inquiry(row: &Row<'_>) -> Result<InquiryRecord> {
    let columns = &mut ColumnReader::new(row);
    let inquiry = InquiryRecord::read_columns(columns)?;
    let progress = InquiryProgress { passes: columns.number()?, due_at: columns.maybe_time()? };
    Ok(InquiryRecord { progress, ..inquiry })
}

/// Deletes inquiries that show words that are erased, with their passes and what came of them; their names.
pub(crate) fn delete_inquiries(tx: &mut Tx<'_>, shows: &dyn Fn(&str) -> bool) -> Result<Vec<InquiryId>> {
    let vectors = tx.growth_vectors(u32::MAX)?;
    let mut deleted = Vec::new();
    for inquiry in tx.inquiries(u32::MAX)? {
        let passes = tx.passes_of(inquiry.id)?;
        let vector = vectors.iter().filter(|vector| vector.inquiry == inquiry.id);
        let texts = [inquiry.question.as_str(), inquiry.evidence.as_str()].into_iter();
        let texts = texts.chain(passes.iter().flat_map(|pass| [pass.text.as_str(), pass.evidence.as_str()]));
        let mut texts = texts.chain(vector.flat_map(|it| [it.text.as_str(), it.evidence.as_str()]));
        if !texts.any(shows) {
            continue;
        }
        for sql in [
            "DELETE FROM growth_vector WHERE agent_id = ?1 AND inquiry_id = ?2",
            "DELETE FROM contemplation WHERE agent_id = ?1 AND inquiry_id = ?2",
            "DELETE FROM inquiry WHERE agent_id = ?1 AND inquiry_id = ?2",
        ] {
            tx.execute(sql, values![tx.agent_id, inquiry.id.bytes().as_slice()])?;
        }
        deleted.push(inquiry.id);
    }
    Ok(deleted)
}
