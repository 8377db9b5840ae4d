//! Draft: what forming a message will change, put together statement by statement on what is known around each.

use crate::{
    agent::Agent,
    growth::{
        coherence::measure::{FormedSigns, NovelStatement, measure_exchange},
        dynamics::observe::observe_message,
        standing::notice::notice_standing,
    },
    meter,
    stored_json::to_stored_json,
    write::{
        decide::{
            candidate::GateCandidate,
            change::{NewStatement, found_changes},
            correction_target::CorrectionTarget,
            gate::{GateJudgment, judge_candidate},
            neighborhood::{Neighborhood, NeighborhoodQuery, SessionState},
        },
        form::{
            explanation::decision_reasons,
            intention::{intentions_of, settled_by},
            memory::{
                SPREAD_STABILITY_FACTOR, change_strength, increase_stability, memory_of_proposition,
                merged_text, reinforce_on_access, related_memories,
            },
            outcome::Formed,
            records::{mention_records, statement_records},
            reflection::reflected_evidence,
            relations::relations_of,
            working_memory::put_in_working_memory,
        },
        prepare::{
            analysis_cache::AnalysisCache,
            message::{KeptStatement, PreparedMessage, Proposition},
            observe::MessageOrigin,
        },
        reasons::{Decision, Reasons},
    },
};
use cairn_cognition::{passage::leans_on, shown::ShownPart, synaptic};
use cairn_domain::{Evidence, MILLIS_PER_DAY, Memory, MemoryId, Time, Verdict};
use cairn_models::Embedder;
use cairn_store::{
    EmbedderRecord, Formation, MemoryAttachments, MemoryEnd, MessageRecord, NewMemory, Result, Revised,
    Superseded, View,
};
use std::{borrow::Cow, iter, sync::Arc, time::Instant};

/// The changes from forming a message, while they are put together.
pub(crate) struct FormationDraft<'a> {
    now: Time,
    record: &'a MessageRecord,
    prepared: &'a PreparedMessage,
    embedder: Option<u32>,
    analysis_cache: &'a AnalysisCache,
    session: SessionState,
    pub(crate) formation: Formation,
    decisions: Vec<Decision>,
    reasons: Vec<Reasons>,
    /// Memories that the message became earlier: they are not announced again.
    pub(crate) own: Vec<MemoryId>,
    /// The language model whose words the statements are.
    pub(crate) worded_by: Option<String>,
    /// The record that the message corrects.
    correction: Option<Arc<CorrectionTarget>>,
    /// The words that the message looks back on.
    reflected: Vec<Evidence>,
    /// The words of the turn before the message, if the message leans on it.
    before: String,
    /// Statements that became new memories.
    novel: Vec<NovelStatement>,
    /// The embedder, which may be able to read two statements at once.
    reader: Option<Arc<dyn Embedder>>,
}

impl<'a> FormationDraft<'a> {
    pub(crate) fn form_message(
        view: &mut View<'_>,
        agent: &'a Agent,
        record: &'a MessageRecord,
        prepared: &'a PreparedMessage,
        embedder: Option<&EmbedderRecord>,
    ) -> Result<(Formation, Formed)> {
        let mut draft = Self::new(view, agent, record, prepared, embedder)?;
        draft.correction = CorrectionTarget::named_by(view, &record.message)?.map(Arc::new);
        draft.reflected = reflected_evidence(view, &record.message, draft.now)?;
        match &prepared.propositions {
            Err(skip) => draft.leave_out(skip),
            Ok(propositions) => {
                let numbers = view.memories_on(record.message.id)?;
                let formed: Vec<MemoryId> =
                    view.memories_at(&numbers)?.into_iter().map(|known| known.memory.id).collect();
                for (place, proposition) in propositions.iter().enumerate() {
                    let id = MemoryId::of(&record.message.id.to_string(), place);
                    if formed.contains(&id) {
                        draft.keep_formed(id);
                    } else {
                        draft.add_proposition(view, place, proposition)?;
                    }
                }
            }
        }
        let Self { mut formation, decisions, reasons, novel, .. } = draft;
        let replaced = formation.superseded.iter().map(|it| it.number).collect();
        let growth = Instant::now();
        formation.standing = notice_standing(&record.message, agent.config.standing);
        formation.entropy = measure_exchange(view, agent, record, &FormedSigns { novel, replaced })?;
        formation.dynamics = observe_message(view, agent, record, formation.entropy.as_mut())?;
        meter::growth(growth.elapsed());
        formation.intentions = intentions_of(agent, &record.message, prepared);
        formation.settled = settled_by(view, agent, record)?;
        // What gives orders is put to nobody, and a correction and a reflection stand as they were worded.
        let poisoned = prepared.propositions.iter().flatten().any(|proposition| proposition.poisoned);
        let formed = decisions.iter().any(|decision| decision.memory.is_some());
        formation.to_refine = formed && !poisoned && !prepared.origin.is_kept_as_worded();
        let stored = to_stored_json("the decisions about a message", &decisions)?;
        formation.message = Some((record.message.id, stored));
        Ok((formation, Formed { decisions, reasons }))
    }

