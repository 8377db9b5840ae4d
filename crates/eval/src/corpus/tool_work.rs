//! Work with tools, made from a seed: exchanges of a coding agent in one project, with procedures that are followed among other
//! steps, steps that fail and are done again, and looks around. As a control the same steps in any order.

use super::labeled::Split;
use cairn_cognition::skill::ToolMessage;
use cairn_domain::{Role, Time};
use serde::Deserialize;

/// Exchanges of a history, besides those that follow a procedure.
const OTHER_EXCHANGES: usize = 14;
/// How often a procedure is followed, at least, and how many times more at most.
const MIN_USES: usize = 3;
const MORE_USES: usize = 3;
/// The chance of another step between two of a procedure, of a step that fails first, and of a look around.
const BETWEEN: f64 = 0.2;
const FAILS_FIRST: f64 = 0.15;
const LOOKS: f64 = 0.3;
/// Milliseconds from one message to the next.
const STEP_MS: i64 = 4_000;
/// The things that arguments name.
const THINGS: [&str; 12] = [
    "orders", "users", "billing", "search", "export", "login", "report", "upload", "cart", "notes", "audit", "quota",
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

/// One message, as it is made.
#[derive(Debug, Clone)]
pub struct WorkMessage {
    exchange: i64,
    role: Role,
    speaker: String,
    text: String,
    at: Time,
    is_error: bool,
}

impl WorkMessage {
    /// As it is read.
    pub fn as_read(&self) -> ToolMessage<'_> {
        let Self { exchange, role, speaker, text, at, is_error } = self;
        let (exchange, role, at, is_error) = (*exchange, *role, *at, *is_error);
        ToolMessage { exchange, session: exchange, role, speaker, text, at, is_error }
    }
}

/// Whether procedures are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkOrder {
    /// They are.
    Planted,
    /// Their steps are done in any order: the control.
    Shuffled,
}

/// The history of a project.
pub fn work_messages(line: &WorkLine, order: WorkOrder, seed: u64) -> Vec<WorkMessage> {
    let mut maker = WorkMaker { random: fastrand::Rng::with_seed(seed), messages: Vec::new(), exchange: 0 };
    let mut exchanges: Vec<Option<&PlantedProcedure>> = vec![None; OTHER_EXCHANGES];
    for procedure in &line.procedures {
        let uses = MIN_USES + maker.random.usize(0..=MORE_USES);
        exchanges.extend(std::iter::repeat_n(Some(procedure), uses));
    }
    maker.random.shuffle(&mut exchanges);
    for planted in exchanges {
        maker.exchange_of(line, planted, order);
    }
    maker.messages
}

struct WorkMaker {
    random: fastrand::Rng,
    messages: Vec<WorkMessage>,
    exchange: i64,
}

impl WorkMaker {
    fn exchange_of(&mut self, line: &WorkLine, planted: Option<&PlantedProcedure>, order: WorkOrder) {
        self.exchange += 1;
        let thing = THINGS[self.random.usize(..THINGS.len())];
        let asked = planted.map_or("Look into {} please", |procedure| procedure.asked.as_str());
        self.say(Role::User, "user", asked.replace("{}", thing), false);
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
        for step in steps {
            self.step(&step.replace("{}", thing));
        }
    }

    fn other(&mut self, line: &WorkLine) -> String {
        line.others[self.random.usize(..line.others.len())].clone()
    }

    fn step(&mut self, step: &str) {
        if self.random.f64() < LOOKS {
            self.call("Read", "file_path", "src/main.txt");
            self.say(Role::Tool, "Read", "some lines".to_owned(), false);
        }
        let (tool, field, value) = match step.strip_prefix("Edit ") {
            Some(file) => ("Edit", "file_path", file),
            None => ("Bash", "command", step),
        };
        if tool == "Bash" && self.random.f64() < FAILS_FIRST {
            self.call(tool, field, value);
            self.say(Role::Tool, tool, "Exit code 1\nerror: it does not work yet".to_owned(), true);
            let file = format!("src/{}.txt", self.random.u32(..));
            self.call("Edit", "file_path", &file);
            self.say(Role::Tool, "Edit", "The file has been updated.".to_owned(), false);
        }
        self.call(tool, field, value);
        self.say(Role::Tool, tool, "done".to_owned(), false);
    }

    fn call(&mut self, tool: &str, field: &str, value: &str) {
        let input = serde_json::json!({ field: value });
        self.say(Role::Tool, tool, format!("{tool} {input}"), false);
    }

    fn say(&mut self, role: Role, speaker: &str, text: String, is_error: bool) {
        let at = Time::from_millis(self.messages.len() as i64 * STEP_MS);
        let speaker = speaker.to_owned();
        self.messages.push(WorkMessage { exchange: self.exchange, role, speaker, text, at, is_error });
    }
}
