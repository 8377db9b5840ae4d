//! Asks about the messages that wait, one after another, and writes what of each answer is taken.

use super::accept::{AcceptedAnswer, accepted_answer, merged_parts, unfit_for};
use super::material::{NearbyWords, RefineMaterial, may_reword};
use super::question::{MAX_FACTS, ModelAnswer, ModelRelation, merge_question};
use crate::{
    agent::Agent,
    error::Result,
    meter,
    retry::pause_before,
    write::{
        form::{draft::FormationDraft, records::mention_records},
        prepare::message::{MAX_COMPARED_CHARS, PreparedMessage},
    },
};
use cairn_domain::{MemoryId, MessageId, Privacy};
use cairn_models::{ModelError, ModelReply, OpsRecord};
use cairn_store::{
    Committed, EmbedderRecord, Link, MemoryAttachments, MemoryEnd, MemoryRecord, RefinementState,
    RefinementUpdate, Revised, View,
};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// A message is asked about once, and three times more if that fails.
const MAX_TRIES: u32 = 4;
/// Messages looked up at a time.
const BATCH_MESSAGES: usize = 32;
/// Messages that one run asks about at most …
const MAX_MESSAGES_PER_RUN: u32 = 1_000;
/// … and the time after which it begins with no other.
const MAX_RUN_TIME: Duration = Duration::from_mins(15);
/// Maximum times an answer is reassembled because something else was written meanwhile.
const MAX_ATTEMPTS: u64 = 100;
/// Confidence of a relation that a model reports, at most.
const MAX_RELATION_CONFIDENCE: f64 = 0.7;
/// The statements of rules have the places before this.
const FIRST_REFINED_PLACE: usize = 64;
/// Why a memory says something else.
const REASON_REWORDED: &str = "a language model said it more clearly";
const REASON_MERGED: &str = "a language model said in one text what was joined";
const REASON_RELATED: &str = "a language model saw it in the texts";

/// How a run of refining went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refining {
    /// Messages that a model was asked about.
    pub asked: u32,
    /// Those of them whose answer was taken, or refused by rules.
    pub refined: u32,
    /// Messages that wait still.
    pub pending: u64,
    /// Why it ended early, if it did.
    pub stopped: Option<String>,
}

/// How refining one message ended.
enum RefineOutcome {
    /// The answer was taken, or refused by rules.
    Refined,
    /// No model gave an answer that could be used; perhaps one does later.
    Failed,
    /// Nobody was asked.
    Unasked,
    /// Nobody can be asked at the moment.
    Outage(String),
}

/// One question and what came of it.
struct AskedModel {
    op: &'static str,
    asked: ModelReply,
}

/// A joined memory and the one text that takes its place.
struct MergedMemory {
    record: MemoryRecord,
    text: String,
}

