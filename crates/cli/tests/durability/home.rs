//! A home for the length of a test: runs `cairn` in it, tells what it holds, and writes the life it is fed with.

use fastrand::Rng;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// Acknowledged messages must not be lost, whoever embeds them.
const KEYWORDS_ONLY: &str = "[embedder]\nkind = \"none\"\n";

/// A folder with one agent, gone when the test ends.
pub(crate) struct Home {
    path: PathBuf,
    /// The database that keeps the agent, if this folder does not.
    database: Option<String>,
    _folder: TempDir,
}

/// When an ingest is killed.
pub(crate) struct Kill {
    /// Lines poured in at a time: a pipe that trickles is acknowledged line by line, one that pours in batches.
    pub(crate) at_a_time: usize,
    /// Acknowledgements that are waited for …
    pub(crate) acks: usize,
    /// … and how long after the last of them it dies.
    pub(crate) moment: Duration,
}

/// The output of a command.
pub(crate) struct Answer {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// The answer of a command that had to succeed.
    pub(crate) fn good(self) -> Self {
        assert!(self.status.success(), "{}\n{}", self.stdout, self.stderr);
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// An error is one only if it says what is wrong, what to do, and fails.
    pub(crate) fn refuses(&self, problem: &str, hint: &str) {
        assert_eq!(self.status.code(), Some(1), "{}\n{}", self.stdout, self.stderr);
        let said = |start: &str, words: &str| {
            self.stderr.lines().any(|line| line.starts_with(start) && line.contains(words))
        };
        assert!(said("error: ", problem), "{problem:?} is not in: {}", self.stderr);
        assert!(said("hint: ", hint), "{hint:?} is not in: {}", self.stderr);
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("home");
        fs::create_dir_all(&path).expect("a folder can be made");
        fs::write(path.join("config.toml"), KEYWORDS_ONLY).expect("a file can be written");
        Self { path, database: None, _folder: folder }
    }

    /// The same with its agent in the database at `url`.
    pub(crate) fn with_database(self, url: &str) -> Self {
        Self { database: Some(url.to_owned()), ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A file or folder of the agent.
    pub(crate) fn agent(&self, name: &str) -> PathBuf {
        self.path.join("agents/main").join(name)
    }

    /// The archive file of a day of March.
    pub(crate) fn archive(&self, day: u32) -> PathBuf {
        self.agent(&format!("archive/2026-03-{day:02}.jsonl"))
    }

    /// `cairn` with `args`, in this home, at noon of a day of March.
    pub(crate) fn command(&self, day: u32, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        self.prepare(&mut command, day);
        command.args(args);
        command
    }

    pub(crate) fn prepare(&self, command: &mut Command, day: u32) {
        command.env("CAIRN_HOME", &self.path).env("CAIRN_NOW", format!("2026-03-{day:02}T12:00:00Z"));
        command.env_remove("CAIRN_AGENT").env_remove("CAIRN_DATABASE_URL");
        command.envs(self.database.iter().map(|url| ("CAIRN_DATABASE_URL", url)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    pub(crate) fn run(&self, day: u32, args: &[&str]) -> Answer {
        answer(self.command(day, args), "")
    }

    /// Runs `cairn ingest - --ack` to its end.
    pub(crate) fn ingest(&self, day: u32, said: &[Said]) -> Answer {
        answer(self.command(day, &["ingest", "-", "--ack"]), &transcript(said))
    }

    /// Runs `cairn ingest - --ack` and kills it; what it had acknowledged, and whether it died before it was done.
    pub(crate) fn ingest_and_kill(&self, day: u32, said: &[Said], kill: &Kill) -> (Vec<String>, bool) {
        let lines: Vec<String> = said.chunks(kill.at_a_time).map(transcript).collect();
        let mut child = self.command(day, &["ingest", "-", "--ack"]);
        let mut child = child.stdin(Stdio::piped()).spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("its input is a pipe");
        // The reader may be dead by now.
        let feeding = thread::spawn(move || lines.iter().all(|it| stdin.write_all(it.as_bytes()).is_ok()));
        let mut stdout = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let mut heard = String::new();
        for _ in 0..kill.acks {
            stdout.read_line(&mut heard).expect("acknowledgements are text");
        }
        thread::sleep(kill.moment);
        child.kill().expect("it can be killed");
        // What it said before it died counts.
        stdout.read_to_string(&mut heard).expect("acknowledgements are text");
        let ended = child.wait().expect("it ends");
        feeding.join().expect("feeding ends with the reader");
        (acknowledged(&heard), !ended.success())
    }

    /// Every message of the agent by the id its caller gave it. Nothing may be there twice.
    pub(crate) fn kept(&self, day: u32) -> BTreeMap<String, String> {
        let bundle = self.run(day, &["export", "-"]).good().stdout;
        let lines: Vec<Value> =
            bundle.lines().map(|line| serde_json::from_str(line).expect("a bundle is JSON Lines")).collect();
        let [header, rest @ .., footer] = &lines[..] else { panic!("not a bundle: {bundle}") };
        let count = rest.iter().take_while(|line| line.get("source_id").is_some()).count();
        let (messages, rows) = rest.split_at(count);
        assert_eq!((&header["cairn_bundle"], &footer["messages"]), (&json!(2), &json!(messages.len())));
        assert_eq!(footer["rows"], json!(rows.len()), "memories come after the messages");
        let text = |value: &Value| value.as_str().expect("ids and words are text").to_owned();
        let mut kept = BTreeMap::new();
        for message in messages {
            let id = text(&message["source_id"]);
            assert!(kept.insert(id.clone(), text(&message["text"])).is_none(), "{id} is there twice");
        }
        kept
    }

    /// The callers' ids of the hits for `query`.
    pub(crate) fn found(&self, day: u32, query: &str) -> BTreeSet<String> {
        let recall = self.run(day, &["recall", query, "--json"]).good().json();
        let hits = recall["hits"].as_array().expect("recall answers with hits").iter();
        hits.flat_map(|hit| hit["source_ids"].as_array().cloned().unwrap_or_default())
            .map(|id| id.as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Everything `must` is there word for word, nothing that was never said is, nothing is there twice, and archive,
    /// seals, database and index agree on it.
    pub(crate) fn check_whole(&self, day: u32, must: &BTreeSet<String>, said: &[Said]) {
        let kept = self.kept(day);
        let words: BTreeMap<&str, &str> =
            said.iter().map(|said| (said.id.as_str(), said.text.as_str())).collect();
        let lost: Vec<&String> = must.iter().filter(|id| !kept.contains_key(*id)).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        for (id, text) in &kept {
            assert_eq!(words.get(id.as_str()), Some(&text.as_str()), "{id} does not say what was said");
        }
        let verification = self.run(day, &["verify", "--json"]).json();
        assert_eq!(verification["ok"], json!(true), "{verification}");
        assert_eq!(verification["messages"], json!(kept.len()), "{verification}");
        let stats = self.run(day, &["stats", "--json"]).good().json();
        assert_eq!(stats["messages"], json!(kept.len()), "{stats}");
    }

    /// The database, opened by hand; everything is in the one file when this returns.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        let database = rusqlite::Connection::open(self.agent("memory.db")).expect("the database opens");
        let emptied = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        assert_eq!(emptied, Ok(0), "nobody else has the database open");
        database
    }

    /// Removes the database with its log.
    pub(crate) fn lose_database(&self) {
        for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
            let _ = fs::remove_file(self.agent(name));
        }
    }
}

/// Runs a prepared command to its end.
pub(crate) fn answer(mut command: Command, input: &str) -> Answer {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().expect("the binary starts");
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A command that fails early does not read to the end.
        thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("cairn speaks UTF-8");
    Answer { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The ids that were acknowledged on a command's output, whole lines only.
pub(crate) fn acknowledged(stdout: &str) -> Vec<String> {
    let ack = |line: &str| {
        let value: Value = serde_json::from_str(line.strip_suffix('\n')?).ok()?;
        Some(value["ack"].as_str()?.to_owned())
    };
    stdout.split_inclusive('\n').filter_map(ack).collect()
}

/// One thing that is said in a test.
#[derive(Clone)]
pub(crate) struct Said {
    /// The caller's id, and the one word that no other message holds.
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) role: &'static str,
    pub(crate) text: String,
}

impl Said {
    pub(crate) fn line(&self) -> String {
        let Self { id, session, role, text } = self;
        format!("{}\n", json!({"id": id, "session": session, "role": role, "text": text}))
    }
}

pub(crate) fn transcript(said: &[Said]) -> String {
    said.iter().map(Said::line).collect()
}

pub(crate) fn ids(said: &[Said]) -> BTreeSet<String> {
    said.iter().map(|said| said.id.clone()).collect()
}

const WORDS: [&str; 24] = [
    "amber", "barge", "cellar", "dune", "ember", "fjord", "gable", "harbour", "inkwell", "juniper",
    "kestrel", "lantern", "marrow", "nettle", "orchard", "pewter", "quarry", "rudder", "saddle", "thicket",
    "umbra", "velvet", "willow", "zephyr",
];

/// `count` messages whose ids begin with `name`. Most are short, some are long enough to be torn.
pub(crate) fn life(rng: &mut Rng, name: &str, count: usize) -> Vec<Said> {
    let say = |i: usize| {
        let length = if rng.u8(..64) == 0 { rng.usize(300..3_000) } else { rng.usize(3..15) };
        let id = format!("{name}n{i}");
        let mut text = id.clone();
        for _ in 0..length {
            text.push(' ');
            text.push_str(WORDS[rng.usize(..WORDS.len())]);
        }
        let session = format!("{name}-session-{}", i / 40);
        Said { id, session, role: if i.is_multiple_of(2) { "user" } else { "assistant" }, text }
    };
    (0..count).map(say).collect()
}
