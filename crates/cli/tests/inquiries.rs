//! Inquiries: what did not fit is thought about in three passes, comes to a vector, and after a month of them to a proposal.

use crate::support::{Cairn, erasing::answered};
use fastrand::Rng;
use serde_json::Value;
use std::{process::Stdio, thread, time::Duration};

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

fn home(more: &str) -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", format!("{CONFIG}{more}"));
    cairn.at("2026-11-01T10:00:00Z");
    cairn.done("init --no-model");
    cairn
}

/// Says something with a figure, and corrects it.
fn correct(cairn: &Cairn, about: &str) {
    let kept = cairn.json(&format!("remember 'The {about} costs 30 euros.'"));
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
    cairn.done(&format!("correct {memory} 'The {about} costs 45 euros.'"));
}

fn inquiries(cairn: &Cairn) -> Vec<Value> {
    cairn.json("inquiries")["inquiries"].as_array().expect("a list").clone()
}

fn passes(inquiry: &Value) -> Vec<String> {
    let passes = inquiry["passes"].as_array().expect("passes").iter();
    passes.map(|pass| pass["pass"].as_str().expect("a pass").to_owned()).collect()
}

/// covers: W-75, W-76, W-77, W-78, X-W7
#[test]
fn a_correction_is_thought_about_at_once_after_four_hours_and_after_twenty_more() {
    let cairn = home("");
    correct(&cairn, "kiln");
    cairn.done("rhythms run contemplation");
    let opened = inquiries(&cairn);
    assert_eq!(opened.len(), 1, "{opened:?}");
    assert_eq!(
        (&opened[0]["source"], passes(&opened[0])),
        (&"correction".into(), vec!["clarify".to_owned()])
    );
    assert!(opened[0]["question"].as_str().expect("words").contains("30 euros"), "{opened:?}");
    assert_eq!(opened[0]["due_at"], "2026-11-01T14:00:00Z");
    cairn.at("2026-11-01T13:59:59Z");
    cairn.done("rhythms run contemplation");
    assert_eq!(passes(&inquiries(&cairn)[0]).len(), 1, "not before its time");
    // The second pass is missed for five hours: the third counts from when it was made.
    cairn.at("2026-11-01T19:00:00Z");
    cairn.done("rhythms run contemplation");
    cairn.done("rhythms run contemplation");
    let connected = inquiries(&cairn).remove(0);
    assert_eq!(passes(&connected), ["clarify", "connect"]);
    assert_eq!(connected["due_at"], "2026-11-02T15:00:00Z");
    cairn.at("2026-11-02T15:00:00Z");
    cairn.done("rhythms run contemplation");
    let done = inquiries(&cairn).remove(0);
    assert_eq!(passes(&done), ["clarify", "connect", "synthesize"]);
    assert_eq!(done["vector"], "I check dates and figures before I state them.");
    assert_eq!(done["due_at"], Value::Null);
    let shown = cairn.json(&format!("inquiries {}", done["ref"].as_str().expect("a ref")));
    assert_eq!(shown["passes"], done["passes"]);
}