impl Agent {
    /// Lets a language model say more clearly what rules have formed, message by message, for as long as one answers.
    /// Without a model nothing happens.
    pub async fn refine(&self, on_progress: &mut (dyn FnMut(&Refining) + Send)) -> Result<Refining> {
        let mut run = Refining::default();
        if self.language.is_empty() {
            return Ok(run);
        }
        let _one_at_a_time = self.refining.lock().await;
        let (begun, mut seen) = (Instant::now(), BTreeSet::new());
        if self.language.may_see(Privacy::Personal) {
            self.store.release_withheld().await?;
        }
        'run: loop {
            let limit = (BATCH_MESSAGES + seen.len()) as u32;
            let waiting = self.store.read(|view| waiting_in_order(view, limit)).await?;
            let batch: Vec<_> = waiting.into_iter().filter(|(id, _)| seen.insert(*id)).collect();
            if batch.is_empty() {
                break;
            }
            for (id, tries) in batch {
                if run.asked >= MAX_MESSAGES_PER_RUN || begun.elapsed() >= MAX_RUN_TIME {
                    run.stopped = Some("this run has taken long enough; the next one goes on".to_owned());
                    break 'run;
                }
                match self.refine_message(id, tries).await? {
                    RefineOutcome::Refined => {
                        run.asked += 1;
                        run.refined += 1;
                    }
                    RefineOutcome::Failed => run.asked += 1,
                    RefineOutcome::Unasked => {}
                    RefineOutcome::Outage(why) => {
                        run.stopped = Some(why);
                        break 'run;
                    }
                }
                run.pending = self.pending_refinements().await?;
                on_progress(&run);
            }
        }
        run.pending = self.pending_refinements().await?;
        Ok(run)
    }

    async fn pending_refinements(&self) -> Result<u64> {
        Ok(self.store.read(|view| view.pending_refinements()).await?)
    }

    async fn refine_message(&self, id: MessageId, tries: u32) -> Result<RefineOutcome> {
        let nearby =
            if self.language.may_see(Privacy::Personal) { NearbyWords::All } else { NearbyWords::Open };
        let material =
            self.store.read(|view| RefineMaterial::read(view, &self.analysis_cache, id, nearby)).await?;
        let settle = |state, outcome: &str| {
            let update = RefinementUpdate { state, tries: None, outcome: outcome.to_owned() };
            self.store.update_refinement(id, update, self.now())
        };
        let Some(material) = material else {
            settle(RefinementState::Done, "there is nothing to say more clearly").await?;
            return Ok(RefineOutcome::Unasked);
        };
        let privacy = material.privacy();
        if !self.language.may_see(privacy) {
            settle(RefinementState::Withheld, "it is personal, and no model of this machine is there")
                .await?;
            return Ok(RefineOutcome::Unasked);
        }
        if tries >= MAX_TRIES {
            settle(RefinementState::GivenUp, "it was tried often enough").await?;
            return Ok(RefineOutcome::Unasked);
        }
        if !self.store.try_refinement(id, tries, self.now()).await? {
            return Ok(RefineOutcome::Unasked);
        }
        let asked = self.language.ask(&material.question(), privacy, self.now()).await;
        let facts = AskedModel { op: "refine", asked };
        let told = match &facts.asked.answer {
            Ok(answer) => serde_json::from_value(answer.value.clone()).unwrap_or_default(),
            Err(error) => return self.note_failure(id, tries, &facts, error).await,
        };
        let joined = match self.merge_joined(id, &material, privacy).await {
            Ok(joined) => joined,
            Err((answered, error)) => return self.note_failure(id, tries, &answered, &error).await,
        };
        self.apply_answer(id, &material, &facts, &told, &joined).await?;
        Ok(RefineOutcome::Refined)
    }

    /// Asks for one text in place of those that rules have joined. A text that is not taken leaves them as they are.
    async fn merge_joined(
        &self,
        id: MessageId,
        material: &RefineMaterial,
        privacy: Privacy,
    ) -> std::result::Result<Vec<MergedMemory>, (AskedModel, ModelError)> {
        let mut all = Vec::new();
        for record in material.joined.iter().filter(|record| may_reword(&record.memory)) {
            let old = &record.memory.text;
            let asked = self.language.ask(&merge_question(&merged_parts(old)), privacy, self.now()).await;
            let answered = AskedModel { op: "merge", asked };
            let text = match &answered.asked.answer {
                Ok(answer) => answer.value["text"].as_str().unwrap_or_default().trim().to_owned(),
                Err(error) => {
                    let error = error.clone();
                    return Err((answered, error));
                }
            };
            let refused = unfit_for(&text, old);
            let output = refused
                .as_ref()
                .map_or_else(|| format!("{}: {text}", record.memory.id), |why| format!("refused: {why}"));
            self.log_asked(id, &answered, output, refused.is_some());
            if refused.is_none() {
                all.push(MergedMemory { record: record.clone(), text });
            }
        }
        Ok(all)
    }

    /// Notes that no model gave an answer that could be used. Where nobody could have, the message is not to blame.
    async fn note_failure(
        &self,
        id: MessageId,
        tries: u32,
        answered: &AskedModel,
        error: &ModelError,
    ) -> Result<RefineOutcome> {
        self.log_asked(id, answered, "as rules have formed it".to_owned(), true);
        let outage = error.is_outage();
        let (state, tries) = match tries {
            tries if outage => (RefinementState::Waiting, tries),
            tries if tries + 1 >= MAX_TRIES => (RefinementState::GivenUp, tries + 1),
            tries => (RefinementState::Waiting, tries + 1),
        };
        let update = RefinementUpdate { state, tries: Some(tries), outcome: error.to_string() };
        self.store.update_refinement(id, update, self.now()).await?;
        Ok(if outage { RefineOutcome::Outage(error.to_string()) } else { RefineOutcome::Failed })
    }

    /// Writes what is taken of an answer, once.
    async fn apply_answer(
        &self,
        id: MessageId,
        material: &RefineMaterial,
        facts: &AskedModel,
        told: &ModelAnswer,
        joined: &[MergedMemory],
    ) -> Result<()> {
        let AcceptedAnswer { facts: taken, refused } = accepted_answer(material, told);
        let (mut propositions, places) =
            (Vec::new(), taken.iter().map(|taken| (taken.place, taken.instead_of.clone())));
        let places: Vec<(usize, Option<MemoryRecord>)> = places.collect();
        propositions.extend(taken.into_iter().map(|taken| taken.proposition));
        let mut prepared = [PreparedMessage {
            origin: material.origin,
            filters: Vec::new(),
            propositions: Ok(propositions),
            words: material.record.message.text.chars().take(MAX_COMPARED_CHARS).collect(),
            vector: None,
        }];
        let embedder = self.embed_propositions(&mut prepared, None).await;
        let [prepared] = &prepared;
        let model = facts.asked.calls.last().map(|call| call.model.clone());
        for attempt in 0..MAX_ATTEMPTS {
            tokio::time::sleep(pause_before(attempt)).await;
            let now = self.now();
            let change = AnswerChange { material, prepared, places: &places, joined, seen: &told.relations };
            let read = self.store.read_on_writer(|view| {
                let mut draft =
                    FormationDraft::new(view, self, &material.record, prepared, embedder.as_ref())?;
                draft.worded_by.clone_from(&model);
                change.assemble(view, draft, embedder.as_ref())
            });
            let (mut formation, mut done) = read.await?;
            done.extend(refused.iter().map(|why| format!("refused {why}")));
            let unchanged =
                formation.made.is_empty() && formation.revised.is_empty() && formation.links.is_empty();
            let outcome = if done.is_empty() { "nothing to add".to_owned() } else { done.join("; ") };
            formation.refined = Some((id, outcome.clone()));
            match self.store.commit(formation, now).await? {
                Committed::Stale => {}
                Committed::Done(_) => {
                    self.log_asked(id, facts, outcome, unchanged);
                    return Ok(());
                }
                Committed::Known => return Ok(()),
            }
        }
        Ok(())
    }

    /// Notes in the ops log what was asked and what came of it.
    fn log_asked(&self, id: MessageId, answered: &AskedModel, output: String, fallback: bool) {
        let record = OpsRecord::of(&answered.asked, answered.op, self.now());
        let fallback = fallback || record.fallback;
        if fallback {
            meter::fallback("language_model");
        }
        self.ops.tell(OpsRecord { input: id.to_string(), output, fallback, ..record });
    }
}

