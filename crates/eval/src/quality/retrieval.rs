//! Retrieval: each conversation becomes a fresh agent, each question is asked once, and the share of its evidence among
//! the hits is counted. Categories and evidence are never shown to the engine. Plain BM25 and plain cosine answer the
//! same questions in the same run.

use super::figures::{RetrievalFigures, distinct};
use crate::{
    corpus::dataset::{DatasetConversation, DatasetMessage, DatasetQuestion},
    harness::{
        clock::StoppedClock,
        percentiles::Percentiles,
        scan_comparison::{SCANNED, ScanComparison},
        scratch::scratch_folder,
    },
};
use cairn_cognition::cosine::cosine;
use cairn_domain::AgentName;
use cairn_engine::{Agent, Effects, EngineError, Found, Fusion, Home, Missing, Profile};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

/// Hits asked for: what a user gets.
const HITS: usize = 10;

/// The settings of a measurement.
pub struct RetrievalPlan {
    /// The ranking.
    pub profile: Profile,
    /// Other rankings to measure beside it and plain BM25, with their names.
    pub beside: Vec<(String, Profile)>,
}

/// How one way of answering did.
pub struct Method {
    /// Its name in the report.
    pub name: String,
    /// Over all questions.
    pub all: RetrievalFigures,
    /// By category.
    pub categories: BTreeMap<String, RetrievalFigures>,
}

/// The figures of a measurement: Cairn first, then the methods it is compared with.
pub struct RetrievalReport {
    /// Each way of answering.
    pub methods: Vec<Method>,
    latency: Percentiles,
    /// Share of the exactly nearest messages that the quick scan finds, in percent.
    scan: Option<f64>,
}

impl Method {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), all: RetrievalFigures::default(), categories: BTreeMap::new() }
    }

    fn add(&mut self, question: &DatasetQuestion, hits: &[String], sessions: &HashMap<String, String>) {
        let category = self.categories.entry(question.category.clone()).or_default();
        for figures in [&mut self.all, category] {
            figures.add(&question.evidence, hits, sessions);
        }
    }

    fn mean(self) -> Self {
        let categories = self.categories.into_iter().map(|(name, figures)| (name, figures.mean()));
        Self { name: self.name, all: self.all.mean(), categories: categories.collect() }
    }

    fn to_json(&self) -> Value {
        let categories: BTreeMap<&String, Value> =
            self.categories.iter().map(|(name, figures)| (name, figures.to_json())).collect();
        json!({"all": self.all.to_json(), "categories": categories})
    }
}

impl RetrievalReport {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let mut value = self.methods.first().map_or_else(|| json!({}), Method::to_json);
        let methods: BTreeMap<&str, Value> =
            self.methods.iter().map(|method| (method.name.as_str(), method.all.to_json())).collect();
        value["methods"] = json!(methods);
        value["p50_ms"] = json!(self.latency.p50);
        value["p95_ms"] = json!(self.latency.p95);
        value["scan_recall_at_10"] = json!(self.scan);
        value
    }

    /// For a table: name and figures; Cairn by category, then over all questions, then what it is compared with.
    pub fn rows(&self) -> Vec<(String, RetrievalFigures)> {
        let categories = self.methods.first().map(|method| &method.categories);
        let by_category = categories.into_iter().flatten().map(|(name, figures)| (name.clone(), *figures));
        let methods = self.methods.iter().map(|method| (method.name.clone(), method.all));
        by_category.chain(methods).collect()
    }

    /// How long an answer took, and how good the quick scan is.
    pub fn latency(&self) -> String {
        let scan = self.scan.map_or(String::new(), |scan| {
            format!("; the quick scan finds {scan:.2} % of the exactly nearest {SCANNED}")
        });
        format!("an answer takes p50 {:.2} ms, p95 {:.2} ms{scan}", self.latency.p50, self.latency.p95)
    }
}

/// Every way of answering by a ranking, with its name: the measured one first.
fn rankings(plan: &RetrievalPlan) -> Vec<(String, Profile)> {
    let words = Profile { fusion: Fusion::Sum, dense: 0.0, ..Profile::seed() };
    let only_words = Profile { recency: 0.0, relevance: 1.0, ..words };
    let first = [("cairn", plan.profile), ("plain BM25", only_words)];
    first
        .map(|(name, profile)| (name.to_owned(), profile))
        .into_iter()
        .chain(plan.beside.iter().cloned())
        .collect()
}

/// A ranking without each of its parts, with their names.
pub fn ablations(profile: Profile) -> Vec<(String, Profile)> {
    let ablations = [
        ("without meaning", Profile { dense: 0.0, ..profile }),
        ("without words", Profile { lexical: 0.0, ..profile }),
        ("without neighbours", Profile { neighbour: 0.0, second_neighbour: 0.0, ..profile }),
        ("long turns lend too", Profile { neighbour_terms: 1e9, ..profile }),
        ("without times", Profile { time: 0.0, ..profile }),
        ("without the graph", Profile { graph: 0.0, ..profile }),
        ("asked in parts too", Profile { decompose: true, ..profile }),
        ("with answers imagined", Profile { hyde: true, ..profile }),
        ("without sessions", Profile { session: 0.0, ..profile }),
        ("without memories", Profile { kept: 0.0, remembered: 0.0, standing: 0.0, ..profile }),
        ("without being kept", Profile { kept: 0.0, ..profile }),
        ("without what was kept", Profile { remembered: 0.0, ..profile }),
        ("without standing wishes", Profile { standing: 0.0, ..profile }),
        ("without breadth", Profile { broad_after: 0, ..profile }),
        ("answers that differ", Profile { relevance: 0.7, ..profile }),
        ("without whose words", Profile { own_words: 0.0, ..profile }),
        ("without named speakers", Profile { named_speaker: 0.0, ..profile }),
        ("best part of a message", Profile { later_part: 0.0, ..profile }),
        ("without steps of runs", Profile { run: 0.0, ..profile }),
        ("without reading rivals", Profile { rivals: 0, ..profile }),
        ("reciprocal ranks (seed)", Profile::seed()),
    ];
    ablations.map(|(name, profile)| (name.to_owned(), profile)).into()
}

