//! `cairn open`, `why` and `timeline`.

use crate::support::{Cairn, refs, texts};

const ARCHIVE: &str = "home/agents/main/archive/2026-11-15.jsonl";

/// A home with two sessions, and the refs of all messages in the order in which they were said.
fn mountain() -> (Cairn, Vec<String>) {
    let cairn = Cairn::new();
    for (minute, line) in [
        "'Which hut is open in May?' --session walk",
        "'The Kestrel hut opens on the third.' --session walk --role assistant",
        "'Book two beds there.' --session walk",
        "'Two beds are booked.' --session walk --role assistant",
        "'The boots need wax.' --session boots --thread gear",
    ]
    .iter()
    .enumerate()
    {
        cairn.done(&format!("remember {line} --at 2026-11-15T08:0{minute}:00Z --id m{minute}"));
    }
    let entries = refs(&cairn.json("timeline")["entries"]);
    (cairn, entries)
}

/// covers: W-02
#[test]
fn nothing_that_was_said_controls_the_terminal() {
    let cairn = Cairn::new();
    let said = "The kiln\u{9b}2J fires\u{202e} at \u{1b}]0;noon\u{7} \u{1b}[8mhidden";
    let line = serde_json::json!({"id": "k", "session": "s\u{2066}1", "thread": "t\u{202e}", "speaker": "Orla\u{2067}", "text": said});
    assert_eq!(cairn.feed("ingest -", format!("{line}\n")).code, 0);
    for command in [
        "recall 'when does the kiln fire?'",
        "context 'when does the kiln fire?'",
        "memories list",
        "timeline kiln",
        "sessions",
        "threads",
    ] {
        for color in ["0", "1"] {
            let mut colored = cairn.command(command);
            colored.env("CLICOLOR_FORCE", color);
            let ran = cairn.finish(colored, b"");
            let obeyed = |c: char| {
                c.is_control() && !"\n\t\u{1b}".contains(c) || "\u{202e}\u{2066}\u{2067}".contains(c)
            };
            let told = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                !told.contains(obeyed) && !told.contains("\u{1b}]") && !told.contains("\u{1b}[8m"),
                "{command}: {told:?}"
            );
        }
    }
    let hits = cairn.run("recall --json 'when does the kiln fire?'").stdout;
    assert!(hits.contains("\\u009b2J") && hits.contains("\\u202e"), "{hits}");
    assert_eq!(cairn.json("recall 'when does the kiln fire?'")["hits"][0]["text"], said);
}

#[test]
fn open_shows_messages_and_whole_exchanges() {
    let (cairn, refs) = mountain();
    let exchange = refs[2].replace("msg_", "ex_");
    cairn.tell(&format!("open {} {exchange}", refs[4]));
    cairn.tell(&format!("open --json {exchange}"));
    cairn.tell("open msg_00000000000000000000000000");
    cairn.tell("open ex_00000000000000000000000000");
    cairn.tell("open wax");
    cairn.tell("open");
    insta::assert_snapshot!(cairn.story());
}

/// covers: W-24
#[test]
fn why_goes_down_to_the_line_of_the_archive() {
    let (cairn, refs) = mountain();
    cairn.tell(&format!("why {}", refs[2]));
    cairn.tell(&format!("why --json --verify {}", refs[4]));
    let exchange = cairn.json(&format!("why {}", refs[2].replace("msg_", "ex_")));
    insta::assert_snapshot!(cairn.story());
    let lines: Vec<String> = cairn.read(ARCHIVE).lines().map(str::to_owned).collect();
    let evidence = exchange["evidence"].as_array().expect("evidence");
    assert_eq!(evidence.len(), 2, "both messages of the exchange");
    for why in evidence {
        let line = why["archive"]["line"].as_u64().expect("a line") as usize;
        let archived: serde_json::Value = serde_json::from_str(&lines[line - 1]).expect("a line of JSON");
        assert_eq!(archived["text"], why["message"]["text"]);
        assert_eq!(why["archive"]["agrees"], true);
    }
}

/// covers: W-24
#[test]
fn why_says_so_when_the_archive_was_tampered_with() {
    let (cairn, refs) = mountain();
    cairn.tamper(ARCHIVE, "Book two beds", "Book six beds");
    cairn.tell(&format!("why {}", refs[2]));
    cairn.tell(&format!("why --verify {}", refs[2].replace("msg_", "ex_")));
    insta::assert_snapshot!(cairn.story());
    let tampered = cairn.run(&format!("why --json --verify {}", refs[2]));
    assert_eq!((tampered.code, tampered.stdout.contains(r#""agrees":false"#)), (1, true));
    assert_eq!(cairn.done(&format!("why --verify {}", refs[1])).code, 0, "the others still stand");
}

#[test]
fn why_of_nothing_is_refused() {
    let (cairn, _) = mountain();
    cairn.tell("why msg_00000000000000000000000000");
    cairn.tell("why beds");
    insta::assert_snapshot!(cairn.story());
}

#[test]
fn a_timeline_is_the_newest_about_a_query_or_around_a_ref() {
    let (cairn, refs) = mountain();
    cairn.tell("timeline -k 2");
    cairn.tell("timeline beds -k 2");
    cairn.tell(&format!("timeline {}", refs[1]));
    cairn.tell("timeline zeppelin");
    cairn.tell("timeline --json -k 1");
    insta::assert_snapshot!(cairn.story());
    let around = cairn.json(&format!("timeline {}", refs[4]));
    assert_eq!(texts(&around["entries"]), ["The boots need wax."], "another session is not around it");
}
