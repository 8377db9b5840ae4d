//! Memories are the same in a folder and on a server, and travel from one to the other and back.

use crate::{
    memories::verdicts::reference,
    postgres::database::Database,
    support::{Cairn, refs, texts},
};
use serde_json::Value;

const KEYWORDS_ONLY: &str = "[embedder]\nkind = \"none\"\n";

/// A life with everything in it: changes, repetitions, small talk, another language, a plan, a great moment.
pub(crate) const LIFE: [(&str, &str); 16] = [
    ("user", "I live in Lisbon."),
    ("assistant", "Lisbon is lovely in autumn, the jacarandas bloom twice."),
    ("user", "I work at Siemens as an engineer."),
    ("user", "ok"),
    ("user", "My sister Ana works at Bosch in Berlin."),
    ("user", "We use PostgreSQL 16 for the billing service."),
    ("user", "I live in Lisbon."),
    ("user", "Kedim Pamuk üç yaşında."),
    ("user", "I'm going to run the Porto marathon next month."),
    ("user", "Actually I live in Porto now."),
    ("user", "URGENT!!! The server is DOWN and we LOST the customer database on Friday!!!"),
    ("user", "Kedim Pamuk dört yaşında."),
    ("user", "The deadline of the atlas project is March 3."),
    ("user", "Actually the deadline of the atlas project is March 10."),
    ("user", "I work at Bosch now."),
    ("user", "Thanks a lot!"),
];

/// A life as a transcript, an hour between two messages.
pub(crate) fn transcript() -> String {
    let line = |(i, (role, text)): (usize, &(&str, &str))| {
        let at = format!("2026-11-{:02}T{:02}:00:00Z", 1 + i / 4, 8 + i % 4);
        let line = serde_json::json!({"id": format!("m{i}"), "session": format!("s{}", i / 4), "thread": "life", "at": at,
                                      "role": role, "text": text});
        format!("{line}\n")
    };
    LIFE.iter().enumerate().map(line).collect()
}

fn empty(database: Option<&Database>) -> Cairn {
    let cairn = match database {
        Some(database) => Cairn::new().with_database(database.url()),
        None => Cairn::new(),
    };
    cairn.write("home/config.toml", KEYWORDS_ONLY);
    cairn
}

fn live(cairn: &Cairn) {
    let ran = cairn.feed("ingest -", transcript());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(cairn.json("form")["formed"], LIFE.len());
}

/// Every answer about memories, without the names of files.
fn everything(cairn: &Cairn) -> Vec<Value> {
    let list = cairn.json("memories list --all --limit 1000");
    let mut all = vec![cairn.json("memories list"), list.clone()];
    for memory in refs(&list["memories"]) {
        let mut why = cairn.json(&format!("why {memory} --verify"));
        for source in why["evidence"].as_array_mut().expect("evidence") {
            source["archive"]["file"].take();
        }
        all.push(why);
        all.push(cairn.json(&format!("open {memory}")));
    }
    for i in 0..LIFE.len() {
        let mut why = cairn.json(&format!("why {}", reference(cairn, &format!("m{i}"))));
        why["evidence"][0]["archive"]["file"].take();
        all.push(why);
    }
    all
}

/// covers: X-P3, C-122, C-246
#[test]
fn memories_move_to_a_server_and_back_without_losing_a_byte() {
    let Some(database) = Database::new() else { return };
    let folder = empty(None);
    live(&folder);
    folder.done(&format!("memories pin {}", refs(&folder.json("memories list")["memories"])[0]));
    let (bundle, known) = (folder.done("export -").stdout, everything(&folder));
    let server = empty(Some(&database));
    server.write("main.cairn", &bundle);
    let taken = server.json("import main.cairn");
    assert_eq!((&taken["added"], &taken["memories"]), (&LIFE.len().into(), &true.into()), "{taken}");
    assert_eq!(server.done("export -").stdout, bundle, "from a folder to a server");
    assert_eq!(everything(&server), known);
    assert_eq!(server.json("form")["formed"], LIFE.len(), "what was looked at is not looked at again");
    let back = empty(None);
    back.write("main.cairn", server.done("export -").stdout);
    back.done("import main.cairn");
    assert_eq!(back.done("export -").stdout, bundle, "and back");
    assert_eq!(everything(&back), known);
    for cairn in [&folder, &server, &back] {
        assert_eq!(cairn.json("verify")["ok"], true);
        // Life goes on alike.
        cairn.at("2026-11-20T10:00:00Z").done("remember 'I live in Oslo now.' --session later --id later");
    }
    assert_eq!(everything(&server), everything(&folder));
    assert_eq!(everything(&back), everything(&folder));
}

