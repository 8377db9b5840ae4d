//! Draft: what forming a message will change, put together statement by statement on what is known around each.

use super::{
    bind::{mentions, stored},
    correct::Corrected,
    gate::{Candidate, Judged, judge},
    intake::Formed,
    neighbourhood::{Around, Neighbourhood, Session},
    outdate::outdated,
    prepare::{Piece, Prepared},
    readings::Readings,
    reasons::{Decision, Reasons, steps},
    relate::relations,
    shape::{SPREAD, change, kin, meet, memory, merged, steady},
    working::keep_in_mind,
};
use crate::Agent;
use cairn_cognition::synaptic;
use cairn_domain::{Evidence, Memory, MemoryId, Time, Verdict};
use cairn_store::{
    Bound, EmbedderRecord, End, Formation, MessageRecord, NewMemory, Result, Revised, Superseded, View,
};
use std::{iter, sync::Arc};

/// What forming a message will change, while it is being put together.
pub(super) struct Draft<'a> {
    now: Time,
    record: &'a MessageRecord,
    prepared: &'a Prepared,
    embedder: Option<u32>,
    readings: &'a Readings,
    session: Session,
    pub(super) formation: Formation,
    decisions: Vec<Decision>,
    reasons: Vec<Reasons>,
    /// What the message has become already: it is not told again.
    pub(super) own: Vec<MemoryId>,
    /// The language model whose words the statements are.
    pub(super) worded_by: Option<String>,
    /// What the message corrects.
    corrected: Option<Arc<Corrected>>,
}

impl<'a> Draft<'a> {
    pub(super) fn of(
        view: &mut View<'_>,
        agent: &'a Agent,
        record: &'a MessageRecord,
        prepared: &'a Prepared,
        embedder: Option<&EmbedderRecord>,
    ) -> Result<(Formation, Formed)> {
        let mut draft = Self::new(view, agent, record, prepared, embedder)?;
        draft.corrected = Corrected::by(view, &record.message)?.map(Arc::new);
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
        // What gives orders is put to nobody, and a correction stands as it was worded.
        let poisoned = prepared.pieces.iter().flatten().any(|piece| piece.poisoned);
        let formed = decisions.iter().any(|decision| decision.memory.is_some());
        formation.to_refine = formed && !poisoned && !prepared.origin.corrects;
        let told = serde_json::to_string(&decisions).unwrap_or_default();
        formation.message = Some((record.message.id, told));
        Ok((formation, Formed { decisions, reasons }))
    }

    pub(super) fn new(
        view: &mut View<'_>,
        agent: &'a Agent,
        record: &'a MessageRecord,
        prepared: &'a Prepared,
        embedder: Option<&EmbedderRecord>,
    ) -> Result<Self> {
        let (version, most_relations) = (view.memory_version()?, agent.config.formation.most_relations());
        let formation = Formation { version, most_relations, ..Formation::default() };
        let (now, readings) = (agent.now(), &*agent.readings);
        // What nothing is made of changes nothing in its session either.
        let session = if prepared.pieces.is_ok() {
            Session::read(view, &record.message.session, readings)?
        } else {
            Session::default()
        };
        let (decisions, reasons, own, worded_by, corrected) = Default::default();
        let embedder = embedder.map(|embedder| embedder.id);
        Ok(Self {
            now,
            record,
            prepared,
            embedder,
            readings,
            session,
            formation,
            decisions,
            reasons,
            own,
            worded_by,
            corrected,
        })
    }

