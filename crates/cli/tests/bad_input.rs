//! Whatever arrives is kept as it is or refused with a hint; nothing is half done.

use crate::support::Cairn;
use serde_json::Value;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

/// covers: C-158, X-P3
#[test]
fn a_name_that_is_no_folder_name_is_refused_and_makes_no_folder() {
    let cairn = Cairn::new();
    let long = "a".repeat(65);
    for name in ["../x", "Main", &long, "", ".", "..", "a/b", "a b", "-a", "ü"] {
        for command in ["init", "remember", "recall"] {
            let mut args = vec![command, "--agent", name];
            let agent = format!("--agent={name}");
            if name.starts_with('-') {
                args = vec![command, &agent];
            }
            args.extend((command != "init").then_some("hello"));
            let ran = cairn.run_args(&args);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{command} as {name:?}");
            assert!(
                ran.stderr.contains("is not a valid agent name\nhint: use 1 to 64 of"),
                "{name:?}: {}",
                ran.stderr
            );
        }
    }
    assert!(!cairn.path("home").exists() && !cairn.path("x").exists());
    cairn.done(&format!("--agent {} init --no-model", &long[..64]));
}

/// covers: C-158
#[test]
fn a_time_that_is_none_is_refused() {
    let cairn = Cairn::new();
    cairn.done("remember 'The clock struck one.'");
    for time in ["yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "12", "+123456-01-01T00:00:00Z", ""] {
        for line in ["remember x --at", "recall clock --as-of", "timeline --as-of"] {
            let ran = cairn.run(&format!("{line} '{time}'"));
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line} {time:?}");
            assert!(ran.stderr.contains("\nhint: "), "{line} {time:?}: {}", ran.stderr);
        }
    }
    cairn.at("around noon").tell("stats");
    insta::assert_snapshot!(cairn.story());
}

/// covers: C-158
#[test]
fn words_without_words_are_refused() {
    let cairn = Cairn::new();
    for text in ["", "   ", "\n\t", "[mode:code] "] {
        let ran = cairn.told("remember", cairn.run_args(&["remember", text]));
        assert_eq!(ran.code, 2, "{text:?}");
    }
    let ran = cairn.run_args(&["remember", "hi", "--session", "a\nb"]);
    assert_eq!(cairn.told("remember hi --session", ran).code, 2);
    let ran = cairn.run_args(&["remember", "hi", "--thread", &"t".repeat(513)]);
    assert_eq!(cairn.told("remember hi --thread", ran).code, 2);
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.run("--json stats").stdout.matches(r#""messages":0"#).count(), 1);
}

/// covers: C-158, W-24
#[test]
fn ten_megabytes_are_kept_and_found_and_seventeen_refused() {
    let cairn = Cairn::new();
    let lorem = "lorem ipsum dolor sit amet ".repeat((10 << 20) / 27);
    let text = format!("A quokka first, {lorem}and at the very end a pangolin.");
    let kept = cairn.feed("remember - --session long --json", &text);
    let kept: Value = serde_json::from_str(&kept.stdout).expect("one JSON document");
    let reference = kept["message"].as_str().expect("a ref");
    let opened = cairn.json(&format!("open {reference}"));
    assert!(opened["records"][0]["messages"][0]["text"] == text.as_str(), "every byte comes back");
    let found = cairn.done("recall 'pangolin quokka' --explain").stdout;
    assert!(found.contains("pangolin, in 1") && found.contains("quokka, in 1"), "{found}");
    assert!(found.contains(reference) && found.len() < 1_000, "people see the part that matters: {found}");

    let longer = "x".repeat(17 << 20);
    let line = "remember - --session long";
    cairn.told(line, cairn.feed(line, &longer));
    let message =
        format!("{{\"id\":\"x\",\"text\":\"{longer}\"}}\n{{\"id\":\"y\",\"text\":\"A short one.\"}}\n");
    cairn.told("ingest -", cairn.feed("ingest -", message));
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.json("stats")["messages"], 2);
}

/// covers: C-158
#[test]
fn nul_is_shown_and_half_an_emoji_costs_no_line() {
    let cairn = Cairn::new();
    let lines = concat!(
        r#"{"id":"n1","session":"s1","text":"left\u0000right"}"#,
        "\n",
        r#"{"id":"n2","session":"s2","text":"cut emoji \ud83d here"}"#,
        "\n",
        r#"{"id":"n3","session":"s3","text":"bell \u0007 and escape \u001b[31m red"}"#,
        "\n",
    );
    assert_eq!(cairn.feed("ingest -", lines).code, 0);
    assert_eq!(cairn.hits("left"), ["left␀right"]);
    assert_eq!(cairn.hits("emoji"), ["cut emoji \u{fffd} here"]);
    assert_eq!(
        cairn.hits("bell"),
        ["bell \u{7} and escape \u{1b}[31m red"],
        "what was said is kept as it was"
    );
    let ran = cairn.feed("remember - --session s4", b"nul \0 by pipe");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(cairn.hits("pipe"), ["nul ␀ by pipe"]);
}

/// covers: C-158
#[test]
fn what_is_not_utf_8_is_refused_with_a_hint() {
    let cairn = Cairn::new();
    let broken = OsStr::from_bytes(b"caf\xe9");
    for args in [[OsStr::new("remember"), broken], [OsStr::new("recall"), broken]] {
        let ran = cairn.run_args(&args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains("UTF-8") && ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    }
    let ran = cairn.feed("remember -", b"caf\xe9");
    assert!(
        ran.code != 0 && ran.stderr.contains("UTF-8") && ran.stderr.contains("\nhint: "),
        "{}",
        ran.stderr
    );
    assert!(!cairn.path("home/agents").exists());

    let line = "ingest - --json";
    cairn.told(line, cairn.feed(line, b"{\"text\":\"caf\xe9\"}\n{\"id\":\"u\",\"text\":\"coffee\"}\n"));
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.hits("coffee"), ["coffee"]);
}

/// covers: C-158
#[test]
fn json_of_any_shape_is_survived() {
    let cairn = Cairn::new();
    let deep = format!("{{\"text\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    let lines = [
        deep.as_str(),
        "null",
        "7",
        "\"text\"",
        "{\"text\":{\"a\":1}}",
        "{\"text\":true}",
        "{\"text\":\"a\",\"id\":[1]}",
        "{\"text\":\"a\",\"at\":1e400}",
        "{\"text\":\"a\",\"text\":\"b\"",
        "\u{feff}{}",
        "{\"user\":[],\"agent\":{}}",
    ];
    let ran = cairn.feed("ingest - --format jsonl --json", lines.join("\n"));
    let report: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    assert_eq!((&report["added"], &report["malformed"]), (&0.into(), &lines.len().into()), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("skipped: line ").count(), lines.len(), "{}", ran.stderr);
}

/// covers: C-158
#[test]
fn a_list_of_nothing_is_refused() {
    let cairn = Cairn::new();
    cairn.done("remember 'The clock struck one.'");
    for line in ["memories list --limit 0", "timeline --limit 0", "memories list --limit -1"] {
        let ran = cairn.run(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line}");
        assert!(ran.stderr.contains("\nhint: "), "{line}: {}", ran.stderr);
    }
}