/// The next messages that wait, those that were tried least first, and then as they were said.
fn waiting_in_order(view: &mut View<'_>, limit: u32) -> cairn_store::Result<Vec<(MessageId, u32)>> {
    let mut waiting = Vec::new();
    for (id, tries) in view.to_refine(limit)? {
        let seq = view.message(id)?.map(|record| record.seq);
        waiting.push((tries, seq, id));
    }
    waiting.sort_unstable();
    Ok(waiting.into_iter().map(|(tries, _, id)| (id, tries)).collect())
}

/// The changes that follow from a model's answer.
struct AnswerChange<'a> {
    material: &'a RefineMaterial,
    prepared: &'a PreparedMessage,
    /// Of each statement its place in the answer, and the memory that it says more clearly.
    places: &'a [(usize, Option<MemoryRecord>)],
    joined: &'a [MergedMemory],
    seen: &'a [ModelRelation],
}

impl AnswerChange<'_> {
    /// Puts it together on what is known now, and tells what it does.
    fn assemble(
        &self,
        view: &mut View<'_>,
        mut draft: FormationDraft<'_>,
        embedder: Option<&EmbedderRecord>,
    ) -> cairn_store::Result<(cairn_store::Formation, Vec<String>)> {
        let mut done = Vec::new();
        let mut ends: Vec<(String, MemoryEnd)> = Vec::new();
        draft.own = self.material.own.iter().map(|record| record.memory.id).collect();
        let first_place = first_free_place(view, self.material.record.message.id)?;
        for MergedMemory { record, text } in self.joined {
            if still_stands(view, record)? {
                let (number, text, reason) = (record.number, text.clone(), REASON_MERGED.to_owned());
                draft.formation.revised.push(Revised {
                    number,
                    text,
                    reason,
                    bound: MemoryAttachments::default(),
                });
                done.push(format!("joined {}", record.memory.id));
            }
        }
        for ((place, instead_of), proposition) in
            self.places.iter().zip(self.prepared.propositions.iter().flatten())
        {
            let name = format!("f{}", place + 1);
            if let Some(record) = instead_of {
                if still_stands(view, record)? {
                    let vector = embedder.and_then(|_| draft.embedded_vector(proposition));
                    let bound = MemoryAttachments {
                        mentions: mention_records(&proposition.entities, &proposition.text),
                        vector,
                        ..MemoryAttachments::default()
                    };
                    let (number, text, reason) =
                        (record.number, proposition.text.clone(), REASON_REWORDED.to_owned());
                    draft.formation.revised.push(Revised { number, text, reason, bound });
                    ends.push((name, MemoryEnd::Known(number)));
                    done.push(format!("revised {}", record.memory.id));
                }
                continue;
            }
            let made = draft.formation.made.len();
            draft.add_proposition(view, first_place + place, proposition)?;
            if let Some(new) = draft.formation.made.get(made) {
                done.push(format!("made {}", new.memory.id));
                ends.push((name, MemoryEnd::Made(made)));
            }
        }
        for (letter, records) in [('m', &self.material.own), ('k', &self.material.known)] {
            let numbered = records.iter().enumerate();
            ends.extend(
                numbered.map(|(at, it)| (format!("{letter}{}", at + 1), MemoryEnd::Known(it.number))),
            );
        }
        draft.formation.links = model_links(self.seen, &ends);
        Ok((draft.formation, done))
    }
}