    pub(crate) fn new(
        view: &mut View<'_>,
        agent: &'a Agent,
        record: &'a MessageRecord,
        prepared: &'a PreparedMessage,
        embedder: Option<&EmbedderRecord>,
    ) -> Result<Self> {
        let (version, pruning) = (view.memory_version()?, agent.config.formation.relation_pruning());
        let formation = Formation { version, pruning, ..Formation::default() };
        let (now, analysis_cache) = (agent.now(), &*agent.analysis_cache);
        // What nothing is made of changes nothing in its session either.
        let session = if prepared.propositions.is_ok() {
            SessionState::read(view, &record.message.session, analysis_cache)?
        } else {
            SessionState::default()
        };
        let before = if prepared.propositions.is_ok() { view.message_before(record.seq)? } else { None };
        let leant_on = |before: &MessageRecord| {
            leans_on(&before.message.speaker, &record.message.speaker, &record.message.text)
        };
        let before = before.filter(leant_on).map_or_else(String::new, |before| before.message.text);
        let (decisions, reasons, own, worded_by, correction, reflected, novel) = Default::default();
        let reader = embedder.and_then(|embedder| agent.embedders.named(&embedder.name).ok()?.0.loaded());
        let embedder = embedder.map(|embedder| embedder.id);
        Ok(Self {
            now,
            record,
            prepared,
            embedder,
            analysis_cache,
            session,
            formation,
            decisions,
            reasons,
            own,
            worded_by,
            correction,
            reflected,
            before,
            novel,
            reader,
        })
    }

    /// A message that lost one of its memories to an erasure is formed again; what it has become besides stays as it is.
    fn keep_formed(&mut self, id: MemoryId) {
        let (verdict, reason) = (Verdict::Skip, "it was formed before".to_owned());
        self.reasons.push(Reasons { verdict: Some(verdict), reason: reason.clone(), ..Reasons::default() });
        self.decisions.push(Decision { verdict, reason, memory: Some(id), supersedes: None });
    }

    pub(crate) fn add_proposition(
        &mut self,
        view: &mut View<'_>,
        place: usize,
        proposition: &Proposition,
    ) -> Result<()> {
        let message = &self.record.message;
        let mut around = self.read_neighborhood(view, proposition)?;
        let mut entities: Vec<String> =
            proposition.entities.iter().map(|entity| entity.slug.clone()).collect();
        entities.sort_unstable();
        let correction = self.correction.clone();
        let candidate = self.gate_candidate(proposition, &entities, correction.as_deref());
        let judged =
            NewStatement::of(self.record, &self.before, self.prepared, proposition, self.reader.as_deref())
                .judge_neighbors(view, &around)?;
        let mut judgment = judge_candidate(&candidate, &around, found_changes(&candidate, &around, &judged));
        if let Some(correction) = correction.as_ref().filter(|_| place == 0 && !proposition.poisoned) {
            let near = correction.place_among(&mut around, self.analysis_cache);
            if correction.may_overrule(&candidate) {
                let formation = &mut self.formation;
                correction.overrule(&mut judgment, near, &around, formation, &proposition.text, message.at);
            } else {
                judgment.stand_beside(near, &candidate, &around);
            }
        }
        if judgment.touches().is_some_and(|memory| self.own.contains(&memory)) {
            return Ok(());
        }
        if let KeptStatement::IfItReplaces { otherwise } = &proposition.kept
            && judgment.decision.verdict != Verdict::Supersede
        {
            self.leave_out(otherwise);
            return Ok(());
        }
        let reasons = Reasons {
            worded_by: self.worded_by.clone(),
            ..decision_reasons(proposition, self.prepared, &judgment)
        };
        let (verdict, reason) = (judgment.decision.verdict, judgment.decision.reason.clone());
        let supersedes = judgment.replaced.first().map(|(_, clash)| clash.memory);
        let mut decision = Decision { verdict, reason, memory: None, supersedes };
        let evidence = self.evidence_against(proposition);
        match judgment.decision.verdict {
            // What is known already loses nothing: the words become evidence of it.
            Verdict::Skip => decision.memory = self.attest_nearest(&judgment, &around, evidence),
            Verdict::Reinforce => {
                decision.memory = self.reinforce_nearest(view, &judgment, &around, vec![evidence])?;
            }
            Verdict::Update => {
                decision.memory = self.update_nearest(view, proposition, &judgment, &around, evidence)?;
                // It has grown too long to be joined, or was just joined with something else.
                if decision.memory.is_none() {
                    decision.verdict = Verdict::Create;
                }
            }
            Verdict::Create | Verdict::Supersede => {}
        }
        if matches!(decision.verdict, Verdict::Create | Verdict::Supersede) {
            decision.memory =
                Some(self.create_memory(place, proposition, &judgment, &around, &candidate, &reasons)?);
            self.yield_to_newer(&mut decision);
        }
        self.capture_tagged(view, judgment.weighed.importance)?;
        self.decisions.push(decision);
        self.reasons.push(reasons);
        Ok(())
    }

