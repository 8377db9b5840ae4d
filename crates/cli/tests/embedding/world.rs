//! A home with an embedder, a clock that moves with every command, and a look at the vectors in its database.

use crate::{
    embedding::server::Server,
    support::{Cairn, Ran, models::test_models},
};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The folder of the model in a folder of models, and its files.
pub(crate) const MODEL: &str = "all-minilm-l6-v2-int8";
pub(crate) const WEIGHTS: &str = "model_quantized.onnx";
pub(crate) const TOKENIZER: &str = "tokenizer.json";

/// A home and its embedder. Every command runs two minutes after the one before, so that the lease of one that was
/// killed has ended by the next.
pub(crate) struct World {
    cairn: Cairn,
    models: PathBuf,
    minutes: Cell<u32>,
}

impl World {
    /// A home with this configuration and no model.
    pub(crate) fn new(config: &str) -> Self {
        let cairn = Cairn::new();
        let models = cairn.path("models");
        let world = Self { cairn, models, minutes: Cell::new(0) };
        world.configure(config);
        world
    }

    /// A home with the real model, if it can be had.
    pub(crate) fn with_model() -> Option<Self> {
        Some(Self { models: test_models()?, ..Self::new("") })
    }

    /// A home whose messages a server embeds.
    pub(crate) fn with_server(server: &Server) -> Self {
        Self::new(&server.config("embedder", "alpha", 64))
    }

    pub(crate) fn configure(&self, config: &str) {
        self.cairn.write("home/config.toml", config);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.cairn.path(name)
    }

    /// The folder of its own that models are looked for in, unless it has the real one.
    pub(crate) fn model_file(&self, name: &str) -> PathBuf {
        self.models.join(MODEL).join(name)
    }

    /// A command line, ready to be run two minutes later than the last.
    pub(crate) fn command(&self, line: &str) -> Command {
        let minutes = self.minutes.replace(self.minutes.get() + 2);
        let (day, hour, minute) = (15 + minutes / 1440, minutes / 60 % 24, minutes % 60);
        let mut command = self.cairn.command(line);
        command.env("CAIRN_NOW", format!("2026-11-{day:02}T{hour:02}:{minute:02}:00Z"));
        command.env("CAIRN_MODELS", &self.models).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self, line: &str) -> Child {
        self.command(line).spawn().expect("cairn starts")
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        self.finish(self.command(line), "")
    }

    pub(crate) fn finish(&self, command: Command, input: &str) -> Ran {
        let ran = self.cairn.finish(command, input.as_bytes());
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        ran
    }

    /// Runs a command line that must succeed.
    pub(crate) fn done(&self, line: &str) -> Ran {
        succeeded(line, self.run(line))
    }

    /// The JSON answer of a command line that must succeed.
    pub(crate) fn json(&self, line: &str) -> Value {
        parsed(&self.done(&format!("--json {line}")))
    }

    /// Takes in messages that are on record as lines of JSON.
    pub(crate) fn ingest(&self, flags: &str, said: &[Value]) {
        let line = format!("ingest - {flags}");
        succeeded(&line, self.finish(self.command(&line), &transcript(said)));
    }

    /// An answer to a question that may hold any character.
    pub(crate) fn ask(&self, question: &str, flags: &str) -> Value {
        let mut command = self.command(&format!("recall --json {flags} --"));
        command.arg(question);
        parsed(&succeeded(question, self.finish(command, "")))
    }

    /// Answers to many questions of one process.
    pub(crate) fn ask_all(&self, questions: &[&str], flags: &str) -> Vec<Value> {
        let line = |question: &&str| format!("{}\n", json!({"id": question, "query": question}));
        let lines: String = questions.iter().map(line).collect();
        let ran = self.finish(self.command(&format!("recall --batch - {flags}")), &lines);
        let answers = succeeded(flags, ran).stdout;
        let answers: Vec<Value> =
            answers.lines().map(|line| serde_json::from_str(line).expect("lines of JSON")).collect();
        assert_eq!(answers.len(), questions.len(), "every question is answered");
        answers
    }

    /// How many messages have no vectors yet.
    pub(crate) fn pending(&self) -> u64 {
        self.json("stats")["pending_embeddings"].as_u64().expect("a number")
    }

    pub(crate) fn database(&self) -> Connection {
        Connection::open(self.path("home/agents/main/memory.db")).expect("the database opens")
    }