/// From where on memories of a message can be made: one that lost a memory to an erasure is refined again, beside what stays.
fn first_free_place(view: &mut View<'_>, message: MessageId) -> cairn_store::Result<usize> {
    let numbers = view.memories_on(message)?;
    let taken: Vec<MemoryId> = view.memories_at(&numbers)?.into_iter().map(|it| it.memory.id).collect();
    let mut first = FIRST_REFINED_PLACE;
    while (first..first + MAX_FACTS).any(|place| taken.contains(&MemoryId::of(&message.to_string(), place))) {
        first += MAX_FACTS;
    }
    Ok(first)
}

/// Whether a memory is still the one a model was shown, and may be reworded.
fn still_stands(view: &mut View<'_>, record: &MemoryRecord) -> cairn_store::Result<bool> {
    let now = view.memories_at(&[record.number])?.pop();
    Ok(now.is_some_and(|now| now.revision == record.revision && may_reword(&now.memory)))
}

/// The relations that a model saw between what there is.
fn model_links(seen: &[ModelRelation], ends: &[(String, MemoryEnd)]) -> Vec<Link> {
    let end = |name: &str| ends.iter().find(|(known, _)| known == name).map(|(_, end)| *end);
    let link = |seen: &ModelRelation| {
        let (from, to) = (end(&seen.from)?, end(&seen.to)?);
        let confidence = seen.confidence.clamp(0.0, MAX_RELATION_CONFIDENCE);
        let (kind, reason) = (seen.kind, REASON_RELATED.to_owned());
        (from != to).then_some(Link { from, to, kind, confidence, reason })
    };
    seen.iter().filter_map(link).collect()
}
