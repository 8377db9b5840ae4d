//! An agent moves from its folder to a server and back, and is the same everywhere.

use crate::{
    postgres::database::{Database, Session},
    support::{Cairn, carrying::decisions_come_with_an_operator_alone, files, refs},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

/// Vectors are compared elsewhere; here every score is one of words.
const KEYWORDS_ONLY: &str = "[embedder]\nkind = \"none\"\n";
/// The last day of the library's life.
const TODAY: &str = "2026-11-17T10:00:00Z";

/// Three days of messages: in sessions and threads, in every mode and role, with fields of the caller's own, without
/// Latin letters, with control characters, and one word over and over.
fn days() -> [(&'static str, Vec<String>); 3] {
    let line = |fields: &str| format!("{{{fields}}}\n");
    let shelves = (0..60).map(|i| {
        let (role, session) = (["user", "assistant"][i % 2], i / 12);
        let text = format!("shelf {i} holds {} atlases and a lantern", i * 7 % 13);
        line(&format!(
            r#""id":"m{i}","session":"tour-{session}","thread":"shelves","role":"{role}","text":"{text}""#
        ))
    });
    let many = "atlas ".repeat(250);
    [
        (
            "2026-11-15T10:00:00Z",
            vec![
                line(r#""id":"a1","session":"s1","thread":"loans","text":"The atlas is overdue.""#),
                line(
                    r#""id":"a2","session":"s1","thread":"loans","role":"assistant","text":"I will renew the atlas.""#,
                ),
                line(r#""id":"a3","session":"s1","text":"Thank you 🙏 — şimdi değil, 図書館で。""#),
                line(
                    r#""id":"a4","session":"s2","mode":"code","speaker":"Wren","text":"fn main() { lantern(); }""#,
                ),
            ],
        ),
        ("2026-11-16T10:00:00Z", shelves.collect()),
        (
            TODAY,
            vec![
                line(
                    r#""id":"c1","session":"s3","mode":"booth","mood":{"calm":true,"lamp":[1,2.5]},"text":"Shelf 9 creaks.""#,
                ),
                line(
                    r#""id":"c2","session":"s3","role":"system","text":"It was\tquiet\n\nin the \u0007 reading room.""#,
                ),
                line(
                    r#""id":"c3","session":"s3","at":"1999-01-02T03:04:05.678Z","text":"Wren bought the lantern.""#,
                ),
                line(&format!(r#""id":"c4","session":"s4","text":"{many}""#)),
            ],
        ),
    ]
}

/// Three days in the life of a library.
fn live(cairn: &Cairn) {
    cairn.write("home/config.toml", KEYWORDS_ONLY);
    for (now, lines) in days() {
        let ran = cairn.at(now).feed("ingest -", lines.concat());
        assert_eq!(
            (ran.code, ran.stdout.contains(" 0 malformed")),
            (0, true),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        cairn.done("remember 'Said without an id or a session.' --speaker Wren");
    }
}

/// The same three days in a folder and on a server.
fn twins() -> Option<(Database, Cairn, Cairn)> {
    let database = Database::new()?;
    let (folder, server) = (Cairn::new(), Cairn::new().with_database(database.url()));
    live(&folder);
    live(&server);
    Some((database, folder, server))
}

/// A home without agents, in a folder or in a database.
fn empty(database: Option<&Database>) -> Cairn {
    let cairn = match database {
        Some(database) => Cairn::new().with_database(database.url()),
        None => Cairn::new(),
    };
    cairn.write("home/config.toml", KEYWORDS_ONLY);
    cairn.at(TODAY);
    cairn
}

/// covers: X-P3, X-B3
#[test]
fn an_agent_moves_to_a_server_and_back_without_losing_a_byte() {
    let Some(database) = Database::new() else { return };
    let folder = Cairn::new();
    live(&folder);
    let bundle = folder.done("export -").stdout;

    let server = empty(Some(&database));
    server.write("main.cairn", &bundle);
    assert_eq!(server.json("import main.cairn")["added"], 71);
    assert_eq!(server.done("export -").stdout, bundle, "from a folder to a server");
    assert_eq!(server.json("import main.cairn")["added"], 0, "a second time adds nothing");

    let back = empty(None);
    back.write("main.cairn", server.done("export -").stdout);
    back.done("import main.cairn");
    assert_eq!(back.done("export -").stdout, bundle, "and back");
    for cairn in [&server, &back] {
        same_answers(&folder, cairn);
        assert_eq!(cairn.json("verify")["ok"], true);
    }
}

/// covers: X-P3
#[test]
fn a_backup_of_an_agent_on_a_server_can_be_taken_in() {
    let Some((_database, folder, server)) = twins() else { return };
    server.done("backup --to copy");
    let bundles: Vec<_> = files(&server.path("copy"));
    let bundle = bundles.iter().find(|(_, bytes)| bytes.starts_with(b"{\"cairn_bundle\"")).expect("a bundle");
    assert_eq!(String::from_utf8_lossy(&bundle.1), folder.done("export -").stdout);
}

/// From a folder to a server, and from a server to a folder.
///
/// covers: W-151, W-155, W-168, X-B1, X-P3, I3
#[test]
fn what_was_decided_moves_to_a_server_and_back_with_an_operator_alone() {
    let Some(database) = Database::new() else { return };
    decisions_come_with_an_operator_alone(&Cairn::new(), &Cairn::new().with_database(database.url()));
    let Some(database) = Database::new() else { return };
    decisions_come_with_an_operator_alone(&Cairn::new().with_database(database.url()), &Cairn::new());
}

const QUESTIONS: [&str; 11] = [
    "atlas",
    "'lantern shelf'",
    "'who bought the lantern?'",
    "'overdue atlas' --thread loans",
    "shelf --thread shelves --within-thread -k 50",
    "lantern --sender assistant -k 30",
    "lantern --mode code",
    "lantern --as-of 2026-11-15T23:00:00Z",
    "'what did Wren say?'",
    "図書館",
    "'nothing of the kind'",
];

/// The same hits in the same order, with the same scores and for the same reasons.
fn same_answer(one: &Cairn, other: &Cairn, question: &str) {
    let ask = |cairn: &Cairn| cairn.json(&format!("recall --explain {question}"));
    let (expected, found) = (ask(one), ask(other));
    assert_eq!(refs(&found["hits"]), refs(&expected["hits"]), "{question}");
    same(&found["hits"], &expected["hits"], question);
    assert_eq!(found.get("empty"), expected.get("empty"), "{question}");
}

fn same_answers(one: &Cairn, other: &Cairn) {
    for question in QUESTIONS {
        same_answer(one, other, question);
    }
    let many = ["atlas", "'lantern shelf'", "atlases"].map(|q| one.hits(&format!("{q} -k 100")).len());
    assert!(many.iter().sum::<usize>() > 100, "the questions find something: {many:?}");
}

/// Two documents are the same, numbers to a millionth.
fn same(found: &Value, expected: &Value, at: &str) {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            assert!((a - b).abs() < 1e-6, "{at}: {a} is not {b}");
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(i, (a, b))| same(a, b, &format!("{at}[{i}]")));
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().for_each(|(name, value)| same(value, &b[name], &format!("{at}.{name}")));
        }
        _ => assert_eq!(found, expected, "{at}"),
    }
}

/// covers: X-P3
#[test]
fn a_question_about_one_session_is_answered_alike() {
    let Some((_database, folder, server)) = twins() else { return };
    for question in ["atlases --session tour-3", "'overdue lantern' --session s1", "lantern --session nobody"]
    {
        same_answer(&folder, &server, question);
    }
}

/// covers: X-P3
#[test]
fn a_word_counts_as_often_as_it_was_said() {
    let Some(database) = Database::new() else { return };
    let pair = [empty(None), empty(Some(&database))];
    for cairn in &pair {
        let said =
            [400, 3, 1].map(|times| format!("{{\"text\":\"{} and a lamp\"}}\n", "atlas ".repeat(times)));
        assert_eq!(cairn.feed("ingest -", said.concat()).code, 0);
    }
    same(&pair[1].json("recall 'atlas lamp'")["hits"], &pair[0].json("recall 'atlas lamp'")["hits"], "hits");
}

/// covers: X-P3, X-B3
#[test]
fn every_command_answers_alike_in_a_folder_and_on_a_server() {
    let Some((_database, folder, server)) = twins() else { return };
    same_answers(&folder, &server);
    for question in [
        "timeline -k 100",
        "timeline lantern",
        "timeline -k 5 --as-of 2026-11-15T23:00:00Z",
        "sessions",
        "sessions --limit 2",
        "threads",
        "verify",
    ] {
        same(&server.json(question), &folder.json(question), question);
    }
    for id in refs(&folder.json("timeline -k 3")["entries"]) {
        for command in ["open", "timeline", "why"] {
            let line = format!("{command} {id}");
            let mut answers = [server.json(&line), folder.json(&line)];
            for evidence in
                answers.iter_mut().filter_map(|answer| answer["evidence"].as_array_mut()).flatten()
            {
                evidence["archive"]["file"].take();
            }
            same(&answers[0], &answers[1], &line);
        }
        server.done(&format!("why --verify {id}"));
    }
    let counts = |cairn: &Cairn| {
        let mut stats = cairn.json("stats");
        // A small index stays in memory where there are files.
        stats["index_bytes"].take();
        for size in ["disk_bytes", "archive_bytes"] {
            assert!(stats[size].take().as_u64() > Some(0), "{size}");
        }
        stats
    };
    assert_eq!(counts(&server), counts(&folder));
    let rebuilt = (server.json("rebuild"), folder.json("rebuild"));
    same(&rebuilt.0, &rebuilt.1, "rebuild");
    same_answers(&folder, &server);
}

/// A day is sealed when the first message of the next is in, wherever the archive is.
///
/// covers: X-B3
#[test]
fn days_are_sealed_on_a_server_as_in_a_folder() {
    let Some((database, folder, server)) = twins() else { return };
    let lists = [&folder, &server].map(|cairn| {
        cairn.done("archive export archive");
        cairn.read("archive/SEALS")
    });
    let [written, exported] = [&folder, &server].map(|cairn| daily(&cairn.path("archive")));
    assert_eq!(exported, written, "the same lines in the same files");
    let names: Vec<&str> = exported.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["2026-11-15.jsonl", "2026-11-16.jsonl", "2026-11-17.jsonl", "SEALS"]);
    let kept = daily(&folder.path("home/agents/main/archive"));
    assert_eq!(
        (&kept[..2], &kept[3]),
        (&exported[..2], &exported[3]),
        "finished days are the archive's own files"
    );

    assert_eq!(lists[0], lists[1]);
    confirmed(&server.path("archive"), 2);
    let owner = Session::open(database.url());
    owner.done("SET cairn.agent = 'main'");
    let seals = owner.done("SELECT archive_day, sha256 FROM archive_seal ORDER BY archive_day").rows;
    let listed: Vec<&str> = lists[1].lines().map(|line| &line[..64]).collect();
    assert_eq!(seals.iter().map(|seal| seal[1].as_str()).collect::<Vec<_>>(), listed);
    assert_eq!(server.json("verify")["seals"], 2);

    server.at("2026-11-18T00:00:00Z");
    assert_eq!(server.json("verify")["seals"], 2, "midnight alone seals nothing");
    server.done("remember 'A new day.'");
    assert_eq!(server.json("verify")["seals"], 3);
    server.done("archive export again");
    confirmed(&server.path("again"), 3);
    let taken = server.run("archive export again");
    assert_eq!((taken.code, taken.stderr.contains("\nhint: ")), (1, true), "{}", taken.stderr);
}

/// The files of a folder by name.
fn daily(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files(folder).into_iter().map(|(path, bytes)| (name(&path), bytes)).collect()
}

/// Checks every seal, like `sha256sum -c SEALS`.
fn confirmed(folder: &Path, seals: usize) {
    let list = fs::read_to_string(folder.join("SEALS")).expect("a list of seals");
    assert_eq!(list.lines().count(), seals);
    for line in list.lines() {
        let (hash, name) = line.split_once("  ").expect("a hash and a name");
        let digest = Sha256::digest(fs::read(folder.join(name)).expect("a sealed file"));
        let digest: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest.concat(), hash, "{name}");
    }
}

/// Words that were changed behind Cairn's back are found out: by the message's own id, and by the seal of its day.
///
/// covers: X-B3
#[test]
fn what_was_tampered_with_on_a_server_is_found_out() {
    let Some((database, _, server)) = twins() else { return };
    let owner = Session::open(database.url());
    owner.done("SET cairn.agent = 'main'");
    owner.done("ALTER TABLE message DISABLE TRIGGER message_is_never_changed");
    let changed = owner.done("UPDATE message SET text = 'The atlas is on time.' WHERE source_id = 'a1'");
    assert_eq!(changed.touched, 1);
    let ran = server.run("verify");
    assert_eq!(ran.code, 1);
    for complaint in ["is not what was recorded", "2026-11-15 is not what it was when it was sealed"] {
        assert!(ran.stdout.contains(complaint), "{}", ran.stdout);
    }
    let entries = server.json("timeline -k 100");
    let is_it = |entry: &&Value| entry["source_ids"][0] == "a1";
    let changed = entries["entries"].as_array().and_then(|entries| entries.iter().find(is_it));
    let id = changed.and_then(|entry| entry["ref"].as_str()).expect("the message");
    assert_eq!(server.run(&format!("why --verify {id}")).code, 1);
}

/// A day that was sealed and is not there any more is found out, whatever was derived anew since.
///
/// covers: X-B3
#[test]
fn a_sealed_day_that_is_gone_is_found_out() {
    let Some((database, _, server)) = twins() else { return };
    let owner = Session::open(database.url());
    owner.done("SET cairn.agent = 'main'");
    owner.done("ALTER TABLE message DISABLE TRIGGER message_is_never_changed");
    assert_eq!(owner.done("DELETE FROM message WHERE archive_day = 20261116").touched, 61);
    let ran = server.run("verify");
    assert_eq!((ran.code, ran.stdout.contains("2026-11-16")), (1, true), "{}", ran.stdout);
    server.run("rebuild");
    assert_eq!(server.run("verify").code, 1, "making an index anew brings no word back");
}
