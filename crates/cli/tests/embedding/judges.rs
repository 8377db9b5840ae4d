//! The judges through the binary, with the real embedder: changes in people's own words are noticed, near-misses left alone,
//! what is doubtful is marked, every decision says why and can be taken back, and the weights are what training makes.

use crate::embedding::world::{World, hits, say, succeeded};
use serde_json::Value;

const CLUB: &str = "The rowing club meets on Mondays at 18:30.";
const ASKED: &str = "When does the rowing club meet?";

/// A home that was told when the club meets, and then something else on another day.
fn told(text: &str, role: &str) -> Option<World> {
    told_after(CLUB, text, role)
}

/// A home that was told how it is, and then something else on another day.
fn told_after(known: &str, text: &str, role: &str) -> Option<World> {
    let world = World::with_model()?;
    let at = |mut said: Value, at: &str| {
        said["at"] = at.into();
        said
    };
    let old = at(say("old", "a", "user", known), "2026-03-02T10:00:00Z");
    let new = at(say("new", "b", role, text), "2026-05-02T10:00:00Z");
    world.ingest("--wait", &[old, new]);
    Some(world)
}

fn first(world: &World, flags: &str) -> Value {
    hits(&world.ask(ASKED, flags))[0].clone()
}

/// covers: C-18, C-19, C-117, C-120, C-123
#[test]
fn a_change_in_other_words_is_noticed_explained_and_taken_back() {
    let Some(world) =
        told("Heads-up, the rowing crew has switched: from now on it's Thursdays at 19:15 instead.", "user")
    else {
        return;
    };
    for flags in ["--read-only", "--read-only --kind memory"] {
        let hits = world.ask(ASKED, flags)["hits"].as_array().expect("hits").clone();
        assert!(hits[0]["text"].as_str().expect("a text").contains("19:15"), "{flags}: {hits:?}");
        let old = hits.iter().find(|hit| hit["text"].as_str().is_some_and(|it| it.contains("18:30")));
        assert_eq!(old.expect("the old one")["superseded"], true, "{flags}: {hits:?}");
    }
    let old = world.ask("rowing club Mondays", "--read-only");
    let old = hits(&old).iter().find(|hit| hit["source_ids"][0] == "old").expect("the old one").clone();
    let memory = old["memories"][0]["ref"].as_str().expect("a memory").to_owned();
    let why = world.done(&format!("why {memory}")).stdout;
    assert!(why.contains("superseded") && why.contains("switched"), "{why}");
    world.done(&format!("memories undo {memory}"));
    let shown = world.json(&format!("memories show {memory}"));
    assert_ne!(shown["memory"]["status"], "superseded", "{shown}");
}

/// covers: C-18, C-19
#[test]
fn a_change_that_shares_no_word_with_what_is_known_is_noticed() {
    for (known, changed) in [
        (
            "The build server runs Ubuntu 22.04, write the script for that.",
            "we're on 24.04 since last night, the upgrade took a quarter of an hour",
        ),
        (
            "The guest list for the party is 40 people.",
            "Fire marshal called about the barn, so we cut hard. Headcount has shrunk to 32.",
        ),
    ] {
        let Some(world) = told_after(known, changed, "user") else { return };
        let all = world.ask(known, "--read-only");
        let old = hits(&all).iter().find(|hit| hit["source_ids"][0] == "old").expect("the old one").clone();
        assert_eq!(old["superseded"], true, "{changed}: {all}");
    }
}

/// covers: C-18, C-19, C-120
#[test]
fn who_puts_a_value_right_just_after_saying_it_replaces_it() {
    let Some(world) = World::with_model() else { return };
    let told = [
        say("rent", "a", "user", "the upside, $1,620 a month and a bathroom window"),
        say("reply", "a", "assistant", "A window is worth it."),
        say("right", "a", "user", "wait no, 1,640, I forgot the storage locker"),
        say("night", "b", "user", "The new flat costs 15 euros a night."),
        say("late", "b", "user", "Oops, running 20 minutes late"),
    ];
    world.ingest("--wait", &told);
    for (question, id, is_over) in
        [("1,620 a month bathroom window", "rent", true), ("new flat 15 euros a night", "night", false)]
    {
        let all = world.ask(question, "--read-only");
        let old = hits(&all).iter().find(|hit| hit["source_ids"][0] == id).expect("it is found").clone();
        assert_eq!(old["superseded"] == true, is_over, "{question}: {all}");
    }
}

