//! `cairn init`.

use crate::support::{Cairn, files};
use std::fs;

/// covers: W-01, X-P3
#[test]
fn a_home_is_made_and_a_second_time_nothing_is() {
    let cairn = Cairn::new();
    cairn.tell("init --no-model");
    let made = files(&cairn.path("home"));
    cairn.tell("init --no-model");
    cairn.tell("init --no-model --json");
    assert!(files(&cairn.path("home")) == made, "a file was changed");
    cairn.tell("--agent second init --no-model --json");
    cairn.tell("agents");
    insta::assert_snapshot!(cairn.story());
    for agent in ["main", "second"] {
        let database = fs::read(cairn.path(&format!("home/agents/{agent}/memory.db"))).expect("a database");
        assert!(database.starts_with(b"SQLite format 3\0"));
        assert_eq!(database[18..20], [2, 2], "its journal is a write-ahead log");
    }
}

/// covers: X-P3
#[test]
fn what_the_operator_wrote_stays_when_init_runs_again() {
    let cairn = Cairn::new();
    let written = [
        ("home/config.toml", "[recall]\nthread_boost = 3.0\n"),
        ("home/agents/main/identity/SOUL.md", "You are Kestrel.\n"),
    ];
    for (file, text) in written {
        cairn.write(file, text);
    }
    cairn.done("remember 'The ferry to Almada leaves at nine.'");
    let init = cairn.json("init --no-model");
    assert_eq!(init["made"].as_array().map(Vec::len), Some(4), "the other templates: {init}");
    for (file, text) in written {
        assert_eq!(cairn.read(file), text);
    }
    assert_eq!(cairn.hits("ferry"), ["The ferry to Almada leaves at nine."]);
    assert_eq!(cairn.json("config show")["recall"]["thread_boost"], 3.0);
}

/// covers: W-01, C-149
#[test]
fn agents_of_one_home_know_nothing_of_each_other() {
    let cairn = Cairn::new();
    cairn.done("--agent ada remember 'The heron nests at the weir.' --session garden --thread birds");
    cairn.done("--agent bob remember 'The heron costume needs feathers.' --session garden --thread party");
    assert_eq!(cairn.hits("heron --agent ada"), ["The heron nests at the weir."]);
    assert_eq!(cairn.hits("heron --agent bob --session garden"), ["The heron costume needs feathers."]);
    assert_eq!(cairn.json("--agent ada threads")["threads"][0]["thread"], "birds");
    assert_eq!(cairn.json("--agent bob sessions")["sessions"][0]["messages"], 1);
    let heard = cairn.json("--agent ada recall heron");
    let reference = heard["hits"][0]["ref"].as_str().expect("a ref");
    assert_eq!(cairn.run(&format!("--agent bob open {reference}")).code, 1);
}
