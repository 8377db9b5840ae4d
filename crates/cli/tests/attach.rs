//! `cairn attach` and what becomes of files: receipts, text that is found, gaps that are told, and whatever is no plain file.

use crate::support::{
    Cairn, Ran,
    documents::{docx, docx_of, pdf, png},
    erasing::{answered, signed_in},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::symlink,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A refusal or a bad file takes no longer than this.
const SOON: Duration = Duration::from_secs(30);
const PLAIN: &str = "[embedder]\nkind = \"none\"\n";

fn plain() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", PLAIN);
    cairn
}

fn receipt(cairn: &Cairn, line: &str) -> Value {
    cairn.json(&format!("attach {line}"))["files"][0]["receipt"].clone()
}

fn reference(receipt: &Value) -> String {
    receipt["ref"].as_str().expect("a ref").to_owned()
}

/// covers: W-38, W-39, W-40, W-41, W-42
#[test]
fn a_file_gets_a_receipt_that_names_it_again_and_is_not_copied() {
    let cairn = plain();
    cairn.done("remember 'Here is the log.' --session s1 --thread pottery --id m1");
    cairn.write("log.md", "# Kiln log\n\nThe glaze of the blue bowl cracked at 1240 degrees.\n");
    let first = receipt(&cairn, "log.md --session s1 --thread pottery");
    assert!(reference(&first).starts_with("att_"), "{first}");
    assert_eq!(
        (&first["kind"], &first["name"], &first["mime"], &first["bytes"], &first["route"]),
        (&"text".into(), &"log.md".into(), &"text/markdown".into(), &64.into(), &"text".into())
    );
    let there = fs::canonicalize(cairn.path("log.md")).expect("a path").display().to_string();
    assert_eq!(first["source"], there.replace(&cairn.path("").display().to_string(), "[HOME]/").as_str());
    assert!(first["excerpt"].as_str().expect("an excerpt").starts_with("# Kiln log"), "{first}");
    assert_eq!(first["sha256"].as_str().map(str::len), Some(64));

    // The same content elsewhere is the same attachment in another turn.
    fs::copy(cairn.path("log.md"), cairn.path("copy.md")).expect("copied");
    cairn.done("remember 'And again.' --session s2 --id m2");
    let again = cairn.json("attach copy.md --session s2")["files"][0].clone();
    assert_eq!((&again["known"], &again["receipt"]["ref"]), (&true.into(), &first["ref"]));
    let listed = cairn.json("attachments");
    assert_eq!(listed["attachments"].as_array().map(Vec::len), Some(1));
    let turns = listed["attachments"][0]["turns"].as_array().expect("turns").clone();
    assert_eq!((&turns[0]["session"], &turns[0]["thread"]), (&"s1".into(), &"pottery".into()));
    assert_eq!((&turns[1]["session"], turns.len()), (&"s2".into(), 2));
    let said = cairn.json("timeline")["entries"].as_array().expect("entries").clone();
    let m1 = said.iter().find(|entry| entry["source_ids"][0] == "m1").expect("m1");
    assert_eq!(turns[0]["message"], m1["ref"], "the turn is what was said last");
    let why = cairn.done(&format!("why {}", reference(&first)));
    assert!(why.stdout.contains("there") && why.stdout.contains("pottery"), "{}", why.stdout);

    // Nothing but its text is in the home.
    for (path, bytes) in crate::support::files(&cairn.path("home")) {
        assert!(!bytes.windows(8).any(|some| some == b"Kiln log"), "{} holds a copy", path.display());
    }
}

