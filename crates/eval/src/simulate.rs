//! A simulated life: somebody talks to an agent for days or years under a clock that jumps, and the agent tends its
//! memories at night. What became of them is counted on the way, so that settings can be seen before they are trusted.

use crate::{
    Moved,
    persona::{Fact, Persona},
    picture,
};
use cairn_domain::{AgentName, Status, Tier, Time};
use cairn_engine::{
    Agent, Clock, Config, EmbedderConfig, EngineError, Found, Hit, Home, Missing, Question, StoreConfig,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Instant,
};

/// The morning of the first day.
const BEGIN_MS: i64 = 1_767_254_400_000;
const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;
/// On how many days at most memories are counted.
const SAMPLES: u32 = 60;
/// Boxes of the histogram of retention.
pub(crate) const BOXES: usize = 20;
/// Memories looked at.
const MOST: u32 = 1_000_000;

/// What to live.
pub struct Plan {
    /// How many days.
    pub days: u32,
    /// Which life.
    pub seed: u64,
    /// How often somebody speaks to the agent in a day.
    pub exchanges: u32,
    /// How often in a day somebody wants to know something that was said.
    pub questions: u32,
    /// Whether the agent tends its memories.
    pub rhythms: bool,
}

/// How memories stood on a day.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The day, from 1 on.
    pub day: u32,
    /// Memories by how they are kept: working, episodic, semantic, dormant, superseded or deprecated.
    pub kept: [u64; 5],
    /// The mean retention, stability in days and utility of active memories.
    pub means: [f64; 3],
    /// What rhythms changed since the last sample.
    pub changed: u64,
    /// What went to rest, expired or became part of a theme since then.
    pub let_go: u64,
}

/// Facts that were used at least three times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Often {
    /// How many.
    pub facts: usize,
    /// How many of them stand as memories.
    pub standing: usize,
    /// How many are found among the first ten.
    pub found: usize,
}

/// Facts that were replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replaced {
    /// How many.
    pub facts: usize,
    /// How many still stand as memories.
    pub standing: usize,
    /// How many are given as if they held.
    pub given: usize,
}

/// What became of a life.
pub struct Lived {
    /// How memories stood, in the order of days.
    pub samples: Vec<Sample>,
    /// Active memories by retention, from 0 to 1.
    pub histogram: [u64; BOXES],
    /// Messages said.
    pub messages: u64,
    /// How long it took.
    pub seconds: f64,
    /// Facts that hold and were used at least three times: how many, how many of them stand as memories, and how many are
    /// found among the first ten when they are asked for.
    pub often: Often,
    /// Facts that were replaced, how many of their old values stand as memories as if they held, and how many are given as
    /// if they held when the fact is asked for.
    pub replaced: Replaced,
    /// What does not hold and should: none, as it should be.
    pub broken: Vec<String>,
    /// How long a night took on average and how long the answers to the last questions did, in milliseconds.
    pub took_ms: (f64, f64),
    /// Active memories with a retention of at least 0.95, and below 0.05.
    pub extremes: (f64, f64),
    /// What each step of the rhythms changed, over the whole life.
    pub steps: BTreeMap<String, u64>,
}

/// Lives a life with the settings of a home, in a folder that is thrown away. No model is asked.
pub async fn run(
    plan: &Plan,
    home: &Home,
    on_day: &mut (dyn FnMut(u32) + Send),
) -> Result<Lived, EngineError> {
    let folder = crate::folder_beside(home.path())?;
    let config = Config {
        embedder: EmbedderConfig::None,
        previous_embedder: EmbedderConfig::None,
        language_model: Vec::new(),
        store: StoreConfig::default(),
        ..home.config().clone()
    };
    let path = folder.path().join("config.toml");
    std::fs::write(&path, config.to_toml()).map_err(|source| EngineError::File {
        doing: "write",
        path,
        source,
    })?;
    let clock = Arc::new(Moved::at(BEGIN_MS));
    let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>)?;
    let name: AgentName = "simulated".parse()?;
    let agent = home.agent(&name, Missing::Create).await?;
    let (persona, stored) = (Persona::new(plan.seed), BTreeMap::new());
    Life { agent, clock, plan, persona, lived: Lived::new(), stored }.live(on_day).await
}

struct Life<'a> {
    agent: Agent,
    clock: Arc<Moved>,
    plan: &'a Plan,
    persona: Persona,
    lived: Lived,
    /// How well each memory was stored when they were last counted.
    stored: BTreeMap<u32, f64>,
}

