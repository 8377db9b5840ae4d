//! Formation: everything that forming one message changes, in one transaction. Whoever decided while somebody else
//! changed something is told so, and decides again.

use crate::{
    DerivedRecord, DynamicsChange, FollowedPattern, IntentionRecord, MemoryEnd, NewMention, RelationPruning,
    RelationRecord, Result, StatementRecord, Store, TagRecord, WorkingRecord,
    record::{
        MemoryInsert, MemoryWriter, RefinementUpdate, RelationKey, RelationOrigin, TargetMemory,
        add_derived_vectors, add_revision_vectors, capture_tags, cite, close_intentions, close_memory,
        count_patterns, delete_relation, end_session, insert_evidence, insert_formed, insert_intentions,
        insert_mentions, insert_relation, insert_standing, insert_statements, insert_tag,
        is_learned_elsewhere, move_memory, pin_memory, prune_relations, queue_refinement, reconsider,
        release_withheld, reopen_memory, set_entropy, set_working, strengthen, touch_working, try_refinement,
        unpin_memory, update_refinement, write_dynamics,
    },
    transaction::Tx,
};
use cairn_domain::{
    Evidence, ExchangeEntropy, IntentionRef, Memory, MemoryId, MessageId, RelationKind, StandingEvidence,
    Tier, Time, Verdict,
};

/// All changes that forming one message, or one piece of a file, makes.
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
    /// The entropy of the message's exchange, as it is with the message.
    pub entropy: Option<ExchangeEntropy>,
    /// Numbers of turns.
    pub dynamics: DynamicsChange,
    /// Patterns of standing in the message.
    pub standing: Vec<StandingEvidence>,
    /// Intentions that the message tells.
    pub intentions: Vec<IntentionRecord>,
    /// Intentions of which the message says that they are done.
    pub settled: Vec<IntentionRef>,
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
    /// When the least of all relations are let go; never without it.
    pub pruning: Option<RelationPruning>,
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
    /// The gate's decision.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// Every step that led to it, as JSON.
    pub reasons: String,
    /// The sources, statements, names and relations that come with it.
    pub bound: MemoryAttachments,
    /// The tag it gets: for how long.
    pub tag_ms: Option<i64>,
    /// Whether the session has it in mind.
    pub in_mind: bool,
    /// A memory that is newer and cannot stand beside it, and since when that holds: then it was outdated when it came.
    pub superseded_by: Option<(u32, Time)>,
}

/// The sources of a memory, its statements, the names in it and its relations.
#[derive(Debug, Clone, Default)]
pub struct MemoryAttachments {
    /// The sources it rests on.
    pub evidence: Vec<Evidence>,
    /// Its statements: subject, attribute and value.
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
    /// The new text.
    pub text: String,
    /// Why.
    pub reason: String,
    /// Sources, statements, names and relations to add.
    pub bound: MemoryAttachments,
}

/// A memory that gains strength.
#[derive(Debug, Clone)]
pub struct Strengthened {
    /// Which.
    pub number: u32,
    /// As it is then.
    pub memory: Memory,
    /// Sources to add.
    pub evidence: Vec<Evidence>,
}

/// A memory that holds no longer.
#[derive(Debug, Clone)]
pub struct Superseded {
    /// Which.
    pub number: u32,
    /// The memory that replaces it; none if the file it was read from is gone.
    pub by: Option<MemoryEnd>,
    /// From when on.
    pub until: Time,
    /// Why.
    pub reason: String,
}

/// A relation that a language model saw.
#[derive(Debug, Clone)]
pub struct Link {
    /// From which memory.
    pub from: MemoryEnd,
    /// To which.
    pub to: MemoryEnd,
    /// The kind of relation.
    pub kind: RelationKind,
    /// How sure it is.
    pub confidence: f64,
    /// Why it was made.
    pub reason: String,
}

/// How the commit of a formation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is written: the memories that were made.
    Done(Vec<MemoryId>),
    /// Something else was written since it was decided; nothing of it is.
    Stale,
    /// Somebody else has formed the message already; nothing of it is written.
    Known,
}

impl Formation {
    /// Whether nothing about memories changes.
    fn leaves_memories_alone(&self) -> bool {
        self.made.is_empty()
            && self.revised.is_empty()
            && self.strengthened.is_empty()
            && self.superseded.is_empty()
            && self.links.is_empty()
            && self.working.is_none()
    }
}

