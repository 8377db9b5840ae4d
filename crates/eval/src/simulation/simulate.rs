//! A simulated life: somebody talks to an agent for days or years under a clock that jumps, and the agent tends its
//! memories at night. What became of them is counted on the way, so that settings can be seen before they are trusted.

use super::result::{OftenUsedFacts, RETENTION_BINS, ReplacedFacts, Sample, SimulatedLife};
use crate::{
    corpus::persona::{Persona, PersonaFact},
    harness::{clock::SettableClock, scratch::scratch_folder},
};
use cairn_domain::{AgentName, MILLIS_PER_DAY, MILLIS_PER_HOUR, Status, Tier, Time};
use cairn_engine::{
    Agent, Clock, Config, Effects, EmbedderConfig, EngineError, Found, Hit, Home, MemoryScope, Missing,
    Question, StoreConfig,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Instant,
};

/// The morning of the first day.
const BEGIN_MS: i64 = 1_767_254_400_000;
/// On how many days at most memories are counted.
const MAX_SAMPLES: u32 = 60;
const MAX_MEMORIES: u32 = 1_000_000;

/// The settings of a simulation.
pub struct SimulationPlan {
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

/// Lives a life with the settings of a home, in a folder that is thrown away. No model is asked.
pub async fn run(
    plan: &SimulationPlan,
    home: &Home,
    on_day: &mut (dyn FnMut(u32) + Send),
) -> Result<SimulatedLife, EngineError> {
    let folder = scratch_folder(home.path())?;
    let config = Config {
        embedder: EmbedderConfig::None,
        previous_embedder: EmbedderConfig::None,
        language_model: Vec::new(),
        language: None,
        store: StoreConfig::default(),
        ..home.config().clone()
    };
    let path = folder.path().join("config.toml");
    std::fs::write(&path, config.to_toml()?).map_err(|source| EngineError::File {
        doing: "write",
        path,
        source,
    })?;
    let clock = Arc::new(SettableClock::at(BEGIN_MS));
    let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>)?;
    let name: AgentName = "simulated".parse()?;
    let agent = home.agent(&name, Missing::Create).await?;
    let (persona, stored) = (Persona::new(plan.seed), BTreeMap::new());
    SimulationRun { agent, clock, plan, persona, lived: SimulatedLife::new(), stored }.live(on_day).await
}

struct SimulationRun<'a> {
    agent: Agent,
    clock: Arc<SettableClock>,
    plan: &'a SimulationPlan,
    persona: Persona,
    lived: SimulatedLife,
    /// How well each memory was stored when they were last counted.
    stored: BTreeMap<u32, f64>,
}

impl SimulationRun<'_> {
    async fn live(mut self, on_day: &mut (dyn FnMut(u32) + Send)) -> Result<SimulatedLife, EngineError> {
        let begun = Instant::now();
        let every = self.plan.days.div_ceil(MAX_SAMPLES).max(1);
        let (mut changed, mut let_go) = (0, 0);
        for day in 0..self.plan.days {
            let morning = BEGIN_MS + i64::from(day) * MILLIS_PER_DAY;
            self.talk(day, morning).await?;
            self.ask().await?;
            self.clock.set(morning + 20 * MILLIS_PER_HOUR);
            let night = Instant::now();
            let (more, gone) = self.night().await?;
            self.lived.took_ms.0 += millis(night) / f64::from(self.plan.days);
            (changed, let_go) = (changed + more, let_go + gone);
            if (day + 1) % every == 0 || day + 1 == self.plan.days {
                self.count(day + 1, changed, let_go).await?;
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
        let between = 10 * MILLIS_PER_HOUR / i64::from(self.plan.exchanges.max(1));
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
            self.agent.answer(Question::new(fact.question()), Effects::Strengthen).await?;
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

    async fn count(&mut self, day: u32, changed: u64, let_go: u64) -> Result<(), EngineError> {
        let now = self.clock.now();
        let all = self.agent.memories(None, MemoryScope::All, MAX_MEMORIES).await?;
        self.check(day, &all);
        let mut sample = Sample { day, changed, let_go, ..Sample::default() };
        let mut histogram = [0; RETENTION_BINS];
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
            histogram[((retention * RETENTION_BINS as f64) as usize).min(RETENTION_BINS - 1)] += 1;
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
        let all = self.agent.memories(None, MemoryScope::All, MAX_MEMORIES).await?;
        let stands = |record: &&cairn_store::MemoryRecord| record.memory.is_active();
        let standing: Vec<&str> =
            all.iter().filter(stands).map(|record| record.memory.text.as_str()).collect();
        let told = |fact: &PersonaFact| standing.iter().any(|text| fact.is_told_by(text));
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
        let standing_of = |facts: &[PersonaFact]| facts.iter().filter(|fact| told(fact)).count();
        self.lived.often = OftenUsedFacts { facts: often.len(), standing: standing_of(&often), found };
        self.lived.replaced =
            ReplacedFacts { facts: replaced.len(), standing: standing_of(&replaced), given };
        let findings = self.agent.verify().await?.findings;
        self.lived.broken.extend(findings.into_iter().map(|finding| finding.problem));
        Ok(())
    }

    async fn hits(&self, fact: &PersonaFact) -> Result<Vec<Hit>, EngineError> {
        Ok(self.agent.answer(Question::new(fact.question()), Effects::None).await?.hits)
    }

    /// The invariants of every life, checked against the last time: no memory is lost, and no storage strength falls.
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
        Found::Belief(_) | Found::Digest(..) | Found::Attachment(_) | Found::Shared(_) => true,
        Found::Message(_) => {
            hit.replaced_by.is_none() && hit.memories.iter().any(|record| record.memory.holds(now))
        }
    }
}

fn millis(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

fn retention(memory: &cairn_domain::Memory, now: Time) -> f64 {
    cairn_cognition::promotion::strength_of(memory)
        .retrieval(now, cairn_cognition::retention::RetentionCurve::Seed)
}
