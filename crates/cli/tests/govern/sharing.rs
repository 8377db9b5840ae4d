//! Sharing, as an operator, a reader and an owner meet it.

use super::as_operator;
use crate::support::Cairn;
use serde_json::Value;

/// Two agents: `scout` knows something of two threads, `main` of a third.
fn two_agents() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.at("2026-11-10T10:00:00Z");
    cairn.done("--agent scout remember 'The harbor crane is serviced by Okonkwo.' --thread harbor");
    cairn.done("--agent scout remember 'The kiln crane was bought from Petrov.' --thread kiln");
    cairn.done("--agent main remember 'The garden crane is a bird.' --thread garden");
    as_operator(&cairn, "operator init");
    cairn
}

/// The hits of `main` that are another agent's.
fn vicarious(cairn: &Cairn, question: &str) -> Vec<Value> {
    let hits = cairn.json(&format!("recall '{question}' -k 20"))["hits"].clone();
    hits.as_array().expect("hits").iter().filter(|hit| hit["vicarious"].is_object()).cloned().collect()
}

/// covers: C-241, C-248, I10
#[test]
fn an_owner_shares_a_thread_and_takes_it_back() {
    let cairn = two_agents();
    assert_eq!(vicarious(&cairn, "who services the crane?"), Vec::<Value>::new());
    let line = "operator share scout --to main --thread harbor";
    let planned = cairn.done(line).stdout;
    assert!(planned.contains("share/main") && planned.contains("source/scout"), "{planned}");
    assert_eq!(vicarious(&cairn, "who services the crane?"), Vec::<Value>::new(), "a plan shares nothing");
    assert_eq!(cairn.run(&format!("{line} --reason x --yes")).code, 1, "nobody has signed in");
    as_operator(&cairn, &format!("{line} --reason 'one project' --yes"));

    let found = vicarious(&cairn, "who services the crane?");
    assert_eq!(found.len(), 1, "{found:?}");
    let hit = &found[0];
    assert_eq!(hit["vicarious"]["owner"], "scout");
    assert!(hit["text"].as_str().is_some_and(|text| text.contains("Okonkwo")), "{hit}");
    assert!(hit["ref"].as_str().is_some_and(|it| it.starts_with("scout/mem_")), "{hit}");
    // A tenth of what it would score as the reader's own.
    let parts = hit["why"]["boosts"].as_object().expect("parts");
    let sum = |names: &[&str]| names.iter().filter_map(|name| parts.get(*name)?.as_f64()).sum::<f64>();
    let first = sum(&["meaning", "words", "kept"]);
    assert!((sum(&["sub_tier"]) + first * 0.1).abs() < 1e-9, "{parts:?}");
    assert!(cairn.done("recall 'who services the crane?'").stdout.contains("memory of scout"));
    let shown = cairn.json("context --query 'who services the crane?'")["text"].to_string();
    assert!(shown.contains("noted by agent scout") && shown.contains("Okonkwo"), "{shown}");
    assert!(!shown.contains("Petrov"), "{shown}");

    // It is the owner's: nothing about it can be opened, explained, corrected or rated as one's own.
    let own = hit["ref"].as_str().expect("a ref").trim_start_matches("scout/");
    for line in [format!("open {own}"), format!("why {own}"), format!("feedback {own} helpful")] {
        assert_eq!(cairn.run(&line).code, 1, "{line}");
    }
    assert_eq!(cairn.run(&format!("correct {own} 'Nobody services it.'")).code, 1);
    let of_owner = cairn.json("--agent scout memories list")["memories"].clone();
    assert!(of_owner.as_array().expect("memories").iter().all(|it| it["accesses"] == 0), "{of_owner}");
    // … and sharing goes one way.
    let back = cairn.json("--agent scout recall 'garden crane bird'")["hits"].to_string();
    assert!(!back.contains("bird."), "{back}");

    let listed = cairn.json("govern sharing");
    assert_eq!(listed["sources"][0]["state"], "shared", "{listed}");
    assert_eq!(cairn.json("--agent scout govern sharing")["shares"][0]["reader"], "main");
    as_operator(&cairn, "operator share scout --to main --end --reason 'project over' --yes");
    assert_eq!(vicarious(&cairn, "who services the crane?"), Vec::<Value>::new());
    let log = cairn.done("--agent scout operator log").stdout;
    assert!(log.contains("share/main") && log.contains("project over"), "{log}");
    assert_eq!(cairn.json("verify")["ok"], true);
    assert_eq!(cairn.json("--agent scout verify")["ok"], true);
}

