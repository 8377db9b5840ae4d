//! How long it takes to decide what an exchange becomes, beside many memories. The memories are formed from invented
//! statements with vectors from a seed; then exchanges are formed with such vectors and with those of the real embedder.

use crate::{
    corpus::{speaker::InventedSpeaker, synthetic_embedder::SyntheticEmbedder},
    harness::{clock::StoppedClock, percentiles::Percentiles, scratch::scratch_folder},
};
use cairn_domain::{AgentName, Draft, Role};
use cairn_engine::{Agent, EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Messages remembered per batch while memories are made.
const MESSAGES_PER_BATCH: usize = 500;
/// Statements in what the user says, in what the agent says, and sentences in each that state nothing: about 120 tokens, and
/// still more worth keeping than in most exchanges (`cairn eval capture` tells how many memories a message leaves).
const USUAL_EXCHANGE: [(usize, usize); 2] = [(2, 3), (1, 3)];
/// The same with nothing but statements.
const DENSE_EXCHANGE: [(usize, usize); 2] = [(4, 0), (4, 0)];
/// Exchanges formed before any is measured.
const WARMUP_EXCHANGES: usize = 5;

/// The figures of a measurement.
pub struct FormingFigures {
    memories: u64,
    /// Messages formed in a second while the memories were made.
    rate: f64,
    /// Exchanges as people have them.
    without_embedding: ExchangeTimes,
    with_embedding: Option<ExchangeTimes>,
    /// Exchanges of statements only, without embedding.
    dense: ExchangeTimes,
}

/// How long exchanges took.
struct ExchangeTimes {
    times: Percentiles,
    /// Processor time of one, on average, in milliseconds: what a busy machine does not change.
    processor: f64,
    /// Memories that were made of one or strengthened by it, on average.
    kept: f64,
}

/// Makes `memories` memories in a scratch agent and forms `exchanges` exchanges beside them.
pub async fn run(
    memories: u64,
    exchanges: usize,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<FormingFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let name: AgentName = "forming".parse()?;
    let real = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
    let quick = real.clone().with_embedder(Arc::new(SyntheticEmbedder::default()));
    let agent = quick.agent(&name, Missing::Create).await?;
    let mut speaker = InventedSpeaker::new(1);
    on_stage(&format!("forming {memories} memories"));
    let (begun, mut formed) = (Instant::now(), 0);
    while agent.stats().await?.counts.memories < memories {
        let drafts: Vec<Draft> = (0..MESSAGES_PER_BATCH).map(|_| speaker.draft(Role::User, 1)).collect();
        agent.remember_all(drafts).await?;
        formed = agent.form(&mut |_| {}).await?.done;
    }
    let rate = f64::from(formed) / begun.elapsed().as_secs_f64();
    on_stage("forming exchanges");
    let without_embedding = form_all(&agent, &mut speaker, &USUAL_EXCHANGE, exchanges).await?;
    let dense = form_all(&agent, &mut speaker, &DENSE_EXCHANGE, exchanges).await?;
    drop(agent);
    let agent = real.agent(&name, Missing::Refuse).await?;
    let with_embedding = if real.embed(vec!["a trial".to_owned()]).await.is_ok() {
        on_stage("the same with the real embedder");
        Some(form_all(&agent, &mut speaker, &USUAL_EXCHANGE, exchanges).await?)
    } else {
        None
    };
    let memories = agent.stats().await?.counts.memories;
    Ok(FormingFigures { memories, rate, without_embedding, with_embedding, dense })
}

/// Forms exchanges one by one: how long each took, and what came of it.
async fn form_all(
    agent: &Agent,
    speaker: &mut InventedSpeaker,
    exchange: &[(usize, usize); 2],
    exchanges: usize,
) -> Result<ExchangeTimes, EngineError> {
    let (mut times, mut kept) = (Vec::with_capacity(exchanges), 0);
    let mut processor = Duration::ZERO;
    for at in 0..WARMUP_EXCHANGES + exchanges {
        let said = [Role::User, Role::Assistant].into_iter().zip(exchange);
        let drafts = said.map(|(role, (statements, talk))| speaker.talk(role, *statements, *talk)).collect();
        let messages = agent.remember_all(drafts).await?;
        let (begun, before) = (Instant::now(), processor_time());
        agent.form(&mut |_| {}).await?;
        let (took, worked) = (begun.elapsed(), processor_time().saturating_sub(before));
        if at >= WARMUP_EXCHANGES {
            times.push(took);
            processor += worked;
            for message in messages {
                // What was decided when it was formed.
                let decisions = agent.form_message(message.message).await?.decisions;
                kept += decisions.iter().filter(|decision| decision.memory.is_some()).count();
            }
        }
    }
    let of_one = |all: f64| all / exchanges.max(1) as f64;
    let (processor, kept) = (of_one(processor.as_secs_f64() * 1e3), of_one(kept as f64));
    Ok(ExchangeTimes { times: Percentiles::of(times), processor, kept })
}

/// Processor time used by all threads of this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

impl ExchangeTimes {
    fn show(&self) -> String {
        let Self { times, processor, kept } = self;
        format!("{}; processor {processor:.2} ms; {kept:.1} memories", times.show())
    }

    fn to_json(&self) -> Value {
        let mut json = self.times.to_json();
        json["processor_ms"] = json!(self.processor);
        json["memories"] = json!(self.kept);
        json
    }
}

impl FormingFigures {
    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("memories".to_owned(), self.memories.to_string()),
            ("made at".to_owned(), format!("{:.0} messages/s, vectors from a seed", self.rate)),
            ("forming an exchange, without embedding".to_owned(), self.without_embedding.show()),
        ];
        if let Some(times) = &self.with_embedding {
            rows.push(("forming an exchange, with its embedding".to_owned(), times.show()));
        }
        rows.push(("forming eight statements, without embedding".to_owned(), self.dense.show()));
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({"memories": self.memories, "messages_per_second": self.rate,
               "without_embedding": self.without_embedding.to_json(),
               "with_embedding": self.with_embedding.as_ref().map(ExchangeTimes::to_json),
               "dense_without_embedding": self.dense.to_json()})
    }
}
