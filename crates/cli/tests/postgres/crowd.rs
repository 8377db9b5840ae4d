//! Many agents in one database, with eight who write and eight who ask at the same time.

use crate::postgres::database::Database;
use cairn_domain::{AgentName, Draft, Role};
use cairn_engine::{Agent, Effects, Home, Missing, Question};
use cairn_testkit::SimulatedClock;
use fastrand::Rng;
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Who writes, and who asks, at the same time.
const WRITERS: u64 = 8;
const READERS: u64 = 8;
/// Number of steps with one agent before going on to the next.
const VISIT: usize = 12;
const WORDS: [&str; 12] = [
    "amber", "barge", "cellar", "dune", "ember", "fjord", "gable", "harbour", "inkwell", "juniper",
    "kestrel", "lantern",
];

/// A home on a server with its agents.
struct Crowd {
    home: Home,
    agents: Vec<AgentName>,
    /// How many messages each agent was told are kept.
    kept: Vec<AtomicUsize>,
    until: Instant,
    _folder: TempDir,
}

/// How long things took.
#[derive(Default)]
struct Taken {
    opening: Vec<Duration>,
    writing: Vec<Duration>,
    asking: Vec<Duration>,
}

/// One message, which names its agent and has one word that no other has.
fn said(agent: &AgentName, rng: &mut Rng, mark: &str) -> Draft {
    let mut text = format!("{agent} noted {mark}");
    for _ in 0..rng.usize(4..20) {
        text.push(' ');
        text.push_str(WORDS[rng.usize(..WORDS.len())]);
    }
    let session = format!("{agent}-{}", rng.u8(..5));
    Draft { session: Some(session), source_id: Some(mark.to_owned()), ..Draft::new(Role::User, text) }
}

impl Crowd {
    fn new(database: &Database, agents: usize, length: Duration) -> Arc<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("config.toml"), "[embedder]\nkind = \"none\"\n").expect("a file");
        let home = Home::new(folder.path(), SimulatedClock::at("2026-11-15T10:00:00Z") as _)
            .and_then(|home| home.with_database(database.url().to_owned()))
            .expect("a home");
        let name = |i: usize| format!("agent{i:03}").parse().expect("a name");
        let kept = (0..agents).map(|_| AtomicUsize::new(0)).collect();
        let agents = (0..agents).map(name).collect();
        Arc::new(Self { home, agents, kept, until: Instant::now() + length, _folder: folder })
    }

    /// Opens one agent of many for a short while, as a server does that has more agents than connections.
    async fn visit(&self, i: usize, taken: &mut Taken) -> Agent {
        let begun = Instant::now();
        let agent = self.home.agent(&self.agents[i], Missing::Create).await.expect("an agent opens");
        taken.opening.push(begun.elapsed());
        agent
    }

    /// Remembers until the time is up.
    async fn write(self: Arc<Self>, seed: u64) -> Taken {
        let (mut rng, mut taken) = (Rng::with_seed(seed), Taken::default());
        let mut count = 0;
        while Instant::now() < self.until {
            let i = rng.usize(..self.agents.len());
            let agent = self.visit(i, &mut taken).await;
            for _ in 0..VISIT {
                count += 1;
                let mark = format!("mark{seed}x{count}");
                let draft = said(agent.name(), &mut rng, &mark);
                let begun = Instant::now();
                let kept = agent.remember(draft).await.expect("nobody who writes is turned away");
                taken.writing.push(begun.elapsed());
                assert!(!kept.duplicate);
                self.kept[i].fetch_add(1, Ordering::Relaxed);
                if count % 10 == 0 {
                    let hits = ask(&agent, &mark, &mut taken).await;
                    let found = hits.first().is_some_and(|text| text.contains(&mark));
                    assert!(
                        found,
                        "{mark} was acknowledged to {}, and this is found: {hits:?}",
                        agent.name()
                    );
                }
            }
        }
        taken
    }

    /// Asks until the time is up: for words that all agents use, and for another agent's name.
    async fn read(self: Arc<Self>, seed: u64) -> Taken {
        let (mut rng, mut taken) = (Rng::with_seed(seed), Taken::default());
        while Instant::now() < self.until {
            let agent = self.visit(rng.usize(..self.agents.len()), &mut taken).await;
            for _ in 0..VISIT {
                let other = &self.agents[rng.usize(..self.agents.len())];
                let [one, two] = [rng.usize(..WORDS.len()), rng.usize(..WORDS.len())].map(|at| WORDS[at]);
                let question = if rng.bool() { format!("{one} {two}") } else { other.to_string() };
                for text in ask(&agent, &question, &mut taken).await {
                    let own = format!("{} noted ", agent.name());
                    assert!(text.starts_with(&own), "{} is told of {text:?}", agent.name());
                }
            }
        }
        taken
    }
}