    /// The embedders on record, after a look whether their vectors are what they say.
    pub(crate) fn embedders(&self) -> Vec<Vectors> {
        let database = self.database();
        let sql = "SELECT embedder_id, name, dimension, state, reached, vectors FROM embedder ORDER BY 1";
        let mut statement = database.prepare(sql).expect("the table is there");
        let read = |row: &rusqlite::Row<'_>| {
            let vectors = Vectors { name: row.get(1)?, state: row.get(3)?, reached: row.get(4)? };
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(2)?, row.get::<_, i64>(5)?, vectors))
        };
        let embedders = statement.query_map([], read).expect("embedders").map(|row| row.expect("a row"));
        let embedders: Vec<_> = embedders.collect();
        for (id, dimension, count, vectors) in &embedders {
            vectors.check(&database, *id, *dimension, *count);
        }
        let strays = "SELECT COUNT(*) FROM embedding AS e
                      WHERE NOT EXISTS (SELECT 1 FROM embedder AS it WHERE it.embedder_id = e.embedder_id)
                      OR NOT CASE kind
                         WHEN 'message' THEN EXISTS (SELECT 1 FROM message AS m WHERE m.seq = e.item)
                         WHEN 'memory' THEN EXISTS (SELECT 1 FROM memory_revision AS r WHERE r.revision = e.item)
                         ELSE 0 END";
        assert_eq!(number(&database, strays), 0, "vectors of nobody");
        embedders.into_iter().map(|(.., vectors)| vectors).collect()
    }

    /// Every message has its vectors once, made by the one embedder there is.
    pub(crate) fn check_all_embedded(&self, messages: usize) {
        assert_eq!(number(&self.database(), "SELECT COUNT(*) FROM message"), messages as i64);
        let embedders = self.embedders();
        let [only] = &embedders[..] else { panic!("not one embedder: {embedders:?}") };
        assert_eq!((only.state.as_str(), only.reached), ("active", messages as i64), "{}", only.name);
        assert_eq!(self.pending(), 0);
    }
}

/// The database's row about an embedder.
#[derive(Debug)]
pub(crate) struct Vectors {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) reached: i64,
}

impl Vectors {
    /// Every message before `reached` has part 0 and what follows without a gap, none from there on has any. A retired
    /// embedder is on its way out.
    fn check(&self, database: &Connection, id: i64, dimension: i64, count: i64) {
        let Self { name, state, reached } = self;
        let own = format!("FROM embedding WHERE embedder_id = {id} AND kind = 'message'");
        let wrong = |sql: &str| number(database, &sql.replace("OWN", &own));
        assert_eq!(wrong("SELECT COUNT(*) OWN"), count, "{name}: as many as it says");
        assert_eq!(
            wrong(&format!("SELECT COUNT(*) OWN AND LENGTH(vector) <> {}", 2 * dimension)),
            0,
            "{name}"
        );
        assert_eq!(wrong(&format!("SELECT COUNT(*) OWN AND item >= {reached}")), 0, "{name}: none beyond");
        if state == "retired" {
            return;
        }
        assert_eq!(wrong("SELECT COUNT(*) OWN AND part = 0"), *reached, "{name}: one opening each");
        let gaps = "SELECT COUNT(*) FROM (SELECT item OWN GROUP BY item HAVING MAX(part) + 1 <> COUNT(*))";
        assert_eq!(wrong(gaps), 0, "{name}: no part is missing");
        let total = number(database, "SELECT COUNT(*) FROM message");
        assert!(*reached <= total, "{name} reached {reached} of {total}");
    }
}

fn number(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The output of a run that must have succeeded.
pub(crate) fn succeeded(line: &str, ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "cairn {line}\n{}\n{}", ran.stdout, ran.stderr);
    ran
}

pub(crate) fn parsed(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

pub(crate) fn say(id: &str, session: &str, role: &str, text: &str) -> Value {
    json!({"id": id, "session": session, "role": role, "text": text})
}

/// Messages as lines of JSON.
pub(crate) fn transcript(said: &[Value]) -> String {
    let line = |said: &Value| said.to_string() + "\n";
    said.iter().map(line).collect()
}

/// As many short questions, each with a word of its own. Nothing is remembered of a question, so only messages are embedded.
pub(crate) fn chatter(count: usize) -> Vec<Value> {
    const THINGS: [&str; 5] = ["lantern", "kettle", "bicycle", "umbrella", "piano"];
    let message = |i: usize| {
        let role = if i.is_multiple_of(2) { "user" } else { "assistant" };
        let text = format!("Does the {} with number n{i}x stand in the hall?", THINGS[i % THINGS.len()]);
        say(&format!("c{i}"), &format!("s{}", i / 20), role, &text)
    };
    (0..count).map(message).collect()
}

pub(crate) fn hits(answer: &Value) -> &[Value] {
    answer["hits"].as_array().expect("a list of hits")
}

/// The callers' ids of the hits, best first.
pub(crate) fn ids(answer: &Value) -> Vec<&str> {
    hits(answer).iter().map(|hit| hit["source_ids"][0].as_str().unwrap_or_default()).collect()
}

pub(crate) fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Copies the real model's files into a folder.
pub(crate) fn copy_model(from: &Path, into: &Path) {
    fs::create_dir_all(into).expect("a folder");
    for file in [WEIGHTS, TOKENIZER] {
        fs::copy(from.join(MODEL).join(file), into.join(file)).expect("copied");
    }
}
