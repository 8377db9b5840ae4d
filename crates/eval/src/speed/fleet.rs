//! Many agents on one server: how long a question waits while clients ask all of them in turn, whether each agent hears
//! only its own words, what one noisy agent costs the others, and how much the server holds open.

use crate::{
    corpus::speaker::InventedSpeaker,
    harness::{
        clock::TickingClock,
        percentiles::Percentiles,
        scratch::scratch_folder,
        server_process::{ServerProcess, client},
    },
};
use cairn_domain::{AgentName, Role};
use cairn_engine::{EngineError, Home, Missing};
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
/// Messages that are stored at once.
const MESSAGES_PER_BATCH: usize = 500;
/// Messages that a noisy client writes in one request.
const NOISY_STATEMENTS: usize = 8;

/// The settings of a measurement.
pub struct FleetPlan {
    /// Agents of the server.
    pub agents: usize,
    /// Messages of each.
    pub messages: usize,
    /// Clients at once.
    pub clients: usize,
    /// Clients that besides write to one agent, as fast as they can.
    pub noisy: usize,
    /// How long they ask, once in quiet and once beside the noise.
    pub time: Duration,
    /// The program that serves: `PROGRAM --json --home HOME serve --port 0`.
    pub program: PathBuf,
}

/// The figures of a measurement.
pub struct FleetFigures {
    agents: usize,
    messages: usize,
    clients: usize,
    noisy: usize,
    filled: Duration,
    quiet: PhaseFigures,
    beside_noise: PhaseFigures,
    /// Agents that the server held open at the end.
    open: Option<u64>,
    memory_mib: Option<u64>,
}

/// The figures of one phase.
struct PhaseFigures {
    recalls: usize,
    recall: Percentiles,
    remember: Percentiles,
    /// The worst and the best p95 of a client: who is served fairly waits about as long as the others.
    client_p95: (f64, f64),
    errors: usize,
    /// Answers that held words of another agent.
    foreign: usize,
}

/// The results of one client.
#[derive(Default)]
struct FleetClientResults {
    recalls: Vec<Duration>,
    remembers: Vec<Duration>,
    errors: usize,
    foreign: usize,
}

/// Fills scratch agents, serves them and lets many ask at once.
pub async fn run(
    plan: &FleetPlan,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<FleetFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let home = home.elsewhere(folder.path(), Arc::new(TickingClock::start()))?;
    let failed = |source| EngineError::File { doing: "serve", path: folder.path().to_owned(), source };
    let config = "[embedder]\nkind = \"none\"\n\n[serve]\nrequests_per_second = 1000000\n";
    std::fs::write(folder.path().join("config.toml"), config).map_err(failed)?;
    let begun = Instant::now();
    for agent in 0..plan.agents {
        if agent % 50 == 0 {
            on_stage(&format!("filling agent {} of {}", agent + 1, plan.agents));
        }
        fill(&home, agent, plan.messages).await?;
    }
    let filled = begun.elapsed();
    let served = ServerProcess::start(&plan.program, &home).map_err(failed)?;
    on_stage(&format!("{} clients for {} s", plan.clients, plan.time.as_secs()));
    let quiet = phase(plan, &served.url, 0).await;
    on_stage(&format!("the same beside {} noisy clients of one agent", plan.noisy));
    let beside_noise = phase(plan, &served.url, plan.noisy).await;
    Ok(FleetFigures {
        agents: plan.agents,
        messages: plan.messages,
        clients: plan.clients,
        noisy: plan.noisy,
        filled,
        quiet,
        beside_noise,
        open: open_agents(&served.url).await,
        memory_mib: served.most_memory_mib(),
    })
}

fn agent_name(agent: usize) -> String {
    format!("fleet-{agent:05}")
}

/// A word that only one agent ever hears.
fn own_word(agent: usize) -> String {
    format!("badge{agent:05}x")
}

async fn fill(home: &Home, number: usize, messages: usize) -> Result<(), EngineError> {
    let name: AgentName = agent_name(number).parse()?;
    let agent = home.agent(&name, Missing::Create).await?;
    let mut speaker = InventedSpeaker::new(number as u64);
    let mut left = messages;
    while left > 0 {
        let count = left.min(MESSAGES_PER_BATCH);
        let mut drafts: Vec<_> = (0..count).map(|_| speaker.draft(Role::User, 1)).collect();
        for draft in &mut drafts {
            draft.text = format!("{} {}", draft.text, own_word(number));
        }
        agent.remember_all(drafts).await?;
        left -= count;
    }
    agent.tidy_up().await?;
    Ok(())
}

/// Lets clients ask all agents, beside so many that write to the first one.
async fn phase(plan: &FleetPlan, url: &str, noisy: usize) -> PhaseFigures {
    let over = Arc::new(AtomicBool::new(false));
    let asking: Vec<_> = (0..plan.clients)
        .map(|number| tokio::spawn(ask(url.to_owned(), plan.agents, number, Arc::clone(&over))))
        .collect();
    let writers: Vec<_> = (0..noisy)
        .map(|number| tokio::spawn(make_noise(url.to_owned(), number, Arc::clone(&over))))
        .collect();
    tokio::time::sleep(plan.time).await;
    over.store(true, Ordering::Relaxed);
    let mut seen = Vec::new();
    for client in asking {
        seen.extend(client.await);
    }
    for client in writers {
        let _ = client.await;
    }
    PhaseFigures::of(seen)
}