/// The totals over the questions so far.
struct Tally {
    methods: Vec<Method>,
    cosine: Option<Method>,
    times: Vec<Duration>,
    scans: ScanComparison,
}

/// Asks every question of every conversation, each conversation in an agent of its own, in a folder beside `home` that is
/// removed afterwards.
pub async fn run(
    conversations: &[DatasetConversation],
    home: &Home,
    plan: &RetrievalPlan,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<RetrievalReport, EngineError> {
    let folder = scratch_folder(home.path())?;
    let place = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
    let rankings = rankings(plan);
    let methods = rankings.iter().map(|(name, _)| Method::new(name)).collect();
    let mut tally = Tally { methods, cosine: None, times: Vec::new(), scans: ScanComparison::default() };
    for (i, conversation) in conversations.iter().enumerate() {
        let name: AgentName = format!("conversation-{i}").parse()?;
        let agent = place.agent(&name, Missing::Create).await?;
        agent.remember_all(conversation.messages.iter().map(DatasetMessage::draft).collect()).await?;
        let stage = |what: &str| format!("{what} conversation {} of {}", i + 1, conversations.len());
        on_stage(&stage("embedding"));
        let vectors = match agent.embed(&mut |_| {}).await {
            Ok(_) => Some(plain_vectors(&place, conversation).await?),
            Err(error) => {
                on_stage(&format!("by keywords only: {error}"));
                None
            }
        };
        on_stage(&stage("forming"));
        agent.form(&mut |_| {}).await?;
        on_stage(&stage("asking about"));
        ask_all(&agent, &place, conversation, &rankings, vectors.as_deref(), &mut tally).await?;
    }
    let Tally { mut methods, cosine, times, scans } = tally;
    let at = methods.len().min(2);
    methods.splice(at..at, cosine);
    let scan = scans.recall().map(|share| 100.0 * share);
    let methods = methods.into_iter().map(Method::mean).collect();
    Ok(RetrievalReport { methods, latency: Percentiles::of(times), scan })
}

async fn ask_all(
    agent: &Agent,
    home: &Home,
    conversation: &DatasetConversation,
    rankings: &[(String, Profile)],
    vectors: Option<&[Vec<f32>]>,
    tally: &mut Tally,
) -> Result<(), EngineError> {
    let session = |message: &DatasetMessage| (message.id.clone(), message.session.clone());
    let sessions: HashMap<String, String> = conversation.messages.iter().map(session).collect();
    for question in &conversation.questions {
        for (i, (_, profile)) in rankings.iter().enumerate() {
            let (hits, time) = ask(agent, question, profile).await?;
            tally.methods[i].add(question, &hits, &sessions);
            if i == 0 {
                tally.times.push(time);
            }
        }
        if let Some(vectors) = vectors {
            let hits = by_cosine(home, conversation, vectors, &question.question).await?;
            let cosine = tally.cosine.get_or_insert_with(|| Method::new("plain cosine"));
            cosine.add(question, &hits, &sessions);
            tally.scans.compare(agent, &question.question).await?;
        }
    }
    Ok(())
}

/// The callers' ids of the hits, best first.
async fn ask(
    agent: &Agent,
    question: &DatasetQuestion,
    profile: &Profile,
) -> Result<(Vec<String>, Duration), EngineError> {
    let asked = cairn_engine::Question {
        k: HITS,
        profile: *profile,
        ..cairn_engine::Question::new(question.question.clone())
    };
    let begun = Instant::now();
    let recall = agent.answer(asked, Effects::None).await?;
    let time = begun.elapsed();
    let ids = recall.hits.iter().filter_map(|hit| first_source(&hit.found).map(str::to_owned));
    Ok((distinct(ids), time))
}

/// The caller's id of the message that a hit is, or best rests on.
pub(crate) fn first_source(found: &Found) -> Option<&str> {
    let message = match found {
        Found::Message(record) => Some(record),
        Found::Memory(_, sources) | Found::Digest(_, sources) => sources.first(),
        Found::Belief(_) | Found::Attachment(_) | Found::Shared(_) => None,
    };
    message?.message.source_id.as_deref()
}

/// One vector a message, from its words alone.
async fn plain_vectors(
    home: &Home,
    conversation: &DatasetConversation,
) -> Result<Vec<Vec<f32>>, EngineError> {
    home.embed(conversation.messages.iter().map(|message| message.text.clone()).collect()).await
}

/// The messages nearest to a question by cosine, each compared.
async fn by_cosine(
    home: &Home,
    conversation: &DatasetConversation,
    vectors: &[Vec<f32>],
    question: &str,
) -> Result<Vec<String>, EngineError> {
    let asked = home.embed(vec![question.to_owned()]).await?.pop().unwrap_or_default();
    let mut nearest: Vec<(f32, &String)> = vectors
        .iter()
        .zip(&conversation.messages)
        .map(|(vector, m)| (cosine(vector, &asked), &m.id))
        .collect();
    nearest.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(distinct(nearest.into_iter().take(HITS).map(|(_, id)| id.clone())))
}
