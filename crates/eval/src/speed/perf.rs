//! Speed on a synthetic life: what a person waits for, and what it takes on disk and in memory.

pub use super::vectors::VectorSource;
use super::vectors::{self, VectorFigures};
use crate::{
    corpus::{
        speaker::InventedSpeaker, synthetic_embedder::SyntheticEmbedder, synthetic_life::SyntheticLife,
    },
    harness::{
        clock::StoppedClock,
        percentiles::Percentiles,
        scratch::scratch_folder,
        system::{resident_mib, sync_disks},
        workload::{ask, ask_all, form_memories, ingest},
    },
};
use cairn_domain::{AgentName, Draft};
use cairn_engine::{Agent, EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

/// Messages after which the acknowledgement is measured for the first time.
const EARLY_MESSAGES: usize = 5_000;
/// Processes started to see how long one takes.
const COLD_STARTS: usize = 5;
/// Acknowledgements measured each time: so many that two hundred lie above the p95, since the ratio of two of them is told.
const MEASURED_ACKNOWLEDGEMENTS: usize = 4_000;
/// Before them, not counted: a thread that looks for secrets for the first time builds its automaton while it reads.
const WARMUP_ACKNOWLEDGEMENTS: usize = 500;
/// How long nobody writes before that.
const QUIET_FOR: Duration = Duration::from_secs(1);

/// The settings of a measurement.
pub struct PerfPlan {
    /// Messages in the life.
    pub messages: usize,
    /// Memories beside them.
    pub memories: u64,
    /// Questions asked.
    pub questions: usize,
    /// Which life.
    pub seed: u64,
    /// Where vectors come from.
    pub vectors: VectorSource,
    /// The program that a cold start runs: `PROGRAM --home HOME --agent AGENT recall QUESTION`.
    pub program: Option<PathBuf>,
}

/// The figures of a measurement. Times are in milliseconds.
pub struct PerfFigures {
    messages: usize,
    memories: u64,
    ingest_per_second: f64,
    early: AcknowledgeTimes,
    late: AcknowledgeTimes,
    recall: Percentiles,
    vectors: Option<VectorFigures>,
    open_and_first_recall: f64,
    cold_process: Option<f64>,
    disk_bytes_per_message: f64,
    text_bytes_per_message: f64,
    resident_mib: f64,
}

/// The acknowledgement of one message beside a bare append and fsync of the same bytes.
struct AcknowledgeTimes {
    messages: usize,
    acknowledge: Percentiles,
    bare: Percentiles,
}

impl AcknowledgeTimes {
    fn ratio(&self) -> f64 {
        self.acknowledge.p95 / self.bare.p95
    }
}

impl PerfFigures {
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
        let acknowledged = |at: &AcknowledgeTimes| {
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
    plan: &PerfPlan,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<PerfFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let name: AgentName = "life".parse()?;
    let home = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
    let mut life = SyntheticLife::new(plan.seed);
    if plan.memories > 0 {
        on_stage(&format!("forming {} memories", plan.memories));
        form_told_memories(&home, &name, &mut life, plan).await?;
    }
    let agent = home.agent(&name, Missing::Create).await?;

    let early_messages = plan.messages.min(EARLY_MESSAGES);
    on_stage(&format!("ingesting {} messages", plan.messages));
    let (mut seconds, mut text_bytes) = ingest(&agent, &mut life, early_messages).await?;
    let early = acknowledge(&agent, &mut life, folder.path(), early_messages).await?;
    let (more_seconds, more_bytes) = ingest(&agent, &mut life, plan.messages - early_messages).await?;
    seconds += more_seconds;
    text_bytes += more_bytes;
    on_stage("acknowledging one by one");
    let late = acknowledge(&agent, &mut life, folder.path(), plan.messages).await?;
    drop(agent);

    sync_disks();
    on_stage("asking");
    // By words alone, also where memories have vectors.
    let by_words = home.clone().without_models();
    let begun = Instant::now();
    let agent = by_words.agent(&name, Missing::Refuse).await?;
    ask(&agent, life.question()).await?;
    let mut open_and_first_recall = begun.elapsed().as_secs_f64() * 1e3;
    let recall = ask_all(&agent, &mut life, plan.questions).await?;
    let vectors = match plan.vectors {
        VectorSource::None => None,
        kind => {
            let figures = vectors::measure(&home, &name, &mut life, plan.questions, kind, on_stage).await?;
            open_and_first_recall = figures.open_and_first_recall;
            Some(figures)
        }
    };
    let stats = agent.stats().await?;
    drop(agent);
    let cold_process =
        plan.program.as_deref().and_then(|program| cold_recall_ms(program, &home, &name, &life.question()));
    Ok(PerfFigures {
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
async fn form_told_memories(
    home: &Home,
    name: &AgentName,
    life: &mut SyntheticLife,
    plan: &PerfPlan,
) -> Result<(), EngineError> {
    let home = match plan.vectors {
        VectorSource::Synthetic => home.clone().with_embedder(Arc::new(SyntheticEmbedder::default())),
        VectorSource::None | VectorSource::Real => home.clone(),
    };
    let agent = home.agent(name, Missing::Create).await?;
    let mut teller = InventedSpeaker::new(plan.seed);
    form_memories(&agent, &mut teller, plan.memories).await?;
    life.asks_also(teller);
    Ok(())
}

/// Acknowledges messages one by one, each beside a bare append and fsync of as many bytes.
async fn acknowledge(
    agent: &Agent,
    life: &mut SyntheticLife,
    folder: &Path,
    messages: usize,
) -> Result<AcknowledgeTimes, EngineError> {
    let path = folder.join("bare");
    let failed = |error| EngineError::File { doing: "write", path: path.clone(), source: error };
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
    // What was written before is tidied once nobody writes.
    tokio::time::sleep(QUIET_FOR).await;
    sync_disks();
    let (mut kept, mut bare) = (Vec::new(), Vec::new());
    for draft in life.take(WARMUP_ACKNOWLEDGEMENTS + MEASURED_ACKNOWLEDGEMENTS) {
        let bytes = vec![b'x'; draft.text.len() + 200];
        bare.push(bare_append(&mut file, &bytes).map_err(failed)?);
        kept.push(remember(agent, draft).await?);
    }
    let [kept, bare] = [kept, bare].map(|times| Percentiles::of(times[WARMUP_ACKNOWLEDGEMENTS..].to_vec()));
    Ok(AcknowledgeTimes { messages, acknowledge: kept, bare })
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

/// How long a fresh process takes for one question, in milliseconds: the median of a few.
fn cold_recall_ms(program: &Path, home: &Home, name: &AgentName, question: &str) -> Option<f64> {
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
