//! The workload of a measurement: ingest, form memories, ask.

use super::percentiles::Percentiles;
use crate::corpus::{speaker::InventedSpeaker, synthetic_life::SyntheticLife};
use cairn_domain::{Draft, Role};
use cairn_engine::{Agent, Effects, EngineError, IngestEvent, Question};
use serde_json::json;
use std::{
    io::{self, Read},
    time::{Duration, Instant},
};

/// Messages remembered per batch while memories are made.
const MESSAGES_PER_BATCH: usize = 500;

/// Ingests the next `count` messages as a transcript; how long it took, and how many bytes of text they had.
pub(crate) async fn ingest(
    agent: &Agent,
    life: &mut SyntheticLife,
    count: usize,
) -> Result<(Duration, u64), EngineError> {
    let mut transcript = Vec::new();
    let mut text_bytes = 0;
    for draft in life.take(count) {
        text_bytes += draft.text.len() as u64;
        let record = json!({"id": draft.source_id, "session": draft.session, "thread": draft.thread, "role": draft.role,
                          "at": draft.at, "text": draft.text});
        transcript.extend_from_slice(format!("{record}\n").as_bytes());
    }
    let input: Box<dyn Read + Send> = Box::new(io::Cursor::new(transcript));
    let begun = Instant::now();
    agent.ingest(input, "life", "life".as_ref(), None, &mut |_: IngestEvent<'_>| {}).await?;
    Ok((begun.elapsed(), text_bytes))
}

/// Lets the speaker talk until there are `memories` memories; returns how many there are.
pub(crate) async fn form_memories(
    agent: &Agent,
    speaker: &mut InventedSpeaker,
    memories: u64,
) -> Result<u64, EngineError> {
    loop {
        let known = agent.stats().await?.counts.memories;
        if known >= memories {
            return Ok(known);
        }
        let drafts: Vec<Draft> = (0..MESSAGES_PER_BATCH).map(|_| speaker.draft(Role::User, 1)).collect();
        agent.remember_all(drafts).await?;
        agent.form(&mut |_| {}).await?;
    }
}

/// Asks questions one after another.
pub(crate) async fn ask_all(
    agent: &Agent,
    life: &mut SyntheticLife,
    questions: usize,
) -> Result<Percentiles, EngineError> {
    let mut times = Vec::with_capacity(questions);
    for _ in 0..questions {
        times.push(ask(agent, life.question()).await?);
    }
    Ok(Percentiles::of(times))
}

pub(crate) async fn ask(agent: &Agent, question: String) -> Result<Duration, EngineError> {
    let question = Question { profile: agent.config().recall, ..Question::new(question) };
    let begun = Instant::now();
    agent.answer(question, Effects::None).await?;
    Ok(begun.elapsed())
}
