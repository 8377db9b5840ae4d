//! Random lives with dreams, and random erasures: what goes is nowhere, what stays fits together, and life goes on.

mod support;

use cairn_domain::{AgentName, Draft, MILLIS_PER_DAY, MessageId, Role, Time};
use cairn_engine::{Agent, Disclosure, Health, Home, Missing, RhythmOutcome};
use cairn_operator::{Words, erase, plan_erasure};
use cairn_store::{BeliefFilter, MemoryScope};
use cairn_testkit::{SimulatedClock, postgres, run};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    sync::Arc,
};
use support::{GRANT, START, rare_name};

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";
/// Every rhythm that makes something of memories.
const RHYTHMS: [&str; 8] =
    ["intake", "dream", "digests", "compaction", "beliefs", "revalidation", "contemplation", "standing"];

/// The sentences people say; `{}` is a name that nobody else says, unless it is said again.
const SAYINGS: [&str; 18] = [
    "I live in {} now, in a small flat near the river.",
    "My sister works at {} in Berlin as a potter.",
    "I prefer tea from {} over coffee in the morning.",
    "We use {} for the billing service.",
    "Actually the deadline of {} is March 10, not March 3.",
    "The blue bowl from {} cracked in the kiln today.",
    "The glaze of the bowl from {} came out too thin. The clay was too wet.",
    "I ran the race in {} and my knee hurts.",
    "The login of {} is broken: the build fails.",
    "The login of {} works again, the build passes.",
    "Please always run the tests of {} with make check.",
    "I want to visit {} next spring with my sister.",
    "{} is my favourite place to fire pots. It has two kilns.",
    "I decided to buy the wheel from {}.",
    "I was wrong about {}, that is on me.",
    "You are just a machine, whatever {} says!",
    "Remind me on Friday to call {} about the lease.",
    "I called {} about the lease.",
];

/// The events of a life.
#[derive(Debug, Clone)]
enum Happening {
    Said { saying: usize, name: usize, session: u8, by_user: bool },
    Days(i64),
    Rhythm(usize),
}

/// Which words are to go.
#[derive(Debug, Clone)]
enum Wanted {
    Message(prop::sample::Index),
    Memory(prop::sample::Index),
    Belief(prop::sample::Index),
    Session(u8),
    Thread,
    Before(i64),
    Everything,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => (0..SAYINGS.len(), 0..40_usize, 0..4_u8, any::<bool>())
            .prop_map(|(saying, name, session, by_user)| Happening::Said { saying, name, session, by_user }),
        2 => (1..120_i64).prop_map(Happening::Days),
        2 => (0..RHYTHMS.len()).prop_map(Happening::Rhythm),
    ]
}

fn wanted() -> impl Strategy<Value = Wanted> {
    prop_oneof![
        3 => any::<prop::sample::Index>().prop_map(Wanted::Message),
        3 => any::<prop::sample::Index>().prop_map(Wanted::Memory),
        1 => any::<prop::sample::Index>().prop_map(Wanted::Belief),
        2 => (0..4_u8).prop_map(Wanted::Session),
        1 => Just(Wanted::Thread),
        3 => (0..200_i64).prop_map(Wanted::Before),
        1 => Just(Wanted::Everything),
    ]
}

struct Life {
    clock: Arc<SimulatedClock>,
    home: Home,
    agent: Agent,
    /// The words, and the name in them.
    said: BTreeMap<MessageId, usize>,
    sayings: usize,
}

impl Life {
    async fn begin(home: Home, clock: Arc<SimulatedClock>) -> Self {
        let agent = home.agent(&agent_name(), Missing::Create).await.expect("an agent");
        Self { clock, home, agent, said: BTreeMap::new(), sayings: 0 }
    }

    async fn live(&mut self, happenings: &[Happening]) {
        for happening in happenings {
            match happening {
                Happening::Said { saying, name, session, by_user } => {
                    self.say(*saying, *name, *session, *by_user).await;
                }
                Happening::Days(days) => {
                    self.clock.pass_ms(days * MILLIS_PER_DAY);
                    self.agent.form(&mut |_| {}).await.expect("formed");
                }
                Happening::Rhythm(which) => self.tend(RHYTHMS[*which]).await,
            }
        }
    }

