//! `cairn export`, `import` and `backup`.

use crate::support::{Cairn, carrying::decisions_come_with_an_operator_alone};
use std::fs;

/// A home with a few messages of every kind.
fn library() -> Cairn {
    let cairn = Cairn::new();
    for (i, line) in [
        "'The atlas is overdue.' --session s1 --thread loans --id b0",
        "'I will renew it.' --session s1 --role assistant --thread loans",
        "'Thank you 🙏 — şimdi değil' --session s1 --mode booth --at 2026-01-02T03:04:05.678Z",
        "'fn main() {}' --session s2 --mode code --speaker Wren",
    ]
    .iter()
    .enumerate()
    {
        cairn.done(&format!("remember {line}"));
        assert_eq!(cairn.json("stats")["messages"], i + 1);
    }
    let tagged = "{\"id\":\"b9\",\"session\":\"s3\",\"text\":\"Shelf 9 creaks.\",\"mood\":{\"calm\":true}}";
    assert_eq!(cairn.feed("ingest -", tagged).code, 0);
    cairn
}

/// covers: X-P3
#[test]
fn an_exported_agent_is_the_same_wherever_it_is_imported() {
    let cairn = library();
    cairn.tell("export main.cairn");
    cairn.tell("export --json again.cairn");
    cairn.tell("--agent copy import main.cairn");
    cairn.tell("--agent copy import --json main.cairn");
    cairn.tell("agents");
    insta::assert_snapshot!(cairn.story());
    let bundle = cairn.read("main.cairn");
    assert_eq!(cairn.read("again.cairn"), bundle, "the same agent gives the same bytes");
    assert_eq!(cairn.done("export -").stdout, bundle, "to a pipe as to a file");

    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (original, copy) = (lines(&bundle), lines(&cairn.done("--agent copy export").stdout));
    let last = original.len() - 1;
    assert_eq!(original[1..last], copy[1..last], "only the name above and the hash below differ");
    assert_ne!((&original[0], &original[last]), (&copy[0], &copy[last]));

    let elsewhere = Cairn::new();
    elsewhere.write("main.cairn", &bundle);
    elsewhere.done("import main.cairn");
    assert_eq!(elsewhere.done("export").stdout, bundle, "under its own name every byte is the same");
    assert_eq!(elsewhere.json("timeline"), cairn.json("timeline"));
    assert_eq!(elsewhere.json("verify")["ok"], true);
}

/// covers: C-158
#[test]
fn a_bundle_that_is_not_whole_is_refused_and_adds_nothing() {
    let cairn = library();
    let bundle = cairn.done("export").stdout;
    let footer = bundle.trim_end().rfind('\n').expect("a footer") + 1;
    cairn.write("changed.cairn", bundle.replace("overdue", "on time"));
    cairn.write("swapped.cairn", bundle.replacen("\"b0\"", "\"b8\"", 1));
    cairn.write("cut.cairn", &bundle[..footer]);
    cairn.write("torn.cairn", &bundle[..footer - 20]);
    let mut lines: Vec<&str> = bundle.lines().collect();
    lines.remove(2);
    cairn.write("short.cairn", lines.join("\n"));
    cairn.write("newer.cairn", bundle.replacen("\"cairn_bundle\":2", "\"cairn_bundle\":3", 1));
    cairn.write("letter.cairn", "Dear diary,\n");
    cairn.write("empty.cairn", "");
    for name in ["changed", "swapped", "cut", "torn", "short", "letter", "empty", "missing"] {
        let ran = cairn.tell(&format!("--agent victim import {name}.cairn"));
        assert_eq!(ran.code, 1, "{name}");
    }
    insta::assert_snapshot!(cairn.story());
    let newer = cairn.run("--agent victim import newer.cairn");
    assert_eq!((newer.code, newer.stderr.contains("version 3")), (1, true), "{}", newer.stderr);
    let victim = cairn.run("--agent victim --json stats");
    assert!(victim.code == 1 || victim.stdout.contains(r#""messages":0"#), "{}", victim.stdout);
}

#[test]
fn an_export_that_cannot_be_written_leaves_nothing_behind() {
    let cairn = library();
    cairn.tell("export nowhere/main.cairn");
    insta::assert_snapshot!(cairn.story());
    assert!(!cairn.path("nowhere").exists());
}

/// covers: X-P3
#[test]
fn a_backup_can_be_opened_as_the_agent_and_so_can_a_copied_folder() {
    let cairn = library();
    cairn.done("init --no-model");
    cairn.write("home/agents/main/identity/SOUL.md", "You are the librarian.\n");
    cairn.tell("backup");
    cairn.tell("backup --json --to elsewhere/agents/main");
    let taken = cairn.run("backup --to elsewhere/agents/main");
    assert_eq!((taken.code, taken.stderr.contains("\nhint: ")), (2, true), "{}", taken.stderr);
    let known = cairn.json("timeline");
    cairn.done("remember 'Said after the backup.'");
    cairn.tell("--home elsewhere stats");
    insta::assert_snapshot!(cairn.story());

    let restored = cairn.json("--home elsewhere timeline");
    assert_eq!(restored, known);
    assert_eq!(cairn.json("--home elsewhere verify")["ok"], true);
    assert_eq!(cairn.read("elsewhere/agents/main/identity/SOUL.md"), "You are the librarian.\n");

    let own = cairn.path("home/agents/main/backups/2026-11-15T10-00-00Z");
    fs::create_dir_all(cairn.path("third/agents")).expect("a folder");
    fs::rename(own, cairn.path("third/agents/main")).expect("a folder can be moved");
    assert_eq!(cairn.json("--home third timeline"), known);
    cairn.done("--home third remember 'Life goes on.'");
    assert_eq!(cairn.json("--home third stats")["messages"], 6);
}

#[test]
fn only_the_newest_backups_are_kept() {
    let cairn = library();
    cairn.write("home/config.toml", "[backup]\nkeep = 2\n");
    for now in ["2026-11-16T10:00:00Z", "2026-11-17T10:00:00Z", "2026-11-18T10:00:00Z"] {
        cairn.at(now).done("backup");
    }
    let kept = fs::read_dir(cairn.path("home/agents/main/backups")).expect("backups");
    let mut kept: Vec<_> = kept.map(|entry| entry.expect("an entry").file_name()).collect();
    kept.sort();
    assert_eq!(kept, ["2026-11-17T10-00-00Z", "2026-11-18T10-00-00Z"]);
}

/// covers: C-249
#[test]
fn a_redacted_bundle_shows_no_personal_data_and_is_for_reading() {
    let cairn = Cairn::new();
    cairn.done("remember 'My sister Ana has moved: write to her at ana.prata@example.org from now on.'");
    assert!(cairn.done("export").stdout.contains("ana.prata@example.org"), "the whole copy keeps every word");
    let shown = cairn.done("export --redact").stdout;
    assert!(!shown.contains("ana.prata@example.org") && shown.contains("[mail address]"), "{shown}");
    assert!(shown.lines().next().is_some_and(|header| header.contains("\"redacted\":true")), "{shown}");
    cairn.write("shown.cairn", &shown);
    let ran = cairn.run("--agent copy import shown.cairn");
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("\nhint: write it again without --redact"), "{}", ran.stderr);
    assert!(!cairn.done("agents").stdout.contains("copy"), "nothing was taken in");
}

/// covers: W-151, W-155, W-168, X-B1, X-B8, I3
#[test]
fn what_was_decided_elsewhere_comes_with_an_operator_alone() {
    decisions_come_with_an_operator_alone(&Cairn::new(), &Cairn::new());
}
