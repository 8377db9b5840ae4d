//! Cognitive dynamics: numbers of turns beside the memory.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::{Value, json};

const PLAIN: &str = "[embedder]\nkind = \"none\"\n";
const LOG: &str = "home/agents/main/logs/cognitive-dynamics.jsonl";

fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", PLAIN);
    cairn.at("2026-11-15T20:00:00Z");
    cairn
}

/// A session of exchanges, each a question and an answer, and what was made of them.
fn talk(cairn: &Cairn, session: &str, turns: usize) {
    let hour = if session == "harbor" { 10 } else { 14 };
    let line = |turn: usize, second: usize, role: &str, text: &str| {
        let at = format!("2026-11-15T{hour}:{turn:02}:{second:02}Z");
        json!({"id": format!("{session}-{turn}-{role}"), "session": session, "at": at, "role": role, "text": text})
            .to_string()
            + "\n"
    };
    let said: String = (0..turns)
        .flat_map(|turn| {
            [
                line(
                    turn,
                    0,
                    "user",
                    &format!("Where does the lighthouse ferry number {turn} moor tonight?"),
                ),
                line(turn, 9, "assistant", &format!("Pier {turn} beside the old crane.")),
            ]
        })
        .collect();
    let ran = cairn.feed("ingest -", said);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    cairn.done("form");
}

