//! Runs the real `cairn` in a home of its own and tells what it answered as one text. Nothing of the machine reaches
//! it: the environment is empty but for the home and a clock that stands still.

pub(crate) mod carrying;
pub(crate) mod documents;
pub(crate) mod erasing;
pub(crate) mod kills;
pub(crate) mod models;

use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    ffi::{OsStr, OsString},
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Values that differ from run to run, and their stand-ins in a snapshot.
const MASKS: [(&str, &str); 5] = [
    (r#""(elapsed_ms|seconds|disk_bytes|archive_bytes|index_bytes)":[0-9.e-]+"#, r#""$1":[n]"#),
    (r"[0-9.]+ s \([0-9]+ messages/s\)", "[n] s ([n] messages/s)"),
    (r"[0-9]+(\.[0-9]+)? (B|KiB|MiB)\b", "[size]"),
    (r"([0-9]\.[0-9]{4})[0-9]+", "$1…"),
    (r"(?m) +$", ""),
];

/// A configuration that names every weight, so that better defaults change no snapshot.
pub(crate) const WEIGHTS: &str = "[recall]
fusion = \"sum\"
dense = 1.0
lexical = 1.0
neighbour = 0.5
second_neighbour = 0.25
neighbour_terms = 1000.0
session = 0.2
own_words = 0.25
named_speaker = 0.25
later_part = 0.1
recency = 0.0
thread_boost = 2.0

[recall.bm25]
k1 = 1.2
b = 0.75
";

/// A folder in which `cairn` runs; its home lies in it.
pub(crate) struct Cairn {
    folder: TempDir,
    now: Cell<&'static str>,
    /// The database that keeps the agents, if their folders do not.
    database: Option<String>,
    story: RefCell<String>,
    _masks: insta::internals::SettingsBindDropGuard,
}

/// The output of one run.
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Cairn {
    pub(crate) fn new() -> Self {
        let mut settings = insta::Settings::clone_current();
        settings.set_omit_expression(true);
        for (pattern, mask) in MASKS {
            settings.add_filter(pattern, mask);
        }
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            now: Cell::new("2026-11-15T10:00:00Z"),
            database: None,
            story: RefCell::default(),
            _masks: settings.bind_to_scope(),
        }
    }

    /// The same with its agents in the database at `url`.
    pub(crate) fn with_database(self, url: impl Into<String>) -> Self {
        Self { database: Some(url.into()), ..self }
    }

    /// One with the same home, as it is now: lives that many tests begin with are lived once.
    pub(crate) fn copied(&self) -> Self {
        let copy = Self { now: self.now.clone(), database: self.database.clone(), ..Self::new() };
        copy_folder(&self.path("home"), &copy.path("home"));
        copy
    }

    /// From here on it is this time.
    pub(crate) fn at(&self, now: &'static str) -> &Self {
        self.now.set(now);
        self
    }

    /// A file or folder beside the home; `home` is the home itself.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and the folders it lies in.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, bytes).expect("the file is written");
    }

    /// The contents of a file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is read")
    }

    /// Puts other words into a file. They should have as many bytes, so that everything stays in its place.
    pub(crate) fn tamper(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} does not say {from}");
        self.write(name, text.replace(from, to));
    }

    /// A command line, ready to be run; words that belong together stand in single quotes.
    pub(crate) fn command(&self, line: &str) -> Command {
        self.command_of(&words(line))
    }

    pub(crate) fn command_of(&self, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(args).current_dir(self.folder.path()).env_clear();
        command.env("HOME", self.folder.path()).env("CAIRN_HOME", self.path("home"));
        command
            .env("CAIRN_NOW", self.now.get())
            .env("CAIRN_MODELS", self.path("models"))
            .stdin(Stdio::null());
        if let Some(url) = &self.database {
            command.env("CAIRN_DATABASE_URL", url);
        }
        command
    }

    /// Runs a command line.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.finish(self.command(line), b"")
    }

    /// Runs a command line with bytes on standard input.
    pub(crate) fn feed(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        self.finish(self.command(line), input.as_ref())
    }

    /// Runs with these arguments, whatever is in them.
    pub(crate) fn run_args(&self, args: &[impl AsRef<OsStr>]) -> Ran {
        self.finish(self.command_of(args), b"")
    }

    /// Runs a command to its end.
    pub(crate) fn finish(&self, mut command: Command, input: &[u8]) -> Ran {
        if !input.is_empty() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cairn starts");
        if let Some(mut stdin) = child.stdin.take() {
            // One that refuses early does not read to the end.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().expect("cairn ends");
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("cairn writes UTF-8");
            text.replace(&self.folder.path().display().to_string(), "[HOME]")
        };
        Ran {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Runs a command line that must succeed.
    pub(crate) fn done(&self, line: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "cairn {line}\n{}", ran.stderr);
        ran
    }

    /// The JSON answer of a command line that must succeed.
    pub(crate) fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.done(&format!("--json {line}")).stdout).expect("one JSON document")
    }

    /// Runs a command line and adds what happened to the story.
    pub(crate) fn tell(&self, line: &str) -> Ran {
        self.told(line, self.run(line))
    }

    /// Adds what happened to the story.
    pub(crate) fn told(&self, line: &str, ran: Ran) -> Ran {
        let block = |name: &str, text: &str| match text.trim_end_matches('\n') {
            "" => String::new(),
            text => format!("[{name}]\n{text}\n"),
        };
        let (stdout, stderr) = (block("stdout", &ran.stdout), block("stderr", &ran.stderr));
        let scene = format!("$ cairn {line}\n{stdout}{stderr}[exit {}]\n\n", ran.code);
        self.story.borrow_mut().push_str(&scene);
        ran
    }

    /// Adds a line to the story.
    pub(crate) fn story_line(&self, line: &str) {
        let mut story = self.story.borrow_mut();
        story.push_str(line);
        story.push('\n');
    }

    /// Everything told since this was last asked.
    pub(crate) fn story(&self) -> String {
        self.story.take()
    }

    /// The texts of the hits of a recall, best first.
    pub(crate) fn hits(&self, line: &str) -> Vec<String> {
        texts(&self.json(&format!("recall {line}"))["hits"])
    }
}

