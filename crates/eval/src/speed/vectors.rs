//! The dense lane's speed: how quickly vectors are made beside what the bare embedder does, how long a message waits for
//! its own, how long a question takes with and without being embedded.

use crate::{
    corpus::{synthetic_embedder::SyntheticEmbedder, synthetic_life::SyntheticLife},
    harness::{
        percentiles::Percentiles,
        scan_comparison::{SCANNED, ScanComparison},
        system::sync_disks,
        workload::{ask, ask_all},
    },
};
use cairn_domain::AgentName;
use cairn_engine::{Agent, EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};

/// Messages whose passages the bare embedder is given.
const BARE: u32 = 512;
/// Messages written one by one to see how long each waits for its vector.
const LAGS: usize = 50;
/// Questions for which the quick scan is compared with the exact one.
const SCANS: usize = 50;

/// Where vectors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorSource {
    /// Nowhere: keywords only.
    None,
    /// A seed.
    Synthetic,
    /// The configured embedder.
    Real,
}

/// The figures of the dense lane. Times are in milliseconds.
pub(crate) struct VectorFigures {
    embedded_per_second: f64,
    /// Of the real embedder alone; a synthetic one has no speed worth comparing with.
    bare_per_second: Option<f64>,
    lag: Percentiles,
    recall: Percentiles,
    recall_with_embedding: Option<Percentiles>,
    scan_recall: f64,
    pub(crate) open_and_first_recall: f64,
}

impl VectorFigures {
    pub(crate) fn rows(&self) -> Vec<(String, String)> {
        let rate = |rate: f64| format!("{rate:.0} messages/s");
        let mut rows = vec![("embedding".to_owned(), rate(self.embedded_per_second))];
        if let Some(bare) = self.bare_per_second {
            rows.push(("  bare embedder, the same passages".to_owned(), rate(bare)));
            rows.push(("  ratio".to_owned(), format!("{:.2}", self.embedded_per_second / bare)));
        }
        rows.extend([
            ("from written to found by meaning".to_owned(), self.lag.show()),
            ("recall, question not embedded".to_owned(), self.recall.show()),
        ]);
        if let Some(recall) = &self.recall_with_embedding {
            rows.push(("recall, question embedded".to_owned(), recall.show()));
        }
        let scan = format!("{:.2} % of the exactly nearest {SCANNED}", 100.0 * self.scan_recall);
        rows.push(("quick scan finds".to_owned(), scan));
        rows
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "embedded_per_second": self.embedded_per_second, "bare_per_second": self.bare_per_second,
            "lag": self.lag.to_json(), "recall": self.recall.to_json(),
            "recall_with_query_embedding": self.recall_with_embedding.map(Percentiles::to_json),
            "scan_recall_at_10": self.scan_recall,
        })
    }
}

/// Gives every message of the agent its vectors and measures.
pub(crate) async fn measure(
    home: &Home,
    name: &AgentName,
    life: &mut SyntheticLife,
    questions: usize,
    kind: VectorSource,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<VectorFigures, EngineError> {
    let quick = match kind {
        VectorSource::Synthetic => home.clone().with_embedder(Arc::new(SyntheticEmbedder::default())),
        VectorSource::None | VectorSource::Real => home.clone(),
    };
    on_stage("embedding");
    let agent = quick.agent(name, Missing::Refuse).await?;
    quick.embed(vec!["warm up".to_owned()]).await?;
    let begun = Instant::now();
    let messages = agent.embed(&mut |_| {}).await?.messages;
    let embedded_per_second = f64::from(messages) / begun.elapsed().as_secs_f64();
    let bare_per_second = match kind {
        VectorSource::Real => Some(bare_rate(&quick, &agent, messages.min(BARE)).await?),
        VectorSource::Synthetic | VectorSource::None => None,
    };
    on_stage("writing one by one and waiting for its vector");
    let mut lags = Vec::with_capacity(LAGS);
    for draft in life.take(LAGS) {
        let begun = Instant::now();
        agent.remember(draft).await?;
        agent.embed(&mut |_| {}).await?;
        lags.push(begun.elapsed());
    }
    drop(agent);
    sync_disks();
    on_stage("asking by meaning");
    let begun = Instant::now();
    let agent = quick.agent(name, Missing::Refuse).await?;
    ask(&agent, life.question()).await?;
    let open_and_first_recall = begun.elapsed().as_secs_f64() * 1e3;
    let recall = match kind {
        // The same question again is not embedded again.
        VectorSource::Real => ask_twice(&agent, life, questions).await?,
        VectorSource::Synthetic | VectorSource::None => ask_all(&agent, life, questions).await?,
    };
    let scan_recall = scan_recall(&agent, life).await?;
    let recall_with_embedding = with_embedding(home, name, life, questions).await?;
    let lag = Percentiles::of(lags);
    Ok(VectorFigures {
        embedded_per_second,
        bare_per_second,
        lag,
        recall,
        recall_with_embedding,
        scan_recall,
        open_and_first_recall,
    })
}

/// Messages a second that the bare embedder does, given the passages of the first `messages`.
async fn bare_rate(home: &Home, agent: &Agent, messages: u32) -> Result<f64, EngineError> {
    let passages = agent.passages(0, messages).await?;
    let begun = Instant::now();
    for batch in passages.chunks(64) {
        home.embed(batch.to_vec()).await?;
    }
    Ok(f64::from(messages) / begun.elapsed().as_secs_f64())
}

async fn ask_twice(
    agent: &Agent,
    life: &mut SyntheticLife,
    questions: usize,
) -> Result<Percentiles, EngineError> {
    let mut times = Vec::with_capacity(questions);
    for _ in 0..questions {
        let question = life.question();
        ask(agent, question.clone()).await?;
        times.push(ask(agent, question).await?);
    }
    Ok(Percentiles::of(times))
}

/// Share of the exactly nearest messages that the quick scan finds.
async fn scan_recall(agent: &Agent, life: &mut SyntheticLife) -> Result<f64, EngineError> {
    let mut scans = ScanComparison::default();
    for _ in 0..SCANS {
        scans.compare(agent, &life.question()).await?;
    }
    Ok(scans.recall().unwrap_or_default())
}

/// The same with the real embedder for the question, where it is installed.
async fn with_embedding(
    home: &Home,
    name: &AgentName,
    life: &mut SyntheticLife,
    questions: usize,
) -> Result<Option<Percentiles>, EngineError> {
    if home.embed(vec!["is anybody there?".to_owned()]).await.is_err() {
        return Ok(None);
    }
    let agent = home.agent(name, Missing::Refuse).await?;
    ask(&agent, life.question()).await?;
    Ok(Some(ask_all(&agent, life, questions).await?))
}
