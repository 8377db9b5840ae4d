//! Damage, one kind at a time: what happens is said, what can be mended is mended, and no word is lost.

use crate::durability::home::{Home, Said, ids, life};
use fastrand::Rng;
use std::{
    fs::{self, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::Path,
    process::Command,
};

/// How the next command reacts to the damage.
enum Says {
    /// It repairs it on the way and adds a note with these words.
    Note(&'static str),
    /// Nothing is wrong with it.
    Nothing,
    /// It goes on; `verify` tells with these words, and gives a hint.
    Finding(&'static str),
    /// It stops with this error and points to `doctor --fix`.
    Error(&'static str),
}

/// How it stands after `doctor --fix`.
enum After {
    Mended,
    /// The damage is still told: a changed file is evidence and stays as it is.
    StillTold,
}

type Row = (&'static str, fn(&Home), Says, After);

/// A home with 51 messages on three days, the first two sealed.
fn three_days() -> (Home, Vec<Said>) {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(21), "day", 51);
    for (day, said) in (1..).zip(said.chunks(17)) {
        home.ingest(day, said).good();
    }
    home.check_whole(3, &ids(&said), &said);
    (home, said)
}

fn check(table: &[Row]) {
    for (label, damage, says, after) in table {
        eprintln!("— {label}");
        let (home, said) = three_days();
        damage(&home);
        let recall = home.run(3, &["recall", &said[20].id]);
        match says {
            Says::Error(problem) => recall.refuses(problem, "doctor --fix"),
            Says::Note(words) => {
                let noted = recall.stderr.lines().any(|l| l.starts_with("note: ") && l.contains(words));
                assert!(recall.status.success() && noted, "{}", recall.stderr);
            }
            Says::Nothing | Says::Finding(_) => assert_eq!(recall.good().stderr, ""),
        }
        if let Says::Finding(words) = says {
            assert_found(&home, words);
        }
        let doctor = home.run(3, &["doctor", "--fix", "--json"]);
        match after {
            After::Mended => {
                assert_eq!(doctor.good().json()["ok"], true);
                home.check_whole(3, &ids(&said), &said);
                check_seals(&home);
            }
            After::StillTold => assert_eq!(doctor.json()["ok"], false, "{}", doctor.stdout),
        }
        assert_eq!(home.kept(3).into_keys().collect::<Vec<_>>(), Vec::from_iter(ids(&said)));
        // And life goes on.
        let more = life(&mut Rng::with_seed(22), "more", 5);
        home.ingest(4, &more).good();
        let all = [said, more].concat();
        assert_eq!(home.kept(4).len(), all.len());
        assert!(home.found(4, &all[53].id).contains(&all[53].id));
    }
}

fn assert_found(home: &Home, words: &str) {
    let verify = home.run(3, &["verify", "--json"]);
    assert_eq!(verify.status.code(), Some(1), "{}", verify.stdout);
    let verification = verify.json();
    let findings = verification["findings"].as_array().expect("findings are a list");
    let told = findings.iter().any(|finding| {
        let (problem, hint) = (finding["problem"].as_str(), finding["hint"].as_str());
        problem.is_some_and(|problem| problem.contains(words)) && hint.is_some_and(|hint| !hint.is_empty())
    });
    assert!(told, "{words:?} is not in {verification}");
}

/// Two days are sealed, each once, and anybody can check it without Cairn.
fn check_seals(home: &Home) {
    let list = fs::read_to_string(home.agent("archive/SEALS")).expect("finished days are sealed");
    assert_eq!(list.lines().count(), 2, "{list}");
    let mut sha256sum = Command::new("sha256sum");
    sha256sum.args(["--strict", "-c", "SEALS"]).current_dir(home.agent("archive"));
    match sha256sum.output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
        Err(error) => eprintln!("skipped: sha256sum cannot be run here ({error})"),
    }
}

/// Where the lines of a file end and its room begins.
fn end_of_lines(path: &Path) -> u64 {
    let bytes = fs::read(path).expect("the file is there");
    bytes.trim_ascii_end().len() as u64 + 1
}

fn cut(path: &Path, len: u64) {
    let file = OpenOptions::new().write(true).open(path).expect("the file is there");
    file.set_len(len).expect("it can be cut");
}

fn write_at(path: &Path, offset: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).expect("the file is there");
    file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(bytes)).expect("it can be written");
}

fn add(path: &Path, bytes: &[u8]) {
    write_at(path, path.metadata().expect("the file is there").len(), bytes);
}

/// Changes one letter of the words of the fourth line.
fn change_a_letter(path: &Path) {
    let text = fs::read_to_string(path).expect("the file is there");
    let line = text.lines().nth(3).expect("it has four lines");
    let changed = line.replacen("\"text\":\"day", "\"text\":\"dax", 1);
    assert_ne!(line, changed);
    fs::write(path, text.replace(line, &changed)).expect("it can be written");
}

fn noise(len: usize) -> Vec<u8> {
    let mut noise = vec![0; len];
    Rng::with_seed(23).fill(&mut noise);
    noise
}

const HALF_A_LINE: &[u8] = br#"{"id":"msg_0123456789abcdefghjkmnpqrs","session":"day-sess"#;

/// covers: W-24, X-W2
#[test]
fn damage_to_the_file_of_today_is_told_and_mended() {
    check(&[
        (
            "today's last line cut in the middle",
            |home| cut(&home.archive(3), end_of_lines(&home.archive(3)) - 20),
            Says::Note("had lost its end; 1 line(s)"),
            After::Mended,
        ),
        (
            "today's file cut by half",
            |home| cut(&home.archive(3), end_of_lines(&home.archive(3)) / 2),
            Says::Note("had lost its end"),
            After::Mended,
        ),
        (
            "today's file cut in the room behind its lines",
            |home| cut(&home.archive(3), end_of_lines(&home.archive(3)) + 1_000),
            Says::Nothing,
            After::Mended,
        ),
        (
            "today's file deleted",
            |home| fs::remove_file(home.archive(3)).unwrap(),
            Says::Note("had lost its end; 17 line(s)"),
            After::Mended,
        ),
        (
            "a torn write into the room",
            |home| write_at(&home.archive(3), end_of_lines(&home.archive(3)), HALF_A_LINE),
            Says::Note("never acknowledged; they were cut off"),
            After::Mended,
        ),
        (
            "half a line behind the room",
            |home| add(&home.archive(3), HALF_A_LINE),
            Says::Finding("is cut off"),
            After::Mended,
        ),
        (
            "garbage behind the room",
            |home| {
                let noise = noise(5_000);
                add(&home.archive(3), &noise.split(|byte| *byte == b'\n').collect::<Vec<_>>().concat());
            },
            Says::Finding("is cut off"),
            After::Mended,
        ),
    ]);
}

/// covers: W-24, X-W2
#[test]
fn damage_to_a_sealed_file_is_told_and_what_is_missing_is_written_again() {
    check(&[
        (
            "a sealed file deleted",
            |home| fs::remove_file(home.archive(1)).unwrap(),
            Says::Finding("has 0 of 17 messages"),
            After::Mended,
        ),
        (
            "a sealed file cut by half",
            |home| cut(&home.archive(2), end_of_lines(&home.archive(2)) / 2),
            Says::Finding("of 17 messages"),
            After::Mended,
        ),
        (
            "a letter of a sealed file changed",
            |home| change_a_letter(&home.archive(1)),
            Says::Finding("does not say what the database says"),
            After::StillTold,
        ),
        (
            "garbage behind a sealed file",
            |home| add(&home.archive(1), b"no line at all"),
            Says::Finding("is not what it was when its day was sealed"),
            After::StillTold,
        ),
    ]);
}

/// covers: W-25
#[test]
fn a_damaged_database_is_told_and_restored_from_the_archive() {
    check(&[
        (
            "the database deleted with its log",
            Home::lose_database,
            Says::Note("17 message(s) were taken in"),
            After::Mended,
        ),
        (
            "the database file alone deleted",
            |home| fs::remove_file(home.agent("memory.db")).unwrap(),
            Says::Note("17 message(s) were taken in"),
            After::Mended,
        ),
        (
            "its log deleted before it reached the database file",
            |home| {
                for name in ["memory.db-wal", "memory.db-shm"] {
                    fs::remove_file(home.agent(name)).expect("commands leave the log behind");
                }
            },
            Says::Note("17 message(s) were taken in"),
            After::Mended,
        ),
        (
            "the database overwritten with garbage",
            |home| {
                drop(home.database());
                fs::write(home.agent("memory.db"), noise(20_000)).unwrap();
            },
            Says::Error("file is not a database"),
            After::Mended,
        ),
        (
            "the database cut by half",
            |home| {
                drop(home.database());
                let path = home.agent("memory.db");
                cut(&path, path.metadata().unwrap().len() / 2);
            },
            Says::Error("database disk image is malformed"),
            After::Mended,
        ),
    ]);
}

/// A seal outlives the database, so losing the database hides no change to a finished day, and an unreadable line of a
/// finished day stays for whoever can read it.
///
/// covers: X-W2
#[test]
fn losing_the_database_too_hides_no_damage_to_a_sealed_day() {
    let (home, said) = three_days();
    let path = home.archive(1);
    write_at(&path, end_of_lines(&path) - 5, b"\"}\"");
    let damaged = fs::read(&path).unwrap();
    home.lose_database();
    let recall = home.run(3, &["recall", &said[20].id]).good();
    assert!(recall.stderr.contains("line 17 is not whole and was left out"), "{}", recall.stderr);
    assert_found(&home, "is not what it was when its day was sealed");
    assert_eq!(fs::read(&path).unwrap(), damaged, "evidence stays");
    assert_eq!(home.kept(3).len(), 50, "all but the line that nobody can read");
}

/// The list of seals tells which days there were, even if everything else about one is gone.
///
/// covers: X-W2
#[test]
fn losing_the_database_too_hides_no_lost_file_of_a_sealed_day() {
    let (home, _) = three_days();
    let lost = home.archive(1);
    let kept = fs::read(&lost).unwrap();
    fs::remove_file(&lost).unwrap();
    home.lose_database();
    assert_found(&home, "a sealed day, is gone");
    let doctor = home.run(3, &["doctor"]);
    assert!(doctor.stdout.contains("is gone"), "{}", doctor.stdout);
    fs::write(&lost, kept).unwrap();
    home.run(3, &["rebuild"]).good();
    home.run(3, &["verify"]).good();
    assert_eq!(home.kept(3).len(), 51, "nothing is lost once the file is back");
    change_a_letter(&lost);
    assert_found(&home, "is not what it was when its day was sealed");
}

/// Lines of the wrong types in the archive, whoever put them there, are told and passed over.
///
/// covers: C-158
#[test]
fn lines_that_are_no_messages_keep_none_of_the_others_from_being_taken_in() {
    let (home, said) = three_days();
    let text = fs::read_to_string(home.archive(3)).unwrap();
    let first = text.lines().next().unwrap();
    let wrong = [
        "null".to_owned(),
        "[1, 2]".to_owned(),
        "{}".to_owned(),
        "\"words\"".to_owned(),
        first.replacen("\"id\":\"msg_", "\"id\":null,\"was\":\"msg_", 1),
        first.replacen("\"session\":\"", "\"session\":7,\"was\":\"", 1),
        first.replacen("\"role\":\"user\"", "\"role\":\"nobody\"", 1),
    ];
    let lines: Vec<&str> = wrong.iter().map(String::as_str).chain(text.lines()).collect();
    fs::write(home.archive(3), lines.join("\n") + "\n").unwrap();
    home.lose_database();
    let recall = home.run(3, &["recall", &said[40].id]).good();
    let left_out =
        recall.stderr.lines().filter(|line| line.contains("is not a message and was left out")).count();
    assert_eq!(left_out, wrong.len(), "{}", recall.stderr);
    assert_eq!(home.kept(3).into_keys().collect::<Vec<_>>(), Vec::from_iter(ids(&said)));
    assert_found(&home, "line 1 is not a message");
    for said in &said {
        assert!(home.found(3, &said.id).contains(&said.id));
    }
}

/// A memory from a newer Cairn is refused and left as it is.
#[test]
fn a_newer_schema_is_refused_untouched() {
    let (home, said) = three_days();
    let version = |sql| {
        let database = home.database();
        assert_eq!(database.execute(sql, []), Ok(1));
        database.close().expect("nothing is under way");
        fs::read(home.agent("memory.db")).unwrap()
    };
    let newer = version("INSERT INTO migration (version) VALUES (999)");
    let archive = fs::read(home.archive(3)).unwrap();
    for args in [&["recall", "lantern"][..], &["remember", "new words"], &["rebuild"], &["verify"]] {
        home.run(3, args)
            .refuses("this memory has schema version 999", "install the newest cairn; nothing was changed");
    }
    assert_eq!(home.run(3, &["doctor", "--fix"]).status.code(), Some(1));
    assert!(fs::read(home.agent("memory.db")).unwrap() == newer, "the database was touched");
    assert!(fs::read(home.archive(3)).unwrap() == archive, "the archive was touched");
    version("DELETE FROM migration WHERE version = 999");
    home.check_whole(3, &ids(&said), &said);
}

/// Commands that are over in a moment seal finished days too.
///
/// covers: X-W2
#[test]
fn a_day_is_sealed_however_short_lived_its_writers_are() {
    let home = Home::new();
    for day in 1..=3 {
        home.run(day, &["remember", "something", "--id", &format!("d{day}")]).good();
    }
    home.run(3, &["recall", "something"]).good();
    check_seals(&home);
    let kept = home.run(3, &["verify", "--json"]).good().json();
    assert_eq!(kept["seals"], 2);
}
