//! `cairn hook` as Claude Code calls it: what it captures, what it shows, and that it never holds a session up.

use crate::support::{Cairn, Ran};
use serde_json::{Value, json};
use std::{fs, io::Write, time::Instant};

/// A session of Claude Code that writes its transcript as it goes.
struct Session<'a> {
    cairn: &'a Cairn,
    id: &'static str,
    lines: usize,
}

impl<'a> Session<'a> {
    fn new(cairn: &'a Cairn, id: &'static str) -> Self {
        fs::create_dir_all(cairn.path("projects")).expect("a folder");
        fs::write(cairn.path(&format!("projects/{id}.jsonl")), "").expect("a transcript");
        Self { cairn, id, lines: 0 }
    }

    fn path(&self) -> std::path::PathBuf {
        self.cairn.path(&format!("projects/{}.jsonl", self.id))
    }

    /// Adds a record to the transcript.
    fn add(&mut self, kind: &str, content: &Value) {
        self.lines += 1;
        let record = json!({"type": kind, "uuid": format!("{}-{}", self.id, self.lines), "sessionId": self.id,
                            "timestamp": "2026-11-15T10:00:00.000Z", "cwd": "/home/mara/tides",
                            "message": {"role": kind, "content": content}});
        let mut file = fs::OpenOptions::new().append(true).open(self.path()).expect("the transcript");
        writeln!(file, "{record}").expect("written");
    }

    fn says(&mut self, kind: &str, text: &str) {
        self.add(kind, &json!(text));
    }

    /// Calls a hook.
    fn hook(&self, event: &str, more: &Value) -> Ran {
        let mut input = json!({"session_id": self.id, "transcript_path": self.path(), "cwd": "/home/mara/tides",
                               "hook_event_name": event});
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let ran = self.cairn.feed(&format!("hook {event} --within-ms 30000"), input.to_string());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event}");
        ran
    }

    /// The text that a hook puts before the model.
    fn shown(&self, event: &str, more: &Value) -> String {
        let ran = self.hook(event, more);
        if ran.stdout.is_empty() {
            return String::new();
        }
        let answer: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
        let specific = &answer["hookSpecificOutput"];
        let expected = if event == "session-start" { "SessionStart" } else { "UserPromptSubmit" };
        assert_eq!(specific["hookEventName"], expected);
        specific["additionalContext"].as_str().expect("a text").to_owned()
    }
}

/// covers: L-28, L-30, W-100, W-106
#[test]
fn a_session_is_captured_and_the_next_one_is_told() {
    let cairn = Cairn::new();
    let mut first = Session::new(&cairn, "first");
    assert_eq!(
        first.shown("session-start", &json!({"source": "startup"})),
        "",
        "there is nothing to tell yet"
    );
    let prompt = "My harbour gauge is called Skagen and I always log tides in centimetres.";
    first.says("user", prompt);
    assert_eq!(first.shown("user-prompt-submit", &json!({"prompt": prompt})), "");
    first.add(
        "assistant",
        &json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make tides"}}]),
    );
    first.hook("post-tool-use", &json!({"tool_name": "Bash"}));
    first.add("user", &json!([{"type": "tool_result", "tool_use_id": "t1", "content": "error: no such gauge", "is_error": true}]));
    first.says("assistant", "The build fails because the gauge table is empty.");
    assert_eq!(first.hook("stop", &json!({"stop_hook_active": false})).stdout, "");
    assert_eq!(first.hook("stop", &json!({"stop_hook_active": false})).stdout, "");
    first.hook("pre-compact", &json!({"trigger": "auto"}));
    first.hook("session-end", &json!({"reason": "clear"}));

    let entries = cairn.json("timeline -k 50")["entries"].clone();
    let told: Vec<(&str, &str)> = entries
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| {
            (entry["speaker"].as_str().expect("a speaker"), entry["thread"].as_str().expect("a thread"))
        })
        .collect();
    assert_eq!(
        told,
        [("user", "tides"), ("Bash", "tides"), ("Bash", "tides"), ("assistant", "tides")],
        "{entries}"
    );
    assert_eq!(entries[2]["metadata"]["is_error"], true, "a tool's failure is known as one");
    cairn.done("form");

    let mut second = Session::new(&cairn, "second");
    let start = second.shown("session-start", &json!({"source": "startup"}));
    assert!(
        start.contains("Skagen") && start.contains("mem_") && start.contains("evidence, not an instruction"),
        "{start}"
    );
    let prompt = json!({"prompt": "What does the error: no such gauge mean?"});
    let at_first = second.shown("user-prompt-submit", &prompt);
    assert_eq!(at_first, "", "at first only the user's words are recalled");
    second.says("assistant", "Let me see.");
    let asked = second.shown("user-prompt-submit", &prompt);
    assert!(asked.contains("no such gauge"), "{asked}");
    assert!(!asked.contains("Skagen"), "that was shown at the start: {asked}");
    assert!(asked.len() < 2_200, "{}", asked.len());
    assert_eq!(second.shown("user-prompt-submit", &prompt), "", "nothing is shown twice in a session");
    assert_ne!(
        second.shown("session-start", &json!({"source": "compact"})),
        "",
        "after a compaction it is gone"
    );
    assert_eq!(second.shown("user-prompt-submit", &json!({"prompt": "ok"})), "", "nothing is asked");
    let report = cairn.json("hook --report");
    let stop =
        report["hooks"].as_array().expect("hooks").iter().find(|hook| hook["event"] == "stop").expect("stop");
    assert_eq!((&stop["count"], &stop["budget_ms"]), (&2.into(), &250.0.into()));
}

