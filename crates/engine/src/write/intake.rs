//! Intake: what was said becomes memories. A message is prepared, its statements are embedded, the gate decides on what is
//! known around each, and all of it is written at once. Whoever comes second decides again on what the first has written.

use super::{
    bind::{mentions, stored},
    gate::{Candidate, Judged, judge},
    neighbourhood::{Around, Neighbourhood},
    outdate::outdated,
    prepare::{Piece, Prepared, prepare},
    reasons::{Decision, Reasons, steps},
    relate::relations,
    shape::{SPREAD, kin, meet, memory, merged, steady},
    working::keep_in_mind,
};
use crate::{Agent, EngineError, Result, oplog::decided};
use cairn_cognition::synaptic;
use cairn_domain::{Evidence, Memory, MemoryId, MessageId, Verdict};
use cairn_models::OpsRecord;
use cairn_store::{
    Bound, Committed, EmbedderRecord, Formation, MemoryRecord, MessageRecord, NewMemory, Revised,
    Strengthened, Superseded, View,
};
use std::{
    iter,
    time::{Duration, Instant},
};

/// The job under which messages are formed.
const JOB: &str = "form";
/// Messages formed at a time.
const BATCH: u32 = 32;
/// How long a process may keep the work in hand before another takes over.
const LEASE_MS: i64 = 60_000;
/// How often somebody who waits for another's work looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// If nothing moves for so long, whoever had the work in hand is gone.
const GONE_AFTER: Duration = Duration::from_secs(10);
/// The longest that somebody steps back whose decision was overtaken.
pub(super) const STEP_BACK_MS: u64 = 64;
/// How long one message waits for its vectors; after that it is compared by its words.
const EMBED_WITHIN: Duration = Duration::from_secs(3);

/// What became of a message, with every step.
#[derive(Debug, Clone, PartialEq)]
pub struct Formed {
    /// What was decided about each statement.
    pub decisions: Vec<Decision>,
    /// Every step that led to each, in the same order; none where somebody else formed the message.
    pub reasons: Vec<Reasons>,
}

/// How far messages are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forming {
    /// Messages that were looked at.
    pub done: u32,
    /// Messages there are.
    pub messages: u32,
}

impl Agent {
    /// Forms one message now; if that was done already, what was decided then.
    pub async fn form_message(&self, id: MessageId) -> Result<Formed> {
        let (record, before) = self
            .store
            .read(|view| {
                let Some(record) = view.message(id)? else { return Ok((None, None)) };
                let before = before(view, &record)?;
                Ok((Some(record), before))
            })
            .await?;
        let record = record.ok_or_else(|| EngineError::NotFound(id.to_string()))?;
        let mut prepared = vec![prepare(&record.message, before.as_ref().map(|before| &before.message))];
        let embedding = tokio::time::timeout(EMBED_WITHIN, self.embed_pieces(&mut prepared));
        let embedder = embedding.await.ok().flatten();
        let prepared = prepared.remove(0);
        self.decide(&record, &prepared, embedder.as_ref()).await
    }

    /// Forms every message that was not formed yet, in the order of recording.
    pub async fn form(&self, on_progress: &mut (dyn FnMut(Forming) + Send)) -> Result<Forming> {
        let _one_at_a_time = self.forming.lock().await;
        let holder = self.holder();
        let (mut reached, mut seen, mut moved) = (0, 0, Instant::now());
        loop {
            let (now, messages) = (self.now(), self.store.read(|view| view.next_seq()).await?);
            let until = cairn_domain::Time::from_millis(now.millis() + LEASE_MS);
            let mine = self.store.claim(JOB, holder.clone(), now, until).await?;
            if !mine && moved.elapsed() <= GONE_AFTER {
                // Somebody else is at it, and what they do counts.
                let forming = self.forming().await?;
                if forming.done >= forming.messages {
                    return Ok(forming);
                }
                if forming.done != seen {
                    (seen, moved) = (forming.done, Instant::now());
                }
                tokio::time::sleep(LOOK_AGAIN).await;
                continue;
            }
            // Whoever goes on for one that is gone cannot move its watermark: what counts is what is formed.
            moved = if mine { Instant::now() } else { moved };
            let from = self.formed_up_to().await?.max(reached);
            let batch = self.form_batch(from).await;
            reached = *batch.as_ref().unwrap_or(&from);
            self.store.finish(JOB, holder.clone(), i64::from(reached), self.now()).await?;
            on_progress(Forming { done: batch?, messages });
            if reached >= messages {
                return Ok(Forming { done: reached, messages });
            }
        }
    }

