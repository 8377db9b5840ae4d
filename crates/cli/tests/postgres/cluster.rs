//! A Citus cluster: the same answers, walls on every machine, writers that wait for nobody else's. `scripts/citus` starts a
//! cluster and runs these; without one they are skipped.

use crate::{
    postgres::database::{Session, address},
    serve::world::Server,
    story::same_story,
    support::{
        Cairn,
        erasing::{answered, signed_in},
        models::test_models,
    },
};
use reqwest::Method;
use serde_json::json;
use std::{
    env, process,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// The address of the coordinator's database, for a role that owns it.
const CITUS_URL: &str = "CAIRN_TEST_CITUS_URL";

/// A database of a test's own on every machine of a cluster, gone when the test ends.
struct ClusterDatabase {
    url: String,
    name: String,
    /// Every machine's address for its administrator, the coordinator's first.
    machines: Vec<String>,
}

impl ClusterDatabase {
    /// An empty one; none where there is no cluster.
    fn new() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Ok(url) = env::var(CITUS_URL) else {
            println!("SKIPPED: {CITUS_URL} names no cluster");
            return None;
        };
        let name = format!("cairn_cluster_{}_{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let nodes = Session::open(&url).done("SELECT nodename, nodeport FROM pg_dist_node ORDER BY nodeid");
        let nodes: Vec<(String, String)> =
            nodes.rows.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
        let machines: Vec<String> =
            nodes.iter().map(|(host, port)| format!("postgres://postgres@{host}:{port}")).collect();
        for machine in &machines {
            Session::open(&format!("{machine}/postgres"))
                .done(&format!("CREATE DATABASE {name} OWNER cairn"));
            let session = Session::open(&format!("{machine}/{name}"));
            session.done("CREATE EXTENSION citus");
            session.done("CREATE EXTENSION vector");
        }
        let coordinator = Session::open(&format!("{}/{name}", machines[0]));
        for (at, (host, port)) in nodes.iter().enumerate() {
            let joins = if at == 0 { "citus_set_coordinator_host" } else { "citus_add_node" };
            coordinator.done(&format!("SELECT {joins}('{host}', {port})"));
        }
        Some(Self { url: address(&url, None, &name), name, machines })
    }
}

impl Drop for ClusterDatabase {
    fn drop(&mut self) {
        for machine in &self.machines {
            let session = Session::open(&format!("{machine}/postgres"));
            let _ = session.ask(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
        }
    }
}

/// covers: X-P3, C-157, K-105
#[test]
fn every_command_does_the_same_in_a_folder_and_on_a_cluster() {
    let (Some(database), Some(models)) = (ClusterDatabase::new(), test_models()) else { return };
    let owner = Cairn::new().with_database(&database.url);
    owner.done("init --no-model");
    owner.done("admin distribute");
    Session::open(&database.url).done("DELETE FROM agent");
    same_story(&database.url, &models);
}

/// covers: I10, X-P3, K-111
#[test]
fn agents_are_kept_apart_on_every_machine_of_a_cluster() {
    let Some(database) = ClusterDatabase::new() else { return };
    let cairn = Cairn::new().with_database(&database.url);
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("--agent one remember 'The boat is red.'");
    cairn.done("--agent two remember 'The barn is blue.'");
    let spread = cairn.json("admin distribute");
    assert_eq!(spread["machines"].as_array().map(Vec::len), Some(2), "{spread}");
    assert_eq!(cairn.json("admin distribute"), spread, "a second time changes nothing");
    // What was said before is there, what is said now is kept, and only on the machines.
    cairn.done("--agent one remember 'The boat is named Ida.'");
    for (agent, said, foreign) in [("one", "Ida", "barn"), ("two", "barn", "boat")] {
        let told = cairn.json(&format!("--agent {agent} timeline")).to_string();
        assert!(told.contains(said) && !told.contains(foreign), "{agent}: {told}");
        let found = cairn.json(&format!("--agent {agent} recall '{said}'"))["hits"].to_string();
        assert!(found.contains(said), "{agent}: {found}");
    }
    let doctor = cairn.run("--agent one doctor");
    assert_eq!(doctor.code, 0, "{}", doctor.stdout);
    let owner = Session::open(&database.url);
    owner.done("SET citus.propagate_set_commands = 'local'");
    let local = "SELECT SUM(pg_relation_size(logicalrelid::oid)) FROM pg_dist_partition";
    assert_eq!(owner.value(local), "0", "no word stays behind on the coordinator");
    // Whatever a statement says, it touches the rows of the agent whose number its transaction has said.
    for (agent, of_one, of_two) in [("NULL", "0", "0"), ("1", "2", "0"), ("2", "0", "1"), ("3", "0", "0")] {
        owner.done("BEGIN");
        if agent != "NULL" {
            owner.done(&format!("SET LOCAL cairn.agent_id = {agent}"));
        }
        for (asked, expected) in [("1", of_one), ("2", of_two)] {
            let seen = owner.value(&format!("SELECT COUNT(*) FROM message WHERE agent_id = {asked}"));
            assert_eq!(seen, expected, "agent {agent} looks at {asked}");
        }
        owner.done("ROLLBACK");
    }
    owner.done("BEGIN; SET LOCAL cairn.agent_id = 2");
    let refused = owner.ask("INSERT INTO thread (agent_id, thread_id, name) VALUES (1, 99, 'x')");
    assert!(refused.is_err_and(|told| told.contains("row-level security")), "a foreign row");
    owner.done("ROLLBACK");
    // A writer of one agent waits for nobody who writes for another.
    owner.done("SET cairn.agent = 'one'");
    owner.done("BEGIN; SELECT 1 FROM agent WHERE name = 'one' FOR NO KEY UPDATE");
    let begun = Instant::now();
    cairn.done("--agent two remember 'The barn has two doors.'");
    assert!(begun.elapsed() < Duration::from_secs(20), "it waited {:?}", begun.elapsed());
    owner.done("ROLLBACK");
    // Guards hold on the machines, and an operator's erasure passes them.
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let erased = answered(&cairn, "--agent one erase --all --yes --reason so");
    assert!(!erased.to_string().contains("Ida"), "{erased}");
    assert!(!cairn.json("--agent one timeline").to_string().contains("boat"));
    assert!(cairn.json("--agent two timeline").to_string().contains("doors"));
    owner.done("BEGIN; SET LOCAL cairn.agent_id = 2");
    assert!(owner.ask("DELETE FROM message WHERE agent_id = 2").is_err(), "messages are append-only");
    owner.done("ROLLBACK");
}

/// Writes for `agent` until `stopped`; the ids that were acknowledged.
async fn write_until(server: &Server, agent: &str, stopped: &AtomicBool) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let mut number = 0;
    while !stopped.load(Ordering::Relaxed) {
        number += 1;
        let id = format!("{agent}-{number}");
        let said =
            json!({"text": format!("{agent} tells {number}."), "id": id, "session": "s", "no_wait": true});
        let asked = server.request(Method::POST, &format!("/v1/agents/{agent}/remember")).json(&said);
        match asked.send().await {
            Ok(answer) if answer.status().is_success() => acknowledged.push(id),
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    acknowledged
}

/// Every id of the caller's that an agent has, page by page.
async fn kept(server: &Server, agent: &str) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    loop {
        let page =
            server.get(&format!("/v1/agents/{agent}/sessions/s/messages?limit=100{cursor}")).await.ok();
        for message in page["messages"].as_array().expect("messages") {
            ids.extend(message["source_ids"][0].as_str().map(str::to_owned));
        }
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

/// covers: I4, X-P3
#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_is_killed_loses_nothing_acknowledged() {
    let Some(database) = tokio::task::spawn_blocking(ClusterDatabase::new).await.expect("a database") else {
        return;
    };
    let Ok(folder) = env::var("CAIRN_TEST_CITUS_FOLDER") else {
        println!("SKIPPED: CAIRN_TEST_CITUS_FOLDER names no cluster whose machines may be killed");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/citus");
    let machine = |what: &'static str| {
        let done = process::Command::new(script).args([what, &folder, "w1"]).status();
        assert!(done.expect("the script runs").success(), "{what}");
    };
    let cairn = Cairn::new().with_database(&database.url);
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("init --no-model");
    cairn.done("admin distribute");
    let (server, stopped) = (Server::start(&cairn), AtomicBool::new(false));
    let agents = ["ash", "birch", "cedar", "elder"];
    let events = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        machine("kill");
        tokio::time::sleep(Duration::from_secs(2)).await;
        machine("revive");
        tokio::time::sleep(Duration::from_secs(5)).await;
        stopped.store(true, Ordering::Relaxed);
    };
    let writers = futures_util::future::join_all(agents.map(|agent| write_until(&server, agent, &stopped)));
    let (acknowledged, ()) = tokio::join!(writers, events);
    for (agent, acknowledged) in agents.iter().zip(acknowledged) {
        println!("{agent}: {} acknowledged", acknowledged.len());
        let mut kept = kept(&server, agent).await;
        kept.sort();
        let count = kept.len();
        kept.dedup();
        assert_eq!(kept.len(), count, "{agent}: something is there twice");
        let lost: Vec<&String> = acknowledged.iter().filter(|id| !kept.contains(*id)).collect();
        assert!(lost.is_empty() && acknowledged.len() > 20, "{agent}: {lost:?} of {}", acknowledged.len());
    }
    drop(server);
    tokio::task::spawn_blocking(move || drop(database)).await.expect("gone");
}