/// The session's own words are before the model anyway.
#[test]
fn a_prompt_is_not_answered_with_its_own_session() {
    let cairn = Cairn::new();
    let mut session = Session::new(&cairn, "only");
    session.says("user", "The ferry Aurora leaves Bergen at seven.");
    session.hook("stop", &json!({}));
    assert_eq!(
        session.shown("user-prompt-submit", &json!({"prompt": "When does the ferry Aurora leave Bergen?"})),
        ""
    );
}

/// covers: W-106
#[test]
fn whatever_goes_wrong_the_session_goes_on() {
    let cairn = Cairn::new();
    let one_line = |ran: &Ran, what: &str| {
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{what}: {}", ran.stderr);
        assert!(
            ran.stderr.starts_with("cairn hook: ") && ran.stderr.lines().count() == 1,
            "{what}: {}",
            ran.stderr
        );
    };
    for bad in ["", "{", "[]", "{\"session_id\":\"\"}", "{\"session_id\":7}", "\u{0}"] {
        one_line(&cairn.feed("hook stop", if bad.is_empty() { " " } else { bad }), bad);
    }
    one_line(&cairn.feed("hook an-event-of-tomorrow", "{\"session_id\":\"s\"}"), "an event of tomorrow");
    let missing = json!({"session_id": "s", "transcript_path": "/nowhere/at/all.jsonl"}).to_string();
    let ran = cairn.feed("hook stop --within-ms 30000", &missing);
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", ""),
        "a transcript that is not there yet"
    );
    cairn.write("home/config.toml", "this is no configuration");
    one_line(&cairn.feed("hook session-start", &missing), "a broken configuration");
    fs::remove_file(cairn.path("home/config.toml")).expect("removed");
    let blocked = Cairn::new();
    blocked.write("home", "a file where the home should be");
    one_line(&blocked.feed("hook session-start --within-ms 30000", &missing), "no home");
}

/// A host that never closes the pipe, and a transcript full of nonsense.
///
/// covers: W-106
#[test]
fn a_hook_ends_in_time_and_leaves_nobody_behind() {
    let cairn = Cairn::new();
    let mut command = cairn.command("hook stop --within-ms 300");
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn().expect("starts");
    let _never_closed = child.stdin.take();
    let status = child.wait().expect("ends by itself");
    assert!(status.success() && begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());

    let mut session = Session::new(&cairn, "odd");
    session.says("user", "The lighthouse keeper is called Teodor.");
    let mut file = fs::OpenOptions::new().append(true).open(session.path()).expect("the transcript");
    file.write_all(b"not json\n{\"type\":\"user\"}\n\xff\xfe\n{\"type\":\"user\",\"message\":{\"content\":")
        .expect("written");
    session.hook("stop", &json!({}));
    assert_eq!(cairn.json("stats")["messages"], 1);
    // The half line becomes whole.
    file.write_all(b"\"He paints boats.\"},\"uuid\":\"late\",\"sessionId\":\"odd\"}\n").expect("written");
    session.hook("stop", &json!({}));
    assert_eq!(cairn.json("stats")["messages"], 2);
    // A transcript that begins anew is read anew.
    fs::write(session.path(), "").expect("emptied");
    session.says("user", "The lighthouse has 132 steps.");
    session.hook("stop", &json!({}));
    assert_eq!(cairn.json("stats")["messages"], 3);
}

/// covers: C-226
#[test]
fn what_a_session_has_in_mind_comes_back_after_a_compaction_and_ends_with_it() {
    let cairn = Cairn::new();
    let mut session = Session::new(&cairn, "one");
    session.says("user", "My harbor gauge is called Skagen and my sister Ana reads it every morning.");
    session.hook("stop", &json!({"stop_hook_active": false}));
    cairn.done("form");
    let compacted = session.shown("session-start", &json!({"source": "compact"}));
    let (_, in_mind) =
        compacted.split_once("In mind in this session:").unwrap_or_else(|| panic!("{compacted}"));
    assert!(in_mind.contains("Skagen"), "{compacted}");
    session.hook("session-end", &json!({"reason": "clear"}));
    let after = session.shown("session-start", &json!({"source": "startup"}));
    assert!(after.contains("Skagen") && !after.contains("In mind in this session:"), "{after}");
}

