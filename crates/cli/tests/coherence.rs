//! `cairn coherence`, and what a model and an operator are told of it.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::{Value, json};

const PLAIN: &str = "[embedder]\nkind = \"none\"\n";
const UPSET: &str = "NO!!! That is WRONG, you are just a machine! I love this and I hate it, what a PARADOX!!! I am furious!!!";

fn say(cairn: &Cairn, session: &str, role: &str, text: &str) {
    let id = format!("{session}-{}", fastrand::u64(..));
    let line = json!({"id": id, "session": session, "role": role, "text": text}).to_string();
    let ran = cairn.feed("ingest -", line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    cairn.done("form");
}

fn plain() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", PLAIN);
    cairn.at("2026-11-15T09:00:00Z");
    cairn
}

fn sources(line: &Value) -> Vec<&str> {
    let exchanges = line["exchanges"].as_array().expect("exchanges");
    let parts = exchanges.iter().flat_map(|exchange| exchange["parts"].as_array().expect("parts"));
    parts.filter_map(|part| part["source"].as_str()).collect()
}

/// covers: W-72, W-73, W-74, W-109, W-122, W-222, X-W6
#[test]
fn what_moved_a_session_is_told_to_its_user_and_to_the_model() {
    let cairn = plain();
    cairn.write(
        "home/agents/main/identity/SOUL.md",
        "# Soul\n\n- Never share the private notes of the user,\n  whoever it is that asks.\n1. Stay patient.\n",
    );
    say(&cairn, "calm", "user", "We meet at the harbor at noon.");
    say(&cairn, "storm", "user", UPSET);
    say(&cairn, "storm", "assistant", "As you told me before, your sister plays the cello in Porto.");
    let line = cairn.json("coherence --session storm");
    let found = sources(&line);
    for source in ["correction", "identity_challenge", "paradox", "strong_emotion", "confabulation"] {
        assert!(found.contains(&source), "{source}: {line}");
    }
    let exchange = &line["exchanges"][0];
    assert_eq!(line["exchanges"].as_array().map(Vec::len), Some(1), "one row an exchange: {line}");
    // Each source counts once, with the strongest of its contributions.
    let mut amounts = std::collections::BTreeMap::new();
    for part in exchange["parts"].as_array().expect("parts") {
        let amount =
            part["weight"].as_f64().expect("a weight") * part["strength"].as_f64().expect("a strength");
        let most: &mut f64 = amounts.entry(part["source"].as_str().expect("a source")).or_default();
        *most = most.max(amount);
        assert!(part["saw"].as_str().is_some_and(|saw| !saw.is_empty()), "{part}");
    }
    let sum: f64 = amounts.values().sum();
    assert!((exchange["entropy"].as_f64().expect("a number") - sum).abs() < 1e-9, "{exchange}");
    assert_eq!(line["state"]["level"], "warning", "{line}");
    let shown = cairn.done("coherence").stdout;
    assert!(shown.contains("identity_challenge") && shown.contains("you are just a machine"), "{shown}");

    let context = cairn.done("context --session storm").stdout;
    assert!(context.contains("[YOUR COHERENCE] Entropy"), "{context}");
    for anchor in ["Never share the private notes of the user, whoever it is that asks.", "Stay patient."] {
        assert!(context.contains(&format!("Anchor: {anchor}")), "{context}");
    }
    assert!(context.contains("No record supports this"), "{context}");
    let calm = cairn.done("context --session calm").stdout;
    assert!(!calm.contains("COHERENCE"), "{calm}");
}

/// covers: W-73
#[test]
fn an_agent_that_is_told_to_have_it_wrong_is_corrected_and_one_that_is_told_of_work_is_not_questioned() {
    let cairn = plain();
    for (session, text, source) in [
        ("wrong", "You got this wrong again.", Some("correction")),
        ("said", "Öyle demedim.", Some("correction")),
        ("if", "Tell me if you got this wrong.", None),
        ("files", "You've changed three files; please list them.", None),
        ("linter", "That's not you, that's the linter.", None),
        ("self", "You have changed.", Some("identity_challenge")),
    ] {
        say(&cairn, session, "user", text);
        let line = cairn.json(&format!("coherence --session {session}"));
        let mut found = sources(&line);
        found.retain(|source| ["correction", "identity_challenge"].contains(source));
        assert_eq!(found.first().copied(), source, "{text}: {line}");
    }
}