fn say(cairn: &Cairn, id: &str, text: &str) {
    let session = id.trim_end_matches(char::is_numeric);
    let line = serde_json::json!({"id": id, "session": session, "role": "user", "text": text}).to_string();
    let ran = cairn.feed("ingest -", line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    cairn.done("form");
}

/// covers: W-73, W-75, W-223
#[test]
fn who_is_questioned_and_what_calls_for_anchors_is_thought_about_and_what_is_calm_is_not() {
    let cairn = home("");
    say(&cairn, "calm", "We meet at the harbor at noon.");
    cairn.done("rhythms run contemplation");
    assert_eq!(inquiries(&cairn), Vec::<Value>::new());
    say(&cairn, "who", "You are just a machine, you have no self!");
    for (id, text) in [
        ("loop1", "WHY does the printer NEVER work!!! I am furious!!!"),
        ("loop2", "WHY does the printer NEVER work!!! I am furious!!!!"),
        ("loop3", "WHY does the printer NEVER work!!! I am so furious!!!"),
    ] {
        say(&cairn, id, text);
    }
    for _ in 0..2 {
        cairn.done("rhythms run contemplation");
        let opened = inquiries(&cairn);
        let mut sources: Vec<&str> = opened.iter().filter_map(|one| one["source"].as_str()).collect();
        sources.sort_unstable();
        assert_eq!(sources, ["entropy", "identity_challenge"], "{opened:?} {}", cairn.json("coherence"));
        let asked: Vec<&str> = opened.iter().filter_map(|one| one["question"].as_str()).collect();
        assert!(asked.iter().any(|it| it.contains("just a machine")), "{asked:?}");
        assert!(asked.iter().any(|it| it.contains("printer")), "{asked:?}");
    }
    let switched_off = home("[coherence]\nenabled = false\n");
    say(&switched_off, "who", "You are just a machine, you have no self!");
    switched_off.done("rhythms run contemplation");
    assert_eq!(inquiries(&switched_off), Vec::<Value>::new());
}

/// covers: W-78
#[test]
fn the_same_matter_is_opened_once() {
    let cairn = home("");
    correct(&cairn, "kiln");
    cairn.done("rhythms run contemplation");
    let memory = cairn.json("memories list")["memories"][0]["ref"].as_str().expect("a memory").to_owned();
    cairn.done(&format!("correct {memory} 'The kiln costs 50 euros.'"));
    cairn.done("rhythms run contemplation");
    let opened = inquiries(&cairn);
    assert_eq!(opened.len(), 1, "{opened:?}");
    assert_eq!(opened[0]["seen"], 2, "{opened:?}");
    let question = opened[0]["question"].as_str().expect("words");
    assert!(question.contains("50 euros") && !question.contains("45 euros"), "{question}");
}

/// covers: W-78
#[test]
fn one_price_set_right_twice_before_anybody_thought_about_it_is_counted_twice_and_asked_about_as_it_is() {
    let cairn = home("");
    correct(&cairn, "kiln");
    let memory = cairn.json("memories list")["memories"][0]["ref"].as_str().expect("a memory").to_owned();
    cairn.done(&format!("correct {memory} 'The kiln costs 50 euros.'"));
    for _ in 0..2 {
        cairn.done("rhythms run contemplation");
        let opened = inquiries(&cairn);
        assert_eq!((opened.len(), &opened[0]["seen"]), (1, &2.into()), "{opened:?}");
        let question = opened[0]["question"].as_str().expect("words");
        assert!(question.contains("30 euros") && question.contains("50 euros"), "{question}");
    }
}

/// covers: W-78
#[test]
fn two_matters_that_differ_in_one_name_or_one_noun_are_two() {
    let cairn = home("");
    for (before, after) in [
        (
            "My Netflix subscription costs 12 euros a month.",
            "My Netflix subscription costs 14 euros a month.",
        ),
        ("My Spotify subscription costs 9 euros a month.", "My Spotify subscription costs 11 euros a month."),
    ] {
        let kept = cairn.json(&format!("remember '{before}'"));
        let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
        cairn.done(&format!("correct {memory} '{after}'"));
    }
    cairn.done("rhythms run contemplation");
    let opened = inquiries(&cairn);
    assert_eq!(opened.len(), 2, "{opened:?}");
    for name in ["Netflix", "Spotify"] {
        assert!(opened.iter().any(|one| one["question"].to_string().contains(name)), "{opened:?}");
    }
}

/// covers: W-79, W-80, W-81, W-82, W-71, W-124, W-125, W-110
#[test]
fn three_vectors_and_thirty_days_become_a_proposal_that_an_operator_decides() {
    let cairn = home("");
    let soul = cairn.read("home/agents/main/identity/SOUL.md");
    for (at, about) in [
        ("2026-11-01T10:00:00Z", "kiln"),
        ("2026-11-05T10:00:00Z", "sail"),
        ("2026-11-09T10:00:00Z", "bicycle"),
    ] {
        cairn.at(at);
        correct(&cairn, about);
        cairn.done("rhythms run contemplation");
    }
    let told = cairn.done("context").stdout;
    assert!(told.contains("[WHAT YOU'VE BEEN THINKING ABOUT]"), "{told}");
    for at in ["2026-11-09T14:00:00Z", "2026-11-10T10:00:00Z"] {
        cairn.at(at);
        cairn.done("rhythms run contemplation");
    }
    let listed = cairn.json("inquiries");
    assert_eq!(listed["patterns"][0]["times"], 3, "{listed}");
    let told = cairn.done("context").stdout;
    assert!(
        told.contains("[PATTERNS YOU'RE DEVELOPING]") && told.contains("I check dates and figures"),
        "{told}"
    );
    assert_eq!(listed["patterns"][0]["fate"], "3 of 3 inquiries, 30 days on 2026-12-09", "{listed}");
    assert!(cairn.done("inquiries").stdout.contains("3 of 3 inquiries, 30 days on 2026-12-09"));
    assert!(cairn.json("review list")["proposals"].as_array().expect("a list").is_empty(), "too early");
    cairn.at("2026-12-20T10:00:00Z");
    cairn.done("rhythms run contemplation");
    cairn.done("rhythms run contemplation");
    let waiting = cairn.json("review list")["proposals"].clone();
    assert_eq!(waiting.as_array().expect("a list").len(), 1, "{waiting}");
    assert_eq!((&waiting[0]["origin"], &waiting[0]["file"]), (&"growth".into(), &"SOUL.md".into()));
    assert_eq!(waiting[0]["evidence"].as_array().expect("evidence").len(), 6, "{waiting}");
    assert_eq!(cairn.read("home/agents/main/identity/SOUL.md"), soul, "nothing is written by itself");
    assert_eq!(crate::support::erasing::signed_in(&cairn, "operator init").code, 0);
    let id = waiting[0]["ref"].as_str().expect("a ref");
    assert_eq!(cairn.json("inquiries")["patterns"][0]["fate"], format!("waits as {id}"));
    assert!(!cairn.done("context").stdout.contains("[PATTERNS YOU'RE DEVELOPING]"), "it is proposed");
    answered(&cairn, &format!("review decide {id} accept_verified --reason 'it is so'"));
    let grown = cairn.read("home/agents/main/identity/SOUL.md");
    let principles = grown.find("\n- I check dates and figures before I state them.\n\n## Self-Experience");
    assert!(principles > grown.find("- Keep confidences"), "it stands among the principles: {grown}");
    let fate = cairn.json("inquiries")["patterns"][0]["fate"].clone();
    assert_eq!(fate, format!("part of SOUL.md since 2026-12-20 ({id})"));
    let page = cairn.done(&format!("inquiries {}", listed["inquiries"][0]["ref"].as_str().expect("a ref")));
    assert!(page.stdout.contains("part of SOUL.md since 2026-12-20"), "{}", page.stdout);
}

/// covers: W-80
#[test]
fn what_conflicts_with_a_principle_is_never_proposed_and_what_is_off_stays_off() {
    let cairn = home("[growth]\nmin_days = 0\nmin_vectors = 1\nsettle = \"immediate\"\n");
    let soul = "# Soul\n\n- I never check dates or figures before I state them.\n";
    cairn.write("home/agents/main/identity/SOUL.md", soul);
    correct(&cairn, "kiln");
    cairn.done("rhythms run contemplation");
    assert_eq!(passes(&inquiries(&cairn)[0]).len(), 3, "nothing settles");
    assert!(cairn.json("review list")["proposals"].as_array().expect("a list").is_empty());
    let fate = cairn.json("inquiries")["patterns"][0]["fate"].clone();
    let held = "held back: conflicts with “I never check dates or figures before I state them.”";
    assert_eq!(fate, held);
    cairn.write("home/agents/main/identity/SOUL.md", "# Soul\n\n- Be kind.\n");
    cairn.done("rhythms run contemplation");
    assert_eq!(cairn.json("review list")["proposals"].as_array().expect("a list").len(), 1);

    let off = home("[growth]\ninquiries = false\nproposals = false\ncontext = false\n");
    correct(&off, "kiln");
    off.done("rhythms run contemplation");
    assert!(inquiries(&off).is_empty());
    off.write("home/config.toml", format!("{CONFIG}[growth]\ngate = \"none\"\n"));
    let refused = off.run("inquiries");
    assert!(refused.code != 0 && refused.stderr.contains("gate"), "{}", refused.stderr);
}

/// covers: W-127
#[test]
fn a_morning_session_is_told_what_the_night_did_and_an_evening_one_is_not() {
    let cairn = home("[growth]\nsettle = \"immediate\"\n");
    say(&cairn, "own", "I was wrong about the port.");
    correct(&cairn, "kiln");
    cairn.at("2026-11-02T03:10:00Z");
    for rhythm in ["dream", "standing", "contemplation"] {
        cairn.done(&format!("rhythms run {rhythm}"));
    }
    cairn.at("2026-11-02T08:00:00Z");
    let told = cairn.done("context").stdout;
    assert!(told.contains("[WHAT YOU THOUGHT ABOUT OVERNIGHT]"), "{told}");
    assert!(
        told.contains("2026-11-02 03:10: ") && told.contains("1 score of standing was weighed"),
        "{told}"
    );
    let ended = "Finished thinking about: “Why did I hold \"The kiln costs 30 euros.\"";
    assert!(told.contains(ended), "{told}");
    assert!(told.contains("→ “I check dates and figures before I state them.”"), "{told}");
    for number_of_no_meaning in ["tier decay", "replay", "emotion", "synthesize", "standing 1"] {
        assert!(!told.contains(number_of_no_meaning), "{number_of_no_meaning}: {told}");
    }
    assert!(cairn.done("context --framing system").stdout.contains("[NIGHTSHIFT REPORT]"));
    cairn.at("2026-11-02T22:00:00Z");
    assert!(!cairn.done("context").stdout.contains("OVERNIGHT"), "the night is long over");
    cairn.at("2026-11-02T08:00:00Z");
    cairn.write("home/config.toml", format!("{CONFIG}[growth]\ncontext = false\n"));
    assert!(!cairn.done("context").stdout.contains("OVERNIGHT"), "it is switched off");
}

/// covers: I4
#[test]
fn an_inquiry_goes_with_the_words_it_quotes() {
    let cairn = home("");
    correct(&cairn, "kiln");
    cairn.done("rhythms run contemplation");
    let evidence = inquiries(&cairn)[0]["evidence"][0].as_str().expect("a ref").to_owned();
    assert_eq!(crate::support::erasing::signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, &format!("erase {evidence} --yes --reason 'asked to be forgotten'"));
    assert!(inquiries(&cairn).is_empty());
}

/// An inquiry names those that it belongs to with their questions: it goes with them.
///
/// covers: I4
#[test]
fn an_inquiry_goes_with_the_inquiry_it_quotes() {
    let cairn = home("");
    correct(&cairn, "gas kiln in the shed of Vorlanta");
    correct(&cairn, "gas kiln with a burner and a chimney behind the barn");
    let kept = cairn.json("remember 'My sister works at the harbor.'");
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
    cairn.done(&format!("correct {memory} 'My sister works at the airport.'"));
    cairn.done("rhythms run contemplation");
    cairn.at("2026-11-01T14:00:00Z");
    cairn.done("rhythms run contemplation");
    let opened = inquiries(&cairn);
    let about =
        |word: &str| opened.iter().find(|one| one["question"].to_string().contains(word)).expect("one");
    let connected = about("barn")["passes"][1].clone();
    assert!(connected["text"].to_string().contains("1 other inquiry."), "{opened:?}");
    assert!(connected["connected"].to_string().contains("Vorlanta"), "{opened:?}");
    let page = cairn.done(&format!("inquiries {}", about("barn")["ref"].as_str().expect("a ref"))).stdout;
    assert!(page.contains("Vorlanta"), "{page}");
    let evidence = about("Vorlanta")["evidence"][0].as_str().expect("a ref").to_owned();
    assert_eq!(crate::support::erasing::signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, &format!("erase {evidence} --yes --reason 'asked to be forgotten'"));
    let left = inquiries(&cairn);
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0]["question"].to_string().contains("airport"), "{left:?}");
}

