//! Formation: everything that forming one message changes, in one transaction. Whoever decided while somebody else
//! changed something is told so, and decides again.

use crate::{
    NewMention, RelationRecord, Result, StatementRecord, Store, SynapticTag, WorkingRecord,
    database::Connection,
    record::{
        MEMORY, MemoryState, RefinementState, add_revision_vectors, capture_tags, cite, clear_working,
        count_patterns, insert_evidence, insert_formed, insert_memory, insert_mentions, insert_relation,
        insert_statements, insert_tag, memory_state, move_on, prune_relations, queue_refinement, reconsider,
        release_withheld, revise, set_pinned, set_tier, set_working, settle_refinement, strengthen,
        supersede, try_refinement,
    },
    store::Shared,
};
use cairn_cognition::keywords::terms;
use cairn_domain::{Evidence, Memory, MemoryId, MessageId, RelationKind, Tier, Time, Verdict};

/// What forming one message, or one piece of a file, changes.
#[derive(Debug, Clone, Default)]
pub struct Formation {
    /// The state of the memories that this was decided on.
    pub version: i64,
    /// The message, and what became of it, as JSON. Written once.
    pub message: Option<(MessageId, String)>,
    /// Whether a language model may say the message more clearly.
    pub to_refine: bool,
    /// The message that a language model was asked about, and what came of it. Written once.
    pub refined: Option<(MessageId, String)>,
    /// Memories to be made.
    pub made: Vec<NewMemory>,
    /// Memories that say something else from now on.
    pub revised: Vec<Revised>,
    /// Memories that gain strength, and what they rest on besides.
    pub strengthened: Vec<Strengthened>,
    /// Memories that one of those made replaces.
    pub superseded: Vec<Superseded>,
    /// Relations that a language model saw.
    pub links: Vec<Link>,
    /// From so many relations on, the least of them are let go until so many are left.
    pub most_relations: Option<(usize, usize)>,
    /// Tags that were captured.
    pub captured: Vec<u32>,
    /// The session and what it had in mind so far and keeps; what is made for it to have in mind comes on top.
    pub working: Option<(String, Vec<WorkingRecord>)>,
}

/// A memory to be made.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// The memory.
    pub memory: Memory,
    /// What the gate decided, and why.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// Every step that led to it, as JSON.
    pub reasons: String,
    /// What it is about and what it belongs to.
    pub bound: Bound,
    /// The tag it gets: for how long.
    pub tag_ms: Option<i64>,
    /// Whether the session has it in mind.
    pub in_mind: bool,
    /// A memory that is newer and cannot stand beside it, and since when that holds: then it was outdated when it came.
    pub superseded_by: Option<(u32, Time)>,
}

/// What a memory rests on, what it is about and what it belongs to.
#[derive(Debug, Clone, Default)]
pub struct Bound {
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What it says of whom.
    pub statements: Vec<StatementRecord>,
    /// The names it holds.
    pub mentions: Vec<NewMention>,
    /// Relations to memories that are there; `from` is filled in.
    pub relations: Vec<RelationRecord>,
    /// Its vector, and the embedder that made it.
    pub vector: Option<(u32, Vec<f32>)>,
}

/// A memory that says something else from now on.
#[derive(Debug, Clone)]
pub struct Revised {
    /// Which.
    pub number: u32,
    /// What it says.
    pub text: String,
    /// Why.
    pub reason: String,
    /// What this adds.
    pub bound: Bound,
}

/// A memory that gains strength.
#[derive(Debug, Clone)]
pub struct Strengthened {
    /// Which.
    pub number: u32,
    /// As it is then.
    pub memory: Memory,
    /// What it rests on besides.
    pub evidence: Vec<Evidence>,
}

/// A memory that holds no longer.
#[derive(Debug, Clone)]
pub struct Superseded {
    /// Which.
    pub number: u32,
    /// What replaces it; none if what it was read from is gone.
    pub by: Option<End>,
    /// From when on.
    pub until: Time,
    /// Why.
    pub reason: String,
}