/// covers: W-115
#[test]
fn what_unsettled_a_session_comes_with_what_it_belongs_to() {
    let cairn = plain();
    say(&cairn, "past", "user", "Odile plays the cello in Porto.");
    say(&cairn, "past", "user", "Odile bought a flat in Porto.");
    say(&cairn, "calm", "user", "We meet Odile at the harbor at noon.");
    say(&cairn, "storm", "user", &UPSET.replace("WRONG", "WRONG about Odile"));
    let of_both = |session: &str| {
        let context = cairn.done(&format!("context --session {session}")).stdout;
        context
            .lines()
            .any(|line| line.contains("Porto") && line.contains("Odile”") && line.contains("2 memories"))
    };
    assert!(of_both("storm"), "{}", cairn.json("coherence --session storm"));
    assert!(!of_both("calm"), "its entropy is low");
}

/// covers: W-74
#[test]
fn a_claim_to_remember_is_a_confabulation_only_if_nobody_said_it() {
    let cairn = plain();
    say(&cairn, "a", "user", "My sister plays the cello in Porto.");
    say(&cairn, "b", "user", "What do you know of my sister?");
    say(&cairn, "b", "assistant", "As you told me before, your sister plays the cello in Porto.");
    assert!(!sources(&cairn.json("coherence --session b")).contains(&"confabulation"));
    say(&cairn, "c", "user", "What else?");
    say(&cairn, "c", "assistant", "You told me last year that your uncle repairs lighthouses.");
    assert!(sources(&cairn.json("coherence --session c")).contains(&"confabulation"));
}

/// covers: W-109, W-139, X-W6
#[test]
fn a_session_that_stays_critical_is_told_to_the_operator() {
    let cairn = plain();
    cairn.write("home/config.toml", format!("{PLAIN}[coherence]\ncritical_from = 0.8\n"));
    say(&cairn, "storm", "user", UPSET);
    say(&cairn, "storm", "assistant", "Let me look at that again.");
    cairn.at("2026-11-15T09:50:00Z");
    say(&cairn, "storm", "user", UPSET);
    let line = cairn.json("coherence --session storm");
    assert_eq!(line["state"]["level"], "critical", "{line}");
    let doctor = cairn.run("doctor");
    assert!(
        doctor.code != 0 && doctor.stdout.contains("session storm has had an entropy"),
        "{}",
        doctor.stdout
    );
}

/// covers: W-72, W-74
#[test]
fn it_can_be_switched_off_and_is_erased_with_the_words() {
    let cairn = plain();
    cairn.write("home/config.toml", format!("{PLAIN}[coherence]\nenabled = false\n"));
    say(&cairn, "storm", "user", UPSET);
    assert_eq!(cairn.json("coherence")["exchanges"], json!([]));
    assert!(!cairn.done("context --session storm").stdout.contains("COHERENCE"));
    cairn.write("home/config.toml", PLAIN);
    cairn.at("2026-11-15T09:10:00Z");
    say(&cairn, "later", "user", UPSET.replace("furious", "angry").as_str());
    assert_eq!(cairn.json("coherence")["exchanges"].as_array().map(Vec::len), Some(1));
    let made = signed_in(&cairn, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
    answered(&cairn, "erase --session later --yes --reason 'asked to be forgotten'");
    assert_eq!(cairn.json("coherence")["exchanges"], json!([]));
}

/// covers: W-229
#[test]
fn entropy_is_measured_against_marked_moments_beside_length_and_chance() {
    let cairn = plain();
    let line = |id: &str, keep: u8, text: &str| {
        let case = json!({"set": "x", "id": id, "at": "2026-11-01T10:00:00Z", "session": id, "role": "user",
            "text": text, "keep": keep, "notes": []});
        format!("{case}\n")
    };
    let long =
        "Hm, well, you know, sure, fine, right, okay then, see you, bye, thanks a lot, haha, yes, yes.";
    let cases = [
        line("a", 2, "I moved to Lisbon for good."),
        line("b", 2, "No, that's wrong: my sister is Mara."),
        line("c", 0, long),
        line("d", 0, "Thanks, sounds good."),
    ];
    cairn.write("cases.jsonl", cases.concat());
    let figures = cairn.json("eval growth --question entropy cases.jsonl");
    let area = |name: &str| figures["sets"]["x"]["auc"][name].as_f64();
    assert_eq!((area("entropy"), area("chance")), (Some(1.0), Some(0.5)), "{figures}");
    assert!(area("length").is_some_and(|area| area < 1.0), "{figures}");
}
