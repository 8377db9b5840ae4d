//! The sections of a context as a user and a host meet them: which are there, whose they are, what is verified, who is given the
//! identity.

use crate::support::Cairn;
use serde_json::{Value, json};
use std::{fs, net::TcpListener};

fn section<'a>(explained: &'a Value, name: &str) -> &'a Value {
    let sections = explained["sections"].as_array().expect("sections");
    sections
        .iter()
        .find(|section| section["section"] == name)
        .unwrap_or_else(|| panic!("{name}: {explained}"))
}

fn told() -> Cairn {
    let cairn = Cairn::new();
    cairn.at("2026-11-12T10:00:00Z");
    cairn.done("remember 'We decided to keep the tide tables in SQLite.' --session a --thread tides");
    cairn.done("remember 'Always log tides in centimeters.' --session a --thread tides");
    cairn.at("2026-11-15T10:00:00Z");
    cairn
}

/// covers: W-106, W-108, W-112
#[test]
fn each_section_says_whether_it_is_there_or_why_not() {
    let cairn = told();
    let explained = cairn.json("context --thread tides --explain");
    for name in ["time and gap", "wishes", "left off"] {
        let section = section(&explained, name);
        assert_eq!(section["outcome"], "included", "{name}: {section}");
        assert!(
            section["tokens"].as_u64().expect("a number") > 0 && section["elapsed_ms"].is_number(),
            "{section}"
        );
    }
    assert_ne!(section(&explained, "left off")["refs"], json!([]));
    assert_eq!(section(&explained, "proof")["outcome"], "nothing to say");
    let tokens: u64 = explained["sections"]
        .as_array()
        .expect("sections")
        .iter()
        .filter_map(|it| it["tokens"].as_u64())
        .sum();
    assert!(tokens <= explained["tokens"].as_u64().expect("a number"), "{explained}");
    let tight = cairn.json("context --thread tides --explain --budget 60");
    assert_eq!(section(&tight, "left off")["outcome"], "no room", "{tight}");
    assert_eq!(cairn.json("context --thread tides").get("sections"), None, "only if it is asked for");
    let shown = cairn.run("context --thread tides --explain");
    assert!(shown.stdout.contains("of the 150 ms") && shown.stdout.contains("left off"), "{}", shown.stdout);
}

/// covers: W-120, W-121, W-126, W-129, W-130
#[test]
fn the_framing_says_whose_the_blocks_are_and_changes_nothing_else() {
    let cairn = told();
    let own = cairn.json("context --thread tides")["text"].as_str().expect("a text").to_owned();
    assert!(own.contains("[YOUR WORKING MEMORY] It is Sunday 2026-11-15 10:00 UTC."), "{own}");
    assert!(
        own.contains("were said 3 days ago") && own.contains("[WHAT YOU REMEMBER FROM LAST SESSION] thread"),
        "{own}"
    );
    let system =
        cairn.json("context --thread tides --framing system")["text"].as_str().expect("a text").to_owned();
    let headers = [
        ("[YOUR WORKING MEMORY]", "[CONTINUITY CONTEXT]"),
        ("[WHAT YOU REMEMBER FROM LAST SESSION]", "[SESSION HANDOFF]"),
    ];
    let renamed = headers.iter().fold(own, |text, (own, system)| text.replace(own, system));
    assert_eq!(system, renamed, "the frame, the lines and their refs are the same");
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[context]\nframing = \"system\"\n");
    assert_eq!(cairn.json("context --thread tides")["text"], system.as_str());
}

