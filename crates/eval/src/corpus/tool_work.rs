//! Work with tools, made from a seed: transcripts of a coding agent in one project, with procedures that are followed among other
//! steps, steps that fail and are done again, and looks around. As a control the same steps in any order.

use super::labeled::Split;
use cairn_domain::Time;
use serde::Deserialize;
use serde_json::{Value, json};

/// Exchanges of a history, besides those that follow a procedure.
const OTHER_EXCHANGES: usize = 14;
/// How often a procedure is followed, at least, and how many times more at most.
const MIN_USES: usize = 3;
const MORE_USES: usize = 3;
/// Exchanges of a session.
const SESSION_EXCHANGES: usize = 4;
/// The chance of another step between two of a procedure, of a step that fails first, of a look around, of a command that stands in
/// one line with the one before it, and of an output that is cut by a pipe.
const BETWEEN: f64 = 0.2;
const FAILS_FIRST: f64 = 0.15;
const LOOKS: f64 = 0.3;
const CHAINED: f64 = 0.2;
const PIPED: f64 = 0.2;
/// Milliseconds from one record to the next, and when the first is made.
const STEP_MS: i64 = 4_000;
const BEGIN_MS: i64 = 1_793_000_000_000;
/// The things that arguments name.
const THINGS: [&str; 12] = [
    "orders", "users", "billing", "search", "export", "login", "report", "upload", "cart", "notes", "audit",
    "quota",
];

/// A kind of project: its procedures and what else is done in it.
#[derive(Debug, Clone, Deserialize)]
pub struct WorkLine {
    /// Its name.
    pub id: String,
    /// Whether rules may be written on it.
    pub split: Split,
    /// The procedures.
    pub procedures: Vec<PlantedProcedure>,
    /// Other steps.
    pub others: Vec<String>,
}

/// A procedure that is planted.
#[derive(Debug, Clone, Deserialize)]
pub struct PlantedProcedure {
    /// The request that it is followed for; `{}` is a thing.
    pub asked: String,
    /// The steps: `Edit FILE` or a command, `{}` being a thing.
    pub steps: Vec<String>,
    /// The steps as they are to be told.
    pub labels: Vec<String>,
}

/// Whether procedures are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkOrder {
    /// They are.
    Planted,
    /// Their steps are done in any order: the control.
    Shuffled,
}

/// The history of a project as transcripts of Claude Code, one record a line; `thread` is the name of its folder.
pub fn work_transcript(line: &WorkLine, order: WorkOrder, thread: &str, seed: u64) -> String {
    let mut maker = TranscriptMaker {
        random: fastrand::Rng::with_seed(seed),
        thread: thread.to_owned(),
        session: String::new(),
        records: Vec::new(),
    };
    let mut exchanges: Vec<Option<&PlantedProcedure>> = vec![None; OTHER_EXCHANGES];
    for procedure in &line.procedures {
        let uses = MIN_USES + maker.random.usize(0..=MORE_USES);
        exchanges.extend(std::iter::repeat_n(Some(procedure), uses));
    }
    maker.random.shuffle(&mut exchanges);
    for (number, planted) in exchanges.into_iter().enumerate() {
        maker.session = format!("{thread}-{}", number / SESSION_EXCHANGES);
        maker.add_exchange(line, planted, order);
    }
    maker.records.join("\n")
}

struct TranscriptMaker {
    random: fastrand::Rng,
    thread: String,
    session: String,
    records: Vec<String>,
}

impl TranscriptMaker {
    fn add_exchange(&mut self, line: &WorkLine, planted: Option<&PlantedProcedure>, order: WorkOrder) {
        let thing = THINGS[self.random.usize(..THINGS.len())];
        let asked = planted.map_or("Look into {} please", |procedure| procedure.asked.as_str());
        self.add("user", &json!(asked.replace("{}", thing)));
        let mut steps = Vec::new();
        for step in planted.iter().flat_map(|procedure| &procedure.steps) {
            if self.random.f64() < BETWEEN {
                steps.push(self.other(line));
            }
            steps.push(step.clone());
        }
        let besides = if planted.is_some() { self.random.usize(0..2) } else { self.random.usize(2..6) };
        for _ in 0..besides {
            let place = if self.random.bool() { 0 } else { steps.len() };
            let other = self.other(line);
            steps.insert(place, other);
        }
        if order == WorkOrder::Shuffled {
            self.random.shuffle(&mut steps);
        }
        let mut chained = String::new();
        for step in steps.iter().map(|step| step.replace("{}", thing)) {
            match step.strip_prefix("Edit ") {
                Some(file) => {
                    self.run_line(&mut chained);
                    self.edit(file);
                }
                None if chained.is_empty() => chained = step,
                None if self.random.f64() < CHAINED => chained = format!("{chained} && {step}"),
                None => {
                    self.run_line(&mut chained);
                    chained = step;
                }
            }
        }
        self.run_line(&mut chained);
        self.add("assistant", &json!([{"type": "text", "text": "Done."}]));
    }

    fn other(&mut self, line: &WorkLine) -> String {
        line.others[self.random.usize(..line.others.len())].clone()
    }

    /// Runs a line of commands, if there is one; now and then it fails first and something is changed.
    fn run_line(&mut self, line: &mut String) {
        let mut line = std::mem::take(line);
        if line.is_empty() {
            return;
        }
        if self.random.f64() < LOOKS {
            self.call("Read", &json!({"file_path": "src/main.txt"}), "some lines");
        }
        if self.random.f64() < PIPED {
            line.push_str(" 2>&1 | tail -20");
        }
        if self.random.f64() < FAILS_FIRST {
            self.call("Bash", &json!({"command": line}), "!Exit code 1\nerror: it does not work yet");
            let file = format!("src/{}.txt", self.random.u32(..));
            self.edit(&file);
        }
        self.call("Bash", &json!({"command": line}), "finished");
    }

    fn edit(&mut self, file: &str) {
        self.call(
            "Edit",
            &json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            "The file was updated.",
        );
    }

    /// A call and its result; that of what failed begins with `!`.
    fn call(&mut self, tool: &str, input: &Value, result: &str) {
        let id = format!("call-{}", self.records.len());
        self.add("assistant", &json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]));
        let (is_error, text) = (result.starts_with('!'), result.trim_start_matches('!'));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
        self.add("user", &json!([result]));
    }

    fn add(&mut self, kind: &str, content: &Value) {
        let number = self.records.len();
        let at = Time::from_millis(BEGIN_MS + number as i64 * STEP_MS);
        let record = json!({"type": kind, "uuid": format!("{}-{number}", self.session), "sessionId": self.session,
                            "cwd": format!("/home/mara/{}", self.thread), "timestamp": at.to_string(),
                            "message": {"role": kind, "content": content}});
        self.records.push(record.to_string());
    }
}
