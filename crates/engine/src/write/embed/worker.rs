//! Embed: messages get their vectors behind the write, in order, in batches that can be interrupted at any moment.

use crate::{agent::Agent, embedders::stored_name, error::Result, read::LexicalOnly};
use cairn_cognition::{
    log_excerpt::searched_output,
    passage::{PassageTurn, leans_on, passages},
};
use cairn_domain::{Role, Time};
use cairn_models::EmbedderProvider;
use cairn_store::{DerivedRecord, Embeddable, EmbedderRecord, EmbedderState, NewVector, PreviousMessage};
use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

/// Messages read from the store at a time.
const BATCH_MESSAGES: u32 = 64;
/// Passages embedded at a time, at least: with their message's last.
const BATCH_PASSAGES: usize = 64;
/// How long a process may keep the work in hand before another takes over.
const LEASE_MS: i64 = 60_000;
/// The job under which vectors are made.
const EMBED_JOB: &str = "embed";
/// How often somebody who waits for another's work looks again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// If nothing moves for so long, whoever had the work in hand is gone.
const TAKE_OVER_AFTER: Duration = Duration::from_secs(10);
/// Vectors of a replaced embedder taken away at a time.
const DROPPED_VECTORS_PER_BATCH: u32 = 2_000;
/// A text to try an embedder with before it is trusted.
const TRIAL_TEXT: &str = "a trial";
/// Messages embedded to see how long all would take.
const SAMPLE_MESSAGES: u32 = 16;

/// How far the vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedding {
    /// Messages that have their vectors.
    pub done: u32,
    /// Messages there are.
    pub messages: u32,
}

/// The cost of changing the embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedderChange {
    /// The embedder whose vectors answer now.
    pub from: Option<String>,
    /// The configured one.
    pub to: String,
    /// Numbers in a vector of the new one.
    pub dimension: usize,
    /// How far the new vectors are.
    pub embedding: Embedding,
    /// How long the rest would take, by a sample.
    pub seconds: f64,
}

impl Agent {
    /// The embedder whose vectors answer.
    pub(crate) async fn active_embedder(&self) -> Result<Option<EmbedderRecord>> {
        let embedders = self.store.read(|view| view.embedders()).await?;
        Ok(active_embedder_of(embedders))
    }

    /// An embedder that works now: the one whose vectors answer, or the configured one if there is none yet.
    pub(crate) async fn usable_embedder(&self) -> Option<EmbedderRecord> {
        match self.active_embedder().await.ok()? {
            Some(active) => Some(active),
            None => self.configured_embedder().await.ok(),
        }
    }

    /// Vectors of texts and the embedder that made them; none without an embedder that works.
    pub(crate) async fn embed_texts(&self, texts: Vec<String>) -> Option<(EmbedderRecord, Vec<Vec<f32>>)> {
        let embedder = self.usable_embedder().await?;
        let vectors = self.embed_by(&embedder, texts).await?;
        Some((embedder, vectors))
    }

    /// Vectors of texts by this embedder; none if it does not work.
    pub(crate) async fn embed_by(
        &self,
        embedder: &EmbedderRecord,
        texts: Vec<String>,
    ) -> Option<Vec<Vec<f32>>> {
        let (provider, _) = self.embedders.named(&embedder.name).ok()?;
        provider.embed(texts).await.ok()
    }

    /// Why there is no vector to search.
    pub(crate) fn why_no_vectors(&self) -> LexicalOnly {
        match self.embedders.configured().spec() {
            Some(_) => LexicalOnly::NoVectors,
            None => LexicalOnly::NotWanted,
        }
    }

    /// How far the vectors that answer are.
    pub async fn embedding(&self) -> Result<Embedding> {
        let (done, messages) = self
            .store
            .read(|view| {
                let active = active_embedder_of(view.embedders()?);
                Ok((active.map_or(0, |it| it.reached), view.next_seq()?))
            })
            .await?;
        Ok(Embedding { done, messages })
    }

    /// Gives every message its vectors. Returns when all that were there when it began have them.
    pub async fn embed(&self, on_progress: &mut (dyn FnMut(Embedding) + Send)) -> Result<Embedding> {
        let record = match self.active_embedder().await? {
            Some(active) => active,
            None => self.configured_embedder().await?,
        };
        let (provider, _) = self.embedders.named(&record.name)?;
        let embedding = self.fill_embedder(&record, provider, on_progress).await?;
        self.drop_retired_vectors().await?;
        Ok(embedding)
    }

    /// The same, for so long at most; whether all was done. What is left is left to whoever comes next, at once.
    pub async fn embed_within(&self, limit: Duration) -> Result<bool> {
        if let Ok(embedded) = tokio::time::timeout(limit, self.embed(&mut |_| {})).await {
            return embedded.map(|_| true);
        }
        let done = self.embedding().await?.done;
        self.store.finish_job(EMBED_JOB, self.holder(), i64::from(done), self.now()).await?;
        Ok(false)
    }

