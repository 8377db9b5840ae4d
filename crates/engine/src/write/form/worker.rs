//! Intake: what was said becomes memories. A message is prepared, its statements are embedded, the gate decides on what is
//! known around each, and all of it is written at once. Whoever comes second decides again on what the first has written.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    meter::Stages,
    ops_log::decided,
    retry::Attempts,
    write::{
        embed::worker::active_embedder_of,
        form::{
            draft::FormationDraft,
            outcome::{Formed, Forming},
        },
        prepare::message::{PreparedMessage, prepare_message},
        reasons::Decision,
    },
};
use cairn_domain::MessageId;
use cairn_models::{Embedder, OpsRecord};
use cairn_store::{Committed, EmbedderRecord, MessageRecord};
use std::{
    num::NonZero,
    panic,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Threads that prepare messages at most.
const MAX_PREPARING_THREADS: usize = 8;

/// The job under which messages are formed.
pub(crate) const FORM_JOB: &str = "form";
/// Messages formed at a time.
const BATCH_MESSAGES: u32 = 32;
/// How long a process may keep the work in hand before another takes over.
const LEASE_MS: i64 = 60_000;
/// How often somebody who waits for another's work looks again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// If nothing moves for so long, whoever had the work in hand is gone.
const TAKE_OVER_AFTER: Duration = Duration::from_secs(10);
/// How long one message waits for its vectors; after that it is compared by its words.
const EMBED_TIMEOUT: Duration = Duration::from_secs(3);

impl Agent {
    /// Forms one message now; if that was done already, what was decided then.
    pub async fn form_message(&self, id: MessageId) -> Result<Formed> {
        let mut stages = Stages::of_write();
        let known = self
            .store
            .read_on_writer(|view| {
                let Some(record) = view.message(id)? else { return Ok(None) };
                let (before, embedder) =
                    (view.message_before(record.seq)?, active_embedder_of(view.embedders()?));
                Ok(Some((record, before, embedder, view.formed(id)?)))
            })
            .await?;
        let (record, before, embedder, formed) =
            known.ok_or_else(|| EngineError::NotFound(id.to_string()))?;
        if let Some(decided) = formed {
            return Formed::from_stored_decisions(id, &decided);
        }
        let reader = self.clause_reader(embedder.as_ref()).await;
        let (unformed, mut prepared) = prepare(vec![(record, before)], reader).await;
        stages.done("prepare");
        let embedding = tokio::time::timeout(EMBED_TIMEOUT, self.embed_propositions(&mut prepared, embedder));
        let embedder = embedding.await.ok().flatten();
        stages.done("embed");
        let formed = self.decide_and_commit(&unformed[0].0, &prepared[0], embedder.as_ref()).await;
        stages.all("form");
        formed
    }

    /// Forms every message that was not formed yet, in the order of recording.
    pub async fn form(&self, on_progress: &mut (dyn FnMut(Forming) + Send)) -> Result<Forming> {
        let _one_at_a_time = self.forming.lock().await;
        let holder = self.holder();
        let (mut reached, mut seen, mut moved) = (0, 0, Instant::now());
        loop {
            let (now, messages) = (self.now(), self.store.read_on_writer(|view| view.next_seq()).await?);
            let until = cairn_domain::Time::from_millis(now.millis() + LEASE_MS);
            let mine = self.store.claim_job(FORM_JOB, holder.clone(), now, until).await?;
            if !mine && moved.elapsed() <= TAKE_OVER_AFTER {
                // Somebody else is at it, and what they do counts.
                let forming = self.forming().await?;
                if forming.done >= forming.messages {
                    return Ok(forming);
                }
                if forming.done != seen {
                    (seen, moved) = (forming.done, Instant::now());
                }
                tokio::time::sleep(POLL_INTERVAL).await;
                continue;
            }
            // Whoever goes on for one that is gone cannot move its watermark: what counts is what is formed.
            moved = if mine { Instant::now() } else { moved };
            let from = self.formed_up_to().await?.max(reached);
            let batch = self.form_next_batch(from).await;
            reached = *batch.as_ref().unwrap_or(&from);
            self.store.finish_job(FORM_JOB, holder.clone(), i64::from(reached), self.now()).await?;
            on_progress(Forming { done: batch?, messages });
            if reached >= messages {
                return Ok(Forming { done: reached, messages });
            }
        }
    }

    /// Forms what was not formed yet, for so long at most; whether all was done. What is left is left to whoever comes next,
    /// at once.
    pub async fn form_within(&self, limit: Duration) -> Result<bool> {
        if let Ok(formed) = tokio::time::timeout(limit, self.form(&mut |_| {})).await {
            return formed.map(|_| true);
        }
        let reached = self.formed_up_to().await?;
        self.store.finish_job(FORM_JOB, self.holder(), i64::from(reached), self.now()).await?;
        Ok(false)
    }

    /// How far messages are formed.
    pub async fn forming(&self) -> Result<Forming> {
        let (done, messages) = self.store.read(|view| view.formation()).await?;
        Ok(Forming { done, messages })
    }

    pub(crate) async fn formed_up_to(&self) -> Result<u32> {
        let jobs = self.store.read_on_writer(|view| view.jobs()).await?;
        Ok(jobs.into_iter().find(|job| job.name == FORM_JOB).map_or(0, |job| job.watermark as u32))
    }

    /// Forms the next messages from `from` on; up to which.
    async fn form_next_batch(&self, from: u32) -> Result<u32> {
        let (unformed, reached, embedder) = self
            .store
            .read_on_writer(|view| {
                let (mut unformed, mut reached) = (Vec::new(), from);
                for (record, formed) in view.to_form(from, BATCH_MESSAGES)? {
                    reached = record.seq + 1;
                    if !formed {
                        let before = view.message_before(record.seq)?;
                        unformed.push((record, before));
                    }
                }
                Ok((unformed, reached, active_embedder_of(view.embedders()?)))
            })
            .await?;
        let reader = self.clause_reader(embedder.as_ref()).await;
        let (unformed, mut prepared) = prepare(unformed, reader).await;
        let embedder = self.embed_propositions(&mut prepared, embedder).await;
        for ((record, _), prepared) in unformed.iter().zip(&prepared) {
            self.decide_and_commit(record, prepared, embedder.as_ref()).await?;
        }
        Ok(reached)
    }

    /// The embedder that reads clauses, if there is one that works.
    async fn clause_reader(&self, active: Option<&EmbedderRecord>) -> Option<Arc<dyn Embedder>> {
        let provider = match active {
            Some(active) => self.embedders.named(&active.name).ok()?.0,
            None => self.embedders.configured(),
        };
        provider.embedder().await.ok()
    }

    /// Gives statements their vectors, by the embedder whose vectors answer if that is known. Without an embedder they have
    /// none, and are compared by their words.
    pub(crate) async fn embed_propositions(
        &self,
        prepared: &mut [PreparedMessage],
        active: Option<EmbedderRecord>,
    ) -> Option<EmbedderRecord> {
        let mut texts: Vec<String> = Vec::new();
        for PreparedMessage { propositions, words, .. } in prepared.iter() {
            let Ok(propositions) = propositions else { continue };
            texts.extend(propositions.iter().map(|proposition| proposition.text.clone()));
            texts.push(words.clone());
        }
        if texts.is_empty() {
            return None;
        }
        let embedder = match active {
            Some(active) => active,
            None => self.usable_embedder().await?,
        };
        let mut vectors = self.embed_by(&embedder, texts).await?.into_iter();
        for prepared in prepared {
            let Ok(propositions) = &mut prepared.propositions else { continue };
            for proposition in propositions {
                proposition.vector = vectors.next();
            }
            prepared.vector = vectors.next();
        }
        Some(embedder)
    }

    /// Decides about a message and writes what follows from it.
    async fn decide_and_commit(
        &self,
        record: &MessageRecord,
        prepared: &PreparedMessage,
        embedder: Option<&EmbedderRecord>,
    ) -> Result<Formed> {
        let (id, mut stages) = (record.message.id, Stages::of_write());
        let mut attempts = Attempts::at("form a message");
        loop {
            let (formation, formed) = self
                .store
                .read_on_writer(|view| FormationDraft::form_message(view, self, record, prepared, embedder))
                .await?;
            stages.done("decide");
            let has_learned = formation.dynamics.learner.is_some();
            let committed = self.store.commit(formation, self.now()).await?;
            stages.done("commit");
            match committed {
                Committed::Done(_) => {
                    self.log_decisions(id, &formed, stages.elapsed());
                    if has_learned {
                        self.write_dynamics_log().await;
                    }
                    return Ok(formed);
                }
                Committed::Stale => attempts.overtaken().await?,
                Committed::Known => break,
            }
        }
        let decided = self.store.read(|view| view.formed(id)).await?;
        Formed::from_stored_decisions(id, &decided.ok_or_else(|| EngineError::NotFound(id.to_string()))?)
    }
}

/// A message that was not formed yet, and the one before it in its session.
type Unformed = (MessageRecord, Option<MessageRecord>);

/// Prepares messages beside each other: that is a quarter of the time of forming them. On threads of their own, which may block:
/// a reader waits for the thread pool that its model runs on, and a thread of such a pool would meanwhile begin the next message
/// and wait for itself.
async fn prepare(
    unformed: Vec<Unformed>,
    reader: Option<Arc<dyn Embedder>>,
) -> (Vec<Unformed>, Vec<PreparedMessage>) {
    let work = move || {
        let one = |(record, before): &Unformed| {
            let before = before.as_ref().map(|before| &before.message);
            prepare_message(&record.message, before, reader.as_deref())
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_PREPARING_THREADS);
        let share = unformed.len().div_ceil(threads).max(1);
        let prepared = thread::scope(|scope| {
            let mut shares = unformed.chunks(share);
            let first = shares.next().unwrap_or_default();
            let others: Vec<_> =
                shares.map(|share| scope.spawn(move || share.iter().map(one).collect::<Vec<_>>())).collect();
            let mut prepared: Vec<PreparedMessage> = first.iter().map(one).collect();
            for other in others {
                prepared.extend(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
            }
            prepared
        });
        (unformed, prepared)
    };
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| panic::resume_unwind(error.into_panic()))
}

impl Agent {
    /// Notes in the ops log what became of a message.
    fn log_decisions(&self, id: MessageId, formed: &Formed, took: Duration) {
        let told = |decision: &Decision| {
            let memory = decision.memory.map_or(String::new(), |memory| format!(" {memory}"));
            format!("{}{memory}: {}", decision.verdict, decision.reason)
        };
        let output: Vec<String> = formed.decisions.iter().map(told).collect();
        let (input, output) = (id.to_string(), output.join("; "));
        self.ops.tell(OpsRecord { input, output, ..decided("form", self.now(), took) });
    }
}
