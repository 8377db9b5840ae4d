//! `beliefs` and `why blf_…`, as people and programs use them.

use crate::support::Cairn;

const KEYWORDS_ONLY: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

/// A home in which somebody moved, and something is liked.
fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", KEYWORDS_ONLY);
    for (at, text) in [
        ("2026-11-01T10:00:00Z", "I live in Oslo."),
        ("2026-11-03T10:00:00Z", "I prefer tea over coffee."),
        ("2026-11-05T10:00:00Z", "I moved to Bergen last week."),
    ] {
        cairn.at(at);
        cairn.done(&format!("remember '{text}' --id {} --session s{}", &at[..10], &at[8..10]));
        cairn.done("rhythms run beliefs");
    }
    cairn.at("2026-11-07T10:00:00Z");
    cairn
}

/// covers: K-81, K-82, K-83, K-84, K-97, K-99
#[test]
fn beliefs_are_listed_and_explained_to_people() {
    let cairn = home();
    cairn.tell("beliefs");
    cairn.tell("beliefs --kind operator_preference");
    cairn.tell("beliefs --all --subject user");
    let held = cairn.json("beliefs --kind identity");
    let id = held["beliefs"][0]["ref"].as_str().expect("a ref").to_owned();
    cairn.tell(&format!("why {id}"));
    cairn.tell("beliefs show mem_00000000000000000000000000");
    cairn.tell("why blf_00000000000000000000000000");
    cairn.tell("beliefs --kind opinion");
    insta::assert_snapshot!(cairn.story());
}

/// covers: K-60, K-92, K-93, K-94, K-95, K-96, K-98, K-100, K-104, W-141, W-142, W-144, W-145
#[test]
fn programs_see_what_speaks_for_and_against() {
    let cairn = home();
    let all = cairn.json("beliefs --all");
    let all = all["beliefs"].as_array().expect("beliefs");
    assert_eq!(all.len(), 3, "{all:?}");
    for field in [
        "ref",
        "kind",
        "subject_type",
        "subject_id",
        "key",
        "summary",
        "lane",
        "status",
        "due_at",
        "created_at",
        "last_supported_at",
    ] {
        assert!(all.iter().all(|belief| belief[field].is_string()), "{field}: {all:?}");
    }
    let held = all.iter().find(|belief| belief["value"] == "bergen").expect("held");
    assert_eq!((&held["status"], &held["lane"]), (&"active".into(), &"candidate".into()));
    assert_eq!(held["confidence_parts"]["source_count"], 1, "{held}");
    let why = cairn.json(&format!("why {}", held["ref"].as_str().expect("a ref")));
    assert_eq!(why["evidence"][0]["stance"], "support", "{why}");
    let words = &why["evidence"]
        .as_array()
        .expect("evidence")
        .iter()
        .find(|one| one["stance"] == "support")
        .expect("one")["rests_on"][0];
    assert_eq!(
        (&words["message"]["text"], &words["holds"]),
        (&"I moved to Bergen last week.".into(), &true.into())
    );
    assert_eq!(why["before"][0]["value"], "oslo", "{why}");
    assert_eq!(why["receipts"][0]["action"], "create");
    let old = cairn.json(&format!("why {}", why["before"][0]["ref"].as_str().expect("a ref")));
    let against =
        old["evidence"].as_array().expect("evidence").iter().any(|one| one["stance"] == "contradict");
    assert!(against && old["after"]["value"] == "bergen", "{old}");
    let verified = cairn.json("verify");
    assert_eq!((&verified["ok"], &verified["beliefs"]), (&true.into(), &3.into()), "{verified}");
    assert!(verified["receipts"].as_u64() >= Some(4), "{verified}");
    assert_eq!(cairn.json("stats")["beliefs"], 2);
    // Nothing of it is in an answer or a prompt.
    for command in ["recall 'where do I live?'", "context --query 'where do I live?'"] {
        assert!(!cairn.json(command).to_string().contains("blf_"), "{command}");
    }
}

/// Each statement of a file is a memory that cites its lines, and a belief formed from it leads back there.
///
/// covers: W-140, W-143, W-147, W-148, X-B2
#[test]
fn what_a_file_says_is_a_claim_that_cites_its_line() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    let text = "# Handoff\n\nThe project Atlas uses PostgreSQL 16.\n\nMara lives in Bergen.\n";
    cairn.write("notes/handoff.md", text);
    cairn.done("ingest --knowledge notes");
    cairn.done("rhythms run beliefs");
    let beliefs = cairn.json("beliefs");
    let beliefs = beliefs["beliefs"].as_array().expect("beliefs");
    assert_eq!(beliefs.len(), 2, "{beliefs:?}");
    for (value, line) in [("bergen", "handoff.md#L5-L5"), ("postgresql 16", "handoff.md#L3-L3")] {
        let belief = beliefs.iter().find(|belief| belief["value"] == value).expect("held");
        assert_eq!(belief["lane"], "candidate");
        let page = cairn.json(&format!("review show {}", belief["ref"].as_str().expect("a ref")));
        let source = &page["sources"][0];
        assert!(source["source"].as_str().is_some_and(|source| source.ends_with(line)), "{source}");
        assert_eq!((&source["says"], &source["state"]), (&source["quoted"], &"source_exact_match".into()));
    }
    assert_eq!(cairn.read("notes/handoff.md"), text, "a source is never changed");
    cairn.write("notes/handoff.md", text.replace("Bergen", "Tromsø"));
    let bergen = beliefs.iter().find(|belief| belief["value"] == "bergen").expect("held");
    let page = cairn.json(&format!("review show {}", bergen["ref"].as_str().expect("a ref")));
    assert_ne!(page["state"], "source_exact_match", "the file says something else now: {page}");
}

/// covers: K-86
#[test]
fn a_belief_is_corrected_at_once_and_carried_elsewhere() {
    let cairn = home();
    let held = cairn.json("beliefs --kind identity");
    let id = held["beliefs"][0]["ref"].as_str().expect("a ref").to_owned();
    cairn.done(&format!("correct {id} 'I live in Leeds.'"));
    let held = cairn.json("beliefs --kind identity");
    assert_eq!(held["beliefs"][0]["value"], "leeds", "{held}");
    let bundle = cairn.done("export").stdout;
    cairn.write("agent.cairn", &bundle);
    cairn.done("--agent copy import agent.cairn");
    assert_eq!(cairn.json("--agent copy beliefs --all"), cairn.json("beliefs --all"));
    let verified = cairn.json("--agent copy verify");
    assert_eq!(verified["ok"], true, "the chain holds in a copy: {verified}");
    assert_eq!(cairn.json("--agent copy rhythms run beliefs")["changes"].as_array().map(Vec::len), Some(0));
}
