//! Twenty agents with random shares and random questions: nobody finds a memory that is not theirs or shared with them now.

mod support;

use cairn_domain::{AgentName, Category, Draft, MemoryShare, Role, SharedSource};
use cairn_engine::{Agent, Effects, FormMemories, Found, Home, Missing, Question};
use cairn_operator::{SharingChange, SharingState, Words, apply_sharing, erase};
use cairn_store::MemoryScope;
use cairn_testkit::{SimulatedClock, postgres, run};
use fastrand::Rng;
use std::{collections::BTreeMap, env, fs, sync::Arc};
use support::{GRANT, START, rare_name};

const AGENTS: usize = 20;
const THREADS: [&str; 4] = ["harbor", "kiln", "billing", "garden"];
const THINGS: [&str; 8] = ["crane", "glaze", "invoice", "hedge", "winch", "clay", "ledger", "pond"];
/// Questions that are asked unless `CAIRN_SHARING_QUESTIONS` says otherwise; the full number is 10,000.
const QUESTIONS: usize = 300;

fn agent_name(number: usize) -> AgentName {
    format!("agent{number:02}").parse().expect("a name")
}

/// The agents with what each may read of whom.
struct World {
    home: Home,
    clock: Arc<SimulatedClock>,
    agents: Vec<Agent>,
    shares: BTreeMap<(usize, usize), MemoryShare>,
}

impl World {
    async fn begin(home: Home, clock: Arc<SimulatedClock>) -> Self {
        let mut agents = Vec::new();
        for number in 0..AGENTS {
            let agent = home.agent(&agent_name(number), Missing::Create).await.expect("an agent");
            for (place, thing) in THINGS.iter().enumerate() {
                clock.pass_ms(1_000);
                let text = match place % 2 {
                    0 => format!("The {thing} of {} stands in hall {place}.", rare_name(number)),
                    _ => format!("I prefer the {thing} of {} over any other.", rare_name(number)),
                };
                let thread = Some(THREADS[place % THREADS.len()].to_owned());
                let draft =
                    Draft { thread, session: Some(format!("s{place}")), ..Draft::new(Role::User, text) };
                agent.remember_on_request(draft, FormMemories::Now).await.expect("kept");
            }
            agents.push(agent);
        }
        Self { home, clock, agents, shares: BTreeMap::new() }
    }

    /// Shares something else between two agents, or takes it back.
    async fn change_share(&mut self, rng: &mut Rng) {
        let owner = rng.usize(0..AGENTS);
        let reader = (owner + rng.usize(1..AGENTS)) % AGENTS;
        let known = self.shares.contains_key(&(owner, reader));
        let share = match rng.usize(0..5) {
            0 => MemoryShare { everything: true, ..MemoryShare::default() },
            1 => MemoryShare { categories: vec![Category::Preference], ..MemoryShare::default() },
            2 if known => MemoryShare::default(),
            _ => {
                let thread = THREADS[rng.usize(0..THREADS.len())].to_owned();
                MemoryShare { threads: vec![thread], ..MemoryShare::default() }
            }
        };
        let is_ended = share == MemoryShare::default();
        let becomes = if is_ended {
            SharingState::Ended
        } else {
            SharingState::Shared(share.clone(), SharedSource::default())
        };
        if self.shares.get(&(owner, reader)) == Some(&share) {
            return;
        }
        let change = SharingChange { owner: agent_name(owner), other: agent_name(reader), becomes };
        apply_sharing(&GRANT, &self.home, &change, "as it happens").await.expect("applied");
        if is_ended {
            self.shares.remove(&(owner, reader));
        } else {
            self.shares.insert((owner, reader), share);
        }
    }

    /// Asks an agent something, and holds every hit against what is shared now. How many were another agent's.
    async fn ask(&self, reader: usize, text: &str) -> usize {
        let question = Question { k: 20, ..Question::new(text) };
        let recall = self.agents[reader].answer(question, Effects::Strengthen).await.expect("an answer");
        assert!(recall.away.is_empty(), "{:?}", recall.away);
        let mut vicarious = 0;
        for hit in &recall.hits {
            let owner = (0..AGENTS).find(|number| hit.found.text().contains(&rare_name(*number)));
            let owner = owner.unwrap_or_else(|| panic!("nobody said {:?}", hit.found.text()));
            let Found::Shared(shared) = &hit.found else {
                assert_eq!(owner, reader, "a foreign row: {:?}", hit.found.text());
                continue;
            };
            assert_eq!(shared.owner, agent_name(owner), "{:?}", hit.found.text());
            let share = self.shares.get(&(owner, reader));
            let share = share.unwrap_or_else(|| panic!("{owner} shares nothing with {reader}: {hit:?}"));
            let memory = &shared.record.memory;
            let in_thread = memory.thread.as_ref().is_some_and(|thread| share.threads.contains(thread));
            let in_category = share.categories.contains(&memory.category);
            assert!(share.everything || in_thread || in_category, "{share:?}: {hit:?}");
            vicarious += 1;
        }
        vicarious
    }