    async fn say(&mut self, saying: usize, name_of: usize, session: u8, by_user: bool) {
        self.clock.pass_ms(90_000);
        self.sayings += 1;
        let role = if by_user { Role::User } else { Role::Assistant };
        let draft = Draft {
            source_id: Some(format!("m{}", self.sayings)),
            session: Some(format!("s{session}")),
            thread: (session == 3).then(|| "kiln".to_owned()),
            ..Draft::new(role, SAYINGS[saying].replace("{}", &rare_name(name_of)))
        };
        // Words that were erased are refused.
        if let Ok(kept) = self.agent.remember(draft).await {
            self.said.insert(kept.message, name_of);
        }
    }

    async fn tend(&self, rhythm: &str) {
        self.agent.form(&mut |_| {}).await.expect("formed");
        let report = self.agent.run_rhythm(rhythm, &mut |_| {}).await.expect("carried out");
        assert_eq!(report.outcome, RhythmOutcome::Done, "{rhythm}");
    }

    /// The words that are wanted; none if there are no such words.
    async fn words(&self, wanted: &Wanted) -> Option<Words> {
        let mut words = Words::default();
        match wanted {
            Wanted::Message(which) => {
                let ids: Vec<MessageId> = self.said.keys().copied().collect();
                words.messages = vec![*(!ids.is_empty()).then(|| which.get(&ids))?];
            }
            Wanted::Memory(which) => {
                let all = self.agent.memories(None, MemoryScope::All, 10_000).await.expect("listed");
                words.memories = vec![(!all.is_empty()).then(|| which.get(&all))?.memory.id];
            }
            Wanted::Belief(which) => {
                let all = self
                    .agent
                    .beliefs(BeliefFilter { all: true, ..BeliefFilter::default() }, 1_000)
                    .await
                    .expect("listed");
                words.beliefs = vec![(!all.is_empty()).then(|| which.get(&all))?.belief.id];
            }
            Wanted::Session(session) => words.session = Some(format!("s{session}")),
            Wanted::Thread => words.thread = Some("kiln".to_owned()),
            Wanted::Before(day) => {
                let start: Time = START.parse().expect("a time");
                words.before = Some(Time::from_millis(start.millis() + day * MILLIS_PER_DAY));
            }
            Wanted::Everything => words.everything = true,
        }
        Some(words)
    }

    /// Copies that an erasure has to find.
    async fn leave_copies(&self) {
        if self.agent.stats().await.expect("stats").counts.messages == 0 {
            return;
        }
        self.agent.backup(None).await.expect("a backup");
        let bundle = self.home.path().join("mine.cairn");
        let mut file = File::create(&bundle).expect("a file");
        self.agent.export(&mut file, &bundle, Disclosure::Whole).await.expect("a bundle");
        let exported = self.home.path().join("exported");
        let _ = fs::remove_dir_all(&exported);
        self.agent.export_archive(&exported).await.expect("files");
        let database = self.agent.folder().join("memory.db");
        if database.exists() {
            let aside = self.agent.folder().join("memory.db.damaged-2026-01-01T00-00-00Z");
            fs::copy(database, aside).expect("copied");
        }
    }

    /// Erases, and checks that nothing is left of what went.
    async fn erase(&mut self, wanted: &Wanted) {
        let Some(words) = self.words(wanted).await else { return };
        self.agent.form(&mut |_| {}).await.expect("formed");
        self.leave_copies().await;
        let Ok(plan) = plan_erasure(&self.home, &agent_name(), words.clone()).await else { return };
        let done = erase(&GRANT, &self.home, &agent_name(), words, "asked to be forgotten").await;
        let done = done.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(done.erasure.messages, plan.erasure.messages, "done as planned");
        assert_eq!(done.erasure.memories, plan.erasure.memories, "done as planned");
        assert_eq!(done.copies, plan.copies, "done as planned");
        for id in &done.erasure.messages {
            self.said.remove(id);
        }
        self.check().await;
    }