/// covers: W-107, W-114
#[test]
fn what_a_prompt_invites_to_claim_is_verified_or_named_as_unverified() {
    let cairn = told();
    let ask = |prompt: &str| {
        let input = json!({"session_id": "p", "cwd": cairn.path("work"), "prompt": prompt});
        let ran = cairn.feed("hook user-prompt-submit --within-ms 30000", input.to_string());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{prompt}");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    fs::create_dir_all(cairn.path("work/.git/refs/heads")).expect("a folder");
    cairn.write("work/import.rs", "fn main() {}\n");
    cairn.write("work/.git/HEAD", "ref: refs/heads/tides\n");
    cairn.write("work/.git/refs/heads/tides", "0123456789abcdef0123456789abcdef01234567\n");
    cairn.write("secret.txt", "outside");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let open = listener.local_addr().expect("an address").port();
    for (prompt, told) in [
        ("Does import.rs exist?", "path “import.rs”: there, 13 bytes, changed "),
        ("Is missing.rs still there?", "path “missing.rs”: not there (verified now)"),
        ("What is in ../secret.txt?", "path “../secret.txt”: unverified (outside the working folder)"),
        ("Which branch are we on?", "repository: branch “tides” at commit 0123456789 (verified now)"),
        ("Is the importer running?", "processes that run: unverified"),
        ("Which version of SQLite is installed?", "versions: unverified"),
    ] {
        let shown = ask(prompt);
        assert!(shown.contains("or say that it is unverified:") && shown.contains(told), "{prompt}: {shown}");
    }
    assert!(
        ask(&format!("Is the server up on port {open}?"))
            .contains(&format!("port {open} of this machine: open"))
    );
    drop(listener);
    assert!(ask(&format!("Is port {open} still open?")).contains("closed (verified now)"));
    assert!(!ask("Please write import.rs anew.").contains("unverified"));
}

/// covers: W-31, W-32, W-33, W-34, W-35, W-36, W-103
#[test]
fn the_identity_stands_in_its_tags_for_the_hosts_that_are_to_have_it() {
    let cairn = told();
    cairn.write("home/agents/main/identity/SOUL.md", "I keep the tide tables.\n");
    cairn.write("home/agents/main/identity/AGENTS.md", "Ask before you delete.\n");
    cairn.write("home/agents/main/identity/ANCHOR.md", "The user is Mara.\n");
    cairn.write("home/agents/main/identity/TOOLS.md", "There is a gauge.\n");
    cairn.write("home/agents/main/identity/MEMORY.md", "Skagen was renamed.\n");
    let text = cairn.json("context")["text"].as_str().expect("a text").to_owned();
    let all = "<soul>\nI keep the tide tables.\n</soul>\n<operating_instructions>\nAsk before you delete.\n</operating_instructions>\n\
               <anchor>\nThe user is Mara.\n</anchor>\n<environment_knowledge>\nThere is a gauge.\n</environment_knowledge>\n\
               <memory>\nSkagen was renamed.\n</memory>\n";
    assert!(text.starts_with(all), "{text}");
    let start = |more: Value| {
        let mut input = json!({"session_id": "n", "cwd": "/home/mara/tides", "source": "startup"});
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        cairn.feed("hook session-start --within-ms 30000", input.to_string()).stdout
    };
    let begun = start(json!({}));
    assert!(begun.contains("<soul>") && begun.contains("<memory>"), "{begun}");
    assert!(!begun.contains("Ask before you delete."), "this host reads its own AGENTS.md: {begun}");
    assert!(!start(json!({"agent_id": "helper"})).contains("<memory>"), "for the main session alone");
    assert!(!start(json!({"source": "resume"})).contains("<soul>"), "it has it before it");
    assert!(!cairn.json("context --query 'Where are the tables?'")["text"].to_string().contains("<soul>"));
    cairn.write("home/agents/main/identity/SOUL.md", "I keep the harbor book.\n");
    assert!(start(json!({})).contains("I keep the harbor book."), "read again when it has changed");
    cairn.write(
        "home/config.toml",
        "[embedder]\nkind = \"none\"\n[context]\nidentity_tokens = 40\n[context.identity]\ndefault = [\"SOUL.md\"]\n",
    );
    let long = "Long ago.\n\n".to_owned() + &"I keep the harbor book, page by page. ".repeat(40);
    cairn.write("home/agents/main/identity/SOUL.md", &long);
    let cut = cairn.json("context")["text"].as_str().expect("a text").to_owned();
    assert!(cut.starts_with("<soul>\nLong ago.\n(identity/SOUL.md goes on)\n</soul>\n"), "{cut}");
    assert!(!cut.contains("<anchor>"), "{cut}");
}

/// covers: W-128
#[test]
fn templates_say_what_belongs_in_them_and_reach_no_model() {
    let cairn = Cairn::new();
    cairn.done("init --no-model");
    let soul = cairn.read("home/agents/main/identity/SOUL.md");
    let agents = cairn.read("home/agents/main/identity/AGENTS.md");
    assert!(
        soul.contains("\n## Self-Experience\n") && agents.contains("\n## Meta-Awareness and performance\n")
    );
    cairn.done("remember 'We keep the tide tables in SQLite.'");
    assert!(!cairn.json("context")["text"].to_string().contains("<soul>"));
}

/// covers: W-106
#[test]
fn how_long_sections_take_is_told_by_the_doctor_and_the_report() {
    let cairn = told();
    let input = json!({"session_id": "n", "cwd": "/home/mara/tides"}).to_string();
    cairn.feed("hook session-start --within-ms 30000", input);
    let report = cairn.json("hook --report");
    let timed = report["sections"].as_array().expect("sections");
    let left_off = timed.iter().find(|it| it["section"] == "left-off").unwrap_or_else(|| panic!("{report}"));
    assert_eq!((&left_off["count"], &left_off["budget_ms"]), (&1.into(), &150.0.into()), "{left_off}");
    let doctor = cairn.json("doctor");
    let checks = doctor["checks"].as_array().expect("checks");
    let check = checks.iter().find(|it| it["check"] == "sections").unwrap_or_else(|| panic!("{doctor}"));
    assert!(check["detail"].as_str().expect("a text").contains("of 150 ms"), "{check}");
}

/// covers: W-115
#[test]
fn who_is_named_comes_with_those_they_belong_to() {
    let cairn = Cairn::new();
    cairn.at("2026-11-12T10:00:00Z");
    for (session, words) in [
        ("a", "Selim repaired the kiln in Izmir."),
        ("b", "Selim flew to Izmir for the glaze fair."),
        ("c", "Odile keeps the tide tables."),
    ] {
        cairn.done(&format!("remember '{words}' --session {session}"));
    }
    let graph = |line: &str| {
        let explained = cairn.json(&format!("context {line} --explain"));
        (
            section(&explained, "graph")["outcome"].clone(),
            explained["text"].as_str().expect("a text").to_owned(),
        )
    };
    let (outcome, text) = graph("--query 'How is Selim doing these days?' --session d");
    assert_eq!(outcome, "included", "{text}");
    let line = text.lines().find(|line| line.contains("Selim” — “Izmir")).expect("a line of both");
    assert!(line.contains("2 memories") && line.contains("mem_"), "{line}");
    assert!(!line.contains("Odile"), "{line}");
    assert_eq!(graph("--query 'What is due tomorrow?' --session d").0, "nothing to say", "nobody is named");
    assert_eq!(graph("--session d").0, "nothing to say", "nothing is spoken about");
    // What the running session said itself is before the model.
    let (_, own) = graph("--query 'How is Selim doing these days?' --session b");
    assert!(own.contains("Selim” — “Izmir") && !own.contains("nothing to say"), "the other session's: {own}");
}
