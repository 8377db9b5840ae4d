//! Memories, entities, and what a message became.

use crate::Detail;
use cairn_domain::{
    Category, DataSource, Ekman, EntityKind, ExchangeId, Form, MemoryId, MessageId, Mode, Privacy, Ref,
    TemporalType, Tier, Time, WriteSource,
};
use cairn_engine::{Correction, Decision, Formed, Reached, Reasons, Reflection, RememberedMessage};
use cairn_store::{EntityRecord, MemoryRecord};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A message that is kept, and what was decided for it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Remembered {
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// Its ref.
    pub message: MessageId,
    /// Whether it was there already.
    pub duplicate: bool,
    /// The decision about each statement of it.
    pub decisions: Vec<Decision>,
    /// Nothing was decided yet; it will be, behind this answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Every step that led to each decision; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<Reasons>>,
}

impl Remembered {
    /// The answer to a write: the message and the decisions about it.
    pub fn new(remembered: &RememberedMessage, detail: Detail) -> Self {
        let reasons = || remembered.formed.as_ref().map_or_else(Vec::new, |formed| formed.reasons.clone());
        let reasons = match detail {
            Detail::Explained => Some(reasons()),
            Detail::Brief => None,
        };
        Self::of(&remembered.message, remembered.formed.as_ref(), reasons)
    }

    fn of(kept: &cairn_engine::Remembered, formed: Option<&Formed>, reasons: Option<Vec<Reasons>>) -> Self {
        Self {
            exchange: kept.exchange,
            message: kept.message,
            duplicate: kept.duplicate,
            decisions: formed.map_or_else(Vec::new, |formed| formed.decisions.clone()),
            pending: formed.is_none(),
            reasons,
        }
    }
}

impl From<&Reflection> for Remembered {
    fn from(reflection: &Reflection) -> Self {
        Self::of(&reflection.message, Some(&reflection.formed), None)
    }
}

impl From<&Correction> for Remembered {
    fn from(correction: &Correction) -> Self {
        Self::of(&correction.message, Some(&correction.formed), None)
    }
}

/// A memory that another leads to over relations.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReachedMemory {
    /// The memory.
    pub memory: Memory,
    /// Over how many relations.
    pub hops: u32,
    /// The kinds of relation on the way, such as `causes>elaborates`.
    pub way: String,
    /// How often that way has led to a new memory before, 0 to 1; null if it was never gone.
    pub way_yield: Option<f64>,
}

impl From<&Reached> for ReachedMemory {
    fn from(Reached { record, hops, way, way_yield }: &Reached) -> Self {
        Self { memory: record.into(), hops: *hops, way: way.clone(), way_yield: *way_yield }
    }
}

/// A memory in full.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Memory {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: MemoryId,
    /// Always `memory`.
    pub kind: &'static str,
    /// The statement, understood without the conversation it comes from.
    pub text: String,
    /// How it came to be.
    pub form: Form,
    /// The kind of thing it says.
    pub category: Category,
    /// Where it stands: `new`, `current`, `deprecated`, `superseded` or `forgotten`.
    pub status: &'static str,
    /// How it is kept.
    pub tier: Tier,
    /// Its horizon.
    pub layer: String,
    /// The run it comes from.
    pub session: Option<String>,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The posture it was said in.
    pub mode: Mode,
    /// Whether it ends by itself.
    pub temporal_type: TemporalType,
    /// Since when it holds.
    pub valid_from: Time,
    /// Until when, if that is known.
    pub valid_until: Option<Time>,
    /// When it was written down.
    pub recorded_at: Time,
    /// Which step wrote it.
    pub write_source: WriteSource,
    /// Where its words come from.
    pub data_source: DataSource,
    /// How far its source can be trusted, 0 to 1.
    pub source_confidence: f64,
    /// The hash of the source it was read from, if that can change.
    pub source_hash: Option<String>,
    /// Who may see it outside its agent.
    pub privacy: Privacy,
    /// No rhythm lets it go.
    pub pinned: bool,
    /// Nothing changes what it says, either.
    pub immutable: bool,
    /// It was made in a moment of great arousal.
    pub flashbulb: bool,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// How useful it has been, 0 to 1.
    pub utility: f64,
    /// When its utility last drifted.
    pub utility_at: Time,
    /// How well it is stored, 1 to 10; never less.
    pub storage: f64,
    /// How long it stays, in days.
    pub stability: f64,
    /// How often it was used.
    pub accesses: u32,
    /// When it was last used.
    pub accessed_at: Time,
    /// How often it was shown.
    pub surfaced: u32,
    /// How it felt, -1 to 1.
    pub valence: f64,
    /// How much, 0 to 1.
    pub arousal: f64,
    /// As what.
    pub emotion: Option<Ekman>,
}

