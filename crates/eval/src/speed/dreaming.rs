//! How long it takes to hold true what many memories say, and a few new ones; how long a night takes beside them, what it
//! takes of memory, that a second one right after changes nothing, and what questions notice of it.

use crate::{
    corpus::{speaker::InventedSpeaker, synthetic_embedder::SyntheticEmbedder},
    harness::{
        clock::SettableClock,
        percentiles::Percentiles,
        scratch::scratch_folder,
        system::resident_mib,
        workload::{ask, form_memories},
    },
};
use cairn_domain::{AgentName, MILLIS_PER_DAY};
use cairn_engine::{Agent, Clock, EngineError, Home, Missing, RhythmReport};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// New memories of which beliefs are made beside many.
const NEW_MEMORIES: u64 = 500;
/// When the night is. What was said began years before.
const NIGHT_MS: i64 = 1_794_700_800_000;
/// How often it is looked how much memory is taken.
const SAMPLE_EVERY: Duration = Duration::from_millis(20);
/// Between two questions somebody thinks.
const PAUSE_BETWEEN_QUESTIONS: Duration = Duration::from_millis(20);

/// The figures of a measurement.
pub struct DreamFigures {
    memories: u64,
    believing: BeliefTimes,
    seconds: f64,
    extra_mib: f64,
    steps: Vec<(String, u64, u64)>,
    changed: u64,
    again_seconds: f64,
    again_changed: u64,
    quiet: Percentiles,
    beside: Percentiles,
}

/// How long it took to hold true what memories say.
struct BeliefTimes {
    seconds: f64,
    few: u64,
    few_seconds: f64,
    beliefs: u64,
}

/// Makes `memories` memories in a scratch agent, holds true what they say and dreams; then once more right after, and a day later with somebody who
/// asks all the while.
pub async fn run(
    memories: u64,
    questions: usize,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<DreamFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let clock = Arc::new(SettableClock::at(NIGHT_MS));
    let scratch = home.elsewhere(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>)?;
    let scratch = scratch.with_embedder(Arc::new(SyntheticEmbedder::default()));
    let name: AgentName = "dreaming".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let mut speaker = InventedSpeaker::new(1);
    on_stage(&format!("forming {memories} memories"));
    form_memories(&agent, &mut speaker, memories).await?;
    on_stage("holding true what they say");
    let believing = time_beliefs(&agent, &mut speaker).await?;
    agent.embed(&mut |_| {}).await?;
    drop(agent);
    let agent = scratch.agent(&name, Missing::Refuse).await?;
    let memories = agent.stats().await?.counts.memories;
    on_stage("dreaming");
    let (first, seconds, extra_mib) = watched_dream(&agent).await?;
    on_stage("dreaming again, right after");
    let (again, again_seconds, _) = watched_dream(&agent).await?;
    on_stage("asking");
    let mut quiet = Vec::with_capacity(questions);
    for at in 0..2 * questions {
        let took = ask(&agent, speaker.said()).await?;
        if at >= questions {
            quiet.push(took);
        }
        tokio::time::sleep(PAUSE_BETWEEN_QUESTIONS).await;
    }
    on_stage("asking while it dreams");
    clock.advance(MILLIS_PER_DAY);
    let beside = ask_beside_dream(&agent, &mut speaker).await?;
    let changed = |report: &RhythmReport| report.steps.iter().map(|step| step.changed).sum();
    let step = |step: &cairn_store::StepRecord| (step.name.clone(), step.changed, step.worked_ms);
    Ok(DreamFigures {
        memories,
        believing,
        seconds,
        extra_mib,
        steps: first.steps.iter().map(step).collect(),
        changed: changed(&first),
        again_seconds,
        again_changed: changed(&again),
        quiet: Percentiles::of(quiet),
        beside: Percentiles::of(beside),
    })
}

