//! Intake: what was said becomes memories. A message is prepared, its statements are embedded, the gate decides on what is
//! known around each, and all of it is written at once. Whoever comes second decides again on what the first has written.

use super::{
    draft::Draft,
    embed::active,
    prepare::{Prepared, prepare},
    reasons::{Decision, Reasons},
};
use crate::{Agent, EngineError, Result, meter::Stages, oplog::decided};
use cairn_domain::MessageId;
use cairn_models::OpsRecord;
use cairn_store::{Committed, EmbedderRecord, MessageRecord};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// The job under which messages are formed.
pub(super) const JOB: &str = "form";
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
        let mut stages = Stages::of_write();
        let known = self
            .store
            .study(|view| {
                let Some(record) = view.message(id)? else { return Ok(None) };
                let (before, embedder) = (view.message_before(record.seq)?, active(view.embedders()?));
                Ok(Some((record, before, embedder, view.formed(id)?)))
            })
            .await?;
        let (record, before, embedder, formed) =
            known.ok_or_else(|| EngineError::NotFound(id.to_string()))?;
        if let Some(decided) = formed {
            return Ok(Formed::before(&decided));
        }
        let mut prepared = vec![prepare(&record.message, before.as_ref().map(|before| &before.message))];
        stages.done("prepare");
        let embedding = tokio::time::timeout(EMBED_WITHIN, self.embed_pieces(&mut prepared, embedder));
        let embedder = embedding.await.ok().flatten();
        stages.done("embed");
        let prepared = prepared.remove(0);
        let formed = self.decide(&record, &prepared, embedder.as_ref()).await;
        stages.all("form");
        formed
    }

    /// Forms every message that was not formed yet, in the order of recording.
    pub async fn form(&self, on_progress: &mut (dyn FnMut(Forming) + Send)) -> Result<Forming> {
        let _one_at_a_time = self.forming.lock().await;
        let holder = self.holder();
        let (mut reached, mut seen, mut moved) = (0, 0, Instant::now());
        loop {
            let (now, messages) = (self.now(), self.store.study(|view| view.next_seq()).await?);
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

    pub(super) async fn formed_up_to(&self) -> Result<u32> {
        let jobs = self.store.study(|view| view.jobs()).await?;
        Ok(jobs.into_iter().find(|job| job.name == JOB).map_or(0, |job| job.watermark as u32))
    }

    /// Forms the next messages from `from` on; up to which.
    async fn form_batch(&self, from: u32) -> Result<u32> {
        let (unformed, reached, embedder) = self
            .store
            .study(|view| {
                let (mut unformed, mut reached) = (Vec::new(), from);
                for (record, formed) in view.to_form(from, BATCH)? {
                    reached = record.seq + 1;
                    if !formed {
                        let before = view.message_before(record.seq)?;
                        unformed.push((record, before));
                    }
                }
                Ok((unformed, reached, active(view.embedders()?)))
            })
            .await?;
        let mut prepared = prepare_all(&unformed);
        let embedder = self.embed_pieces(&mut prepared, embedder).await;
        for ((record, _), prepared) in unformed.iter().zip(&prepared) {
            self.decide(record, prepared, embedder.as_ref()).await?;
        }
        Ok(reached)
    }

    /// Gives statements their vectors, by the embedder whose vectors answer if that is known. Without an embedder they have
    /// none, and are compared by their words.
    pub(super) async fn embed_pieces(
        &self,
        prepared: &mut [Prepared],
        active: Option<EmbedderRecord>,
    ) -> Option<EmbedderRecord> {
        let pieces = || prepared.iter().filter_map(|prepared| prepared.pieces.as_ref().ok()).flatten();
        let texts: Vec<String> = pieces().map(|piece| piece.text.clone()).collect();
        if texts.is_empty() {
            return None;
        }
        let embedder = match active {
            Some(active) => active,
            None => self.usable_embedder().await?,
        };
        let vectors = self.embed_by(&embedder, texts).await?;
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
        let (id, mut stages) = (record.message.id, Stages::of_write());
        for attempt in 0_u64.. {
            if attempt > 0 {
                // Whoever was quicker has moved on, so that somebody always does.
                tokio::time::sleep(Duration::from_millis(attempt.min(STEP_BACK_MS))).await;
            }
            let (formation, formed) =
                self.store.study(|view| Draft::of(view, self, record, prepared, embedder)).await?;
            stages.done("decide");
            let committed = self.store.commit(formation, self.now()).await?;
            stages.done("commit");
            match committed {
                Committed::Done(_) => {
                    self.tell(id, &formed, stages.elapsed());
                    return Ok(formed);
                }
                Committed::Stale => {}
                Committed::Known => break,
            }
        }
        let decided = self.store.read(|view| view.formed(id)).await?;
        Ok(Formed::before(&decided.unwrap_or_default()))
    }
}

/// A message that was not formed yet, and the one before it in its session.
type Unformed = (MessageRecord, Option<MessageRecord>);

/// Prepares messages beside each other: that is a quarter of the time of forming them. The first is done here, since another
/// thread must be woken first.
fn prepare_all(messages: &[Unformed]) -> Vec<Prepared> {
    let one =
        |(record, before): &Unformed| prepare(&record.message, before.as_ref().map(|before| &before.message));
    let Some((first, rest)) = messages.split_first() else { return Vec::new() };
    let mut others = Vec::new();
    let mut prepared = rayon::in_place_scope(|scope| {
        if !rest.is_empty() {
            scope.spawn(|_| others = rest.par_iter().map(one).collect());
        }
        vec![one(first)]
    });
    prepared.append(&mut others);
    prepared
}

impl Formed {
    /// What was decided when a message was formed before.
    fn before(decided: &str) -> Self {
        Self { decisions: serde_json::from_str(decided).unwrap_or_default(), reasons: Vec::new() }
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