    /// How far messages are formed.
    pub async fn forming(&self) -> Result<Forming> {
        let (done, messages) = self.store.read(|view| view.formation()).await?;
        Ok(Forming { done, messages })
    }

    async fn formed_up_to(&self) -> Result<u32> {
        let jobs = self.store.read(|view| view.jobs()).await?;
        Ok(jobs.into_iter().find(|job| job.name == JOB).map_or(0, |job| job.watermark as u32))
    }

    /// Forms the next messages from `from` on; up to which.
    async fn form_batch(&self, from: u32) -> Result<u32> {
        let batch = self
            .store
            .read(|view| {
                let mut batch = Vec::new();
                for (record, formed) in view.to_form(from, BATCH)? {
                    let before = if formed { None } else { before(view, &record)? };
                    batch.push((record, before, formed));
                }
                Ok(batch)
            })
            .await?;
        let reached = batch.last().map_or(from, |(record, ..)| record.seq + 1);
        let (records, mut prepared): (Vec<MessageRecord>, Vec<Prepared>) = batch
            .into_iter()
            .filter(|(.., formed)| !formed)
            .map(|(record, before, _)| {
                let prepared = prepare(&record.message, before.as_ref().map(|before| &before.message));
                (record, prepared)
            })
            .unzip();
        let embedder = self.embed_pieces(&mut prepared).await;
        for (record, prepared) in records.iter().zip(&prepared) {
            self.decide(record, prepared, embedder.as_ref()).await?;
        }
        Ok(reached)
    }

    /// Gives statements their vectors. Without an embedder they have none, and are compared by their words.
    pub(super) async fn embed_pieces(&self, prepared: &mut [Prepared]) -> Option<EmbedderRecord> {
        let pieces = || prepared.iter().filter_map(|prepared| prepared.pieces.as_ref().ok()).flatten();
        let texts: Vec<String> = pieces().map(|piece| piece.text.clone()).collect();
        if texts.is_empty() {
            return None;
        }
        let (embedder, vectors) = self.embed_texts(texts).await?;
        let pieces = prepared.iter_mut().filter_map(|prepared| prepared.pieces.as_mut().ok()).flatten();
        for (piece, vector) in pieces.zip(vectors) {
            piece.vector = Some(vector);
        }
        Some(embedder)
    }

    /// Decides about a message and writes what follows from it.
    async fn decide(
        &self,
        record: &MessageRecord,
        prepared: &Prepared,
        embedder: Option<&EmbedderRecord>,
    ) -> Result<Formed> {
        let (id, begun) = (record.message.id, Instant::now());
        for attempt in 0_u64.. {
            if attempt > 0 {
                // Whoever was quicker has moved on, so that somebody always does.
                tokio::time::sleep(Duration::from_millis(attempt.min(STEP_BACK_MS))).await;
            }
            let (formation, formed) =
                self.store.read(|view| Draft::of(view, self.now(), record, prepared, embedder)).await?;
            match self.store.commit(formation, self.now()).await? {
                Committed::Done(_) => {
                    self.tell(id, &formed, begun.elapsed());
                    return Ok(formed);
                }
                Committed::Stale => {}
                Committed::Known => break,
            }
        }
        let known = self.store.read(|view| view.formed(id)).await?;
        let decisions =
            known.map(|known| serde_json::from_str(&known).unwrap_or_default()).unwrap_or_default();
        Ok(Formed { decisions, reasons: Vec::new() })
    }
}