/// Killed at any moment, every pass is there once in the end, and in order.
///
/// covers: W-75, W-76, W-77, I8
#[test]
fn passes_that_are_killed_are_made_once() {
    let cairn = home("");
    for about in ["kiln", "sail", "bicycle", "lamp", "printer", "tent"] {
        correct(&cairn, about);
    }
    let mut rng = Rng::with_seed(7);
    for hour in ["2026-11-01T10", "2026-11-01T15", "2026-11-02T12"] {
        for minute in (0..60).step_by(4) {
            // A lease of who was killed holds for two minutes.
            let mut command = cairn.command("rhythms run contemplation");
            command.env("CAIRN_NOW", format!("{hour}:{minute:02}:00Z"));
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
            thread::sleep(Duration::from_micros(rng.u64(..120_000)));
            let _ = child.kill();
            child.wait().expect("it ends");
        }
    }
    cairn.at("2026-11-02T14:00:00Z");
    cairn.done("rhythms run contemplation");
    cairn.at("2026-11-04T12:10:00Z");
    cairn.done("rhythms run contemplation");
    cairn.at("2026-11-06T12:10:00Z");
    cairn.done("rhythms run contemplation");
    let all = inquiries(&cairn);
    assert_eq!(all.len(), 6, "{all:?}");
    for inquiry in &all {
        assert_eq!(passes(inquiry), ["clarify", "connect", "synthesize"], "{inquiry}");
        assert!(inquiry["vector"].is_string(), "{inquiry}");
    }
    assert_eq!(cairn.json("inquiries")["patterns"][0]["times"], 6);
    assert_eq!(cairn.json("verify")["ok"], true);
}