/// covers: C-19, C-75
#[test]
fn a_value_that_stands_in_a_question_is_told_with_the_words_that_change_it() {
    let said = "What is there to eat near the boathouse on Thursdays at 19:15? Mondays were too crowded, the rowing club meets then now.";
    let Some(world) = told(said, "user") else { return };
    let first = first(&world, "--read-only --kind memory");
    let text = first["text"].as_str().expect("a text");
    assert!(text.contains("[while asking: “") && text.contains("19:15"), "{first}");
}

/// covers: C-24, C-125
#[test]
fn what_only_looks_like_a_change_replaces_nothing() {
    for text in [
        "Should the rowing club meet on Thursdays at 19:15?",
        "If we had floodlights the rowing club might meet at 19:15 on Thursdays.",
        "My sister's chess club meets on Thursdays at 19:15.",
        "My brother's rowing club meets on Thursdays at 19:15.",
        "Years ago the rowing club used to meet on Thursdays at 19:15.",
        CLUB,
    ] {
        let Some(world) = told(text, "user") else { return };
        let first = first(&world, "--read-only");
        assert!(first.get("superseded").is_none(), "{text}: {first}");
        assert!(first["text"].as_str().expect("a text").contains("18:30"), "{text}: {first}");
    }
}

/// covers: C-21, X-P10
#[test]
fn what_an_agent_reports_is_marked_and_replaces_nothing() {
    let report =
        "I checked the club's calendar: the rowing club has moved, it now meets on Fridays at 20:00.";
    let Some(world) = told(report, "assistant") else { return };
    let all = world.ask(ASKED, "--read-only");
    let old = hits(&all).iter().find(|hit| hit["source_ids"][0] == "old").expect("the old one").clone();
    assert!(old.get("superseded").is_none(), "{old}");
    let doubt = &old["may_have_changed"][0];
    assert!(doubt["text"].as_str().is_some_and(|text| text.contains("20:00")), "{all}");
    assert!(doubt["reason"].as_str().is_some_and(|it| it.starts_with("the agent reports on ")), "{all}");
    let shown = world.done(&format!("recall --read-only '{ASKED}'")).stdout;
    assert!(shown.contains("may have changed:"), "{shown}");
    let context = world.done(&format!("context --query '{ASKED}'")).stdout;
    assert!(context.contains("[may have changed "), "{context}");
}

/// Whoever answers a message tells nothing new of it: it is neither marked nor put behind its answer.
///
/// covers: C-21
#[test]
fn an_answer_marks_nothing_of_what_it_answers() {
    let Some(world) = World::with_model() else { return };
    let told =
        "Signed the new terms for the loan today, 3.4 % for the next six years. Could you redo the table?";
    let answer = "Here is the updated table, 72 payments.";
    world.ingest("--wait", &[say("told", "a", "user", told), say("answer", "a", "assistant", answer)]);
    let all = world.ask("What rate do we pay on the loan?", "--read-only");
    let first = &hits(&all)[0];
    assert_eq!(first["source_ids"][0], "told", "{all}");
    assert!(first.get("may_have_changed").is_none(), "{first}");
}

/// The files of weights are what `cairn eval train` makes of the labeled cases.
#[test]
fn the_shipped_weights_are_what_training_makes() {
    let Some(data) = std::env::var_os("CAIRN_EVAL_DATA").map(std::path::PathBuf::from) else {
        eprintln!(
            "SKIPPED: training takes two minutes and data that is not here; name its folder in CAIRN_EVAL_DATA"
        );
        return;
    };
    let Some(world) = World::with_model() else { return };
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../eval/data");
    let mut command = world.command("eval train --out trained --sets own chat wish talk life daily");
    command.arg("--changes").arg(own.join("changes.jsonl"));
    let messages = ["forming.jsonl", "chats.jsonl", "wishes.jsonl", "talk.jsonl", "daily.jsonl"]
        .map(|name| own.join(name));
    command.arg("--messages").args(messages).arg(data.join("forming.jsonl.gz"));
    succeeded("eval train", world.finish(command, ""));
    let shipped = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cognition/judges");
    for name in ["change.tsv", "worth.tsv", "kind.tsv"] {
        let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("weights");
        let (shipped, trained) = (read(shipped.join(name)), read(world.path("trained").join(name)));
        assert!(alike(&shipped, &trained), "{name}: train again and commit what comes of it");
    }
}

/// Whether two files of weights hold the same names, and numbers that differ by no more than the last digits of a vector.
fn alike(one: &str, other: &str) -> bool {
    let cells = |text: &str| text.split(['\t', '\n']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (cells(one), cells(other));
    let same = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() < 0.02,
        _ => a == b,
    };
    one.len() == other.len() && one.iter().zip(&other).all(same)
}