    /// Leaves a statement out. Whoever asks about a message that became something is told of that instead.
    fn leave_out(&mut self, why: &str) {
        if self.decisions.is_empty() {
            self.decisions.push(Decision::skip(why));
            self.reasons.push(Reasons { filters: self.prepared.filters.clone(), ..Reasons::default() });
        }
    }

    fn gate_candidate<'c>(
        &self,
        proposition: &'c Proposition,
        entities: &'c [String],
        correction: Option<&'c CorrectionTarget>,
    ) -> GateCandidate<'c> {
        let origin = self.origin_of(proposition);
        let felt = &proposition.character.felt;
        GateCandidate {
            text: &proposition.text,
            statements: &proposition.statements,
            entities,
            arousal: felt.arousal.max(felt.urgency),
            explicit: origin.explicit,
            unbelieved: proposition.poisoned || proposition.shown == ShownPart::Some,
            data_source: origin.data_source,
            said_at: self.record.message.at,
            from_the_future: self.is_from_the_future(),
            corrects: correction.and_then(|it| it.only_replaces(origin)),
        }
    }

    /// Where the words of a statement come from: what the user only shows is somebody else's word.
    fn origin_of(&self, proposition: &Proposition) -> MessageOrigin {
        let origin = self.prepared.origin;
        if proposition.shown == ShownPart::Most { origin.of_shown_words() } else { origin }
    }

    /// Whether the message claims a time that has not come yet, beyond what clocks may differ by.
    fn is_from_the_future(&self) -> bool {
        self.record.message.at.millis() > self.now.millis() + MILLIS_PER_DAY
    }

    /// A memory that came late supersedes nothing: what it contradicts was said after it.
    fn yield_to_newer(&self, decision: &mut Decision) {
        let late = self.formation.made.last().is_some_and(|made| made.superseded_by.is_some());
        if let Some(newer) = decision.supersedes.filter(|_| late) {
            decision.reason = format!("{newer} was said later and holds: {}", decision.reason);
            decision.supersedes = None;
        }
    }

    fn read_neighborhood(&self, view: &mut View<'_>, proposition: &Proposition) -> Result<Neighborhood> {
        // A reflection joins, strengthens and replaces nothing that it looks back on.
        if self.prepared.origin.reflects {
            return Ok(Neighborhood::default());
        }
        let message = &self.record.message;
        let query = NeighborhoodQuery {
            text: &proposition.text,
            vector: proposition.vector.as_deref(),
            statements: &proposition.statements,
            session: Some(&self.session),
            analysis_cache: self.analysis_cache,
            mode: message.mode,
            at: message.at,
        };
        Neighborhood::read(view, &query)
    }

    fn evidence_against(&self, proposition: &Proposition) -> Evidence {
        let message = &self.record.message;
        let role = self.origin_of(proposition).evidence_role(message.role);
        Evidence::support(message.id.to_string(), role, &proposition.said, self.now)
    }

    /// Makes a memory; one that contradicts a newer one is outdated from the beginning.
    fn create_memory(
        &mut self,
        place: usize,
        proposition: &Proposition,
        judgment: &GateJudgment,
        around: &Neighborhood,
        candidate: &GateCandidate<'_>,
        reasons: &Reasons,
    ) -> Result<MemoryId> {
        let message = &self.record.message;
        // The value that takes the place of another often stands beside it: "Can I reuse Xtol? I'm never going back."
        let replaces = judgment.decision.verdict == Verdict::Supersede;
        let proposition = &*if replaces { proposition.with_beside() } else { Cow::Borrowed(proposition) };
        let origin = self.origin_of(proposition);
        let memory = memory_of_proposition(message, place, proposition, judgment, origin, self.now);
        let (id, importance, by) =
            (memory.id, memory.importance, Some(MemoryEnd::Made(self.formation.made.len())));
        let mut superseded_by = None;
        let since = memory.counts_since();
        for (at, clash) in &judgment.replaced {
            let known = &around.near[*at].record;
            if known.memory.counts_since() > since {
                let newer = (known.number, known.memory.counts_since());
                superseded_by = superseded_by.or(Some(newer));
                continue;
            }
            let (number, until, reason) = (known.number, since, clash.why.clone());
            if superseded_by.is_none() && !self.formation.superseded.iter().any(|it| it.number == number) {
                self.formation.superseded.push(Superseded { number, by, until, reason });
            }
        }
        let against = self.correction.as_ref().and_then(|correction| correction.evidence_against(self.now));
        let bound = MemoryAttachments {
            evidence: iter::once(self.evidence_against(proposition))
                .chain(against)
                .chain(self.reflected.iter().cloned())
                .collect(),
            statements: statement_records(&proposition.statements, origin.base_confidence()),
            mentions: mention_records(&proposition.entities, &proposition.said),
            relations: relations_of(proposition, candidate.entities, judgment, around),
            vector: self.embedded_vector(proposition),
        };
        let new = NewMemory {
            verdict: judgment.decision.verdict,
            reason: judgment.decision.reason.clone(),
            reasons: to_stored_json("the reasons of a memory", reasons)?,
            bound,
            tag_ms: synaptic::SynapticTag::of(importance, message.at).map(|tag| tag.ttl_ms),
            in_mind: put_in_working_memory(
                &mut self.formation,
                &message.session,
                &self.session,
                &memory,
                message.at,
            ),
            superseded_by,
            memory,
        };
        self.formation.made.push(new);
        self.novel.push(NovelStatement {
            worth: proposition.worth,
            novelty: judgment.weighed.novelty,
            text: proposition.text.clone(),
        });
        Ok(id)
    }

    /// Links the words to the nearest memory, which is left as it is.
    fn attest_nearest(
        &mut self,
        judgment: &GateJudgment,
        around: &Neighborhood,
        evidence: Evidence,
    ) -> Option<MemoryId> {
        let known = &around.near[judgment.nearest.as_ref()?.0].record;
        change_strength(&mut self.formation.strengthened, known, vec![evidence], |_| {});
        Some(known.memory.id)
    }

    /// Strengthens the nearest memory, and a little what belongs to it.
    fn reinforce_nearest(
        &mut self,
        view: &mut View<'_>,
        judgment: &GateJudgment,
        around: &Neighborhood,
        evidence: Vec<Evidence>,
    ) -> Result<Option<MemoryId>> {
        let Some((at, _)) = &judgment.nearest else { return Ok(None) };
        let known = &around.near[*at].record;
        let at = self.record.message.at;
        change_strength(&mut self.formation.strengthened, known, evidence, |memory| {
            reinforce_on_access(memory, at);
        });
        for record in related_memories(view, known.number)? {
            let steadier = |memory: &mut Memory| increase_stability(memory, SPREAD_STABILITY_FACTOR);
            change_strength(&mut self.formation.strengthened, &record, Vec::new(), steadier);
        }
        Ok(Some(known.memory.id))
    }

    /// Joins a statement with the nearest memory, whose earlier text stays.
    fn update_nearest(
        &mut self,
        view: &mut View<'_>,
        proposition: &Proposition,
        judgment: &GateJudgment,
        around: &Neighborhood,
        evidence: Evidence,
    ) -> Result<Option<MemoryId>> {
        let Some((at, _)) = &judgment.nearest else { return Ok(None) };
        let known = &around.near[*at].record;
        let again = self.formation.revised.iter().any(|revised| revised.number == known.number);
        let Some(text) = merged_text(&known.memory.text, &proposition.text).filter(|_| !again) else {
            return Ok(None);
        };
        let bound = MemoryAttachments {
            evidence: vec![evidence],
            statements: statement_records(&proposition.statements, self.prepared.origin.base_confidence()),
            mentions: mention_records(&proposition.entities, &proposition.said),
            ..MemoryAttachments::default()
        };
        let (number, reason) = (known.number, judgment.decision.reason.clone());
        self.formation.revised.push(Revised { number, text, reason, bound });
        self.reinforce_nearest(view, judgment, around, Vec::new())
    }

    /// An important moment keeps the small ones of its session that came before it.
    fn capture_tagged(&mut self, view: &mut View<'_>, importance: f64) -> Result<()> {
        let message = &self.record.message;
        if importance < synaptic::STRONG_IMPORTANCE {
            return Ok(());
        }
        for tag in view.tags(&message.session)? {
            let number = tag.number;
            let tag = synaptic::SynapticTag { tagged_at: tag.tagged_at, ttl_ms: tag.ttl_ms, captured: false };
            if tag.captured_by(importance, message.at).is_none() {
                continue;
            }
            for record in view.memories_at(&[number])? {
                self.formation.captured.push(number);
                let steadier =
                    |memory: &mut Memory| increase_stability(memory, synaptic::CAPTURED_STABILITY_FACTOR);
                change_strength(&mut self.formation.strengthened, &record, Vec::new(), steadier);
            }
        }
        Ok(())
    }

    pub(crate) fn embedded_vector(&self, proposition: &Proposition) -> Option<(u32, Vec<f32>)> {
        self.embedder.zip(proposition.vector.clone())
    }
}