impl Store {
    /// Writes what forming a message changes, all of it or nothing.
    pub async fn commit(&self, formation: Formation, now: Time) -> Result<Committed> {
        let write = move |tx: &mut Tx<'_>| commit(tx, &formation, now);
        self.writer.write_after_read(write).await
    }

    /// Gives revisions their vectors, in order; false, and nothing is written, if the embedder does not stand at `from` any
    /// more.
    pub async fn add_revision_vectors(
        &self,
        embedder: u32,
        from: u32,
        vectors: Vec<(u32, Vec<f32>)>,
    ) -> Result<bool> {
        let add = move |tx: &mut Tx<'_>| add_revision_vectors(tx, embedder, from, &vectors);
        self.writer.run(add).await
    }

    /// Writes the vectors of beliefs or digests, as far as they have none.
    pub async fn add_derived_vectors(
        &self,
        embedder: u32,
        of: DerivedRecord,
        vectors: Vec<(u32, Vec<f32>)>,
    ) -> Result<()> {
        self.writer.run(move |tx| add_derived_vectors(tx, embedder, of, &vectors)).await
    }

    /// Writes down how strong a memory is now.
    pub async fn strengthen(&self, number: u32, memory: Memory) -> Result<()> {
        let write = move |tx: &mut Tx<'_>| strengthen(tx, number, &memory);
        self.writer.run(write).await
    }

    /// Pins a memory: no rhythm lets it go.
    pub async fn pin(&self, number: u32) -> Result<()> {
        self.writer.run(move |tx| pin_memory(tx, number)).await
    }

    /// Lets a memory that was pinned take its course again.
    pub async fn unpin(&self, number: u32) -> Result<()> {
        self.writer.run(move |tx| unpin_memory(tx, number)).await
    }

    /// Says where in a file the words of memories stand now.
    pub async fn cite(&self, root: String, places: Vec<(u32, String)>) -> Result<()> {
        let cite = move |tx: &mut Tx<'_>| {
            let mut places = places.iter();
            places.try_for_each(|(number, source)| cite(tx, *number, &root, source))
        };
        self.writer.run(cite).await
    }

    /// Keeps a memory in another layer and another way.
    pub async fn move_memory(&self, number: u32, layer: String, tier: Tier) -> Result<()> {
        self.writer.run(move |tx| move_memory(tx, number, &layer, tier)).await
    }

    /// Lets a memory hold again that was closed, saying what it said before. What replaced it stays beside it.
    pub async fn reopen(&self, reopened: Reopened, now: Time) -> Result<()> {
        let write = move |tx: &mut Tx<'_>| {
            let mut writer = MemoryWriter::begin(tx, now)?;
            writer.reopen(&reopened)?;
            writer.finish()
        };
        self.writer.run(write).await
    }

    /// Lets a memory say again what it said before.
    pub async fn restore_text(&self, number: u32, text: String, reason: String, now: Time) -> Result<()> {
        let write = move |tx: &mut Tx<'_>| {
            let mut writer = MemoryWriter::begin(tx, now)?;
            writer.replace_text(number, &text, &reason)?;
            writer.finish()
        };
        self.writer.run(write).await
    }

    /// Counts paths through the graph that were followed.
    pub async fn count_patterns(&self, patterns: Vec<FollowedPattern>) -> Result<()> {
        self.writer.claim(move |tx| count_patterns(tx, &patterns)).await
    }

    /// Counts one more try to refine a message that waits and was tried so often; false if somebody else was faster.
    pub async fn try_refinement(&self, message: MessageId, tries: u32, now: Time) -> Result<bool> {
        let write = move |tx: &mut Tx<'_>| try_refinement(tx, message, tries, now);
        self.writer.run(write).await
    }

    /// Ends the wait of a message for a language model, or lets it continue after a failed try.
    pub async fn update_refinement(
        &self,
        message: MessageId,
        update: RefinementUpdate,
        now: Time,
    ) -> Result<()> {
        let write = move |tx: &mut Tx<'_>| update_refinement(tx, message, &update, now);
        self.writer.run(write).await.map(drop)
    }

    /// Lets every message wait again that was withheld from language models.
    pub async fn release_withheld(&self) -> Result<()> {
        self.writer.run(release_withheld).await
    }

    /// Notes that a session used some of what it has in mind.
    pub async fn touch_working(&self, session: String, numbers: Vec<u32>, now: Time) -> Result<()> {
        self.writer.run(move |tx| touch_working(tx, &session, &numbers, now)).await
    }

    /// Clears what a session had in mind; what is worth keeping comes with its new strength.
    pub async fn end_session(&self, session: String, kept: Vec<(u32, Memory)>, now: Time) -> Result<()> {
        self.writer.run(move |tx| end_session(tx, &session, &kept, now)).await
    }
}