impl Agent {
    /// Notes in the ops log what became of a message.
    fn tell(&self, id: MessageId, formed: &Formed, took: Duration) {
        let told = |decision: &Decision| {
            let memory = decision.memory.map_or(String::new(), |memory| format!(" {memory}"));
            format!("{}{memory}: {}", decision.verdict, decision.reason)
        };
        let output: Vec<String> = formed.decisions.iter().map(told).collect();
        let (input, output) = (id.to_string(), output.join("; "));
        self.ops.tell(OpsRecord { input, output, ..decided("form", self.now(), took) });
    }
}

/// The message before another in its session.
pub(super) fn before(
    view: &mut View<'_>,
    record: &MessageRecord,
) -> cairn_store::Result<Option<MessageRecord>> {
    Ok(view.neighbours(record.seq, 1)?.into_iter().find(|neighbour| neighbour.seq < record.seq))
}

/// What forming a message will change, while it is being put together.
pub(super) struct Draft<'a> {
    now: cairn_domain::Time,
    record: &'a MessageRecord,
    prepared: &'a Prepared,
    embedder: Option<u32>,
    pub(super) formation: Formation,
    decisions: Vec<Decision>,
    reasons: Vec<Reasons>,
    /// What the message has become already: it is not told again.
    pub(super) own: Vec<MemoryId>,
    /// The language model whose words the statements are.
    pub(super) worded_by: Option<String>,
}

impl<'a> Draft<'a> {
    fn of(
        view: &mut View<'_>,
        now: cairn_domain::Time,
        record: &'a MessageRecord,
        prepared: &'a Prepared,
        embedder: Option<&EmbedderRecord>,
    ) -> cairn_store::Result<(Formation, Formed)> {
        let mut draft = Self::new(view, now, record, prepared, embedder)?;
        match &prepared.pieces {
            Err(skip) => {
                draft.decisions.push(Decision::skip(skip));
                draft.reasons.push(Reasons { filters: prepared.filters.clone(), ..Reasons::default() });
            }
            Ok(pieces) => {
                for (place, piece) in pieces.iter().enumerate() {
                    draft.add(view, place, piece)?;
                }
            }
        }
        let Self { mut formation, decisions, reasons, .. } = draft;
        // What gives orders is put to nobody.
        let poisoned = prepared.pieces.iter().flatten().any(|piece| piece.poisoned);
        formation.to_refine = !poisoned && decisions.iter().any(|decision| decision.memory.is_some());
        let told = serde_json::to_string(&decisions).unwrap_or_default();
        formation.message = Some((record.message.id, told));
        Ok((formation, Formed { decisions, reasons }))
    }

    pub(super) fn new(
        view: &mut View<'_>,
        now: cairn_domain::Time,
        record: &'a MessageRecord,
        prepared: &'a Prepared,
        embedder: Option<&EmbedderRecord>,
    ) -> cairn_store::Result<Self> {
        let formation = Formation { version: view.memory_version()?, ..Formation::default() };
        let (decisions, reasons, own, worded_by) = Default::default();
        let embedder = embedder.map(|embedder| embedder.id);
        Ok(Self { now, record, prepared, embedder, formation, decisions, reasons, own, worded_by })
    }

