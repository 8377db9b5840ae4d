//! Speed on a synthetic life: what a person waits for, and what it takes on disk and in memory.

use crate::{
    Still,
    dreaming::form,
    forming::Speaker,
    life::Life,
    synthetic::Synthetic,
    vectors::{self, VectorFigures},
};
use cairn_domain::{AgentName, Draft};
use cairn_engine::{Agent, EngineError, Home, IngestEvent, Missing, Question};
use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

/// Messages after which the acknowledgement is measured for the first time.
const EARLY: usize = 5_000;
/// Processes started to see how long one takes.
const COLD_STARTS: usize = 5;
/// Acknowledgements measured each time: so many that two hundred lie above the p95, since the ratio of two of them is told.
const ACKNOWLEDGEMENTS: usize = 4_000;
/// Before them, not counted: a thread that looks for secrets for the first time builds its automaton while it reads.
const WARMING: usize = 500;
/// How long nobody writes before that.
const AT_REST: Duration = Duration::from_secs(1);

/// What to measure.
pub struct Plan {
    /// Messages in the life.
    pub messages: usize,
    /// Memories beside them.
    pub memories: u64,
    /// Questions asked.
    pub questions: usize,
    /// Which life.
    pub seed: u64,
    /// Where vectors come from.
    pub vectors: Vectors,
    /// The program that a cold start runs: `PROGRAM --home HOME --agent AGENT recall QUESTION`.
    pub program: Option<PathBuf>,
}

/// Where vectors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// Nowhere: keywords only.
    None,
    /// A seed.
    Synthetic,
    /// The configured embedder.
    Real,
}

/// What was measured. Times in milliseconds.
pub struct Figures {
    messages: usize,
    memories: u64,
    ingest_per_second: f64,
    early: Acknowledged,
    late: Acknowledged,
    recall: Percentiles,
    vectors: Option<VectorFigures>,
    open_and_first_recall: f64,
    cold_process: Option<f64>,
    disk_bytes_per_message: f64,
    text_bytes_per_message: f64,
    resident_mib: f64,
}

/// The acknowledgement of one message beside a bare append and fsync of the same bytes.
struct Acknowledged {
    messages: usize,
    acknowledge: Percentiles,
    bare: Percentiles,
}

/// Percentiles of times, in milliseconds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    p99: f64,
    pub(crate) max: f64,
}

impl Percentiles {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let place = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len().max(1)) - 1;
            times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Self { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: at(1.0) }
    }

    pub(crate) fn show(&self) -> String {
        format!("p50 {:.3} ms, p95 {:.3} ms, p99 {:.3} ms", self.p50, self.p95, self.p99)
    }

    pub(crate) fn to_json(self) -> Value {
        json!({"p50_ms": self.p50, "p95_ms": self.p95, "p99_ms": self.p99})
    }
}

impl Acknowledged {
    fn ratio(&self) -> f64 {
        self.acknowledge.p95 / self.bare.p95
    }
}