    /// The passages of at most `limit` messages from `from` on, as the embedder gets them.
    pub async fn passages(&self, from: u32, limit: u32) -> Result<Vec<String>> {
        let messages = self.store.read(|view| view.embeddable_from(from, limit)).await?;
        Ok(messages.iter().flat_map(message_passages).collect())
    }

    /// The cost of changing to the configured embedder; `None` if its vectors already answer.
    pub async fn plan_embedder_change(&self) -> Result<Option<EmbedderChange>> {
        let spec = self.embedders.configured().spec().ok_or(cairn_models::ModelError::NoEmbedder)?;
        let (to, active) = (stored_name(&spec), self.active_embedder().await?);
        if active.as_ref().is_some_and(|active| active.name == to) {
            return Ok(None);
        }
        let begun = Instant::now();
        let sample = self.store.read(|view| view.embeddable_from(0, SAMPLE_MESSAGES)).await?;
        let sampled = sample.len().max(1);
        self.embedders.configured().embed(sample.iter().flat_map(message_passages).collect()).await?;
        let each = begun.elapsed().as_secs_f64() / sampled as f64;
        let name = to.clone();
        let done = self.store.read(|view| view.embedders()).await?.into_iter().find(|it| it.name == name);
        let embedding = Embedding { done: done.map_or(0, |it| it.reached), ..self.embedding().await? };
        let seconds = f64::from(embedding.messages - embedding.done) * each;
        let from = active.map(|active| active.name);
        Ok(Some(EmbedderChange { from, to, dimension: spec.dimension, embedding, seconds }))
    }

    /// Makes the vectors of the configured embedder and, once every message has them, lets them answer. Until then the
    /// old ones do. Begins where an earlier run was interrupted.
    pub async fn change_embedder(&self, on_progress: &mut (dyn FnMut(Embedding) + Send)) -> Result<()> {
        let record = self.configured_embedder().await?;
        let mut answers = record.state == EmbedderState::Active;
        while !answers {
            self.fill_embedder(&record, self.embedders.configured(), on_progress).await?;
            answers = self.store.activate_embedder(record.id).await?;
        }
        self.embedders.free_previous();
        self.drop_retired_vectors().await?;
        self.tend_vectors().await
    }

    /// Takes away what an embedder that was replaced has left, also after a change that was killed at its very end.
    pub(crate) async fn drop_retired_vectors(&self) -> Result<()> {
        let embedders = self.store.read(|view| view.embedders()).await?;
        if embedders.iter().any(|it| it.state == EmbedderState::Retired) {
            while self.store.drop_retired_vectors(DROPPED_VECTORS_PER_BATCH).await? > 0 {}
        }
        Ok(())
    }

    /// The configured embedder as the store knows it, after making sure that it works: its name is bound to the length
    /// of its vectors from then on.
    async fn configured_embedder(&self) -> Result<EmbedderRecord> {
        let configured = self.embedders.configured();
        configured.embed(vec![TRIAL_TEXT.to_owned()]).await?;
        let spec = configured.spec().ok_or(cairn_models::ModelError::NoEmbedder)?;
        Ok(self.store.embedder(stored_name(&spec), spec.dimension, self.now()).await?)
    }

    /// Fills an embedder up to the message that is newest now. One process does the work at a time; the others watch
    /// it, and take over when nothing moves any more.
    async fn fill_embedder(
        &self,
        record: &EmbedderRecord,
        provider: &EmbedderProvider,
        on_progress: &mut (dyn FnMut(Embedding) + Send),
    ) -> Result<Embedding> {
        let goal = Embedding { done: self.messages_embedded(record.id).await?, ..self.embedding().await? };
        let mut filled = self.fill_up_to(record.id, goal, provider, on_progress).await;
        if filled.is_ok()
            && let Err(error) = self.fill_revisions(record.id, provider).await
        {
            filled = Err(error);
        }
        let done = filled.as_ref().map_or(record.reached, |embedding| embedding.done);
        self.store.finish_job(EMBED_JOB, self.holder(), i64::from(done), self.now()).await?;
        self.tend_vectors().await?;
        filled
    }

