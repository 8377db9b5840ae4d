//! How long a host waits for its hooks: each in a process of its own, as a host starts them, on a memory of any size. Once
//! alone, and once beside a server of the same home.

use crate::{
    corpus::{speaker::InventedSpeaker, synthetic_life::SyntheticLife},
    harness::{
        clock::HomeClock,
        percentiles::Percentiles,
        scratch::scratch_folder,
        server_process::{ServerProcess, client, command_by_machine_clock},
        system::sync_disks,
        workload::{form_memories, ingest},
    },
};
use cairn_domain::AgentName;
use cairn_engine::{EngineError, GOVERN_FILE, Home, Missing};
use cairn_hook::{Event, Host};
use serde_json::{Value, json};
use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

/// A hook that takes longer than this has missed: no host waits for it.
const HOOK_TIMEOUT_MS: u64 = 5_000;
/// Without vectors everything is found by its words, with the same work in every run.
const KEYWORDS_ONLY_CONFIG: &str = "[embedder]\nkind = \"none\"\n";
/// A rule that stands in the way of every tool use, so that each is decided with leases and kept.
const GOVERN_RULES: &str = "[[rule]]\ncommand = \"rm -rf\"\nmode = \"ask\"\nreason = \"look twice\"\n";
/// How often a server is asked before it is measured, so that everything is open.
const WARMUP_SESSIONS: usize = 2;

/// The settings of a measurement.
pub struct HookPlan {
    /// Messages there are.
    pub messages: usize,
    /// Memories there are.
    pub memories: u64,
    /// Sessions of which every hook is called.
    pub sessions: usize,
    /// The program: `PROGRAM --home HOME hook EVENT`.
    pub program: PathBuf,
}

/// The figures of a measurement.
pub struct HookFigures {
    messages: u64,
    memories: u64,
    sessions: usize,
    alone: Vec<HookTimes>,
    served: Vec<HookTimes>,
    /// Those beside a server that did their work without it.
    unserved: u64,
}

/// The hooks of one event.
struct HookTimes {
    event: Event,
    times: Percentiles,
    /// Those that gave no answer or a note instead.
    missed: usize,
    budget: Duration,
}

impl HookTimes {
    fn budget_ms(&self) -> f64 {
        self.budget.as_secs_f64() * 1e3
    }

    fn is_good(&self) -> bool {
        self.missed == 0 && self.times.p95 <= self.budget_ms()
    }
}

/// Fills a scratch agent and lets a host live with it.
pub async fn run(
    plan: &HookPlan,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<HookFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let home = home.elsewhere(folder.path(), Arc::new(HomeClock(home.clone())))?.without_models();
    let failed = |source| EngineError::File { doing: "measure in", path: folder.path().to_owned(), source };
    std::fs::write(folder.path().join("config.toml"), KEYWORDS_ONLY_CONFIG).map_err(failed)?;
    std::fs::write(folder.path().join(GOVERN_FILE), GOVERN_RULES).map_err(failed)?;
    let name: AgentName = "main".parse()?;
    let agent = home.agent(&name, Missing::Create).await?;
    on_stage(&format!("forming {} memories", plan.memories));
    let mut speaker = InventedSpeaker::new(1);
    form_memories(&agent, &mut speaker, plan.memories).await?;
    let counts = agent.stats().await?.counts;
    let missing = plan.messages.saturating_sub(counts.messages as usize);
    on_stage(&format!("ingesting {missing} messages"));
    let mut life = SyntheticLife::new(1);
    ingest(&agent, &mut life, missing).await?;
    agent.tidy_up().await?;
    drop(agent);
    sync_disks();

    let host = SimulatedHost { program: &plan.program, home: &home, folder: folder.path() };
    on_stage(&format!("{} sessions, each hook alone", plan.sessions));
    let alone = host.run_sessions(&mut life, "alone", plan.sessions, Event::budget).map_err(failed)?;
    on_stage(&format!("{} sessions beside a server", plan.sessions));
    let (served, unserved) = {
        let server = ServerProcess::start_by_machine_clock(&plan.program, &home).map_err(failed)?;
        let budget = Event::served_budget;
        host.run_sessions(&mut life, "warm", WARMUP_SESSIONS, budget).map_err(failed)?;
        let times = host.run_sessions(&mut life, "served", plan.sessions, budget).map_err(failed)?;
        let called = (WARMUP_SESSIONS + plan.sessions) * Event::ALL.len();
        let answered = answered_by(&server).await.map_err(|error| failed(io::Error::other(error)))?;
        (times, (called as u64).saturating_sub(answered))
    };
    let counts = home.agent(&name, Missing::Refuse).await?.stats().await?.counts;
    Ok(HookFigures {
        messages: counts.messages,
        memories: counts.memories,
        sessions: plan.sessions,
        alone,
        served,
        unserved,
    })
}

/// How many hooks a server has answered.
async fn answered_by(server: &ServerProcess) -> reqwest::Result<u64> {
    let figures = client().get(format!("{}/metrics", server.url)).send().await?.text().await?;
    let counts = figures.lines().filter(|line| line.starts_with("cairn_hook_seconds_count{"));
    Ok(counts.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum())
}