/// A relation that a language model saw.
#[derive(Debug, Clone)]
pub struct Link {
    /// From which memory.
    pub from: End,
    /// To which.
    pub to: End,
    /// What it says.
    pub kind: RelationKind,
    /// How sure it is.
    pub confidence: f64,
    /// Why it was made.
    pub reason: String,
}

/// A memory that a formation speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A memory that is there.
    Known(u32),
    /// One of those to be made.
    Made(usize),
}

impl End {
    /// Its number, once the memories to be made have theirs.
    pub(crate) fn number(self, made: &[u32]) -> Option<u32> {
        match self {
            Self::Known(number) => Some(number),
            Self::Made(at) => made.get(at).copied(),
        }
    }
}

/// What became of a formation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is written: the memories that were made.
    Done(Vec<MemoryId>),
    /// Something else was written since it was decided; nothing of it is.
    Stale,
    /// Somebody else has formed the message already; nothing of it is written.
    Known,
}

impl Store {
    /// Writes what forming a message changes, all of it or nothing.
    pub async fn commit(&self, formation: Formation, now: Time) -> Result<Committed> {
        let write = move |connection: &mut Connection, shared: &Shared| {
            commit(connection, shared.agent_id, &formation, now)
        };
        self.writer.write_studied(write).await
    }

    /// Gives the revisions from `from` on their vectors; false, and nothing is written, if that is not where the
    /// embedder is any more.
    pub async fn add_revision_vectors(
        &self,
        embedder: u32,
        from: u32,
        vectors: Vec<Vec<f32>>,
    ) -> Result<bool> {
        let add = move |connection: &mut Connection, shared: &Shared| {
            add_revision_vectors(connection, shared.agent_id, embedder, from, &vectors)
        };
        self.writer.run(add).await
    }

    /// Writes down how strong a memory is now.
    pub async fn strengthen(&self, number: u32, memory: Memory) -> Result<()> {
        let write = move |connection: &mut Connection, shared: &Shared| {
            strengthen(connection, shared.agent_id, number, &memory)
        };
        self.writer.run(write).await
    }

    /// Pins a memory or lets it go again.
    pub async fn pin(&self, number: u32, pinned: bool) -> Result<()> {
        self.writer
            .run(move |connection, shared| set_pinned(connection, shared.agent_id, number, pinned))
            .await
    }

    /// Says where in a file the words of memories stand now.
    pub async fn cite(&self, root: String, places: Vec<(u32, String)>) -> Result<()> {
        let cite = move |connection: &mut Connection, shared: &Shared| {
            let mut places = places.iter();
            places.try_for_each(|(number, source)| cite(connection, shared.agent_id, *number, &root, source))
        };
        self.writer.run(cite).await
    }

    /// Keeps a memory another way.
    pub async fn set_tier(&self, number: u32, tier: Tier) -> Result<()> {
        self.writer.run(move |connection, shared| set_tier(connection, shared.agent_id, number, tier)).await
    }