/// Asks one agent after another; one request in ten remembers something.
async fn ask(url: String, agents: usize, number: usize, over: Arc<AtomicBool>) -> FleetClientResults {
    let (client, mut seen) = (client(), FleetClientResults::default());
    let mut speaker = InventedSpeaker::new(1_000_000 + number as u64);
    let mut random = fastrand::Rng::with_seed(number as u64);
    for at in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let agent = random.usize(..agents);
        let remembers = at % REMEMBER_EVERY == number % REMEMBER_EVERY;
        let text = format!("{} {}", speaker.said(), own_word(agent));
        let (verb, body) = if remembers {
            ("remember", json!({"text": text, "no_wait": true}))
        } else {
            ("recall", json!({"query": speaker.said()}))
        };
        let begun = Instant::now();
        let path = format!("{url}/v1/agents/{}/{verb}", agent_name(agent));
        let answered = match client.post(path).json(&body).send().await {
            Ok(answer) if answer.status().is_success() => answer.text().await.ok(),
            _ => None,
        };
        match answered {
            None if over.load(Ordering::Relaxed) => {}
            None => seen.errors += 1,
            Some(_) if remembers => seen.remembers.push(begun.elapsed()),
            Some(answer) => {
                seen.recalls.push(begun.elapsed());
                let own = own_word(agent);
                let is_foreign = answer.match_indices("badge").any(|(at, _)| !answer[at..].starts_with(&own));
                seen.foreign += usize::from(is_foreign);
            }
        }
    }
    seen
}

/// Writes to the first agent until it is over.
async fn make_noise(url: String, number: usize, over: Arc<AtomicBool>) {
    let (client, mut speaker) = (client(), InventedSpeaker::new(2_000_000 + number as u64));
    while !over.load(Ordering::Relaxed) {
        let said: Vec<String> = (0..NOISY_STATEMENTS).map(|_| speaker.said()).collect();
        let text = format!("{} {}", said.join(" "), own_word(0));
        let path = format!("{url}/v1/agents/{}/remember", agent_name(0));
        // Whether the noisy one is answered is not what is measured.
        let _ = client.post(path).json(&json!({"text": text})).send().await;
    }
}

/// How many agents the server says are open.
async fn open_agents(url: &str) -> Option<u64> {
    let figures = client().get(format!("{url}/metrics")).send().await.ok()?.text().await.ok()?;
    let line = figures.lines().find_map(|line| line.strip_prefix("cairn_agents_open "))?;
    line.trim().parse::<f64>().ok().map(|open| open as u64)
}

impl PhaseFigures {
    fn of(clients: Vec<FleetClientResults>) -> Self {
        let p95s = clients.iter().filter(|client| !client.recalls.is_empty());
        let p95s: Vec<f64> = p95s.map(|client| Percentiles::of(client.recalls.clone()).p95).collect();
        let worst = p95s.iter().copied().fold(0.0, f64::max);
        let best = p95s.iter().copied().fold(f64::INFINITY, f64::min);
        let errors = clients.iter().map(|client| client.errors).sum();
        let foreign = clients.iter().map(|client| client.foreign).sum();
        let (mut recalls, mut remembers) = (Vec::new(), Vec::new());
        for client in clients {
            recalls.extend(client.recalls);
            remembers.extend(client.remembers);
        }
        Self {
            recalls: recalls.len(),
            recall: Percentiles::of(recalls),
            remember: Percentiles::of(remembers),
            client_p95: (worst, if best.is_finite() { best } else { 0.0 }),
            errors,
            foreign,
        }
    }

    fn rows(&self, when: &str) -> [(String, String); 4] {
        let (worst, best) = self.client_p95;
        [
            (format!("recall, {when}"), format!("{} asked, {}", self.recalls, self.recall.show())),
            (format!("  p95 of a client, {when}"), format!("{best:.1} to {worst:.1} ms")),
            (format!("remember, {when}"), self.remember.show()),
            (format!("errors, foreign answers, {when}"), format!("{}, {}", self.errors, self.foreign)),
        ]
    }

    fn to_json(&self) -> Value {
        json!({"recalls": self.recalls, "recall": self.recall.to_json(), "remember": self.remember.to_json(),
               "client_p95_ms": [self.client_p95.1, self.client_p95.0], "errors": self.errors,
               "foreign": self.foreign})
    }
}

impl FleetFigures {
    /// Whether every request was answered, with the words of its agent only.
    pub fn is_good(&self) -> bool {
        [&self.quiet, &self.beside_noise].iter().all(|phase| phase.errors == 0 && phase.foreign == 0)
    }

    /// The cost of the noisy agent for the others: by how much their p95 grows, in percent.
    fn noise_percent(&self) -> f64 {
        100.0 * (self.beside_noise.recall.p95 / self.quiet.recall.p95.max(f64::EPSILON) - 1.0)
    }

    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("agents".to_owned(), format!("{} of {} messages", self.agents, self.messages)),
            ("filled in".to_owned(), format!("{:.0} s", self.filled.as_secs_f64())),
            ("clients".to_owned(), format!("{}, then {} noisy ones besides", self.clients, self.noisy)),
        ];
        rows.extend(self.quiet.rows("quiet"));
        rows.extend(self.beside_noise.rows("beside noise"));
        rows.push(("recall p95 beside noise".to_owned(), format!("{:+.0} %", self.noise_percent())));
        rows.extend(self.open.map(|open| ("agents open at the end".to_owned(), open.to_string())));
        let memory =
            self.memory_mib.map(|mib| ("the server's memory, at most".to_owned(), format!("{mib} MiB")));
        rows.extend(memory);
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({"agents": self.agents, "messages": self.messages, "clients": self.clients, "noisy": self.noisy,
               "filled_seconds": self.filled.as_secs_f64(), "quiet": self.quiet.to_json(),
               "beside_noise": self.beside_noise.to_json(), "noise_percent": self.noise_percent(),
               "open_agents": self.open, "server_memory_mib": self.memory_mib})
    }
}