/// The texts of a list of records.
pub(crate) fn texts(records: &Value) -> Vec<String> {
    let text = |record: &Value| record["text"].as_str().expect("a text").to_owned();
    records.as_array().expect("a list").iter().map(text).collect()
}

/// The refs of a list of records.
pub(crate) fn refs(records: &Value) -> Vec<String> {
    let reference = |record: &Value| record["ref"].as_str().expect("a ref").to_owned();
    records.as_array().expect("a list").iter().map(reference).collect()
}

/// The commands below one, by what `--help` lists.
pub(crate) fn commands(cairn: &Cairn, below: &str) -> Vec<String> {
    let help = cairn.done(&format!("{below} --help")).stdout;
    let listed = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> = names
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| format!("{below} {name}").trim().to_owned())
        .collect();
    if names.is_empty() {
        return vec![below.to_owned()];
    }
    names.iter().flat_map(|name| commands(cairn, name)).collect()
}

/// Every file below a folder with its bytes, the database's own left out: reading may touch those.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().contains("memory.db") {
                let bytes = fs::read(&path).expect("a file");
                files.push((path, bytes));
            }
        }
    }
    files.sort();
    files
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder is made");
    for entry in from.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let to = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copy_folder(&entry, &to);
        } else {
            fs::copy(&entry, to).expect("the file is copied");
        }
    }
}

/// Splits a command line at its spaces; single quotes hold words together.
fn words(line: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.into());
        } else {
            words.extend(part.split_whitespace().map(OsString::from));
        }
    }
    words
}