    /// A question of a few words, with or without the name of an agent.
    fn question(rng: &mut Rng) -> String {
        let thing = THINGS[rng.usize(0..THINGS.len())];
        match rng.usize(0..4) {
            0 => format!("where is the {thing}?"),
            1 => format!("what about the {thing} of {}?", rare_name(rng.usize(0..AGENTS))),
            2 => format!("which {thing} do I prefer, and who stands in the hall?"),
            _ => format!("tell me about {}", rare_name(rng.usize(0..AGENTS))),
        }
    }
}

async fn live(home: Home, clock: Arc<SimulatedClock>, seed: u64) {
    let wanted = env::var("CAIRN_SHARING_QUESTIONS").ok().and_then(|text| text.parse().ok());
    let questions: usize = wanted.unwrap_or(QUESTIONS);
    let mut rng = Rng::with_seed(seed);
    let mut world = World::begin(home, clock).await;
    for _ in 0..40 {
        world.change_share(&mut rng).await;
    }
    let mut vicarious = 0;
    for number in 0..questions {
        if number % 25 == 24 {
            world.change_share(&mut rng).await;
        }
        world.clock.pass_ms(1_000);
        let reader = rng.usize(0..AGENTS);
        vicarious += world.ask(reader, &World::question(&mut rng)).await;
    }
    assert!(vicarious > questions / 10, "{vicarious} of other agents' memories were found");
    println!("{questions} questions, {vicarious} vicarious hits, 0 foreign rows");
}

fn in_folders() -> (tempfile::TempDir, Home, Arc<SimulatedClock>) {
    let clock = SimulatedClock::at(START);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("config.toml"), "[embedder]\nkind = \"none\"\n").expect("written");
    let home = Home::new(folder.path(), Arc::clone(&clock) as _).expect("a home");
    (folder, home, clock)
}

/// covers: C-241, C-248, I10
#[test]
fn nobody_finds_what_is_not_theirs_or_shared() {
    let (_folder, home, clock) = in_folders();
    run(live(home, clock, 7));
}

/// covers: C-248, I10
#[test]
fn nobody_on_a_database_server_finds_what_is_not_theirs_or_shared() {
    let clock = SimulatedClock::at(START);
    let Some((_folder, home)) = postgres::home(Arc::clone(&clock)) else { return };
    run(live(home.without_models(), clock, 11));
}

/// covers: C-248
#[test]
fn what_the_owner_erases_no_reader_finds_and_giving_it_strengthens_nothing() {
    let (_folder, home, clock) = in_folders();
    run(async {
        let world = World::begin(home, clock).await;
        let share = MemoryShare { everything: true, ..MemoryShare::default() };
        let becomes = SharingState::Shared(share.clone(), SharedSource::default());
        let change = SharingChange { owner: agent_name(1), other: agent_name(0), becomes };
        apply_sharing(&GRANT, &world.home, &change, "one project").await.expect("applied");
        let mut world = world;
        world.shares.insert((1, 0), share);
        let before = strengths(&world.agents[1]).await;
        let asked = format!("what about the crane of {}?", rare_name(1));
        assert!(world.ask(0, &asked).await > 0);
        assert_eq!(strengths(&world.agents[1]).await, before, "the owner's memories are as they were");
        let words = Words { thread: Some("harbor".to_owned()), ..Words::default() };
        erase(&GRANT, &world.home, &agent_name(1), words, "asked to be forgotten").await.expect("erased");
        let question = Question::new(asked);
        let recall = world.agents[0].answer(question, Effects::None).await.expect("an answer");
        let crane = format!("crane of {}", rare_name(1));
        let crane = recall.hits.iter().find(|hit| hit.found.text().contains(&crane));
        assert!(crane.is_none(), "{crane:?}");
    });
}

/// How strong each memory of an agent is.
async fn strengths(agent: &Agent) -> Vec<(u32, String)> {
    let memories = agent.memories(None, MemoryScope::All, 100).await.expect("memories");
    memories.iter().map(|it| (it.memory.accesses, format!("{:?}", it.memory.storage))).collect()
}