/// A host that starts hooks and writes transcripts.
struct SimulatedHost<'a> {
    program: &'a Path,
    home: &'a Home,
    folder: &'a Path,
}

impl SimulatedHost<'_> {
    /// Lives through sessions, each with every event once.
    fn run_sessions(
        &self,
        life: &mut SyntheticLife,
        name: &str,
        sessions: usize,
        budget: fn(Event) -> Duration,
    ) -> io::Result<Vec<HookTimes>> {
        let mut times: Vec<(Vec<Duration>, usize)> = vec![Default::default(); Event::ALL.len()];
        for number in 0..sessions {
            let session = format!("{name}-{number}");
            for (event, (times, missed)) in Event::ALL.into_iter().zip(&mut times) {
                let prompt = life.question();
                self.write(life, &session, event, &prompt)?;
                match self.hook(event, &session, &prompt)? {
                    Some(took) => times.push(took),
                    None => *missed += 1,
                }
            }
        }
        let measured = Event::ALL.into_iter().zip(times).map(|(event, (times, missed))| HookTimes {
            event,
            times: Percentiles::of(times),
            missed,
            budget: budget(event),
        });
        Ok(measured.collect())
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{session}.jsonl"))
    }

    /// Writes down what a session says around an event, now: a prompt and the transcript that repeats it are as close as a real
    /// host's.
    fn write(&self, life: &mut SyntheticLife, session: &str, event: Event, prompt: &str) -> io::Result<()> {
        let said = |life: &mut SyntheticLife| life.next().map(|draft| draft.text).unwrap_or_default();
        let lines = match event {
            Event::SessionStart
            | Event::SessionEnd
            | Event::PreToolUse
            | Event::SubagentStop
            | Event::PreCompact => Vec::new(),
            Event::UserPromptSubmit => vec![("user", json!(prompt))],
            Event::PostToolUse | Event::PostToolUseFailure => {
                let call =
                    json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}]);
                let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": said(life)}]);
                vec![("assistant", call), ("user", result)]
            }
            Event::Stop => vec![("assistant", json!(said(life)))],
        };
        let (path, now) = (self.transcript(session), self.home.now());
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        for (number, (role, content)) in lines.into_iter().enumerate() {
            let record = json!({"type": role, "uuid": format!("{session}-{event}-{number}"), "sessionId": session,
                                "timestamp": now.to_string(), "cwd": "/home/mara/tides",
                                "message": {"role": role, "content": content}});
            writeln!(file, "{record}")?;
        }
        Ok(())
    }

    /// Calls a hook in a process of its own; how long it took, if it did its work.
    fn hook(&self, event: Event, session: &str, prompt: &str) -> io::Result<Option<Duration>> {
        let input = json!({"session_id": session, "transcript_path": self.transcript(session), "prompt": prompt,
                           "cwd": "/home/mara/tides", "hook_event_name": Host::ClaudeCode.event_names(event)[0], "source": "startup",
                           "tool_name": "Bash", "tool_input": {"command": "make clean && rm -rf build"}});
        let mut command = command_by_machine_clock(self.program, self.home);
        command.args(["hook", event.as_str(), "--within-ms", &HOOK_TIMEOUT_MS.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A hook that ends before it has read everything says so with its status.
            let _ = stdin.write_all(input.to_string().as_bytes());
        }
        let output = child.wait_with_output()?;
        let took = begun.elapsed();
        Ok((output.status.success() && output.stderr.is_empty()).then_some(took))
    }
}

impl HookFigures {
    /// Whether every hook did its work within its budget, alone and beside a server, and the server answered wherever it ran.
    pub fn is_good(&self) -> bool {
        self.unserved == 0 && self.alone.iter().chain(&self.served).all(HookTimes::is_good)
    }

    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("messages".to_owned(), self.messages.to_string()),
            ("memories".to_owned(), self.memories.to_string()),
            ("sessions".to_owned(), self.sessions.to_string()),
        ];
        for (how, all) in [("alone", &self.alone), ("beside a server", &self.served)] {
            rows.extend(all.iter().map(|hook| {
                let (times, budget) = (&hook.times, hook.budget_ms());
                let missed =
                    if hook.missed > 0 { format!(", {} missed", hook.missed) } else { String::new() };
                let told = format!(
                    "p50 {:.0} ms, p95 {:.0} ms, max {:.0} ms of {budget:.0}{missed}",
                    times.p50, times.p95, times.max
                );
                (format!("{}, {how}", hook.event), told)
            }));
        }
        rows.push(("not answered by the server".to_owned(), self.unserved.to_string()));
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let of = |all: &[HookTimes]| -> Value {
            let one = |hook: &HookTimes| {
                json!({"event": hook.event.as_str(), "p50_ms": hook.times.p50, "p95_ms": hook.times.p95,
                       "max_ms": hook.times.max, "budget_ms": hook.budget_ms(), "missed": hook.missed,
                       "within_budget": hook.is_good()})
            };
            all.iter().map(one).collect()
        };
        json!({"messages": self.messages, "memories": self.memories, "sessions": self.sessions,
               "alone": of(&self.alone), "served": of(&self.served), "unserved": self.unserved})
    }
}