    pub(super) fn add(&mut self, view: &mut View<'_>, place: usize, piece: &Piece) -> Result<()> {
        let message = &self.record.message;
        let mut around = Neighbourhood::read(
            view,
            &Around {
                text: &piece.text,
                vector: piece.vector.as_deref(),
                statements: &piece.statements,
                session: Some(&self.session),
                readings: self.readings,
                mode: message.mode,
                at: message.at,
            },
        )?;
        let mut entities: Vec<String> = piece.entities.iter().map(|entity| entity.slug.clone()).collect();
        entities.sort_unstable();
        let corrected = self.corrected.clone();
        let candidate = Candidate {
            text: &piece.text,
            statements: &piece.statements,
            entities: &entities,
            arousal: piece.character.felt.arousal.max(piece.character.felt.urgency),
            explicit: self.prepared.origin.explicit,
            unbelieved: piece.poisoned,
            replaces: corrected.as_ref().and_then(|it| it.may_replace(self.prepared.origin)),
        };
        let mut judged = judge(&candidate, &around);
        if let Some(corrected) = corrected.as_ref().filter(|_| place == 0 && !piece.poisoned) {
            let near = corrected.named(&mut around, self.readings);
            corrected.overrule(&mut judged, near, &around, &mut self.formation, (&piece.text, message.at));
        }
        if judged.touches().is_some_and(|memory| self.own.contains(&memory)) {
            return Ok(());
        }
        let reasons = Reasons { worded_by: self.worded_by.clone(), ..steps(piece, self.prepared, &judged) };
        let (verdict, reason) = (judged.decision.verdict, judged.decision.reason.clone());
        let supersedes = judged.contradicted.as_ref().map(|(_, clash)| clash.memory);
        let mut decision = Decision { verdict, reason, memory: None, supersedes };
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
        let (id, importance, by) = (memory.id, memory.importance, Some(End::Made(self.formation.made.len())));
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
                        self.formation.superseded.push(Superseded { number, by, until, reason });
                    }
                }
            }
        }
        let against = self.corrected.as_ref().and_then(|corrected| corrected.evidence(self.now));
        let bound = Bound {
            evidence: iter::once(self.evidence(piece)).chain(against).collect(),
            statements: stored(&piece.statements, self.prepared.origin.confidence()),
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
            in_mind: keep_in_mind(&mut self.formation, &message.session, &self.session, &memory, message.at),
            superseded_by,
            memory,
        };
        self.formation.made.push(new);
        id
    }

    /// Links the words to the nearest memory, which is left as it is.
    fn attest(&mut self, judged: &Judged, around: &Neighbourhood, evidence: Evidence) -> Option<MemoryId> {
        let known = &around.near[judged.nearest.as_ref()?.0].record;
        change(&mut self.formation.strengthened, known, vec![evidence], |_| {});
        Some(known.memory.id)
    }

    /// Strengthens the nearest memory, and a little what belongs to it.
    fn strengthen(
        &mut self,
        view: &mut View<'_>,
        judged: &Judged,
        around: &Neighbourhood,
        evidence: Vec<Evidence>,
    ) -> Result<Option<MemoryId>> {
        let Some((at, _)) = &judged.nearest else { return Ok(None) };
        let known = &around.near[*at].record;
        let at = self.record.message.at;
        change(&mut self.formation.strengthened, known, evidence, |memory| meet(memory, at));
        for record in kin(view, known.number)? {
            let steadier = |memory: &mut Memory| steady(memory, SPREAD);
            change(&mut self.formation.strengthened, &record, Vec::new(), steadier);
        }
        Ok(Some(known.memory.id))
    }

    /// Joins a statement with the nearest memory, whose earlier text stays.
    fn update(
        &mut self,
        view: &mut View<'_>,
        piece: &Piece,
        judged: &Judged,
        around: &Neighbourhood,
        evidence: Evidence,
    ) -> Result<Option<MemoryId>> {
        let Some((at, _)) = &judged.nearest else { return Ok(None) };
        let known = &around.near[*at].record;
        let again = self.formation.revised.iter().any(|revised| revised.number == known.number);
        let Some(text) = merged(&known.memory.text, &piece.text).filter(|_| !again) else { return Ok(None) };
        let bound = Bound {
            evidence: vec![evidence],
            statements: stored(&piece.statements, self.prepared.origin.confidence()),
            mentions: mentions(&piece.entities, &piece.said),
            ..Bound::default()
        };
        let (number, reason) = (known.number, judged.decision.reason.clone());
        self.formation.revised.push(Revised { number, text, reason, bound });
        self.strengthen(view, judged, around, Vec::new())
    }

    /// An important moment keeps the small ones of its session that came before it.
    fn capture(&mut self, view: &mut View<'_>, importance: f64) -> Result<()> {
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
                let steadier = |memory: &mut Memory| steady(memory, synaptic::CAPTURED_STABILITY);
                change(&mut self.formation.strengthened, &record, Vec::new(), steadier);
            }
        }
        Ok(())
    }

    pub(super) fn vector(&self, piece: &Piece) -> Option<(u32, Vec<f32>)> {
        self.embedder.zip(piece.vector.clone())
    }
}
