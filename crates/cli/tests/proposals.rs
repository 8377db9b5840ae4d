//! Proposals about identity files: an agent proposes, an operator decides, and nobody else writes the file.

use crate::support::{
    Cairn,
    erasing::{PASSPHRASE, answered, signed_in},
};
use serde_json::{Value, json};
use std::{fs, process::Stdio, thread, time::Duration};

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";
const SOUL: &str = "home/agents/main/identity/SOUL.md";

/// A home with an operator, an identity and something that was said.
fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.at("2026-11-01T10:00:00Z");
    cairn.done("init --no-model");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    cairn.done("remember 'Never promise me a date again.' --id one --session s1");
    cairn
}

fn propose(cairn: &Cairn, text: &str) -> String {
    let line = format!("propose SOUL.md '{text}' --reason 'said so'");
    cairn.json(&line)["ref"].as_str().expect("a ref").to_owned()
}

fn status(cairn: &Cairn, id: &str) -> Value {
    cairn.json(&format!("review show {id}"))["proposal"]["status"].clone()
}

/// covers: W-71, W-80, W-81, W-82, W-86, W-208
#[test]
fn a_proposal_is_shown_accepted_through_plan_and_receipt_and_rolled_back_to_the_byte() {
    let cairn = home();
    let before = cairn.read(SOUL);
    let said = cairn.json("recall 'promise a date'")["hits"][0]["ref"].as_str().expect("a hit").to_owned();
    let line =
        format!("propose SOUL.md '- I never promise a date.' --reason 'asked for it' --evidence {said}");
    let id = cairn.json(&line)["ref"].as_str().expect("a ref").to_owned();
    assert!(id.starts_with("prp_"), "{id}");
    assert_eq!(cairn.json(&line)["ref"], id, "the same change waits once");
    assert_eq!(cairn.read(SOUL), before, "who proposes writes nothing");
    assert_eq!(cairn.json("review list")["proposals"][0]["ref"], id);

    let shown = cairn.json(&format!("review show {id}"));
    let diff = shown["diff"].as_str().expect("a difference");
    assert!(
        diff.contains("\n+- I never promise a date.\n") && diff.contains("\n - Keep confidences"),
        "{diff}"
    );
    let evidence = &shown["proposal"]["evidence"][0];
    assert!(evidence["quoted"].as_str().expect("quoted").contains("Never promise"), "{evidence}");
    let principles = shown["alignment"].as_array().expect("principles");
    let passages: Vec<&str> = principles.iter().map(|one| one["passage"].as_str().expect("words")).collect();
    assert!(passages.iter().all(|passage| before.contains(&passage[..30])), "{passages:?}");
    assert!(principles.iter().all(|one| one["alignment"] == "neutral"), "{principles:?}");

    let nobody = cairn.run(&format!("review decide {id} accept_verified --reason so"));
    assert!(nobody.code != 0 && cairn.read(SOUL) == before, "{}", nobody.stderr);
    let stale = signed_in(&cairn, &format!("review decide {id} accept_verified --reason so --confirm 0123"));
    assert!(stale.code != 0 && stale.stderr.contains("has changed"), "{}", stale.stderr);
    let confirms = shown["confirms"].as_str().expect("a hash");
    let done =
        answered(&cairn, &format!("review decide {id} accept_verified --reason so --confirm {confirms}"));
    assert_eq!((&done["status"], &done["receipt"]["action"]), (&"accepted".into(), &"configure".into()));
    assert!(cairn.read(SOUL).contains(
        "- Keep confidences inside the thread they were given in.\n- I never promise a date.\n\n## "
    ));
    assert!(done["receipt"]["was"].as_str().expect("was").contains(" kept as "), "{done}");
    assert!(!cairn.run("doctor").stdout.contains("is not what an operator put there"));

    let number = done["receipt"]["number"].as_u64().expect("a number");
    let undone = answered(&cairn, &format!("review rollback {number} --reason 'too early' --yes"));
    assert_eq!(undone["status"], "rolled_back");
    assert_eq!(cairn.read(SOUL), before, "to the byte");
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: W-82, W-86, W-208
#[test]
fn a_decision_that_is_killed_is_whole_or_was_never_made() {
    let cairn = home();
    let file = cairn.path(SOUL);
    for round in 0..8_u64 {
        let id = propose(&cairn, &format!("- I keep rule {round}."));
        let before = fs::read(&file).expect("a file");
        let mut command = cairn.command(&format!("review decide {id} accept_verified --reason so"));
        command.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        // As soon as the file is written, and a little later in each round.
        while fs::read(&file).expect("a file") == before && child.try_wait().expect("asked").is_none() {}
        thread::sleep(Duration::from_micros(round * 200));
        let _ = child.kill();
        child.wait().expect("it ends");
        let is_written = fs::read(&file).expect("a file") != before;
        let expected = if is_written { "accepted" } else { "pending" };
        let shown = cairn.json(&format!("review show {id}"));
        assert_eq!(shown["proposal"]["status"], expected, "round {round}: {shown}");
        let receipts = shown["receipts"].as_array().map_or(0, Vec::len);
        assert_eq!(receipts, usize::from(is_written), "round {round}: {shown}");
        assert!(!cairn.run("doctor").stdout.contains("is not what an operator put there"), "round {round}");
    }
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// The state between the file and the receipt, made by hand: whoever opens the agent next finishes it.
///
/// covers: W-82, W-86
#[test]
fn a_decision_whose_file_was_written_is_recorded_by_whoever_comes_next() {
    let cairn = home();
    let (written, waits) = (propose(&cairn, "- I am careful."), propose(&cairn, "- I am patient."));
    let after = format!("{}- I am careful.\n", cairn.read(SOUL));
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..32].to_owned();
    let begun = |value: &str| {
        let told = json!({"was": "as it was", "becomes": value, "reason": "so"});
        json!({"was": "pending", "becomes": "accepted", "name": "identity/SOUL.md", "known": null, "value": value,
            "told": told, "actor": "operator:me"})
    };
    let database = rusqlite::Connection::open(cairn.path("home/agents/main/memory.db")).expect("a database");
    let note = "UPDATE proposal SET unfinished = ?1 WHERE text = ?2";
    for (text, value) in [("- I am careful.", hash(&after)), ("- I am patient.", hash("never written"))] {
        assert_eq!(database.execute(note, [&begun(&value).to_string(), text]).expect("noted"), 1);
    }
    drop(database);
    cairn.write(SOUL, &after);
    let opened = cairn.run("review list");
    assert!(
        opened.stderr.contains("was interrupted after identity/SOUL.md was written"),
        "{}",
        opened.stderr
    );
    assert!(
        opened.stderr.contains("was interrupted before identity/SOUL.md was written"),
        "{}",
        opened.stderr
    );
    assert_eq!(status(&cairn, &written), "accepted");
    assert_eq!(status(&cairn, &waits), "pending");
    assert!(cairn.run("review list").stderr.is_empty(), "once");
    assert!(!cairn.run("doctor").stdout.contains("is not what an operator put there"));
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: W-82, W-86
#[test]
fn rolling_back_the_change_that_made_a_file_removes_it() {
    let cairn = home();
    let path = cairn.path("home/agents/main/identity/TOOLS.md");
    let _ = fs::remove_file(&path);
    let line = "propose TOOLS.md 'Tests run with make check.' --reason 'there is none yet'";
    let id = cairn.json(line)["ref"].as_str().expect("a ref").to_owned();
    let done = answered(&cairn, &format!("review decide {id} accept_verified --reason so"));
    assert!(fs::read_to_string(&path).expect("a file").contains("make check"));
    let number = done["receipt"]["number"].as_u64().expect("a number");
    let undone = answered(&cairn, &format!("review rollback {number} --reason 'too early' --yes"));
    assert_eq!(undone["status"], "rolled_back");
    assert!(!path.exists(), "it was not there before");
    assert!(!cairn.run("doctor").stdout.contains("is not what an operator put there"));
    // Undoing that brings it back.
    let number = undone["receipt"]["number"].as_u64().expect("a number");
    answered(&cairn, &format!("operator rollback {number} --reason 'after all' --yes"));
    assert!(fs::read_to_string(&path).expect("a file").contains("make check"));
}

/// covers: W-81, X-W8
#[test]
fn five_wait_each_for_seven_days_and_what_is_rejected_or_put_off_says_so() {
    let cairn = home();
    let ids: Vec<String> = (1..=5).map(|n| propose(&cairn, &format!("- I keep rule {n}."))).collect();
    let full = cairn.run("propose SOUL.md '- One more.' --reason why");
    assert!(full.code != 0 && full.stderr.contains("5 proposals wait"), "{}", full.stderr);
    let rejected = answered(&cairn, &format!("review decide {} reject --reason no", ids[0]));
    assert_eq!((&rejected["status"], &rejected["receipt"]["action"]), (&"rejected".into(), &"reject".into()));
    let again = signed_in(&cairn, &format!("review decide {} accept_verified --reason no", ids[0]));
    assert!(again.code != 0 && again.stderr.contains("is rejected"), "{}", again.stderr);
    answered(&cairn, &format!("review decide {} defer --reason later --until 2026-11-20", ids[1]));
    assert_eq!(cairn.json("review list")["proposals"].as_array().expect("a list").len(), 3);
    let number = rejected["receipt"]["number"].as_u64().expect("a number");
    let back = answered(&cairn, &format!("review rollback {number} --reason sorry --yes"));
    assert_eq!(back["status"], "pending");

    cairn.at("2026-11-08T09:59:59Z");
    assert_eq!(status(&cairn, &ids[2]), "pending");
    cairn.at("2026-11-08T10:00:00Z");
    assert_eq!(status(&cairn, &ids[2]), "expired");
    let late = signed_in(&cairn, &format!("review decide {} accept_verified --reason so", ids[2]));
    assert!(late.code != 0 && late.stderr.contains("is expired"), "{}", late.stderr);
    cairn.at("2026-11-21T10:00:00Z");
    assert_eq!(status(&cairn, &ids[1]), "pending", "put off, it waits a week from then");
    assert_eq!(cairn.json("review list")["proposals"].as_array().expect("a list").len(), 1);
    propose(&cairn, "- One more.");
}

/// covers: W-82
#[test]
fn what_cannot_be_proposed_is_refused_with_what_to_do() {
    let cairn = home();
    for (line, why) in [
        ("propose config.toml 'x' --reason why", "is not an identity file"),
        ("propose ../../keys/operator.json 'x' --reason why", "is not an identity file"),
        ("propose SOUL.md ' ' --reason why", "the text is empty"),
        ("propose SOUL.md 'x' --reason why --replaces 'nothing of the kind'", "does not have the passage"),
        (
            "propose SOUL.md 'x' --reason why --evidence mem_00000000000000000000000000",
            "nothing is stored under",
        ),
    ] {
        let refused = cairn.run(line);
        assert!(refused.code != 0 && refused.stderr.contains(why), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains("hint:"), "{}", refused.stderr);
    }
    assert_eq!(cairn.json("review list --all")["proposals"].as_array().expect("a list").len(), 0);
}

/// covers: I4
#[test]
fn a_proposal_goes_with_the_words_it_quotes() {
    let cairn = home();
    let said = cairn.json("recall 'promise a date'")["hits"][0]["ref"].as_str().expect("a hit").to_owned();
    let line = format!("propose SOUL.md '- I am careful.' --reason 'asked for it' --evidence {said}");
    let id = cairn.json(&line)["ref"].as_str().expect("a ref").to_owned();
    let stays = propose(&cairn, "- I am patient.");
    answered(&cairn, &format!("erase {said} --yes --reason 'asked to be forgotten'"));
    assert_ne!(cairn.run(&format!("review show {id}")).code, 0);
    assert_eq!(status(&cairn, &stays), "pending");
}