/// Writes a formation.
fn commit(tx: &mut Tx<'_>, formation: &Formation, now: Time) -> Result<Committed> {
    let mut writer = MemoryWriter::begin(tx, now)?;
    if writer.state.version != formation.version || is_learned_elsewhere(&mut writer, &formation.dynamics)? {
        return Ok(Committed::Stale);
    }
    if let Some((message, decisions)) = &formation.message
        && !insert_formed(&mut writer, *message, decisions, now)?
    {
        return Ok(Committed::Known);
    }
    if let Some((message, outcome)) = &formation.refined
        && !update_refinement(&mut writer, *message, &RefinementUpdate::done(outcome), now)?
    {
        return Ok(Committed::Known);
    }
    if let Some((message, _)) = formation.message.as_ref().filter(|_| formation.to_refine) {
        queue_refinement(&mut writer, *message, now)?;
    }
    formation.entropy.iter().try_for_each(|measured| set_entropy(&mut writer, measured))?;
    write_dynamics(&mut writer, &formation.dynamics)?;
    insert_standing(&mut writer, &formation.standing)?;
    insert_intentions(&mut writer, &formation.intentions)?;
    if let Some((message, _)) = formation.message.as_ref().filter(|_| !formation.settled.is_empty()) {
        close_intentions(&mut writer, &formation.settled, *message, now)?;
    }
    if formation.leaves_memories_alone() {
        return Ok(Committed::Done(Vec::new()));
    }
    let message = formation.message.as_ref().or(formation.refined.as_ref()).map(|(message, _)| *message);
    let numbers = writer.insert_new_memories(&formation.made, message)?;
    for Revised { number, text, reason, bound } in &formation.revised {
        writer.revise(*number, &MemoryRevision { text, bound, message, reason })?;
    }
    for Strengthened { number, memory, evidence } in &formation.strengthened {
        strengthen(&mut writer, *number, memory)?;
        insert_evidence(&mut writer, TargetMemory::Known(*number), evidence)?;
        if !evidence.is_empty() {
            reconsider(&mut writer, *number)?;
        }
    }
    for Superseded { number, by, until, reason } in &formation.superseded {
        let by = by.and_then(|by| by.number(&numbers));
        writer.supersede(*number, &Supersession { by, until: *until, reason })?;
    }
    writer.insert_links(&formation.links, &numbers)?;
    if let Some(pruning) = formation.pruning {
        prune_relations(&mut writer, pruning)?;
    }
    capture_tags(&mut writer, &formation.captured)?;
    if let Some((session, items)) = &formation.working {
        let mut items = items.clone();
        let in_mind = numbers.iter().zip(&formation.made).filter(|(_, new)| new.in_mind);
        items.extend(in_mind.map(|(number, new)| WorkingRecord {
            number: *number,
            accesses: 0,
            added_at: new.memory.accessed_at,
            accessed_at: new.memory.accessed_at,
        }));
        set_working(&mut writer, session, &items)?;
    }
    writer.finish()?;
    Ok(Committed::Done(formation.made.iter().map(|new| new.memory.id).collect()))
}

/// A new text of a memory, and why.
pub(crate) struct MemoryRevision<'a> {
    pub(crate) text: &'a str,
    /// Sources, statements, names and relations to add.
    pub(crate) bound: &'a MemoryAttachments,
    /// The message that says so.
    pub(crate) message: Option<MessageId>,
    pub(crate) reason: &'a str,
}

/// A memory that is to hold again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reopened {
    /// Which.
    pub number: u32,
    /// The memory that had replaced it.
    pub replaced_by: Option<u32>,
    /// How it is kept from now on.
    pub tier: Tier,
    /// Its text, which becomes a revision of its own with the reason.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// How a memory came to hold no longer.
struct Supersession<'a> {
    by: Option<u32>,
    until: Time,
    reason: &'a str,
}