impl Life<'_> {
    async fn live(mut self, on_day: &mut (dyn FnMut(u32) + Send)) -> Result<Lived, EngineError> {
        let begun = Instant::now();
        let every = self.plan.days.div_ceil(SAMPLES).max(1);
        let (mut changed, mut let_go) = (0, 0);
        for day in 0..self.plan.days {
            let morning = BEGIN_MS + i64::from(day) * DAY_MS;
            self.talk(day, morning).await?;
            self.ask().await?;
            self.clock.set(morning + 20 * HOUR_MS);
            let night = Instant::now();
            let (more, gone) = self.night().await?;
            self.lived.took_ms.0 += millis(night) / f64::from(self.plan.days);
            (changed, let_go) = (changed + more, let_go + gone);
            if (day + 1) % every == 0 || day + 1 == self.plan.days {
                self.count(day + 1, (changed, let_go)).await?;
                (changed, let_go) = (0, 0);
            }
            on_day(day + 1);
        }
        self.look_back().await?;
        self.lived.seconds = begun.elapsed().as_secs_f64();
        Ok(self.lived)
    }

    /// One day: exchanges in two sessions, each formed at once.
    async fn talk(&mut self, day: u32, morning: i64) -> Result<(), EngineError> {
        let between = 10 * HOUR_MS / i64::from(self.plan.exchanges.max(1));
        for exchange in 0..self.plan.exchanges {
            let now = morning + i64::from(exchange) * between;
            self.clock.set(now);
            let part = if exchange * 2 < self.plan.exchanges { "morning" } else { "evening" };
            let drafts = self.persona.exchange(&format!("{day}-{part}"), Time::from_millis(now));
            self.lived.messages += drafts.len() as u64;
            for kept in self.agent.remember_all(drafts).await? {
                self.agent.form_message(kept.message).await?;
            }
        }
        Ok(())
    }

    /// Somebody wants to know things, and what is given is strengthened.
    async fn ask(&mut self) -> Result<(), EngineError> {
        for _ in 0..self.plan.questions {
            let Some(fact) = self.persona.asks() else { continue };
            let recall = self.agent.recall(Question::new(fact.question())).await?;
            self.agent.given(&recall).await?;
        }
        Ok(())
    }

    /// One night: what is due is carried out. How much was changed, and how much let go.
    async fn night(&mut self) -> Result<(u64, u64), EngineError> {
        if !self.plan.rhythms {
            return Ok((0, 0));
        }
        let (mut changed, mut let_go) = (0, 0);
        let mut seen = BTreeSet::new();
        for report in self.agent.run_due_rhythms(&mut |_| {}).await? {
            for step in &report.steps {
                changed += step.changed;
                *self.lived.steps.entry(format!("{}: {}", report.rhythm, step.name)).or_default() +=
                    step.changed;
            }
            let gone = |change: &&cairn_store::ChangeRecord| {
                change.becomes == "dormant" || change.becomes.starts_with("superseded")
            };
            seen.extend(report.changes.iter().filter(gone).map(|change| change.number));
        }
        let_go += seen.len() as u64;
        Ok((changed, let_go))
    }

    async fn count(&mut self, day: u32, (changed, let_go): (u64, u64)) -> Result<(), EngineError> {
        let now = self.clock.now();
        let all = self.agent.memories(None, true, MOST).await?;
        self.check(day, &all);
        let mut sample = Sample { day, changed, let_go, ..Sample::default() };
        let mut histogram = [0; BOXES];
        let (mut active, mut top, mut bottom) = (0_u64, 0_u64, 0_u64);
        for record in &all {
            let memory = &record.memory;
            let place = match (memory.status, memory.tier) {
                (Status::Superseded | Status::Deprecated, _) => 4,
                (_, Tier::Working) => 0,
                (_, Tier::Episodic) => 1,
                (_, Tier::Semantic) => 2,
                (_, Tier::Dormant) => 3,
            };
            sample.kept[place] += 1;
            if place >= 3 {
                continue;
            }
            let retention = retention(memory, now);
            active += 1;
            top += u64::from(retention >= 0.95);
            bottom += u64::from(retention < 0.05);
            histogram[((retention * BOXES as f64) as usize).min(BOXES - 1)] += 1;
            for (mean, value) in sample.means.iter_mut().zip([retention, memory.stability, memory.utility]) {
                *mean += value;
            }
        }
        let share = |count: u64| count as f64 / active.max(1) as f64;
        sample.means = sample.means.map(|sum| sum / active.max(1) as f64);
        self.lived.extremes = (share(top), share(bottom));
        self.lived.histogram = histogram;
        self.lived.samples.push(sample);
        Ok(())
    }

    /// Whether what was used often still stands and is found, and whether what was replaced no longer is.
    async fn look_back(&mut self) -> Result<(), EngineError> {
        let all = self.agent.memories(None, true, MOST).await?;
        let stands = |record: &&cairn_store::MemoryRecord| record.memory.is_active();
        let standing: Vec<&str> =
            all.iter().filter(stands).map(|record| record.memory.text.as_str()).collect();
        let told = |fact: &Fact| standing.iter().any(|text| fact.is_told_by(text));
        let (often, replaced) = (self.persona.often(), self.persona.replaced());
        let begun = Instant::now();
        let (mut found, mut given) = (0, 0);
        for fact in &often {
            found += usize::from(self.hits(fact).await?.iter().any(|hit| fact.is_told_by(hit.found.text())));
        }
        for fact in &replaced {
            let as_if = |hit: &Hit| fact.is_told_by(hit.found.text()) && holds(hit, self.clock.now());
            given += usize::from(self.hits(fact).await?.iter().any(as_if));
        }
        self.lived.took_ms.1 = millis(begun) / (often.len() + replaced.len()).max(1) as f64;
        let standing_of = |facts: &[Fact]| facts.iter().filter(|fact| told(fact)).count();
        self.lived.often = Often { facts: often.len(), standing: standing_of(&often), found };
        self.lived.replaced = Replaced { facts: replaced.len(), standing: standing_of(&replaced), given };
        let findings = self.agent.verify().await?.findings;
        self.lived.broken.extend(findings.into_iter().map(|finding| finding.problem));
        Ok(())
    }

    async fn hits(&self, fact: &Fact) -> Result<Vec<Hit>, EngineError> {
        Ok(self.agent.recall(Question::new(fact.question())).await?.hits)
    }

    /// What must hold of every life, held against the last time: no memory is lost, none is stored less well.
    fn check(&mut self, day: u32, all: &[cairn_store::MemoryRecord]) {
        let mut now = BTreeMap::new();
        for record in all {
            let memory = &record.memory;
            let within = memory.stability > 0.0
                && (0.0..=1.0).contains(&memory.utility)
                && (1.0..=10.0).contains(&memory.storage);
            if !within {
                self.lived.broken.push(format!("day {day}: {} is out of bounds", memory.id));
            }
            now.insert(record.number, memory.storage);
        }
        for (number, was) in &self.stored {
            if now.get(number).is_none_or(|is| is < was) {
                self.lived.broken.push(format!("day {day}: memory {number} is gone or stored less well"));
            }
        }
        self.stored = now;
    }
}