    async fn fill_up_to(
        &self,
        embedder: u32,
        Embedding { mut done, messages }: Embedding,
        provider: &EmbedderProvider,
        on_progress: &mut (dyn FnMut(Embedding) + Send),
    ) -> Result<Embedding> {
        let (mut moved, mut took_over) = (Instant::now(), false);
        while done < messages {
            on_progress(Embedding { done, messages });
            let now = self.now();
            let until = Time::from_millis(now.millis() + LEASE_MS);
            let mine = self.store.claim_job(EMBED_JOB, self.holder(), now, until).await?;
            took_over |= moved.elapsed() > TAKE_OVER_AFTER;
            if mine || took_over {
                // Whoever had the work in hand may have gone on since it was last looked at.
                if self.messages_embedded(embedder).await? == done {
                    // Somebody else was quicker: whoever has the work in hand is alive after all.
                    took_over &= self.embed_batch(embedder, done, provider).await?;
                }
            } else {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            let reached = self.messages_embedded(embedder).await?;
            if reached != done {
                (done, moved) = (reached, Instant::now());
            }
        }
        on_progress(Embedding { done, messages });
        Ok(Embedding { done, messages })
    }

    /// Gives what memories, beliefs and digests say its vectors, as far as they have none. Whoever is quicker wins; nothing
    /// is made twice.
    async fn fill_revisions(&self, embedder: u32, provider: &EmbedderProvider) -> Result<()> {
        loop {
            let waiting = self
                .store
                .read(|view| {
                    let Some(known) = view.embedders()?.into_iter().find(|it| it.id == embedder) else {
                        return Ok((0, Vec::new()));
                    };
                    Ok((known.revisions, view.revisions_from(known.revisions, BATCH_MESSAGES)?))
                })
                .await?;
            let (from, revisions) = waiting;
            if revisions.is_empty() {
                break;
            }
            let (numbers, texts): (Vec<u32>, Vec<String>) = revisions.into_iter().unzip();
            let vectors = numbers.into_iter().zip(provider.embed(texts).await?).collect();
            self.store.add_revision_vectors(embedder, from, vectors).await?;
        }
        for of in [DerivedRecord::Belief, DerivedRecord::Digest, DerivedRecord::AttachmentPart] {
            self.fill_derived(embedder, of, provider).await?;
        }
        Ok(())
    }

    /// Gives what was made of memories its vectors.
    async fn fill_derived(
        &self,
        embedder: u32,
        of: DerivedRecord,
        provider: &EmbedderProvider,
    ) -> Result<()> {
        loop {
            let next = self.store.read(|view| view.derived_without_vectors(embedder, of, BATCH_MESSAGES));
            let (numbers, texts): (Vec<u32>, Vec<String>) = next.await?.into_iter().unzip();
            if numbers.is_empty() {
                return Ok(());
            }
            let vectors = provider.embed(texts).await?;
            self.store.add_derived_vectors(embedder, of, numbers.into_iter().zip(vectors).collect()).await?;
        }
    }

    async fn messages_embedded(&self, embedder: u32) -> Result<u32> {
        let embedders = self.store.read(|view| view.embedders()).await?;
        Ok(embedders.into_iter().find(|it| it.id == embedder).map_or(0, |it| it.reached))
    }

    /// Embeds the next messages from `from` on; false if another process was quicker: then its vectors stand.
    async fn embed_batch(&self, embedder: u32, from: u32, provider: &EmbedderProvider) -> Result<bool> {
        let batch = self.store.read(|view| view.embeddable_from(from, BATCH_MESSAGES)).await?;
        let (mut to, mut passages) = (from, Vec::new());
        for message in &batch {
            if passages.len() >= BATCH_PASSAGES {
                break;
            }
            to = message.seq + 1;
            passages.extend(passage_places(message).zip(message_passages(message)));
        }
        let vectors = passage_vectors(provider, passages).await?;
        Ok(to > from && self.store.add_vectors(embedder, from, to, vectors).await?)
    }
}

pub(crate) fn active_embedder_of(embedders: Vec<EmbedderRecord>) -> Option<EmbedderRecord> {
    embedders.into_iter().find(|it| it.state == EmbedderState::Active)
}

/// Message and part of each of a message's passages.
fn passage_places(message: &Embeddable) -> impl Iterator<Item = (u32, u32)> {
    let seq = message.seq;
    (0..).map(move |part| (seq, part))
}

async fn passage_vectors(
    provider: &EmbedderProvider,
    passages: Vec<((u32, u32), String)>,
) -> Result<Vec<NewVector>> {
    let (places, texts): (Vec<_>, Vec<_>) = passages.into_iter().unzip();
    let vectors = provider.embed(texts).await?;
    let vector = |((seq, part), vector)| NewVector { seq, part, vector };
    Ok(places.into_iter().zip(vectors).map(vector).collect())
}

fn message_passages(message: &Embeddable) -> Vec<String> {
    let turn = |role: Role, speaker, text| {
        let named = role.as_str() != speaker;
        PassageTurn { speaker: named.then_some(speaker), text }
    };
    let leant_on = |before: &&PreviousMessage| leans_on(&before.speaker, &message.speaker, &message.text);
    let before = message.before.as_ref().filter(leant_on);
    let before = before.map(|before| turn(before.role, &before.speaker, &before.text));
    let text = match message.role {
        Role::Tool => searched_output(&message.text),
        Role::User | Role::Assistant | Role::System => Cow::Borrowed(message.text.as_str()),
    };
    passages(turn(message.role, &message.speaker, &text), before)
}
