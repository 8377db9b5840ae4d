//! Memories: listed, opened and explained.

use super::graph::entity_slug;
use crate::{Agent, EngineError, Reasons, Result, stored_json::from_stored_json, write::stored_name};
use cairn_cognition::{promotion::strength_of, retention::RetentionCurve, strength::WELL_STORED};
use cairn_domain::{Category, Evidence, Form, Memory, MemoryId, MessageId, RelationKind, Tier, Time};
use cairn_store::{
    EntityRecord, MemoryFilter, MemoryRecord, MemoryScope, MessageRecord, RefinementRecord, RevisionRecord,
    StatementRecord, View,
};

/// Which memories are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryListing {
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those of this thread.
    pub thread: Option<String>,
    /// Only those that say this kind of thing.
    pub category: Option<Category>,
    /// Only those that came to be this way.
    pub form: Option<Form>,
    /// Only those kept this way.
    pub tier: Option<Tier>,
    /// Only those that name this entity: its name, its address or another name.
    pub entity: Option<String>,
    /// Whether superseded and dormant ones are listed, too.
    pub scope: MemoryScope,
    /// Only what held or had been said by then.
    pub as_of: Option<Time>,
    /// Only those recorded before the one with this number.
    pub before: Option<u32>,
}

/// A memory with the steps that led to it and the evidence it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyMemory {
    /// The memory.
    pub record: MemoryRecord,
    /// Every step that led to it.
    pub reasons: Reasons,
    /// All it has said, the oldest first.
    pub revisions: Vec<RevisionRecord>,
    /// The evidence it rests on.
    pub evidence: Vec<CheckedSource>,
    /// The statements it makes.
    pub statements: Vec<StatementRecord>,
    /// The message that each statement was read in; none for those of a file.
    pub statement_sources: Vec<Option<MessageId>>,
    /// The names it holds.
    pub entities: Vec<EntityRecord>,
    /// The memories it is related to.
    pub relations: Vec<Related>,
    /// How often it was rehearsed so as not to be lost.
    pub rehearsals: u32,
    /// Whether it is well stored and yet does not come to mind by itself.
    pub on_the_tip_of_the_tongue: bool,
}

/// A piece of evidence, and its source read again.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSource {
    /// The link.
    pub evidence: Evidence,
    /// The message it names.
    pub message: Option<MessageRecord>,
    /// The file of the archive that holds it.
    pub archive_file: Option<String>,
    /// Whether the source, read again just now, still holds the words.
    pub holds: bool,
}

/// A memory that another belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    /// The kind of relation.
    pub kind: RelationKind,
    /// Whether the relation goes out from the memory that was asked about.
    pub outgoing: bool,
    /// How sure that is.
    pub confidence: f64,
    /// Why.
    pub reason: String,
    /// Who found it: the gate, a rule (`heuristic`), a language model (`model`) or a rhythm.
    pub made_by: String,
    /// The other memory.
    pub other: MemoryRecord,
}

impl Agent {
    /// The newest memories, newest first.
    pub async fn memories(
        &self,
        session: Option<String>,
        scope: MemoryScope,
        limit: u32,
    ) -> Result<Vec<MemoryRecord>> {
        let listing = MemoryListing { session, scope, ..MemoryListing::default() };
        self.list_memories(&listing, limit).await
    }

    /// The memories that a listing asks for, newest first.
    pub async fn list_memories(&self, listing: &MemoryListing, limit: u32) -> Result<Vec<MemoryRecord>> {
        let stored = |name: &Option<String>| name.as_deref().map(stored_name);
        let (session, thread) = (stored(&listing.session), stored(&listing.thread));
        let entity = listing.entity.as_deref().map(entity_slug);
        let filter = MemoryFilter {
            session: session.as_deref(),
            thread: thread.as_deref(),
            category: listing.category,
            form: listing.form,
            tier: listing.tier,
            scope: listing.scope,
            as_of: listing.as_of,
            entity: entity.as_deref(),
        };
        let before = listing.before.unwrap_or(u32::MAX);
        Ok(self.store.read(|view| view.memories(filter, before, limit)).await?)
    }

    /// The memories that are well stored and yet do not come to mind by themselves, the best stored first.
    pub async fn on_the_tip_of_the_tongue(&self, limit: u32) -> Result<Vec<MemoryRecord>> {
        let now = self.now();
        let mut records = self.store.read(|view| view.well_stored_memories(WELL_STORED)).await?;
        records.retain(|record| is_on_the_tip_of_the_tongue(&record.memory, now));
        records.truncate(limit as usize);
        Ok(records)
    }