    pub(super) fn add(
        &mut self,
        view: &mut View<'_>,
        place: usize,
        piece: &Piece,
    ) -> cairn_store::Result<()> {
        let message = &self.record.message;
        let around = Neighbourhood::read(
            view,
            &Around {
                text: &piece.text,
                vector: piece.vector.as_deref(),
                statements: &piece.statements,
                session: Some(&message.session),
                mode: message.mode,
                at: message.at,
            },
        )?;
        let mut entities: Vec<String> = piece.entities.iter().map(|entity| entity.slug.clone()).collect();
        entities.sort_unstable();
        let candidate = Candidate {
            text: &piece.text,
            statements: &piece.statements,
            entities: &entities,
            arousal: piece.character.felt.arousal.max(piece.character.felt.urgency),
            explicit: self.prepared.origin.explicit,
            unbelieved: piece.poisoned,
        };
        let judged = judge(&candidate, &around);
        if judged.touches().is_some_and(|memory| self.own.contains(&memory)) {
            return Ok(());
        }
        let reasons = Reasons { worded_by: self.worded_by.clone(), ..steps(piece, self.prepared, &judged) };
        let mut decision = Decision {
            verdict: judged.decision.verdict,
            reason: judged.decision.reason.clone(),
            memory: None,
            supersedes: None,
        };
        let evidence = self.evidence(piece);
        match judged.decision.verdict {
            // What is known already loses nothing: the words become evidence of it.
            Verdict::Skip => decision.memory = self.attest(&judged, &around, evidence),
            Verdict::Reinforce => {
                decision.memory = self.strengthen(view, &judged, &around, vec![evidence])?;
            }
            Verdict::Update => {
                decision.memory = self.update(view, piece, &judged, &around, evidence)?;
                // It has grown too long to be joined, or was just joined with something else.
                if decision.memory.is_none() {
                    decision.verdict = Verdict::Create;
                    decision.memory = Some(self.create(place, piece, &judged, &around, &candidate, &reasons));
                }
            }
            Verdict::Create | Verdict::Supersede => {
                decision.memory = Some(self.create(place, piece, &judged, &around, &candidate, &reasons));
                decision.supersedes = judged.contradicted.as_ref().map(|(_, clash)| clash.memory);
                let late = self.formation.made.last().is_some_and(|made| made.superseded_by.is_some());
                if let Some(newer) = decision.supersedes.filter(|_| late) {
                    decision.reason = format!("{newer} was said later and holds: {}", decision.reason);
                    decision.supersedes = None;
                }
            }
        }
        self.capture(view, judged.weighed.importance)?;
        self.decisions.push(decision);
        self.reasons.push(reasons);
        Ok(())
    }

    fn evidence(&self, piece: &Piece) -> Evidence {
        let message = &self.record.message;
        Evidence::support(message.id.to_string(), message.role.as_str(), &piece.said, self.now)
    }

    /// Makes a memory; one that contradicts a newer one is outdated from the beginning.
    fn create(
        &mut self,
        place: usize,
        piece: &Piece,
        judged: &Judged,
        around: &Neighbourhood,
        candidate: &Candidate<'_>,
        reasons: &Reasons,
    ) -> MemoryId {
        let message = &self.record.message;
        let memory = memory(message, place, piece, judged, self.prepared.origin, self.now);
        let (id, importance, by) = (memory.id, memory.importance, self.formation.made.len());
        let mut superseded_by = None;
        if let Some((at, clash)) = &judged.contradicted {
            let known = &around.near[*at].record;
            if known.memory.valid_from > memory.valid_from {
                superseded_by = Some((known.number, known.memory.valid_from));
            } else {
                let others = outdated(candidate, around, *at);
                let others = others.filter(|(other, _)| other.memory.valid_from <= memory.valid_from);
                for (known, reason) in iter::once((known, clash.why.clone())).chain(others) {
                    let (number, until) = (known.number, memory.valid_from);
                    if !self.formation.superseded.iter().any(|known| known.number == number) {
                        self.formation.superseded.push(Superseded { number, by: Some(by), until, reason });
                    }
                }
            }
        }
        let bound = Bound {
            evidence: vec![self.evidence(piece)],
            statements: stored(&piece.statements),
            mentions: mentions(&piece.entities, &piece.said),
            relations: relations(piece, candidate.entities, judged, around),
            vector: self.vector(piece),
        };
        let new = NewMemory {
            verdict: judged.decision.verdict,
            reason: judged.decision.reason.clone(),
            reasons: serde_json::to_string(reasons).unwrap_or_default(),
            bound,
            tag_ms: synaptic::Tag::of(importance, message.at).map(|tag| tag.ttl_ms),
            in_mind: keep_in_mind(&mut self.formation, &message.session, around, &memory, message.at),
            superseded_by,
            memory,
        };
        self.formation.made.push(new);
        id
    }