    /// Counts ways through the graph that were gone: the pattern, whether it was known before, whether it led somewhere.
    pub async fn count_patterns(&self, patterns: Vec<(String, &'static str, bool)>) -> Result<()> {
        self.writer
            .claim(move |connection, shared| count_patterns(connection, shared.agent_id, &patterns))
            .await
    }

    /// Counts one more try to refine a message that waits and was tried so often; false if somebody else was faster.
    pub async fn try_refinement(&self, message: MessageId, tries: u32, now: Time) -> Result<bool> {
        let write = move |connection: &mut Connection, shared: &Shared| {
            try_refinement(connection, shared.agent_id, (message, tries), now)
        };
        self.writer.run(write).await
    }

    /// Ends the wait of a message for a language model, or lets it go on after so many tries.
    pub async fn settle_refinement(
        &self,
        message: MessageId,
        state: RefinementState,
        tries: Option<u32>,
        outcome: String,
        now: Time,
    ) -> Result<()> {
        let write = move |connection: &mut Connection, shared: &Shared| {
            settle_refinement(connection, shared.agent_id, message, (state, tries), &outcome, now)
        };
        self.writer.run(write).await.map(drop)
    }

    /// Lets every message wait again that was withheld from language models.
    pub async fn release_withheld(&self) -> Result<()> {
        self.writer.run(move |connection, shared| release_withheld(connection, shared.agent_id)).await
    }

    /// Clears what a session had in mind.
    pub async fn clear_working(&self, session: String) -> Result<()> {
        self.writer.run(move |connection, shared| clear_working(connection, shared.agent_id, &session)).await
    }
}

/// Writes a formation.
fn commit(connection: &mut Connection, agent_id: i64, formation: &Formation, now: Time) -> Result<Committed> {
    let mut state = memory_state(connection, agent_id)?;
    if state.version != formation.version {
        return Ok(Committed::Stale);
    }
    if let Some((message, decisions)) = &formation.message
        && !insert_formed(connection, agent_id, *message, decisions, now)?
    {
        return Ok(Committed::Known);
    }
    if let Some((message, outcome)) = &formation.refined
        && !settle_refinement(connection, agent_id, *message, (RefinementState::Done, None), outcome, now)?
    {
        return Ok(Committed::Known);
    }
    if let Some((message, _)) = formation.message.as_ref().filter(|_| formation.to_refine) {
        queue_refinement(connection, agent_id, *message, now)?;
    }
    let untouched = formation.made.is_empty()
        && formation.revised.is_empty()
        && formation.strengthened.is_empty()
        && formation.superseded.is_empty()
        && formation.links.is_empty()
        && formation.working.is_none();
    if untouched {
        return Ok(Committed::Done(Vec::new()));
    }
    let message = formation.message.as_ref().or(formation.refined.as_ref()).map(|(message, _)| *message);
    let numbers = make_all(connection, agent_id, &mut state, &formation.made, message, now)?;
    for Revised { number, text, reason, bound } in &formation.revised {
        say(connection, agent_id, &mut state, *number, text, (bound, message), (reason, now))?;
    }
    for Strengthened { number, memory, evidence } in &formation.strengthened {
        strengthen(connection, agent_id, *number, memory)?;
        insert_evidence(connection, agent_id, (MEMORY, *number), false, evidence)?;
        if !evidence.is_empty() {
            reconsider(connection, agent_id, *number)?;
        }
    }
    for Superseded { number, by, until, reason } in &formation.superseded {
        let by = by.and_then(|by| by.number(&numbers));
        supersede_by(connection, agent_id, (*number, by), *until, reason, now)?;
    }
    link(connection, agent_id, &formation.links, &numbers, now)?;
    if let Some((trigger, target)) = formation.most_relations {
        prune_relations(connection, agent_id, trigger, target)?;
    }
    capture_tags(connection, agent_id, &formation.captured)?;
    if let Some((session, items)) = &formation.working {
        let mut items = items.clone();
        let in_mind = numbers.iter().zip(&formation.made).filter(|(_, new)| new.in_mind);
        items.extend(in_mind.map(|(number, new)| WorkingRecord {
            number: *number,
            accesses: 0,
            added_at: new.memory.accessed_at,
            accessed_at: new.memory.accessed_at,
        }));
        set_working(connection, agent_id, session, &items)?;
    }
    move_on(connection, agent_id, &state)?;
    Ok(Committed::Done(formation.made.iter().map(|new| new.memory.id).collect()))
}

/// Makes memories: their numbers.
pub(crate) fn make_all(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    made: &[NewMemory],
    message: Option<MessageId>,
    now: Time,
) -> Result<Vec<u32>> {
    let first = state.next_revision as u32;
    let mut numbers = Vec::with_capacity(made.len());
    for new in made {
        numbers.push(make(connection, agent_id, state, new, message, now)?);
    }
    // One that comes before those of older revisions is left to whoever makes these.
    let vectors: Vec<&(u32, Vec<f32>)> = made.iter().map_while(|new| new.bound.vector.as_ref()).collect();
    if let Some((embedder, _)) = vectors.first() {
        let vectors: Vec<&[f32]> = vectors.iter().map(|(_, vector)| vector.as_slice()).collect();
        add_revision_vectors(connection, agent_id, *embedder, first, &vectors)?;
    }
    Ok(numbers)
}

fn make(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    new: &NewMemory,
    message: Option<MessageId>,
    now: Time,
) -> Result<u32> {
    let NewMemory { memory, verdict, reason, reasons, bound, tag_ms, superseded_by, .. } = new;
    let terms = terms(&memory.text);
    let number = insert_memory(connection, agent_id, state, memory, &terms, (*verdict, reason, reasons))?;
    bind(connection, agent_id, state, (number, true), (bound, message), now)?;
    if let (Some(ttl_ms), Some(session)) = (*tag_ms, memory.session.as_deref()) {
        let tagged_at = memory.accessed_at;
        insert_tag(connection, agent_id, session, &SynapticTag { number, tagged_at, ttl_ms })?;
    }
    if let Some((by, until)) = *superseded_by {
        supersede_by(connection, agent_id, (number, Some(by)), until, reason, now)?;
    }
    Ok(number)
}

/// Writes the relations that a language model saw.
fn link(connection: &mut Connection, agent_id: i64, links: &[Link], made: &[u32], now: Time) -> Result<()> {
    for Link { from, to, kind, confidence, reason } in links {
        let (Some(from), Some(to)) = (from.number(made), to.number(made)) else { continue };
        let (kind, confidence, reason) = (*kind, *confidence, reason.clone());
        let relation = RelationRecord { from, to, kind, confidence, reason };
        insert_relation(connection, agent_id, &relation, "model", now)?;
    }
    Ok(())
}

/// Closes a memory in favour of another, and keeps the link.
fn supersede_by(
    connection: &mut Connection,
    agent_id: i64,
    (old, new): (u32, Option<u32>),
    until: Time,
    reason: &str,
    now: Time,
) -> Result<()> {
    supersede(connection, agent_id, old, new, until)?;
    let Some(new) = new else { return Ok(()) };
    let (kind, reason) = (RelationKind::Supersedes, reason.to_owned());
    let relation = RelationRecord { from: new, to: old, kind, confidence: 1.0, reason };
    insert_relation(connection, agent_id, &relation, "gate", now)
}

/// Lets a memory say something else from now on, with what this adds.
pub(crate) fn say(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    number: u32,
    text: &str,
    (bound, message): (&Bound, Option<MessageId>),
    (reason, now): (&str, Time),
) -> Result<()> {
    let revision = state.next_revision as u32;
    revise(connection, agent_id, state, number, text, &terms(text), (reason, now))?;
    bind(connection, agent_id, state, (number, false), (bound, message), now)?;
    if let Some((embedder, vector)) = &bound.vector {
        add_revision_vectors(connection, agent_id, *embedder, revision, std::slice::from_ref(vector))?;
    }
    Ok(())
}

/// Writes what a memory, new or not, rests on and what it is about.
fn bind(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    (number, new): (u32, bool),
    (bound, message): (&Bound, Option<MessageId>),
    now: Time,
) -> Result<()> {
    let Bound { evidence, statements, mentions, relations, vector: _ } = bound;
    insert_evidence(connection, agent_id, (MEMORY, number), new, evidence)?;
    insert_statements(connection, agent_id, (number, new), statements, message)?;
    insert_mentions(connection, agent_id, state, (number, new), mentions, now)?;
    for relation in relations {
        let relation = RelationRecord { from: number, ..relation.clone() };
        insert_relation(connection, agent_id, &relation, "heuristic", now)?;
    }
    Ok(())
}