/// Whether a hit is given as something that holds.
fn holds(hit: &Hit, now: Time) -> bool {
    match &hit.found {
        Found::Memory(record, _) => record.memory.holds(now),
        // Neither says when it stopped to hold: whatever it tells is given as if it did.
        Found::Belief(_) | Found::Digest(..) => true,
        Found::Message(_) => {
            hit.replaced_by.is_none() && hit.memories.iter().any(|record| record.memory.holds(now))
        }
    }
}

fn millis(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

fn retention(memory: &cairn_domain::Memory, now: Time) -> f64 {
    cairn_cognition::promotion::strength_of(memory).retrieval(now, cairn_cognition::retention::Curve::Seed)
}

impl Lived {
    fn new() -> Self {
        Self {
            samples: Vec::new(),
            histogram: [0; BOXES],
            messages: 0,
            seconds: 0.0,
            often: Often::default(),
            replaced: Replaced::default(),
            broken: Vec::new(),
            took_ms: (0.0, 0.0),
            extremes: (0.0, 0.0),
            steps: BTreeMap::new(),
        }
    }

    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let last = self.samples.last().cloned().unwrap_or_default();
        let [working, episodic, semantic, dormant, over] = last.kept;
        let of = |some: usize, all: usize| {
            format!("{some} of {all} ({:.1} %)", 100.0 * some as f64 / all.max(1) as f64)
        };
        let (often, replaced) = (self.often, self.replaced);
        vec![
            ("messages".to_owned(), self.messages.to_string()),
            ("active memories".to_owned(), (working + episodic + semantic).to_string()),
            ("knowledge among them".to_owned(), semantic.to_string()),
            ("dormant".to_owned(), dormant.to_string()),
            ("replaced or deprecated".to_owned(), over.to_string()),
            ("active with retention ≥ 0.95".to_owned(), format!("{:.1} %", 100.0 * self.extremes.0)),
            ("active with retention < 0.05".to_owned(), format!("{:.1} %", 100.0 * self.extremes.1)),
            ("used three times and standing".to_owned(), of(often.standing, often.facts)),
            ("used three times and found in the first ten".to_owned(), of(often.found, often.facts)),
            ("replaced and standing".to_owned(), of(replaced.standing, replaced.facts)),
            ("replaced and given as if it held".to_owned(), of(replaced.given, replaced.facts)),
            ("a question took".to_owned(), format!("{:.1} ms", self.took_ms.1)),
            ("a night took".to_owned(), format!("{:.0} ms", self.took_ms.0)),
            ("invariants broken".to_owned(), self.broken.len().to_string()),
            ("took".to_owned(), format!("{:.1} s", self.seconds)),
        ]
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let sample = |sample: &Sample| {
            json!({"day": sample.day, "kept": sample.kept, "means": sample.means, "changed": sample.changed,
                   "let_go": sample.let_go})
        };
        json!({"messages": self.messages, "seconds": self.seconds, "histogram": self.histogram,
               "retention_top": self.extremes.0, "retention_bottom": self.extremes.1,
               "often": {"facts": self.often.facts, "standing": self.often.standing, "found": self.often.found},
               "replaced": {"facts": self.replaced.facts, "standing": self.replaced.standing,
                            "given": self.replaced.given},
               "night_ms": self.took_ms.0, "question_ms": self.took_ms.1, "broken": self.broken, "steps": self.steps,
               "samples": self.samples.iter().map(sample).collect::<Value>()})
    }

    /// As a page with pictures, beside the same life without rhythms if that was lived, too.
    pub fn to_html(&self, title: &str, without: Option<&Self>) -> String {
        picture::page(self, title, without)
    }
}