/// Beliefs are made of all memories, and then of a few new ones.
async fn time_beliefs(agent: &Agent, speaker: &mut InventedSpeaker) -> Result<BeliefTimes, EngineError> {
    let seconds = timed_consolidation(agent).await?;
    let before = agent.stats().await?.counts.memories;
    let few = form_memories(agent, speaker, before + NEW_MEMORIES).await? - before;
    let few_seconds = timed_consolidation(agent).await?;
    Ok(BeliefTimes { seconds, few, few_seconds, beliefs: agent.stats().await?.counts.beliefs })
}

async fn timed_consolidation(agent: &Agent) -> Result<f64, EngineError> {
    let begun = Instant::now();
    agent.run_rhythm("beliefs", &mut |_| {}).await?;
    Ok(begun.elapsed().as_secs_f64())
}

async fn dream(agent: &Agent) -> Result<RhythmReport, EngineError> {
    agent.run_rhythm("dream", &mut |_| {}).await
}

/// A dream, how many seconds it took, and how much more memory than before at its worst.
async fn watched_dream(agent: &Agent) -> Result<(RhythmReport, f64, f64), EngineError> {
    let (over, before) = (Arc::new(AtomicBool::new(false)), resident_mib());
    let watch = Arc::clone(&over);
    let watcher = std::thread::spawn(move || {
        let mut most = 0.0_f64;
        while !watch.load(Ordering::Relaxed) {
            most = most.max(resident_mib());
            std::thread::sleep(SAMPLE_EVERY);
        }
        most
    });
    let begun = Instant::now();
    let report = dream(agent).await;
    let seconds = begun.elapsed().as_secs_f64();
    over.store(true, Ordering::Relaxed);
    let most = watcher.join().unwrap_or(before);
    Ok((report?, seconds, (most - before).max(0.0)))
}

/// How long questions take while a dream goes on.
async fn ask_beside_dream(
    agent: &Agent,
    speaker: &mut InventedSpeaker,
) -> Result<Vec<Duration>, EngineError> {
    let dreamer = agent.clone();
    let night = tokio::spawn(async move { dream(&dreamer).await });
    let mut times = Vec::new();
    while !night.is_finished() || times.is_empty() {
        times.push(ask(agent, speaker.said()).await?);
        tokio::time::sleep(PAUSE_BETWEEN_QUESTIONS).await;
    }
    match night.await {
        Ok(report) => report.map(|_| times),
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

impl DreamFigures {
    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let row = |what: &str, measured: String| (what.to_owned(), measured);
        let mut rows = vec![
            row("memories", self.memories.to_string()),
            row(
                "holding true what they say",
                format!("{:.1} s, {} beliefs", self.believing.seconds, self.believing.beliefs),
            ),
            row(
                &format!("the same for {} new ones", self.believing.few),
                format!("{:.2} s", self.believing.few_seconds),
            ),
            row("a dream", format!("{:.1} s, {} changes", self.seconds, self.changed)),
            row("memory it takes on top", format!("{:.0} MiB", self.extra_mib)),
            row(
                "a second right after",
                format!("{:.1} s, {} changes", self.again_seconds, self.again_changed),
            ),
            row("a question", self.quiet.show()),
            row("a question beside a dream", self.beside.show()),
            row("p95 beside a dream", format!("{:.2} times as long", self.beside.p95 / self.quiet.p95)),
        ];
        let step = |(name, changed, ms): &(String, u64, u64)| {
            (format!("  {name}"), format!("{:.2} s, {changed} changes", *ms as f64 / 1e3))
        };
        rows.extend(self.steps.iter().map(step));
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let step =
            |(name, changed, ms): &(String, u64, u64)| json!({"step": name, "changed": changed, "ms": ms});
        let BeliefTimes { seconds, few, few_seconds, beliefs } = self.believing;
        json!({"believing": {"seconds": seconds, "few": few, "few_seconds": few_seconds, "beliefs": beliefs},
               "memories": self.memories, "seconds": self.seconds, "extra_mib": self.extra_mib,
               "changed": self.changed, "again_seconds": self.again_seconds, "again_changed": self.again_changed,
               "recall": self.quiet.to_json(), "recall_beside": self.beside.to_json(),
               "steps": self.steps.iter().map(step).collect::<Value>()})
    }
}