    /// Links the words to the nearest memory, which is left as it is.
    fn attest(&mut self, judged: &Judged, around: &Neighbourhood, evidence: Evidence) -> Option<MemoryId> {
        let known = &around.near[judged.nearest.as_ref()?.0].record;
        self.change(known, vec![evidence], |_| {});
        Some(known.memory.id)
    }

    /// Strengthens the nearest memory, and a little what belongs to it.
    fn strengthen(
        &mut self,
        view: &mut View<'_>,
        judged: &Judged,
        around: &Neighbourhood,
        evidence: Vec<Evidence>,
    ) -> cairn_store::Result<Option<MemoryId>> {
        let Some((at, _)) = &judged.nearest else { return Ok(None) };
        let known = &around.near[*at].record;
        let at = self.record.message.at;
        self.change(known, evidence, |memory| meet(memory, at));
        for record in kin(view, known.number)? {
            self.change(&record, Vec::new(), |memory| steady(memory, SPREAD));
        }
        Ok(Some(known.memory.id))
    }

    /// Changes how strong a memory is. What this message has changed of it already is gone on from, not overwritten.
    fn change(&mut self, record: &MemoryRecord, evidence: Vec<Evidence>, change: impl FnOnce(&mut Memory)) {
        let strengthened = &mut self.formation.strengthened;
        if let Some(changed) = strengthened.iter_mut().find(|changed| changed.number == record.number) {
            change(&mut changed.memory);
            changed.evidence.extend(evidence);
        } else {
            let (number, mut memory) = (record.number, record.memory.clone());
            change(&mut memory);
            strengthened.push(Strengthened { number, memory, evidence });
        }
    }

    /// Joins a statement with the nearest memory, whose earlier text stays.
    fn update(
        &mut self,
        view: &mut View<'_>,
        piece: &Piece,
        judged: &Judged,
        around: &Neighbourhood,
        evidence: Evidence,
    ) -> cairn_store::Result<Option<MemoryId>> {
        let Some((at, _)) = &judged.nearest else { return Ok(None) };
        let known = &around.near[*at].record;
        let again = self.formation.revised.iter().any(|revised| revised.number == known.number);
        let Some(text) = merged(&known.memory.text, &piece.text).filter(|_| !again) else { return Ok(None) };
        let bound = Bound {
            evidence: vec![evidence],
            statements: stored(&piece.statements),
            mentions: mentions(&piece.entities, &piece.said),
            ..Bound::default()
        };
        let (number, reason) = (known.number, judged.decision.reason.clone());
        self.formation.revised.push(Revised { number, text, reason, bound });
        self.strengthen(view, judged, around, Vec::new())
    }

    /// An important moment keeps the small ones of its session that came before it.
    fn capture(&mut self, view: &mut View<'_>, importance: f64) -> cairn_store::Result<()> {
        let message = &self.record.message;
        if importance < synaptic::STRONG {
            return Ok(());
        }
        for tag in view.tags(&message.session)? {
            let number = tag.number;
            let tag = synaptic::Tag { tagged_at: tag.tagged_at, ttl_ms: tag.ttl_ms, captured: false };
            if tag.captured_by(importance, message.at).is_none() {
                continue;
            }
            for record in view.memories_at(&[number])? {
                self.formation.captured.push(number);
                self.change(&record, Vec::new(), |memory| steady(memory, synaptic::CAPTURED_STABILITY));
            }
        }
        Ok(())
    }

    pub(super) fn vector(&self, piece: &Piece) -> Option<(u32, Vec<f32>)> {
        self.embedder.zip(piece.vector.clone())
    }
}
