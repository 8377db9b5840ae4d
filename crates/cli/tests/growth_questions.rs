//! `cairn eval growth`: questions about growth, answered with figures or with what to collect.

use crate::support::Cairn;
use serde_json::Value;

fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.at("2026-11-15T12:00:00Z");
    cairn
}

fn figure(life: &Value, name: &str) -> f64 {
    life[name].as_f64().unwrap_or_else(|| panic!("{name} in {life}"))
}

/// covers: W-226
#[test]
fn spaced_passes_find_what_was_told_hours_later_and_take_longer() {
    let figures = home().json("eval growth --question spacing --days 32");
    let (spaced, immediate) = (&figures["lives"][0], &figures["lives"][1]);
    assert!(figure(spaced, "vectors") >= 4.0, "{figures}");
    assert!(figure(spaced, "hours") >= 24.0 && figure(immediate, "hours") < 1.0, "{figures}");
    assert!(figure(spaced, "with_reason") > figure(immediate, "with_reason"), "{figures}");
}

/// covers: W-227
#[test]
fn a_gate_that_always_says_yes_takes_in_what_was_an_episode() {
    let cairn = home();
    let figures = cairn.json("eval growth --question gate --days 140 --plot year.svg");
    let of = |life: usize, habit: bool| {
        let grown = figures["lives"][life]["grown"].as_array().expect("passages").iter();
        grown.filter(|it| it["habit"] == habit).count()
    };
    assert!(of(0, true) >= 1 && of(0, false) == 0, "{figures}");
    assert!(of(1, true) == of(0, true) && of(1, false) >= 1, "{figures}");
    assert!(cairn.read("year.svg").starts_with("<svg") && cairn.read("year.svg").contains("polyline"));
    let told = cairn.done("eval growth --question gate --days 1");
    assert!(told.stderr.contains("\"regretted\":false"), "what to collect is told: {}", told.stderr);
}

/// covers: W-232
#[test]
fn after_some_compactions_what_is_kept_tells_more_than_the_end_of_the_conversation() {
    let figures = home().json("eval growth --question compaction");
    let starts = figures["starts"].as_array().expect("starts");
    assert_eq!(starts.len(), 8);
    let share = |at: usize, of: &str| starts[at][of]["percent"].as_f64().expect("a share");
    assert!(share(7, "context") > share(7, "raw"), "{figures}");
    assert!(figures["context_tells_more_from"].as_u64() <= Some(5), "{figures}");
}

/// covers: W-228, W-233
#[test]
fn what_needs_models_says_what_to_collect_and_reads_it() {
    let cairn = home();
    for question in ["swap", "framing"] {
        let refused = cairn.run(&format!("eval growth --question {question}"));
        assert_eq!(refused.code, 1, "{}", refused.stdout);
        assert!(refused.stderr.contains("\"answer\"") && refused.stdout.is_empty(), "{}", refused.stderr);
    }
    cairn.write(
        "answers.jsonl",
        "{\"probe\":\"p\",\"model\":\"a\",\"answer\":\"the kiln\"}\n{\"probe\":\"p\",\"model\":\"b\",\"answer\":\"the kiln\"}\n",
    );
    let figures = cairn.json("eval growth --question swap answers.jsonl");
    assert_eq!(figures["pairs"][0]["alike"].as_f64(), Some(1.0), "{figures}");
    assert!(cairn.done("eval growth --question swap answers.jsonl").stdout.contains("alike"));
}

/// covers: W-72
#[test]
fn the_end_of_an_exchange_keeps_its_budget() {
    let figures = home().json("eval growth --question cost");
    assert_eq!((&figures["budget_ms"], &figures["exchanges"]), (&5.into(), &200.into()), "{figures}");
    assert!(figure(&figures["end_of_exchange"], "p50_ms") <= 5.0, "{figures}");
    let parts = figures["parts"].as_array().expect("parts");
    assert!(parts.iter().all(|part| part["times"].as_u64() > Some(0)), "each part is timed: {figures}");
}
