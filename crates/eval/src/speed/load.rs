//! Many clients at once against the real server, over HTTP: how long each waits, and whether what was acknowledged is
//! there after the server was killed in the middle.

use crate::{
    corpus::{speaker::InventedSpeaker, synthetic_embedder::SyntheticEmbedder},
    harness::{
        clock::TickingClock,
        percentiles::Percentiles,
        scratch::scratch_folder,
        server_process::{ServerProcess, client},
        workload::form_memories,
    },
};
use cairn_domain::AgentName;
use cairn_engine::{EngineError, Home, Missing};
use reqwest::Client;
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// One in this many requests remembers something; the others ask.
const REMEMBER_EVERY: usize = 10;

/// The settings of a measurement.
pub struct LoadPlan {
    /// Clients at once.
    pub clients: usize,
    /// How long they ask.
    pub time: Duration,
    /// Memories there are before they begin.
    pub memories: u64,
    /// Whether the server is killed halfway and started again.
    pub kill: bool,
    /// The program that serves: `PROGRAM --json --home HOME serve --port 0`.
    pub program: PathBuf,
}

/// The figures of a measurement.
pub struct LoadFigures {
    clients: usize,
    memories: u64,
    seconds: f64,
    recall: (usize, Percentiles),
    remember: (usize, Percentiles),
    /// Requests that failed though nobody had killed the server.
    errors: usize,
    /// Writes that were acknowledged, and those of them that were not there afterwards.
    acknowledged: usize,
    lost: Vec<String>,
    /// The most memory that the server held, in mebibytes, where the system tells.
    memory_mib: Option<u64>,
}

/// The results of one client.
#[derive(Default)]
struct ClientResults {
    recalls: Vec<Duration>,
    remembers: Vec<Duration>,
    acknowledged: Vec<String>,
    errors: usize,
}

/// Fills a scratch agent, serves it and lets many ask at once.
pub async fn run(
    plan: &LoadPlan,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<LoadFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let home = home.elsewhere(folder.path(), Arc::new(TickingClock::start()))?;
    let failed = |source| EngineError::File { doing: "serve", path: folder.path().to_owned(), source };
    let config = "[serve]\nrequests_per_second = 1000000\n";
    std::fs::write(folder.path().join("config.toml"), config).map_err(failed)?;
    on_stage(&format!("forming {} memories", plan.memories));
    let memories = fill(&home, plan.memories).await?;
    let mut served = ServerProcess::start(&plan.program, &home).map_err(failed)?;
    on_stage(&format!("{} clients for {} s", plan.clients, plan.time.as_secs()));
    let half = if plan.kill { plan.time / 2 } else { plan.time };
    let begun = Instant::now();
    let url = served.url.clone();
    let mut seen = ask(plan.clients, 0, half, &url, plan.kill.then_some(&mut served)).await;
    if plan.kill {
        on_stage("killed; started again");
        served = ServerProcess::start(&plan.program, &home).map_err(failed)?;
        seen.extend(ask(plan.clients, 1, half, &served.url, None).await);
    }
    let memory_mib = served.most_memory_mib();
    let seconds = begun.elapsed().as_secs_f64();
    let (mut recalls, mut remembers, mut errors, mut acknowledged) = (Vec::new(), Vec::new(), 0, Vec::new());
    for client in seen {
        recalls.extend(client.recalls);
        remembers.extend(client.remembers);
        errors += client.errors;
        acknowledged.extend(client.acknowledged);
    }
    on_stage("looking whether everything is there");
    let lost = missing(&served.url, &acknowledged).await;
    Ok(LoadFigures {
        clients: plan.clients,
        memories,
        seconds,
        recall: (recalls.len(), Percentiles::of(recalls)),
        remember: (remembers.len(), Percentiles::of(remembers)),
        errors,
        acknowledged: acknowledged.len(),
        lost,
        memory_mib,
    })
}

/// Makes memories with vectors from a seed; how many there are.
async fn fill(home: &Home, memories: u64) -> Result<u64, EngineError> {
    let quick = home.clone().with_embedder(Arc::new(SyntheticEmbedder::default()));
    let name: AgentName = "main".parse()?;
    let agent = quick.agent(&name, Missing::Create).await?;
    let mut speaker = InventedSpeaker::new(1);
    form_memories(&agent, &mut speaker, memories).await?;
    agent.embed(&mut |_| {}).await?;
    agent.tidy_up().await?;
    Ok(agent.stats().await?.counts.memories)
}