impl MemoryWriter<'_, '_> {
    /// Writes new memories with all that belongs to them; their numbers.
    pub(crate) fn insert_new_memories(
        &mut self,
        made: &[NewMemory],
        message: Option<MessageId>,
    ) -> Result<Vec<u32>> {
        let first = self.state.next_revision as u32;
        let mut numbers = Vec::with_capacity(made.len());
        for new in made {
            numbers.push(self.insert_new_memory(new, message)?);
        }
        // One that comes before those of older revisions is left to whoever makes these.
        let vectors: Vec<&(u32, Vec<f32>)> = made.iter().map_while(|new| new.bound.vector.as_ref()).collect();
        if let Some((embedder, _)) = vectors.first() {
            let vectors = vectors.iter().map(|(_, vector)| vector.as_slice());
            let vectors: Vec<(u32, &[f32])> = (first..).zip(vectors).collect();
            add_revision_vectors(self, *embedder, first, &vectors)?;
        }
        Ok(numbers)
    }

    fn insert_new_memory(&mut self, new: &NewMemory, message: Option<MessageId>) -> Result<u32> {
        let NewMemory { memory, verdict, reason, reasons, bound, tag_ms, superseded_by, .. } = new;
        let number = self.insert_memory(&MemoryInsert { memory, verdict: *verdict, reason, reasons })?;
        self.bind(TargetMemory::New(number), bound, message)?;
        if let (Some(ttl_ms), Some(session)) = (*tag_ms, memory.session.as_deref()) {
            let tagged_at = memory.accessed_at;
            insert_tag(self, session, &TagRecord { number, tagged_at, ttl_ms })?;
        }
        if let Some((by, until)) = *superseded_by {
            self.supersede(number, &Supersession { by: Some(by), until, reason })?;
        }
        Ok(number)
    }

    /// Lets a memory say something else from now on.
    pub(crate) fn revise(&mut self, number: u32, revision: &MemoryRevision<'_>) -> Result<()> {
        let MemoryRevision { text, bound, message, reason } = *revision;
        let revision = self.state.next_revision as u32;
        self.replace_text(number, text, reason)?;
        self.bind(TargetMemory::Known(number), bound, message)?;
        if let Some((embedder, vector)) = &bound.vector {
            add_revision_vectors(self, *embedder, revision, &[(revision, vector)])?;
        }
        Ok(())
    }

    /// Writes what a memory rests on and what it is about.
    fn bind(
        &mut self,
        target: TargetMemory,
        bound: &MemoryAttachments,
        message: Option<MessageId>,
    ) -> Result<()> {
        let MemoryAttachments { evidence, statements, mentions, relations, vector: _ } = bound;
        insert_evidence(self, target, evidence)?;
        insert_statements(self, target, statements, message)?;
        insert_mentions(self, target, mentions)?;
        for relation in relations {
            let relation = RelationRecord { from: target.number(), ..relation.clone() };
            insert_relation(self, &relation, RelationOrigin::Heuristic)?;
        }
        Ok(())
    }

    /// Writes the relations that a language model saw.
    fn insert_links(&mut self, links: &[Link], made: &[u32]) -> Result<()> {
        for Link { from, to, kind, confidence, reason } in links {
            let (Some(from), Some(to)) = (from.number(made), to.number(made)) else { continue };
            let (kind, confidence, reason) = (*kind, *confidence, reason.clone());
            let relation = RelationRecord { from, to, kind, confidence, reason };
            insert_relation(self, &relation, RelationOrigin::Model)?;
        }
        Ok(())
    }

    /// Opens a memory again; the link to what replaced it says from now on that both hold.
    fn reopen(&mut self, reopened: &Reopened) -> Result<()> {
        let Reopened { number, replaced_by, tier, text, reason } = reopened;
        reopen_memory(self, *number, *tier)?;
        self.replace_text(*number, text, reason)?;
        let Some(by) = *replaced_by else { return Ok(()) };
        delete_relation(self, RelationKey { from: by, to: *number, kind: RelationKind::Supersedes })?;
        let (kind, reason) = (RelationKind::RelatedTo, reason.clone());
        let beside = RelationRecord { from: by, to: *number, kind, confidence: 1.0, reason };
        insert_relation(self, &beside, RelationOrigin::Gate)
    }

    /// Closes a memory, in favor of another if there is one, and keeps the link.
    fn supersede(&mut self, old: u32, supersession: &Supersession<'_>) -> Result<()> {
        let Supersession { by, until, reason } = *supersession;
        close_memory(self, old, by, until)?;
        let Some(new) = by else { return Ok(()) };
        let (kind, reason) = (RelationKind::Supersedes, reason.to_owned());
        let relation = RelationRecord { from: new, to: old, kind, confidence: 1.0, reason };
        insert_relation(self, &relation, RelationOrigin::Gate)
    }
}
