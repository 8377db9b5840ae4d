//! How long it takes to decide what an exchange becomes, beside many memories. The memories are formed from invented
//! statements with vectors from a seed; then exchanges are formed with such vectors and with those of the real embedder.

use crate::{Still, perf::Percentiles, synthetic::Synthetic};
use cairn_domain::{AgentName, Draft, Role, Time};
use cairn_engine::{Agent, EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Messages handed in at a time while memories are made.
const BATCH: usize = 500;
/// Statements in each message of an exchange: about sixty tokens.
const STATEMENTS: usize = 4;
/// Exchanges formed before any is measured.
const WARM: usize = 5;

/// What was measured.
pub struct Figures {
    memories: u64,
    /// Messages formed in a second while the memories were made.
    rate: f64,
    without_embedding: Measured,
    with_embedding: Option<Measured>,
    verdicts: [usize; 2],
}

/// How long exchanges took.
struct Measured {
    times: Percentiles,
    /// Processor time of one, on average, in milliseconds: what a busy machine does not change.
    processor: f64,
}

/// Makes `memories` memories in a scratch agent and forms `exchanges` exchanges beside them.
pub async fn run(
    memories: u64,
    exchanges: usize,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<Figures, EngineError> {
    let folder = crate::folder_beside(home.path())?;
    let name: AgentName = "forming".parse()?;
    let real = home.elsewhere(folder.path(), Arc::new(Still))?;
    let quick = real.clone().with_embedder(Arc::new(Synthetic::default()));
    let agent = quick.agent(&name, Missing::Create).await?;
    let mut speaker = Speaker::new(1);
    on_stage(&format!("forming {memories} memories"));
    let (begun, mut formed) = (Instant::now(), 0);
    while agent.stats().await?.counts.memories < memories {
        let drafts: Vec<Draft> = (0..BATCH).map(|_| speaker.draft(Role::User, 1)).collect();
        agent.remember_all(drafts).await?;
        formed = agent.form(&mut |_| {}).await?.done;
    }
    let rate = f64::from(formed) / begun.elapsed().as_secs_f64();
    on_stage("forming exchanges");
    let (without_embedding, verdicts) = form_all(&agent, &mut speaker, exchanges).await?;
    drop(agent);
    let agent = real.agent(&name, Missing::Refuse).await?;
    let with_embedding = if real.embed(vec!["a trial".to_owned()]).await.is_ok() {
        on_stage("the same with the real embedder");
        Some(form_all(&agent, &mut speaker, exchanges).await?.0)
    } else {
        None
    };
    let memories = agent.stats().await?.counts.memories;
    Ok(Figures { memories, rate, without_embedding, with_embedding, verdicts })
}

/// Forms exchanges one by one: how long each took, and how many statements were kept and skipped.
async fn form_all(
    agent: &Agent,
    speaker: &mut Speaker,
    exchanges: usize,
) -> Result<(Measured, [usize; 2]), EngineError> {
    let (mut times, mut verdicts) = (Vec::with_capacity(exchanges), [0, 0]);
    let mut processor = Duration::ZERO;
    for at in 0..WARM + exchanges {
        let drafts = vec![speaker.draft(Role::User, STATEMENTS), speaker.draft(Role::Assistant, STATEMENTS)];
        let kept = agent.remember_all(drafts).await?;
        let (begun, before) = (Instant::now(), processor_time());
        for message in kept {
            for decision in agent.form_message(message.message).await?.decisions {
                verdicts[usize::from(decision.memory.is_none())] += 1;
            }
        }
        if at >= WARM {
            times.push(begun.elapsed());
            processor += processor_time().saturating_sub(before);
        }
    }
    let processor = processor.as_secs_f64() * 1e3 / exchanges.max(1) as f64;
    Ok((Measured { times: Percentiles::of(times), processor }, verdicts))
}

/// What all threads of this process have used of the processors.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

impl Measured {
    fn show(&self) -> String {
        format!("{}; processor {:.2} ms", self.times.show(), self.processor)
    }

    fn to_json(&self) -> Value {
        let mut json = self.times.to_json();
        json["processor_ms"] = json!(self.processor);
        json
    }
}

impl Figures {
    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let [kept, skipped] = self.verdicts;
        let mut rows = vec![
            ("memories".to_owned(), self.memories.to_string()),
            ("made at".to_owned(), format!("{:.0} messages/s, vectors from a seed", self.rate)),
            ("forming an exchange, without embedding".to_owned(), self.without_embedding.show()),
        ];
        if let Some(times) = &self.with_embedding {
            rows.push(("forming an exchange, with its embedding".to_owned(), times.show()));
        }
        rows.push(("statements".to_owned(), format!("{kept} kept, {skipped} skipped")));
        rows
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({"memories": self.memories, "messages_per_second": self.rate,
               "without_embedding": self.without_embedding.to_json(),
               "with_embedding": self.with_embedding.as_ref().map(Measured::to_json)})
    }
}

/// Somebody who states things about people, places and tools that do not exist.
pub(crate) struct Speaker {
    random: fastrand::Rng,
    made: usize,
}

impl Speaker {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), made: 0 }
    }

    /// Something about somebody.
    pub(crate) fn said(&mut self) -> String {
        let name = self.name();
        self.statement(&name)
    }

    pub(crate) fn draft(&mut self, role: Role, statements: usize) -> Draft {
        self.made += 1;
        let name = self.name();
        let text: Vec<String> = (0..statements).map(|_| self.statement(&name)).collect();
        Draft {
            source_id: Some(format!("said-{}", self.made)),
            session: Some(format!("session-{}", self.made / 20)),
            at: Some(Time::from_millis(1_700_000_000_000 + 60_000 * self.made as i64)),
            ..Draft::new(role, text.join(" "))
        }
    }

    /// Something about this one.
    fn statement(&mut self, name: &str) -> String {
        let place = self.name();
        let (noun, other, number) = (self.word(), self.word(), self.random.u32(2..90));
        match self.random.u8(..6) {
            0 => format!("My friend {name} works at {place} as a {noun} planner."),
            1 => format!("We bought {number} {noun} boxes for the {other} shed in {place}."),
            2 => format!("I met {name} at the {noun} fair in {place} last week."),
            3 => format!("The {noun} service of {name} uses {number} {other} servers."),
            4 => format!("{name} prefers the {noun} tea from {place} over the {other} one."),
            _ => format!("I decided to paint the {noun} room {other} before {name} arrives."),
        }
    }

    fn name(&mut self) -> String {
        let mut name = self.word();
        name[..1].make_ascii_uppercase();
        name
    }

    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 20] = [
            "ba", "do", "ki", "lu", "me", "no", "pra", "ro", "sti", "tu", "va", "wen", "zo", "fel", "gar",
            "hul", "jin", "que", "sha", "tor",
        ];
        (0..self.random.usize(2..=3)).map(|_| SYLLABLES[self.random.usize(..SYLLABLES.len())]).collect()
    }
}