/// Lets clients ask for `time`; `kill` is killed at its end, while they still ask.
async fn ask(
    clients: usize,
    round: usize,
    time: Duration,
    url: &str,
    kill: Option<&mut ServerProcess>,
) -> Vec<ClientResults> {
    let over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..clients)
        .map(|number| tokio::spawn(one(client(), url.to_owned(), round, number, Arc::clone(&over))))
        .collect();
    tokio::time::sleep(time).await;
    over.store(true, Ordering::Relaxed);
    if let Some(served) = kill {
        served.kill();
    }
    let mut seen = Vec::new();
    for client in clients {
        seen.extend(client.await);
    }
    seen
}

async fn one(
    client: Client,
    url: String,
    round: usize,
    number: usize,
    over: Arc<AtomicBool>,
) -> ClientResults {
    let (mut seen, mut speaker) = (ClientResults::default(), InventedSpeaker::new(1_000 + number as u64));
    for at in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let text = speaker.said();
        let (begun, remembers) = (Instant::now(), at % REMEMBER_EVERY == number % REMEMBER_EVERY);
        let id = format!("load-{round}-{number}-{at}");
        let (verb, body) = if remembers {
            ("remember", json!({"text": text, "id": id}))
        } else {
            ("recall", json!({"query": text}))
        };
        let answer = client.post(format!("{url}/v1/agents/main/{verb}")).json(&body).send().await;
        let answered = match answer {
            Ok(answer) if answer.status().is_success() => answer.bytes().await.is_ok(),
            _ => false,
        };
        if answered && remembers {
            seen.remembers.push(begun.elapsed());
            seen.acknowledged.push(format!("{id}\n{text}"));
        } else if answered {
            seen.recalls.push(begun.elapsed());
        } else if !over.load(Ordering::Relaxed) {
            seen.errors += 1;
        }
    }
    seen
}

/// Which of what was acknowledged is not there: said again under its id, it must be known.
async fn missing(url: &str, acknowledged: &[String]) -> Vec<String> {
    let client = client();
    let mut lost = Vec::new();
    for said in acknowledged {
        let (id, text) = said.split_once('\n').unwrap_or((said, ""));
        let body = json!({"text": text, "id": id, "no_wait": true});
        let answer = client.post(format!("{url}/v1/agents/main/remember")).json(&body).send().await;
        let known = match answer {
            Ok(answer) => answer.json::<Value>().await.is_ok_and(|answer| answer["duplicate"] == true),
            Err(_) => false,
        };
        if !known {
            lost.push(id.to_owned());
        }
    }
    lost
}

impl LoadFigures {
    /// Whether every request was answered and nothing acknowledged was lost.
    pub fn is_good(&self) -> bool {
        self.errors == 0 && self.lost.is_empty()
    }

    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let a_second = |count: usize| count as f64 / self.seconds.max(1e-9);
        let row = |(count, times): &(usize, Percentiles)| {
            format!("{count}, {:.0} a second, {}", a_second(*count), times.show())
        };
        let mut rows = vec![
            ("clients".to_owned(), self.clients.to_string()),
            ("memories".to_owned(), self.memories.to_string()),
            ("recall".to_owned(), row(&self.recall)),
            ("remember".to_owned(), row(&self.remember)),
            ("errors".to_owned(), self.errors.to_string()),
            (
                "acknowledged writes".to_owned(),
                format!("{}, {} of them lost", self.acknowledged, self.lost.len()),
            ),
        ];
        let memory =
            self.memory_mib.map(|mib| ("the server's memory, at most".to_owned(), format!("{mib} MiB")));
        rows.extend(memory);
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({"clients": self.clients, "memories": self.memories, "seconds": self.seconds, "errors": self.errors,
               "recalls": self.recall.0, "recall": self.recall.1.to_json(), "remembers": self.remember.0,
               "remember": self.remember.1.to_json(), "acknowledged": self.acknowledged, "lost": self.lost,
               "server_memory_mib": self.memory_mib})
    }
}
