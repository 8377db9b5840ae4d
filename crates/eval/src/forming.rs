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
/// Statements in what the user says, in what the agent says, and sentences in each that state nothing: about 120 tokens, and
/// still more worth keeping than in most exchanges (`cairn eval capture` tells how many memories a message leaves).
const TALK: [(usize, usize); 2] = [(2, 3), (1, 3)];
/// The same with nothing but statements.
const DENSE: [(usize, usize); 2] = [(4, 0), (4, 0)];
/// Exchanges formed before any is measured.
const WARM: usize = 5;

/// What was measured.
pub struct Figures {
    memories: u64,
    /// Messages formed in a second while the memories were made.
    rate: f64,
    /// Exchanges as people have them.
    without_embedding: Measured,
    with_embedding: Option<Measured>,
    /// Exchanges of statements only, without embedding.
    dense: Measured,
}

/// How long exchanges took.
struct Measured {
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
    let without_embedding = form_all(&agent, &mut speaker, &TALK, exchanges).await?;
    let dense = form_all(&agent, &mut speaker, &DENSE, exchanges).await?;
    drop(agent);
    let agent = real.agent(&name, Missing::Refuse).await?;
    let with_embedding = if real.embed(vec!["a trial".to_owned()]).await.is_ok() {
        on_stage("the same with the real embedder");
        Some(form_all(&agent, &mut speaker, &TALK, exchanges).await?)
    } else {
        None
    };
    let memories = agent.stats().await?.counts.memories;
    Ok(Figures { memories, rate, without_embedding, with_embedding, dense })
}

/// Forms exchanges one by one: how long each took, and what came of it.
async fn form_all(
    agent: &Agent,
    speaker: &mut Speaker,
    exchange: &[(usize, usize); 2],
    exchanges: usize,
) -> Result<Measured, EngineError> {
    let (mut times, mut kept) = (Vec::with_capacity(exchanges), 0);
    let mut processor = Duration::ZERO;
    for at in 0..WARM + exchanges {
        let said = [Role::User, Role::Assistant].into_iter().zip(exchange);
        let drafts = said.map(|(role, (statements, talk))| speaker.talk(role, *statements, *talk)).collect();
        let messages = agent.remember_all(drafts).await?;
        let (begun, before) = (Instant::now(), processor_time());
        agent.form(&mut |_| {}).await?;
        let (took, worked) = (begun.elapsed(), processor_time().saturating_sub(before));
        if at >= WARM {
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
    Ok(Measured { times: Percentiles::of(times), processor, kept })
}

/// What all threads of this process have used of the processors.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

impl Measured {
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

impl Figures {
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
               "with_embedding": self.with_embedding.as_ref().map(Measured::to_json),
               "dense_without_embedding": self.dense.to_json()})
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
        self.talk(role, statements, 0)
    }

    /// Statements about somebody, and talk around them.
    fn talk(&mut self, role: Role, statements: usize, talk: usize) -> Draft {
        self.made += 1;
        let name = self.name();
        let stated = (0..statements).map(|_| self.statement(&name)).collect::<Vec<_>>();
        let text: Vec<String> = stated.into_iter().chain((0..talk).map(|_| self.aside(role))).collect();
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

    /// A sentence that states nothing about anybody.
    fn aside(&mut self, role: Role) -> String {
        let word = self.word();
        let asides = match role {
            Role::User => [
                format!("Could you help me think about the {word} part of it?"),
                "I am not sure yet what would be best there, to be honest.".to_owned(),
                format!("What would you try first with the {word} question?"),
                "That sounds good, let us look at it step by step.".to_owned(),
            ],
            Role::Assistant | Role::System | Role::Tool => [
                "Of course, here are a few things that usually help with that.".to_owned(),
                format!("You could begin with the {word} side and see how far it goes."),
                "It is often easier to write the steps down before you start.".to_owned(),
                "Let me know how it went, and we can look at the rest.".to_owned(),
            ],
        };
        self.random.choice(asides).unwrap_or_default()
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