/// The host is killed in its first tool call: no later hook runs, and its transcript may never have had the prompt.
///
/// covers: W-98
#[test]
fn a_prompt_is_kept_as_soon_as_its_hook_has_answered() {
    let cairn = Cairn::new();
    let mut killed = Session::new(&cairn, "killed");
    let prompt = "Rename the harbour gauge Skagen to Hirtshals everywhere.";
    killed.shown("user-prompt-submit", &json!({"prompt": prompt}));
    let found = cairn.json("recall 'harbour gauge Hirtshals' -k 5");
    assert_eq!(found["hits"][0]["text"], prompt, "{found}");
    assert_eq!(
        (&found["hits"][0]["session"], &found["hits"][0]["thread"]),
        (&"killed".into(), &"tides".into())
    );
    // The host may call twice, and its transcript may be read later, by a hook or by hand: it is one message.
    killed.shown("user-prompt-submit", &json!({"prompt": prompt}));
    killed.says("user", prompt);
    killed.says("assistant", "I renamed it in gauges.toml.");
    assert_eq!(cairn.json("stats")["messages"], 1);
    let other = Session::new(&cairn, "other");
    other.shown("session-start", &json!({"source": "startup"}));
    let stats = cairn.json("stats");
    assert_eq!(stats["messages"], 2, "the next session has caught up with what was answered: {stats}");
    let path = killed.path();
    let again = cairn.json(&format!("ingest '{}'", path.display()));
    assert_eq!((&again["added"], &again["duplicates"]), (&0.into(), &2.into()), "{again}");
    // What the transcript has before the hook is called is not kept twice either.
    let mut early = Session::new(&cairn, "early");
    early.says("user", "The tide table starts at noon.");
    early.shown("user-prompt-submit", &json!({"prompt": "The tide table starts at noon."}));
    assert_eq!(cairn.json("stats")["messages"], 3);
    // A command to the host is no word of the user's.
    early.shown("user-prompt-submit", &json!({"prompt": "/clear"}));
    early.shown(
        "user-prompt-submit",
        &json!({"prompt": "<system-reminder>I live in Rome.</system-reminder>"}),
    );
    assert_eq!(cairn.json("stats")["messages"], 3);
}

/// covers: W-112
#[test]
fn a_start_shows_rules_open_ends_and_the_last_words_even_where_nothing_was_formed() {
    let cairn = Cairn::new();
    cairn.at("2026-11-10T09:00:00Z");
    for (role, text) in [
        ("user", "Always run the tests with make check before you commit."),
        ("user", "Never push to main without asking me."),
        ("user", "Write a haiku about the sea."),
        ("user", "I will send the draft to Mara by 20 November."),
        ("assistant", "I will prepare the summary table."),
        ("assistant", "The summary table is done."),
    ] {
        cairn.done(&format!("remember '{text}' --role {role} --session before --thread tides"));
    }
    cairn.at("2026-11-15T10:00:00Z");
    let session = Session::new(&cairn, "next");
    let start = session.shown("session-start", &json!({"source": "startup"}));
    let place = |words: &str| start.find(words).unwrap_or_else(|| panic!("{words} is missing: {start}"));
    let rules = place("make check").max(place("Never push to main"));
    let due = place("in 5 days (2026-11-20)");
    let tail = place("Said last there");
    assert!(rules < due && due < tail, "{start}");
    assert!(place("The summary table is done.") > tail, "{start}");
    let (_, open) = start.split_once("Open:").unwrap_or(("", ""));
    assert!(!open.contains("I will prepare"), "what was kept is not open: {start}");

    // Where nothing was formed the last words are shown, whatever the project.
    let bare = Cairn::new();
    bare.done("remember 'Blue or green?' --session s --no-wait");
    bare.done("remember 'Green, then.' --role assistant --session s --no-wait");
    let started = bare.feed("hook session-start --within-ms 30000", json!({"session_id": "n"}).to_string());
    assert!(
        started.stdout.contains("Green, then.") && started.stdout.contains("Blue or green?"),
        "{}",
        started.stdout
    );
}

/// covers: W-30, W-112
#[test]
fn where_were_we_is_answered_with_where_it_was_left() {
    let cairn = Cairn::new();
    cairn.at("2026-11-10T09:00:00Z");
    cairn.done("remember 'We decided to keep the tide tables in SQLite.' --session a --thread tides");
    cairn.done("remember 'Then the importer comes next.' --role assistant --session a --thread tides");
    cairn.at("2026-11-15T10:00:00Z");
    for question in ["where were we?", "Nerede kalmıştık?"] {
        let asked = cairn.json(&format!("context --thread tides --query '{question}'"))["text"].to_string();
        assert!(
            asked.contains("5 days ago")
                && asked.contains("SQLite")
                && asked.contains("the importer comes next"),
            "{question}: {asked}"
        );
    }
    let other = cairn.json("context --thread tides --query 'Where were the keys?'")["text"].to_string();
    assert!(!other.contains("5 days ago"), "{other}");
}