/// covers: C-248
#[test]
fn what_the_owner_corrects_stays_shared_with_its_thread() {
    let cairn = two_agents();
    as_operator(&cairn, "operator share scout --to main --thread harbor --reason 'one project' --yes");
    let known = cairn.json("--agent scout memories list")["memories"].clone();
    let crane = known
        .as_array()
        .expect("memories")
        .iter()
        .find(|it| it["text"].as_str().is_some_and(|text| text.contains("Okonkwo")));
    let name = crane.expect("the crane")["ref"].as_str().expect("a ref");
    cairn.done(&format!("--agent scout correct {name} 'The harbor crane is serviced by Baltazar.'"));
    let found = vicarious(&cairn, "who services the crane?");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0]["text"].as_str().is_some_and(|text| text.contains("Baltazar")), "{found:?}");
}

/// covers: C-248
#[test]
fn a_share_ends_by_itself_and_is_rolled_back_as_any_change() {
    let cairn = two_agents();
    let line = "operator share scout --to main --all --until 2026-11-20 --reason 'for a week' --yes";
    let applied: Value =
        serde_json::from_str(&as_operator(&cairn, &format!("--json {line}")).stdout).expect("JSON");
    assert_eq!(vicarious(&cairn, "crane").len(), 2);
    cairn.at("2026-11-21T10:00:00Z");
    assert_eq!(vicarious(&cairn, "crane").len(), 0, "it is over");
    cairn.at("2026-11-12T10:00:00Z");
    let receipt = applied["changes"][1]["receipt"].as_u64().expect("a number");
    as_operator(&cairn, &format!("--agent scout operator rollback {receipt} --reason 'too soon' --yes"));
    assert_eq!(vicarious(&cairn, "crane").len(), 0);
    for wrong in [
        "operator share scout --to scout --all",
        "operator share scout --to main",
        "operator share scout --to main --all --until 2020-01-01",
        "operator share scout --to nobody --all",
        "operator share scout --to main --entity unheard-of",
        "operator share scout --to main --all --trust-at-most 2",
    ] {
        assert_ne!(cairn.run(wrong).code, 0, "{wrong}");
    }
}

/// A setting that was written into the database by hand shares nothing.
///
/// covers: I3, I10
#[test]
fn a_share_without_an_operators_receipt_is_none() {
    let cairn = two_agents();
    as_operator(&cairn, "operator share scout --to main --thread harbor --reason 'one project' --yes");
    let database = rusqlite::Connection::open(cairn.path("home/agents/scout/memory.db")).expect("opened");
    let forged = "UPDATE protected_setting SET value = '{\"everything\":true}' WHERE name = 'share/main'";
    assert_eq!(database.execute(forged, []).expect("changed"), 1);
    assert_eq!(vicarious(&cairn, "crane").len(), 0);
}

/// covers: C-251
#[test]
fn an_agent_writes_into_another_memory_only_if_an_operator_lets_it() {
    let cairn = two_agents();
    let line = "--agent scout remember 'I moved the winch to pier nine.' --into main";
    let refused = cairn.run(line);
    assert!(refused.code == 1 && refused.stderr.contains("may not write"), "{}", refused.stderr);
    as_operator(&cairn, "operator share main --to scout --write --reason 'it reports' --yes");
    cairn.done(line);
    let hits = cairn.json("recall 'where is the winch?'")["hits"].clone();
    assert_eq!(hits[0]["role"], "assistant", "{hits}");
    assert_eq!(hits[0]["speaker"], "scout");
    assert!(hits[0]["vicarious"].is_null());
    // Reading is another permission, and so is the way back.
    assert_eq!(cairn.run("--agent main remember 'x y z' --into scout").code, 1);
    assert!(!cairn.json("--agent scout recall 'garden crane'")["hits"].to_string().contains("bird"));
    assert_ne!(cairn.run("--agent scout remember 'x' --role user --into main").code, 0);
    as_operator(&cairn, "operator share main --to scout --write --end --reason 'done' --yes");
    assert_eq!(cairn.run(line).code, 1);
}