    /// Everything fits together, and only the names of what stays are anywhere.
    async fn check(&self) {
        let formed = self.agent.form(&mut |_| {}).await.expect("formed");
        assert_eq!((formed.done, formed.messages as usize), (formed.messages, self.said.len()));
        let findings = self.agent.verify().await.expect("verified").findings;
        assert_eq!(findings, [], "verified");
        let checks = self.home.examine(&agent_name()).await.expect("examined");
        assert!(checks.iter().all(|check| check.health != Health::Bad), "{checks:?}");
        let everything = self.everything().await;
        for number in 0..40 {
            let name = rare_name(number).to_lowercase();
            let stays = self.said.values().any(|said| *said == number);
            // Stems may leave the last letters out.
            let holding: Vec<&String> = everything
                .iter()
                .filter(|(_, bytes)| bytes.windows(6).any(|part| part == &name.as_bytes()[..6]))
                .map(|(place, _)| place)
                .collect();
            assert!(stays || holding.is_empty(), "{name} is still in {holding:?}");
            if stays {
                assert!(!holding.is_empty(), "a check that cannot see {name} proves nothing");
            }
        }
    }

    /// The bytes of every file of the home, and of every row that can be carried elsewhere, in lower case.
    async fn everything(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        read_files(self.home.path(), &mut found);
        let mut bundle = Vec::new();
        self.agent.export(&mut bundle, Path::new("-"), Disclosure::Whole).await.expect("a bundle");
        // Row by row, so that a failure names the table.
        for row in bundle.split(|byte| *byte == b'\n') {
            let table = row.get(..80.min(row.len())).map(String::from_utf8_lossy).unwrap_or_default();
            found.push((format!("a bundle: {table}"), row.to_vec()));
        }
        for (_, bytes) in &mut found {
            bytes.make_ascii_lowercase();
        }
        found
    }
}

fn agent_name() -> AgentName {
    "main".parse().expect("a name")
}

fn read_files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_files(&path, found);
        } else {
            found.push((path.display().to_string(), fs::read(&path).expect("a file")));
        }
    }
}

/// A life, an erasure, more life with all rhythms, another erasure, and more life.
async fn live_and_erase(home: Home, clock: Arc<SimulatedClock>, lives: &[Vec<Happening>], wanted: &[Wanted]) {
    let mut life = Life::begin(home, clock).await;
    for (happenings, wanted) in lives.iter().zip(wanted) {
        life.live(happenings).await;
        life.erase(wanted).await;
        for rhythm in RHYTHMS {
            life.tend(rhythm).await;
        }
        life.check().await;
    }
    life.say(0, 39, 0, true).await;
    life.check().await;
}

fn in_folder(clock: &Arc<SimulatedClock>) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("config.toml"), CONFIG).expect("written");
    let home = Home::new(folder.path(), Arc::clone(clock) as Arc<_>).expect("a home");
    (folder, home)
}

/// A correction is kept, and what it corrected is not: what is told of the correction holds none of the words that went.
///
/// covers: X-P5, I4
#[test]
fn an_erased_value_is_not_quoted_by_what_replaced_it() {
    let clock = SimulatedClock::at(START);
    let (_folder, home) = in_folder(&clock);
    run(async {
        let mut life = Life::begin(home, clock).await;
        life.say(0, 1, 0, true).await;
        life.live(&[Happening::Days(3)]).await;
        life.say(0, 2, 1, true).await;
        life.agent.form(&mut |_| {}).await.expect("formed");
        life.erase(&Wanted::Session(0)).await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, max_shrink_iters: 64, ..ProptestConfig::default() })]

    /// covers: X-P5, I4, X-B4
    #[test]
    fn whatever_is_erased_is_nowhere_and_life_goes_on(
        lives in prop::collection::vec(prop::collection::vec(happening(), 8..50), 2),
        wanted in prop::collection::vec(wanted(), 2),
    ) {
        let clock = SimulatedClock::at(START);
        let (_folder, home) = in_folder(&clock);
        run(live_and_erase(home, clock, &lives, &wanted));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, max_shrink_iters: 16, ..ProptestConfig::default() })]

    /// covers: X-P5, I4, X-B4
    #[test]
    fn whatever_is_erased_on_a_server_is_nowhere_and_life_goes_on(
        lives in prop::collection::vec(prop::collection::vec(happening(), 8..50), 2),
        wanted in prop::collection::vec(wanted(), 2),
    ) {
        let clock = SimulatedClock::at(START);
        if let Some((_folder, home)) = postgres::home(Arc::clone(&clock)) {
            run(live_and_erase(home, clock, &lives, &wanted));
        }
    }
}