/// The texts that answer a question.
async fn ask(agent: &Agent, question: &str, taken: &mut Taken) -> Vec<String> {
    let begun = Instant::now();
    let recall =
        agent.answer(Question::new(question), Effects::None).await.expect("nobody who asks is turned away");
    taken.asking.push(begun.elapsed());
    recall.hits.into_iter().map(|hit| hit.found.text().to_owned()).collect()
}

/// Half of them took no longer than the first, and 95 of 100 no longer than the second, in milliseconds.
fn percentiles(mut taken: Vec<Duration>) -> String {
    taken.sort_unstable();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    format!(
        "{} in all, p50 {:.2} ms, p95 {:.2} ms, longest {:.0} ms",
        taken.len(),
        at(0.5),
        at(0.95),
        at(1.0)
    )
}

fn crowd(agents: usize, length: Duration) {
    let Some(database) = Database::new() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(16).enable_all().build();
    let total = runtime.expect("a runtime").block_on(async {
        let crowd = Crowd::new(&database, agents, length);
        let mut total = Taken::default();
        // Everybody is known before the first question.
        for i in 0..agents {
            let agent = crowd.visit(i, &mut total).await;
            let first = said(agent.name(), &mut Rng::with_seed(i as u64), &format!("first{i}"));
            agent.remember(first).await.expect("kept");
            crowd.kept[i].fetch_add(1, Ordering::Relaxed);
        }
        let writers = (0..WRITERS).map(|seed| tokio::spawn(Arc::clone(&crowd).write(seed)));
        let readers = (0..READERS).map(|seed| tokio::spawn(Arc::clone(&crowd).read(1_000 + seed)));
        for task in writers.chain(readers).collect::<Vec<_>>() {
            let taken = task.await.expect("nobody fails");
            total.opening.extend(taken.opening);
            total.writing.extend(taken.writing);
            total.asking.extend(taken.asking);
        }
        for (i, kept) in crowd.kept.iter().enumerate() {
            let agent = crowd.visit(i, &mut Taken::default()).await;
            let held = agent.stats().await.expect("counts").counts.messages;
            assert_eq!(held, kept.load(Ordering::Relaxed) as u64, "{}", agent.name());
        }
        total
    });
    assert!(total.writing.len() > agents && total.asking.len() > agents, "they got around");
    println!("{agents} agents, {WRITERS} writers and {READERS} readers for {length:?}");
    for (what, taken) in [("writes", total.writing), ("recalls", total.asking), ("openings", total.opening)] {
        println!("{what}: {}", percentiles(taken));
    }
}

/// Nobody is turned away, nobody is answered with a row of another agent, and what was acknowledged is found and counted.
///
/// covers: I10, C-149
#[test]
fn twenty_agents_share_a_database() {
    crowd(20, Duration::from_secs(4));
}

/// The same with two hundred for a minute, to be run by hand:
/// `cargo test --release -p cairn --test cli -- --ignored --nocapture two_hundred`.
///
/// covers: I10, C-149
#[test]
#[ignore = "takes more than a minute"]
fn two_hundred_agents_share_a_database() {
    crowd(200, Duration::from_mins(1));
}