/// covers: C-248
#[test]
fn trust_in_a_source_is_earned_and_lost_and_below_a_floor_it_is_quarantined() {
    let cairn = two_agents();
    for (at, place) in ["pier one", "pier two", "pier three", "pier four"].iter().enumerate() {
        cairn.done(&format!(
            "--agent scout remember 'The crane number {at} stands on {place}.' --thread harbor"
        ));
    }
    as_operator(&cairn, "operator share scout --to main --thread harbor --reason 'one project' --yes");
    let found = vicarious(&cairn, "which crane stands on which pier?");
    assert!(found.len() >= 4 && found.iter().all(|hit| hit["vicarious"]["trust"] == 0.5), "{found:?}");
    let refs: Vec<&str> = found.iter().filter_map(|hit| hit["ref"].as_str()).collect();
    let trust = |line: &str| cairn.json(&format!("govern trust {line}"))["trust"].as_f64().expect("a number");
    assert!((trust(&format!("{} confirmed", refs[0])) - 0.6).abs() < 1e-9);
    assert!((trust(&format!("{} confirmed", refs[0])) - 0.6).abs() < 1e-9, "a memory counts once");
    let fit = |hit: &Value| hit["score"].as_f64().expect("a score");
    let trusted = vicarious(&cairn, "which crane stands on which pier?");
    assert!(fit(&trusted[0]) > fit(&found[0]) - 1e-9, "{trusted:?}");
    // A cap of the operator's holds whatever is confirmed.
    as_operator(
        &cairn,
        "operator share scout --to main --thread harbor --trust-at-most 0.55 --reason careful --yes",
    );
    assert_eq!(vicarious(&cairn, "crane pier")[0]["vicarious"]["trust"], 0.55);
    for reference in &refs[..4] {
        trust(&format!("{reference} contradicted"));
    }
    assert_eq!(vicarious(&cairn, "which crane stands on which pier?"), Vec::<Value>::new());
    let shown = cairn.json("context --query 'which crane stands on which pier?'")["text"].to_string();
    assert!(!shown.contains("pier"), "{shown}");
    let listed = cairn.json("govern sharing");
    assert_eq!(listed["sources"][0]["state"], "quarantined", "{listed}");
    // Review still sees its words, and the user's word brings them back.
    let reviewed = cairn.json("govern sharing --from scout")["memories"].clone();
    assert!(reviewed.as_array().is_some_and(|all| all.len() >= 4), "{reviewed}");
    for reference in &refs[..2] {
        trust(&format!("{reference} confirmed"));
    }
    assert!(!vicarious(&cairn, "which crane stands on which pier?").is_empty());
    // Only what is shared can be judged.
    let all = cairn.json("--agent scout memories list")["memories"].clone();
    let kiln = all.as_array().expect("memories").iter().find(|it| it["text"].to_string().contains("kiln"));
    let kiln = kiln.expect("it is remembered")["ref"].as_str().expect("a ref");
    assert_eq!(cairn.run(&format!("govern trust scout/{kiln} confirmed")).code, 1);
    assert_ne!(cairn.run("govern trust scout confirmed").code, 0);
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// The user's word confirms or contradicts what another agent shares; what an agent says, a question and what is not shared move
/// nothing.
///
/// covers: C-248
#[test]
fn what_the_user_says_moves_the_trust_in_whoever_shares_it() {
    let cairn = two_agents();
    as_operator(&cairn, "operator share scout --to main --thread harbor --reason 'one project' --yes");
    let trust = |line: &str| {
        cairn.done(&format!("remember {line}"));
        cairn.json("govern sharing")["sources"][0]["trust"].as_f64().expect("a number")
    };
    for (line, expected) in [
        ("'Is the harbor crane serviced by Okonkwo?'", 0.5),
        ("'The harbor crane is serviced by Okonkwo.' --role assistant", 0.5),
        ("'The kiln crane was not bought from Petrov.'", 0.5),
        ("'The garden crane is a bird that eats frogs.'", 0.5),
        ("'The harbor crane is serviced by Okonkwo.'", 0.6),
        ("'As I said, the harbor crane is serviced by Okonkwo.'", 0.6),
        ("'The harbor crane is not serviced by Okonkwo.' --role assistant", 0.6),
        ("'The harbor crane is not serviced by Okonkwo.'", 0.4),
    ] {
        let trusted = trust(line);
        assert!((trusted - expected).abs() < 1e-9, "{line}: {trusted}");
    }
    let log = cairn.done("operator log").stdout;
    assert!(log.contains("confirmed by what the user said: msg_"), "{log}");
    assert!(log.contains("contradicted by what the user said: msg_"), "{log}");
    // The owner's memory is as it was, and what was taken in as a transcript counts as what was typed.
    let of_owner = cairn.json("--agent scout memories list")["memories"].clone();
    assert!(of_owner.as_array().expect("memories").iter().all(|it| it["accesses"] == 0), "{of_owner}");
    cairn.done("--agent scout remember 'The harbor winch is painted green.' --thread harbor");
    let line = r#"{"id":"w1","session":"w","role":"user","at":"2026-11-10T10:00:00Z","text":"The harbor winch is painted green."}"#;
    assert_eq!(cairn.feed("ingest -", line).code, 0);
    cairn.done("rhythms run intake");
    let trusted = cairn.json("govern sharing")["sources"][0]["trust"].as_f64().expect("a number");
    assert!((trusted - 0.5).abs() < 1e-9, "one each: {trusted}");
    assert_eq!(cairn.json("verify")["ok"], true);
}