fn lines(cairn: &Cairn) -> Vec<Value> {
    cairn.read(LOG).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// covers: W-217, W-218, W-219, W-220, W-221
#[test]
fn each_turn_that_is_over_is_one_line_of_numbers_without_a_word() {
    let cairn = home();
    talk(&cairn, "harbor", 6);
    let written = lines(&cairn);
    assert_eq!(written.len(), 5, "the last turn goes on");
    for (place, line) in written.iter().enumerate() {
        assert_eq!(line["state"].as_array().map(Vec::len), Some(64), "{line}");
        assert_eq!(line["turn"], json!(place + 1));
        assert!(line["surprise_frozen"].is_number() && line["missing"].is_array(), "{line}");
        assert_eq!(line["surprise_learned"].is_number(), place > 0, "there was a turn before: {line}");
        assert_eq!(line["learner_updates"], json!(place), "{line}");
        assert_eq!(line["learner_loss"].is_number(), place > 0, "{line}");
    }
    let text = cairn.read(LOG);
    for word in ["lighthouse", "ferry", "crane", "harbor"] {
        assert!(!text.contains(word), "{word} stands in {text}");
    }
    // The same turns teach the same, whoever lives them.
    let other = home();
    talk(&other, "harbor", 6);
    assert_eq!(lines(&other), written);
    let shown = cairn.json("coherence --surprise");
    assert_eq!(shown["turns"].as_array().map(Vec::len), Some(5), "{shown}");
    assert!(cairn.done("coherence --surprise").stdout.contains("learned from 4 turns"));
}

/// covers: W-94, W-225
#[test]
fn no_question_finds_it_and_no_context_tells_it() {
    let cairn = home();
    talk(&cairn, "harbor", 6);
    let exchange = lines(&cairn)[2]["exchange"].as_str().expect("a ref").to_owned();
    let state = lines(&cairn)[2]["state"][0].to_string();
    for question in [
        "cognitive dynamics",
        "surprise learned",
        "latent state 64",
        "learner loss",
        &format!("the number {state}"),
    ] {
        for hit in cairn.hits(&format!("'{question}'")) {
            assert!(hit.contains("Pier") || hit.contains("moor"), "{question} found {hit}");
        }
    }
    let context = cairn.done("context --session harbor").stdout;
    for told in ["surprise", "dynamics", state.as_str()] {
        assert!(!context.contains(told), "{told} stands in {context}");
    }
    for listed in ["memories list --all", "beliefs --all", "digests", "entities"] {
        assert!(!cairn.json(listed).to_string().contains("surprise"), "{listed}");
    }
    assert!(
        cairn.done("export").stdout.lines().all(|line| !line.contains("dynamics_")),
        "no bundle carries it"
    );
    assert!(
        cairn.json(&format!("why {exchange}")).to_string().contains("ferry"),
        "the words are where they were"
    );
}

/// covers: W-221, W-225
#[test]
fn what_was_learned_of_erased_words_is_forgotten_and_learned_again_of_the_rest() {
    let cairn = home();
    talk(&cairn, "harbor", 6);
    let before = lines(&cairn);
    let erased = before[2]["exchange"].as_str().expect("a ref").to_owned();
    let made = signed_in(&cairn, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
    answered(&cairn, &format!("erase {erased} --yes --reason 'asked to be forgotten'"));
    assert!(!cairn.path(LOG).exists(), "the file goes at once");
    assert_eq!(cairn.json("coherence --surprise")["turns"], json!([]), "nothing learned is kept");
    talk(&cairn, "harbor-two", 2);
    let after = lines(&cairn);
    let text = cairn.read(LOG);
    assert!(!text.contains(&erased), "{text}");
    assert_eq!(after.len(), 6, "five of the first session are left, and one of the second is over: {text}");
    assert!(after.iter().all(|line| line["generation"] == json!(1)), "{text}");
    assert_eq!(after[0]["exchange"], before[0]["exchange"]);
    assert_ne!(
        after[2]["state"], before[3]["state"],
        "its numbers were those of a life with the erased words"
    );
}

/// covers: W-221
#[test]
fn a_log_that_lost_its_end_is_caught_up() {
    let cairn = home();
    talk(&cairn, "harbor", 6);
    let (whole, written) = (cairn.read(LOG), lines(&cairn));
    cairn.write(LOG, &whole[..whole.len() / 2]);
    talk(&cairn, "harbor-two", 2);
    let after = lines(&cairn);
    assert_eq!(after[..5], written[..], "as though nobody had been killed");
    assert_eq!(after.len(), 7, "the last turn of the first session is over as well");
}

/// covers: W-224
#[test]
fn it_can_be_switched_off_and_its_numbers_leave_only_by_hand() {
    let cairn = home();
    talk(&cairn, "harbor", 4);
    let refused = cairn.run("coherence --export numbers.jsonl");
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(refused.stderr.contains("export = true") && !cairn.path("numbers.jsonl").exists());
    cairn.write("home/config.toml", format!("{PLAIN}[dynamics]\nexport = true\n"));
    cairn.done("coherence --export numbers.jsonl");
    let exported = cairn.read("numbers.jsonl");
    assert_eq!(exported.lines().count(), 3, "{exported}");
    assert!(!exported.contains("ex_") && !exported.contains("2026-11"), "neither place nor time: {exported}");
    cairn.write("home/config.toml", format!("{PLAIN}[dynamics]\nenabled = false\n"));
    talk(&cairn, "later", 4);
    let shown = cairn.json("coherence --surprise");
    assert_eq!((shown["enabled"].clone(), shown["turns"].as_array().map(Vec::len)), (json!(false), Some(3)));
    assert_eq!(cairn.json("coherence")["exchanges"].as_array().map(Vec::len), Some(8), "entropy goes on");
}

/// covers: W-94, W-219, W-222, W-223
#[test]
fn a_planted_break_is_a_surprise_that_entropy_names_and_the_prediction_gets_better() {
    let cairn = home();
    let figures = cairn.json("eval growth --question dynamics");
    assert!(figures["lowest_break"].as_f64() >= Some(2.0), "{figures}");
    let loss = |week: usize, of: &str| figures["weeks"][week][of].as_f64().expect("a loss");
    assert!(loss(3, "learned") < 0.95 * loss(0, "learned"), "{figures}");
    assert!(loss(3, "learned") < loss(3, "frozen"), "better than expecting what is usual: {figures}");
    assert_eq!(figures["named"]["breaks"].as_u64(), Some(7), "{figures}");
    let ordinary = figures["named"]["ordinary"].as_u64().expect("a count");
    assert!(20 * ordinary <= figures["ordinary"].as_u64().expect("a count"), "{figures}");
}