impl From<&MemoryRecord> for Memory {
    fn from(record: &MemoryRecord) -> Self {
        let (memory, status) = (record.memory.clone(), record.memory.standing());
        Self {
            reference: memory.id,
            kind: "memory",
            text: memory.text,
            form: memory.form,
            category: memory.category,
            status,
            tier: memory.tier,
            layer: memory.layer,
            session: memory.session,
            thread: memory.thread,
            mode: memory.mode,
            temporal_type: memory.temporal_type,
            valid_from: memory.valid_from,
            valid_until: memory.valid_until,
            recorded_at: memory.recorded_at,
            write_source: memory.write_source,
            data_source: memory.data_source,
            source_confidence: memory.source_confidence,
            source_hash: memory.source_hash,
            privacy: memory.privacy,
            pinned: memory.pinned,
            immutable: memory.immutable,
            flashbulb: memory.flashbulb,
            importance: memory.importance,
            utility: memory.utility,
            utility_at: memory.utility_at,
            storage: memory.storage,
            stability: memory.stability,
            accesses: memory.accesses,
            accessed_at: memory.accessed_at,
            surfaced: memory.surfaced,
            valence: memory.valence,
            arousal: memory.arousal,
            emotion: memory.emotion,
        }
    }
}

/// A name with what it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Entity {
    /// Its address, `entity://place/lisbon`.
    pub uri: String,
    /// Its canonical name.
    pub name: String,
    /// The kind of thing it is.
    pub kind: EntityKind,
    /// How many memories hold it.
    pub mentions: u32,
    /// When it was first seen.
    pub first_seen: Time,
}

impl From<&EntityRecord> for Entity {
    fn from(entity: &EntityRecord) -> Self {
        Self {
            uri: format!("entity://{}/{}", entity.kind, entity.slug),
            name: entity.name.clone(),
            kind: entity.kind,
            mentions: entity.mentions,
            first_seen: entity.first_seen,
        }
    }
}

/// An entity with all that is known about it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hub {
    /// The entity.
    pub entity: Entity,
    /// The addresses of its other names.
    pub aliases: Vec<String>,
    /// Who and what stands in memories together with it.
    pub together: Vec<Together>,
    /// The memories that name it, the newest first.
    pub memories: Vec<Memory>,
}

/// Entities and how they belong together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityGraph {
    /// The entities, those with the most mentions first.
    pub entities: Vec<Entity>,
    /// The edges between them, the closest first.
    pub edges: Vec<EntityEdge>,
    /// Whether there are more edges than are given.
    pub cut: bool,
}

/// One thing that joins two entities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityEdge {
    /// The place of the one among the entities, counted from 0.
    pub one: usize,
    /// The place of the other.
    pub other: usize,
    /// Its kind: `together` for standing in the same memories, `topic` if the other is what the one belongs to, or the
    /// attribute of a statement about the one whose value is the other.
    pub kind: String,
    /// In how many memories; 1 for a statement.
    pub times: u32,
}

impl From<&cairn_engine::EntityGraph> for EntityGraph {
    fn from(graph: &cairn_engine::EntityGraph) -> Self {
        let edge = |edge: &cairn_engine::EntityEdge| EntityEdge {
            one: edge.one,
            other: edge.other,
            kind: edge.kind.clone(),
            times: edge.times,
        };
        Self {
            entities: graph.entities.iter().map(Entity::from).collect(),
            edges: graph.edges.iter().map(edge).collect(),
            cut: graph.cut,
        }
    }
}