impl Figures {
    /// For a table.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("messages".to_owned(), self.messages.to_string()),
            ("memories".to_owned(), self.memories.to_string()),
            ("ingest".to_owned(), format!("{:.0} messages/s", self.ingest_per_second)),
        ];
        for at in [&self.early, &self.late] {
            rows.push((format!("acknowledge one, at {}", at.messages), at.acknowledge.show()));
            rows.push(("  bare append + fsync".to_owned(), at.bare.show()));
            rows.push(("  ratio of p95".to_owned(), format!("{:.2}", at.ratio())));
        }
        rows.extend([("keyword recall".to_owned(), self.recall.show())]);
        rows.extend(self.vectors.iter().flat_map(VectorFigures::rows));
        rows.push(("open and first recall".to_owned(), format!("{:.1} ms", self.open_and_first_recall)));
        if let Some(cold) = self.cold_process {
            rows.push(("one cold recall process".to_owned(), format!("{cold:.1} ms")));
        }
        rows.extend([
            ("disk per message".to_owned(), format!("{:.0} bytes", self.disk_bytes_per_message)),
            ("  text per message".to_owned(), format!("{:.0} bytes", self.text_bytes_per_message)),
            ("resident memory".to_owned(), format!("{:.0} MiB", self.resident_mib)),
        ]);
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let acknowledged = |at: &Acknowledged| {
            json!({"messages": at.messages, "acknowledge": at.acknowledge.to_json(), "bare": at.bare.to_json(),
                   "p95_ratio": at.ratio()})
        };
        json!({
            "messages": self.messages, "memories": self.memories, "ingest_per_second": self.ingest_per_second,
            "acknowledge_early": acknowledged(&self.early), "acknowledge_late": acknowledged(&self.late),
            "keyword_recall": self.recall.to_json(), "vectors": self.vectors.as_ref().map(VectorFigures::to_json),
            "cold_recall_process_ms": self.cold_process, "open_and_first_recall_ms": self.open_and_first_recall,
            "disk_bytes_per_message": self.disk_bytes_per_message,
            "text_bytes_per_message": self.text_bytes_per_message, "resident_mib": self.resident_mib,
        })
    }
}