/// covers: X-P3, X-B3
#[test]
fn the_same_words_become_the_same_memories_in_a_folder_and_on_a_server() {
    let Some(database) = Database::new() else { return };
    let (folder, server) = (empty(None), empty(Some(&database)));
    live(&folder);
    live(&server);
    assert_eq!(everything(&server), everything(&folder));
}

/// An agent that has memories of its own takes in the words and says that the memories stayed behind.
///
/// covers: C-246
#[test]
fn a_bundle_brings_its_memories_only_where_there_are_none() {
    let source = empty(None);
    live(&source);
    source.done("export main.cairn");
    source.done("--agent other remember 'My dog Rex is three years old.' --session dog");
    source.at("2026-11-16T10:00:00Z").tell("--agent other import main.cairn");
    source.tell("--agent other import --json main.cairn");
    source.tell("--agent fresh import main.cairn");
    insta::assert_snapshot!(source.story());
    let other = texts(&source.json("--agent other memories list")["memories"]);
    assert_eq!(other.len(), 1, "{other:?}");
    assert_eq!(source.json("--agent other form")["formed"], LIFE.len() + 1);
    let sorted = |agent: &str| {
        let mut texts =
            texts(&source.json(&format!("--agent {agent} memories list --all --limit 1000"))["memories"]);
        texts.sort();
        texts
    };
    let mut expected = sorted("main");
    expected.push(other[0].clone());
    expected.sort();
    assert_eq!(sorted("other"), expected, "formed again, they are what they were");
    assert_eq!(sorted("fresh"), sorted("main"));
}

/// A bundle of the first version holds words alone.
///
/// covers: C-158
#[test]
fn a_bundle_of_the_first_version_is_still_taken_in() {
    let source = empty(None);
    live(&source);
    let bundle = source.done("export -").stdout;
    let lines: Vec<&str> = bundle.lines().collect();
    let mut old = lines[0].replace("\"cairn_bundle\":2", "\"cairn_bundle\":1") + "\n";
    lines[1..=LIFE.len()].iter().for_each(|line| old.extend([*line, "\n"]));
    let hash = blake3::hash(old.as_bytes()).to_hex();
    old.extend([format!("{{\"messages\":{},\"blake3\":\"{hash}\"}}\n", LIFE.len())]);
    let cairn = empty(None);
    cairn.write("old.cairn", old);
    assert_eq!(cairn.json("import old.cairn")["added"], LIFE.len());
    assert_eq!(cairn.json("stats")["memories"], 0);
    cairn.done("form");
    let list = |cairn: &Cairn| texts(&cairn.json("memories list --all --limit 1000")["memories"]);
    assert_eq!(list(&cairn), list(&source));
}

/// A rebuild numbers messages anew where the archive was written in another order; what memories rest on is found again.
///
/// covers: W-25, C-145
#[test]
fn a_rebuild_keeps_memories_and_what_they_rest_on() {
    let cairn = empty(None);
    live(&cairn);
    let known = everything(&cairn);
    cairn.done("rebuild");
    assert_eq!(everything(&cairn), known);
    // Messages of two days, the first of which was recorded second.
    cairn.at("2026-11-20T10:00:00Z").done("remember 'My dog Rex is three years old.' --session dog --id d1");
    cairn.at("2026-11-18T10:00:00Z").done("remember 'My bike is a red Brompton.' --session dog --id d2");
    let known = everything(&cairn);
    cairn.at("2026-11-21T10:00:00Z").done("rebuild");
    assert_eq!(everything(&cairn), known);
    let again = cairn.json("form");
    assert_eq!((&again["formed"], &again["messages"]), (&18.into(), &18.into()));
    assert_eq!(everything(&cairn), known, "nothing is formed twice");
    assert_eq!(cairn.json("verify")["ok"], true);
}