/// covers: W-39, W-62
#[test]
fn the_text_of_every_format_is_found_with_its_page_or_lines() {
    let cairn = plain();
    cairn.write(
        "report.pdf",
        pdf(&["The harbour was dredged in spring.", "The pilot boat is called Meltem."]),
    );
    cairn.write("letter.docx", docx(&["Dear Ada,", "the violin needs a new bridge."]));
    cairn.write("page.html", "<html><body><p>The orchard has <b>forty</b> quince trees.</p></body></html>");
    cairn.write("table.csv", "name,role\nOrhan,beekeeper\n");
    cairn.write("data.json", "{\"lighthouse\": {\"keeper\": \"Sibel\"}}");
    cairn.write("main.rs", "// Counts ferries.\nfn ferry_counter() -> u32 {\n    42\n}\n");
    cairn.write("notes.txt", "one\n\ntwo\n\nThe samovar leaks at the tap.\n");
    let files = "report.pdf letter.docx page.html table.csv data.json main.rs notes.txt";
    let attached = cairn.json(&format!("attach {files} --session s"));
    let routes: Vec<&str> = attached["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| file["receipt"]["route"].as_str().expect("a route"))
        .collect();
    assert_eq!(routes, ["pdf", "docx", "html", "text", "text", "text", "text"], "{attached}");
    for (question, name, place, words) in [
        ("what is the pilot boat called?", "report.pdf", "page 2", "Meltem"),
        ("what does the violin need?", "letter.docx", "lines 1-2", "new bridge"),
        ("how many quince trees has the orchard?", "page.html", "line 1", "forty"),
        ("what is the role of Orhan?", "table.csv", "lines 1-2", "beekeeper"),
        ("who is the keeper of the lighthouse?", "data.json", "line 1", "Sibel"),
        ("ferry counter", "main.rs", "lines 1-4", "ferry_counter"),
        ("where does the samovar leak?", "notes.txt", "lines 1-5", "at the tap"),
    ] {
        let found = cairn.json(&format!("recall '{question}' --kind attachment --read-only"));
        let hit = &found["hits"][0];
        assert_eq!(
            (&hit["kind"], &hit["file"]["name"]),
            (&"attachment".into(), &name.into()),
            "{question} {found}"
        );
        assert_eq!(hit["file"]["place"], place, "{question}");
        assert!(hit["text"].as_str().expect("a text").contains(words), "{hit}");
        let address = hit["ref"].as_str().expect("a ref");
        cairn.done(&format!("open {address}"));
        cairn.done(&format!("why {}", &address[..12]));
    }
    // Beside what was said, by default; and not where only what was said is asked for.
    cairn.done("remember 'My boat is called Karayel.' --session s");
    let mixed = cairn.json("recall 'what is the pilot boat called?' --read-only")["hits"].to_string();
    assert!(mixed.contains("Meltem") && mixed.contains("Karayel"), "{mixed}");
    let said =
        cairn.json("recall 'what is the pilot boat called?' --kind exchange --read-only")["hits"].to_string();
    assert!(!said.contains("Meltem"), "{said}");
    let here = cairn.json("recall 'pilot boat' --kind attachment --session elsewhere --read-only");
    assert_eq!(here["hits"].as_array().map(Vec::len), Some(0), "{here}");
}

/// covers: W-39, W-62
#[test]
fn a_hostile_document_is_a_receipt_without_text_and_a_note() {
    let cairn = plain();
    let bomb = docx_of(&vec![b' '; 80 << 20]);
    assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
    cairn.write("bomb.docx", bomb);
    cairn.write("broken.pdf", &pdf(&["Half of this is missing."])[..180]);
    cairn.write(
        "loop.pdf",
        String::from_utf8(pdf(&["x"])).expect("text").replace("/Kids [4 0 R]", "/Kids [2 0 R]"),
    );
    cairn.write("empty.docx", b"PK\x03\x04");
    cairn.write("deep.html", "<div>".repeat(200_000));
    cairn.write(
        "noise.bin",
        (0..40_000_u32).flat_map(|it| it.wrapping_mul(2_654_435_761).to_le_bytes()).collect::<Vec<u8>>(),
    );
    cairn.write("picture.png", png());
    cairn.write("nothing.txt", "");
    for file in ["bomb.docx", "broken.pdf", "loop.pdf", "empty.docx", "noise.bin", "nothing.txt"] {
        let begun = Instant::now();
        let receipt = receipt(&cairn, file);
        assert!(begun.elapsed() < SOON, "{file} took {:?}", begun.elapsed());
        assert_eq!(
            (&receipt["text_chars"], &receipt["route"]),
            (&0.into(), &"none".into()),
            "{file} {receipt}"
        );
        assert!(!receipt["note"].as_str().unwrap_or_default().is_empty(), "{file} {receipt}");
    }
    let begun = Instant::now();
    receipt(&cairn, "deep.html");
    assert!(begun.elapsed() < SOON, "deep.html took {:?}", begun.elapsed());
    let picture = receipt(&cairn, "picture.png");
    assert_eq!(
        (&picture["kind"], &picture["mime"], &picture["width"], &picture["height"]),
        (&"image".into(), &"image/png".into(), &3.into(), &2.into())
    );
}

fn refused(cairn: &Cairn, line: &str) -> Ran {
    let begun = Instant::now();
    let ran = cairn.run(&format!("attach {line}"));
    assert!(begun.elapsed() < SOON, "{line} took {:?}", begun.elapsed());
    assert_eq!(ran.code, 1, "{line}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// covers: W-63
#[test]
fn whatever_is_no_plain_file_is_refused_and_the_others_are_taken() {
    let cairn = plain();
    fs::create_dir(cairn.path("folder")).expect("a folder");
    assert!(Command::new("mkfifo").arg(cairn.path("pipe")).status().expect("mkfifo").success());
    symlink(cairn.path("round"), cairn.path("round")).expect("a link");
    symlink(cairn.path("nowhere"), cairn.path("dangling")).expect("a link");
    symlink("/dev/zero", cairn.path("zero")).expect("a link");
    symlink(cairn.path("pipe"), cairn.path("to-pipe")).expect("a link");
    let limit = 15 << 20;
    cairn.write("whole.txt", vec![b'x'; limit]);
    cairn.write("large.txt", vec![b'x'; limit + 1]);
    for (file, problem) in [
        ("folder", "is a folder, not a file"),
        ("pipe", "is a pipe, not a file"),
        ("to-pipe", "is a pipe, not a file"),
        ("zero", "is a device, not a file"),
        ("/dev/null", "is a device, not a file"),
        ("round", "cannot be read"),
        ("dangling", "does not exist"),
        ("missing.txt", "does not exist"),
        ("large.txt", "has 15728641 bytes; an attachment has at most 15 MB"),
    ] {
        let ran = refused(&cairn, file);
        assert!(ran.stderr.contains(problem) && ran.stderr.contains("hint: "), "{file}: {}", ran.stderr);
    }
    cairn.write("good.txt", "The samovar leaks.");
    symlink(cairn.path("good.txt"), cairn.path("link.txt")).expect("a link");
    let ran = refused(&cairn, "good.txt pipe missing.txt");
    assert!(
        ran.stdout.contains("good.txt") && ran.stderr.contains("2 of 3 files"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let linked = receipt(&cairn, "link.txt");
    assert_eq!(linked["name"], "good.txt", "a link stands for its file");
    assert!(linked["source"].as_str().expect("a path").ends_with("/good.txt"), "{linked}");
    assert_eq!(receipt(&cairn, "whole.txt")["bytes"], limit);
    // A path outside of where one stands is as good as any: its receipt says where it was.
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("far.txt"), "Far away.").expect("written");
    let far = receipt(&cairn, &outside.path().join("far.txt").display().to_string());
    assert!(far["source"].as_str().expect("a path").ends_with("far.txt"), "{far}");
}

/// covers: W-63
#[test]
fn a_file_that_is_being_written_is_refused_or_taken_as_it_was_at_one_moment() {
    let cairn = plain();
    // The kernel writes this one while it is read: it has more bytes than it has.
    let ran = refused(&cairn, "/proc/self/status");
    assert!(ran.stderr.contains("changes while it is read"), "{}", ran.stderr);
    assert_eq!(cairn.json("attachments")["attachments"].as_array().map(Vec::len), Some(0));
    cairn.write("growing.log", "more\n".repeat(100_000));
    let (path, stop) = (cairn.path("growing.log"), Arc::new(AtomicBool::new(false)));
    let writing = Arc::clone(&stop);
    let writer = thread::spawn(move || {
        let mut file = OpenOptions::new().append(true).open(path).expect("opened");
        while !writing.load(Ordering::Relaxed) {
            file.write_all(b"more\n").expect("written");
        }
    });
    let ran = cairn.run("--json attach growing.log");
    stop.store(true, Ordering::Relaxed);
    writer.join().expect("ended");
    let answer: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let receipt = &answer["files"][0]["receipt"];
    if let Some(bytes) = receipt["bytes"].as_u64() {
        let there = fs::read(cairn.path("growing.log")).expect("a file");
        let hash = Sha256::digest(&there[..bytes as usize]);
        let hash = hash.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        assert_eq!(receipt["sha256"], hash.as_str(), "a receipt is of one moment");
    } else {
        assert!(ran.stderr.contains("changes while it is read"), "{}", ran.stderr);
    }
}

fn state(cairn: &Cairn, at: usize) -> String {
    cairn.json("attachments")["attachments"][at]["state"].as_str().expect("a state").to_owned()
}

/// covers: W-38, W-43, W-44
#[test]
fn later_turns_are_shown_receipt_excerpt_and_observation_and_every_gap() {
    let cairn = plain();
    cairn.done("remember 'Look at this report.' --session s1 --thread harbour --id m1");
    cairn.write("report.txt", "The harbour was dredged in spring.\n");
    let first = receipt(&cairn, "report.txt --session s1 --thread harbour");
    cairn.at("2026-11-15T10:01:00Z");
    cairn.done("remember 'It says the harbour is deep enough now.' --role assistant --session s1 --thread harbour --id m2");
    cairn.at("2026-11-16T10:00:00Z");
    let shown = cairn.done("context --thread harbour --session s2").stdout;
    assert!(shown.contains("Attached files:") && shown.contains(&reference(&first)[..12]), "{shown}");
    assert!(shown.contains("begins “The harbour was dredged in spring.”"), "{shown}");
    assert!(shown.contains("said about it last: “It says the harbour is deep enough now.”"), "{shown}");
    assert!(!shown.contains("VERIFICATION GAP"), "{shown}");
    assert!(!cairn.done("context --thread elsewhere").stdout.contains("Attached files:"));
    let asked = cairn.done("context --query 'when was the harbour dredged?' --session s2").stdout;
    assert!(asked.contains("file “report.txt” line 1: “The harbour was dredged in spring.”"), "{asked}");

    let gap = |cairn: &Cairn, told: &str| {
        let shown = cairn.done("context --thread harbour --session s3").stdout;
        assert!(shown.contains(&format!("[VERIFICATION GAP: the file “report.txt” {told}")), "{shown}");
        let why = cairn.run(&format!("why {} --verify", reference(&first)));
        assert!(why.code == 1 && why.stdout.contains("VERIFICATION GAP"), "{}{}", why.stdout, why.stderr);
    };
    assert_eq!(state(&cairn, 0), "there");
    // Written again with the same words, it is the same; with others of the same length it is not.
    cairn.write("report.txt", "The harbour was dredged in spring.\n");
    assert_eq!(state(&cairn, 0), "there");
    cairn.write("report.txt", "The harbour was dredged in autumn.\n");
    assert_eq!(state(&cairn, 0), "changed");
    gap(&cairn, "was changed after it was attached");
    cairn.write("report.txt", "The harbour was dredged in spring.\n");
    fs::rename(cairn.path("report.txt"), cairn.path("renamed.txt")).expect("renamed");
    let moved = cairn.json("attachments")["attachments"][0].clone();
    assert_eq!(moved["state"], "moved");
    assert!(moved["moved_to"].as_str().expect("a path").ends_with("/renamed.txt"), "{moved}");
    fs::remove_file(cairn.path("renamed.txt")).expect("removed");
    assert_eq!(state(&cairn, 0), "gone");
    gap(&cairn, "is no longer where it was attached from");
    // A pipe in its place is waited for by nobody.
    assert!(Command::new("mkfifo").arg(cairn.path("report.txt")).status().expect("mkfifo").success());
    let begun = Instant::now();
    assert_eq!(state(&cairn, 0), "changed");
    assert!(begun.elapsed() < SOON);
}

/// covers: W-38, W-42
#[test]
fn what_is_attached_moves_with_a_bundle_and_goes_with_an_erasure() {
    let cairn = plain();
    let made = signed_in(&cairn, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
    cairn.done("remember 'Here is a secret.' --session s1 --id m1");
    cairn.write("secret.txt", "The vault opens with swordfish.\n");
    cairn.write("other.txt", "The samovar leaks.\n");
    let secret = reference(&receipt(&cairn, "secret.txt --session s1"));
    receipt(&cairn, "other.txt");
    cairn.done("export all.cairn");
    cairn.done("--agent copy import all.cairn");
    let (here, there) = (cairn.json("attachments"), cairn.json("--agent copy attachments"));
    assert_eq!(here, there);
    let found = cairn.json("--agent copy recall 'what opens the vault?' --kind attachment --read-only");
    assert!(found["hits"][0]["text"].as_str().expect("a hit").contains("swordfish"), "{found}");
    let redacted = cairn.done("export --redact").stdout;
    assert!(!redacted.contains("swordfish"), "{redacted}");

    let plan = cairn.json(&format!("erase {secret}"));
    assert_eq!(plan["attachments"][0], secret.as_str());
    let erased = answered(&cairn, &format!("erase {secret} --yes --reason 'asked to'"));
    assert_eq!((&erased["attachments"][0], &erased["done"]), (&secret.as_str().into(), &true.into()));
    let found =
        cairn.json("recall 'what opens the vault?' --kind attachment --read-only")["hits"].to_string();
    assert!(!found.contains("swordfish"), "{found}");
    for (path, bytes) in crate::support::files(&cairn.path("home/agents/main")) {
        assert!(!bytes.windows(9).any(|some| some == b"swordfish"), "{}", path.display());
    }
    let database = fs::read(cairn.path("home/agents/main/memory.db")).expect("a database");
    assert!(!database.windows(9).any(|some| some == b"swordfish"));
    assert!(refused(&cairn, "secret.txt").stderr.contains("was erased by an operator"));
    // What appeared only in a session goes with it.
    cairn.write("third.txt", "The ferry leaves at nine.\n");
    cairn.done("remember 'One more.' --session s9 --id m9");
    receipt(&cairn, "third.txt --session s9");
    answered(&cairn, "erase --session s9 --yes --reason 'asked to'");
    let left = cairn.json("attachments");
    assert_eq!(left["attachments"].as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!(left["attachments"][0]["name"], "other.txt");
}