/// Measures, in a folder beside the agents of `home` that is removed afterwards.
pub async fn run(
    plan: &Plan,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<Figures, EngineError> {
    let folder = crate::folder_beside(home.path())?;
    let name: AgentName = "life".parse()?;
    let home = home.elsewhere(folder.path(), Arc::new(Still))?;
    let mut life = Life::new(plan.seed);
    if plan.memories > 0 {
        on_stage(&format!("forming {} memories", plan.memories));
        tell(&home, &name, &mut life, plan).await?;
    }
    let agent = home.agent(&name, Missing::Create).await?;

    let early_messages = plan.messages.min(EARLY);
    on_stage(&format!("ingesting {} messages", plan.messages));
    let (mut seconds, mut text_bytes) = ingest(&agent, &mut life, early_messages).await?;
    let early = acknowledge(&agent, &mut life, folder.path(), early_messages).await?;
    let (more_seconds, more_bytes) = ingest(&agent, &mut life, plan.messages - early_messages).await?;
    seconds += more_seconds;
    text_bytes += more_bytes;
    on_stage("acknowledging one by one");
    let late = acknowledge(&agent, &mut life, folder.path(), plan.messages).await?;
    drop(agent);

    settled();
    on_stage("asking");
    // By words alone, also where memories have vectors.
    let by_words = home.clone().without_models();
    let begun = Instant::now();
    let agent = by_words.agent(&name, Missing::Refuse).await?;
    ask(&agent, life.question()).await?;
    let mut open_and_first_recall = begun.elapsed().as_secs_f64() * 1e3;
    let recall = ask_all(&agent, &mut life, plan.questions).await?;
    let vectors = match plan.vectors {
        Vectors::None => None,
        kind => {
            let figures = vectors::measure(&home, &name, &mut life, plan.questions, kind, on_stage).await?;
            open_and_first_recall = figures.open_and_first_recall;
            Some(figures)
        }
    };
    let stats = agent.stats().await?;
    drop(agent);
    let cold_process =
        plan.program.as_deref().and_then(|program| cold(program, &home, &name, &life.question()));
    Ok(Figures {
        messages: plan.messages,
        memories: stats.counts.memories,
        ingest_per_second: plan.messages as f64 / seconds.as_secs_f64(),
        early,
        late,
        recall,
        vectors,
        open_and_first_recall,
        cold_process,
        disk_bytes_per_message: stats.disk_bytes as f64 / stats.counts.messages as f64,
        text_bytes_per_message: text_bytes as f64 / plan.messages as f64,
        resident_mib: resident_mib(),
    })
}

/// Makes memories of what somebody tells; every second question is about that from now on.
async fn tell(home: &Home, name: &AgentName, life: &mut Life, plan: &Plan) -> Result<(), EngineError> {
    let home = match plan.vectors {
        Vectors::Synthetic => home.clone().with_embedder(Arc::new(Synthetic::default())),
        Vectors::None | Vectors::Real => home.clone(),
    };
    let agent = home.agent(name, Missing::Create).await?;
    let mut teller = Speaker::new(plan.seed);
    form(&agent, &mut teller, plan.memories).await?;
    life.asks_also(teller);
    Ok(())
}

/// Ingests the next `count` messages as a transcript; how long it took, and how many bytes of text they had.
pub(crate) async fn ingest(
    agent: &Agent,
    life: &mut Life,
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

/// Acknowledges messages one by one, each beside a bare append and fsync of as many bytes.
async fn acknowledge(
    agent: &Agent,
    life: &mut Life,
    folder: &Path,
    messages: usize,
) -> Result<Acknowledged, EngineError> {
    let path = folder.join("bare");
    let failed = |error| EngineError::File { doing: "write", path: path.clone(), source: error };
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
    // What was written before is tidied once nobody writes.
    tokio::time::sleep(AT_REST).await;
    settled();
    let (mut kept, mut bare) = (Vec::new(), Vec::new());
    for draft in life.take(WARMING + ACKNOWLEDGEMENTS) {
        let bytes = vec![b'x'; draft.text.len() + 200];
        bare.push(bare_append(&mut file, &bytes).map_err(failed)?);
        kept.push(remember(agent, draft).await?);
    }
    let [kept, bare] = [kept, bare].map(|times| Percentiles::of(times[WARMING..].to_vec()));
    Ok(Acknowledged { messages, acknowledge: kept, bare })
}

/// Returns when everything is on the disk, so that what was written before is not written back while something else is
/// measured. No file is opened for that: closing one of a database would let go of the locks that this process has on it, and
/// another process would take what is mapped here from under its feet.
pub(crate) fn settled() {
    rustix::fs::sync();
}

fn bare_append(file: &mut File, bytes: &[u8]) -> io::Result<Duration> {
    let begun = Instant::now();
    file.write_all(bytes)?;
    file.sync_data()?;
    Ok(begun.elapsed())
}

async fn remember(agent: &Agent, draft: Draft) -> Result<Duration, EngineError> {
    let begun = Instant::now();
    agent.remember(draft).await?;
    Ok(begun.elapsed())
}

/// Asks questions one after another.
pub(crate) async fn ask_all(
    agent: &Agent,
    life: &mut Life,
    questions: usize,
) -> Result<Percentiles, EngineError> {
    let mut times = Vec::with_capacity(questions);
    for _ in 0..questions {
        times.push(ask(agent, life.question()).await?);
    }
    Ok(Percentiles::of(times))
}

/// How long a fresh process takes for one question, in milliseconds: the median of a few.
fn cold(program: &Path, home: &Home, name: &AgentName, question: &str) -> Option<f64> {
    let mut times = Vec::new();
    for _ in 0..COLD_STARTS {
        let mut command = Command::new(program);
        command
            .args(["--json", "--agent", name.as_str(), "--home"])
            .arg(home.path())
            .args(["recall", question]);
        if let Some(server) = home.server() {
            command.env("CAIRN_DATABASE_URL", server.url());
        }
        let begun = Instant::now();
        let output = command.output().ok()?;
        output.status.success().then_some(())?;
        times.push(begun.elapsed());
    }
    Some(Percentiles::of(times).p50)
}

pub(crate) async fn ask(agent: &Agent, question: String) -> Result<Duration, EngineError> {
    let question = Question { profile: agent.config().recall, ..Question::new(question) };
    let begun = Instant::now();
    agent.recall(question).await?;
    Ok(begun.elapsed())
}

/// Resident memory of this process, where the system tells.
pub(crate) fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