/// An entity that stands in memories together with another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Together {
    /// Which.
    pub entity: Entity,
    /// How often.
    pub times: u32,
}

impl From<&cairn_engine::Hub> for Hub {
    fn from(hub: &cairn_engine::Hub) -> Self {
        let together =
            |(entity, times): &(EntityRecord, u32)| Together { entity: entity.into(), times: *times };
        Self {
            entity: (&hub.entity).into(),
            aliases: hub.aliases.clone(),
            together: hub.together.iter().map(together).collect(),
            memories: hub.memories.iter().map(Memory::from).collect(),
        }
    }
}

/// A block of text for a prompt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Context {
    /// The block; empty if there is nothing to show. Words out of the memory stand in it as quotes.
    pub text: String,
    /// The refs that stand in it.
    pub refs: Vec<String>,
    /// How many tokens it has.
    pub tokens: usize,
    /// Hits that were left out because they hardly fit.
    pub weak: usize,
    /// Hits that were left out because there was no room.
    pub no_room: usize,
    /// The gate's receipt: which beliefs it let into the block as true.
    pub gate: Gate,
    /// The sections of the block and those that are not in it; only if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<ExplainedSection>>,
}

/// A section of a context: whether it is there, and what it took.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExplainedSection {
    /// Its name.
    pub section: &'static str,
    /// Its priority: the least comes first.
    pub priority: u8,
    /// `included`, or why it is not: `nothing to say`, `shown before`, `no room`.
    pub outcome: &'static str,
    /// Its tokens.
    pub tokens: usize,
    /// How long it took.
    pub elapsed_ms: f64,
    /// The refs that stand in it.
    pub refs: Vec<String>,
}

impl From<&cairn_engine::SectionReport> for ExplainedSection {
    fn from(report: &cairn_engine::SectionReport) -> Self {
        let cairn_engine::SectionReport { name, priority, outcome, tokens, took, refs } = report;
        Self {
            section: name,
            priority: *priority,
            outcome: outcome.as_str(),
            tokens: *tokens,
            elapsed_ms: took.as_secs_f64() * 1e3,
            refs: refs.clone(),
        }
    }
}

impl Context {
    /// The same with what became of each section.
    pub fn explained(self, brief: &cairn_engine::Brief) -> Self {
        Self { sections: Some(brief.sections.iter().map(ExplainedSection::from).collect()), ..self }
    }
}

/// The gate's receipt: which beliefs were given as true, and how many were not, and why.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Gate {
    /// How far beliefs are trusted: `observe`, `diagnostic` or `enforce`.
    pub mode: &'static str,
    /// Beliefs that were looked at.
    pub looked_at: usize,
    /// Beliefs that may be given as true: none but in `enforce`.
    pub let_through: usize,
    /// Beliefs that may be given as true in `enforce`.
    pub would_let_through: usize,
    /// How many were left out, and why.
    pub left_out: BTreeMap<&'static str, usize>,
    /// In `diagnostic`, those that would be given.
    pub would: Vec<String>,
}

impl From<&cairn_engine::Brief> for Context {
    fn from(brief: &cairn_engine::Brief) -> Self {
        let receipt = &brief.gate;
        let gate = Gate {
            mode: receipt.mode.as_str(),
            looked_at: receipt.looked_at,
            let_through: receipt.let_through,
            would_let_through: receipt.would_let_through,
            left_out: receipt.left_out.iter().map(|(why, count)| (why.as_str(), *count)).collect(),
            would: brief.would.clone(),
        };
        let (weak, no_room) = (brief.weak, brief.no_room);
        Self {
            text: brief.text(),
            refs: brief.refs.clone(),
            tokens: brief.used,
            weak,
            no_room,
            gate,
            sections: None,
        }
    }
}

impl Feedback {
    /// The memories that feedback about a record has moved, as they are now.
    pub fn new(reference: Ref, memories: &[MemoryRecord]) -> Self {
        Self { reference: reference.to_string(), memories: memories.iter().map(Memory::from).collect() }
    }
}

/// The memories that feedback has moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Feedback {
    /// The record that the feedback was about.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The memories, as they are now.
    pub memories: Vec<Memory>,
}