    /// One memory.
    pub async fn memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        let found = self.store.read(|view| view.memory(id)).await?;
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }

    /// A memory with the steps that led to it and its evidence, down to the words.
    pub async fn why_memory(&self, id: MemoryId) -> Result<WhyMemory> {
        let now = self.now();
        let found = self
            .store
            .read(|view| {
                let Some(record) = view.memory(id)? else { return Ok(None) };
                let number = record.number;
                let reasons = view.reasons(number)?;
                let evidence = view.evidence_of(number)?;
                let evidence =
                    evidence.into_iter().map(|one| source(view, one)).collect::<cairn_store::Result<_>>()?;
                Ok(Some(WhyMemory {
                    reasons: match reasons {
                        Some(reasons) => from_stored_json("the reasons of a memory", &reasons)?,
                        None => Reasons::default(),
                    },
                    revisions: view.revisions(number)?,
                    evidence,
                    statements: view.statements(number)?,
                    entities: view.entities_of(number)?,
                    statement_sources: view.statement_sources(number)?,
                    relations: related_memories(view, number)?,
                    rehearsals: view.rehearsals(number)?,
                    on_the_tip_of_the_tongue: is_on_the_tip_of_the_tongue(&record.memory, now),
                    record,
                }))
            })
            .await?;
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }

    /// The memories that rest on a message, and what was decided about it when it was formed.
    pub async fn formed_from(
        &self,
        message: MessageId,
    ) -> Result<(Vec<MemoryRecord>, Option<Vec<crate::Decision>>)> {
        let (records, decisions) = self
            .store
            .read(|view| {
                let numbers = view.memories_on(message)?;
                Ok((view.memories_at(&numbers)?, view.formed(message)?))
            })
            .await?;
        let decisions =
            decisions.map(|decisions| from_stored_json("the decisions about a message", &decisions));
        Ok((records, decisions.transpose()?))
    }

    /// A language model's reading of a message; `None` if none was asked yet.
    pub(crate) async fn refinement_of(&self, message: MessageId) -> Result<Option<RefinementRecord>> {
        let refinement = self.store.read(|view| view.refinement(message)).await?;
        Ok(refinement.filter(|refinement| !refinement.outcome.is_empty()))
    }
}

/// Whether a memory is well stored and yet does not come to mind by itself.
fn is_on_the_tip_of_the_tongue(memory: &Memory, now: Time) -> bool {
    strength_of(memory).is_on_the_tip_of_the_tongue(now, RetentionCurve::default())
}

pub(crate) fn source(view: &mut View<'_>, evidence: Evidence) -> cairn_store::Result<CheckedSource> {
    let message = match evidence.source.parse::<MessageId>() {
        Ok(id) => view.message(id)?,
        Err(_) => None,
    };
    let holds = match &message {
        Some(record) => {
            holds_words(&record.message.text, &evidence.excerpt) && view.archive_agrees(record)?
        }
        None => file_holds(&evidence),
    };
    let archive_file = message.as_ref().map(|record| view.archive_file(record));
    Ok(CheckedSource { evidence, message, archive_file, holds })
}

/// Whether the lines of a file that evidence names still hold its words.
fn file_holds(evidence: &Evidence) -> bool {
    let place = || {
        let (path, lines) = evidence.source.strip_prefix("file:")?.rsplit_once("#L")?;
        let (first, last) = lines.split_once("-L")?;
        Some((path, first.parse::<usize>().ok()?, last.parse::<usize>().ok()?))
    };
    let Some((path, first, last)) = place() else { return false };
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let lines = text.lines().skip(first.saturating_sub(1)).take((last + 1).saturating_sub(first));
    let lines: Vec<&str> = lines.map(str::trim).collect();
    holds_words(&cairn_cognition::secret::mask(&lines.join("\n")).text, &evidence.excerpt)
}

/// Whether a text holds the words of an excerpt, which may have been put together from several places of it.
fn holds_words(text: &str, excerpt: &str) -> bool {
    text.contains(excerpt) || excerpt.lines().all(|line| text.contains(line.trim()))
}

fn related_memories(view: &mut View<'_>, number: u32) -> cairn_store::Result<Vec<Related>> {
    let mut related = Vec::new();
    for relation in view.relations(number)? {
        let outgoing = relation.from == number;
        let other = if outgoing { relation.to } else { relation.from };
        if let Some(other) = view.memories_at(&[other])?.pop() {
            let made_by = view.relation_origin(&relation)?;
            let (kind, confidence, reason) = (relation.kind, relation.confidence, relation.reason);
            related.push(Related { kind, outgoing, confidence, reason, made_by, other });
        }
    }
    Ok(related)
}
