//! Steps: a call of a tool and what came back.

use super::command::{command_steps, is_listed, patterns};
use cairn_domain::Time;
use regex::{Regex, RegexSet};
use std::{collections::HashMap, sync::LazyLock};

/// Longer than this nothing was waited for: somebody was away.
const MAX_TOOK_MS: i64 = 3_600_000;
/// The name of the tool of a result that does not say which.
const UNNAMED_TOOL: &str = "tool";
/// Lines at the beginning of an output that may say with which code a command ended.
const LINES_WITH_CODE: usize = 4;

static FAILED: LazyLock<RegexSet> = LazyLock::new(|| patterns("failed"));
static NOT_RUN: LazyLock<RegexSet> = LazyLock::new(|| patterns("not run"));
static REFUSED: LazyLock<RegexSet> = LazyLock::new(|| patterns("refused"));
static MISSED_EDIT: LazyLock<RegexSet> = LazyLock::new(|| patterns("missed edit"));
static TIMED_OUT: LazyLock<RegexSet> = LazyLock::new(|| patterns("timed out"));
static MISSING: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let each = patterns("missing");
    each.patterns().iter().map(|pattern| Regex::new(pattern).expect("a pattern of a set")).collect()
});
/// The code with which a command ended, as hosts tell it.
static EXIT_CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:process )?exit(?:ed with)? (?:code|status)[: ]+(\d+)").expect("a pattern")
});
/// A text in the input of a call, however much of the input there is.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    let names = "command|cmd|script|file_path|filePath|path|notebook_path|target_file";
    Regex::new(&format!(r#""({names})"\s*:\s*"((?:[^"\\]|\\.)*)"#)).expect("a pattern")
});
/// A command that is given as a list of its words, and a word of it.
static WORD_LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""(?:command|cmd)"\s*:\s*\[((?:\s*"(?:[^"\\]|\\.)*"\s*,?)*)"#).expect("a pattern")
});
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)""#).expect("a pattern"));

/// One message of a tool: a call or a result.
#[derive(Debug, Clone, Copy)]
pub struct ToolMessage<'a> {
    /// The number of its exchange.
    pub exchange: i64,
    /// The number of its session.
    pub session: i64,
    /// The tool.
    pub speaker: &'a str,
    /// The words; of many the beginning and the end, on lines of their own.
    pub text: &'a str,
    /// When it was said.
    pub at: Time,
    /// Whether the host says that the tool failed.
    pub is_error: bool,
}

/// Whether a step worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It worked.
    Worked,
    /// It failed.
    Failed,
    /// It stood in one line with the step that failed.
    Unknown,
    /// The user did not let it run.
    Refused,
}

impl ToolOutcome {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worked => "worked",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Refused => "refused",
        }
    }
}

/// One thing that was done with a tool, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolStep {
    /// The number of its exchange.
    pub exchange: i64,
    /// The number of its session.
    pub session: i64,
    /// The tool.
    pub tool: String,
    /// The thing that was done, without its arguments: `cargo test`, or the name of the tool.
    pub kind: String,
    /// The same with the file, if it changes one: `Edit lib.rs`.
    pub label: String,
    /// The command with its arguments; none if it is not one.
    pub written: Option<String>,
    /// Whether it only looks at something.
    pub looks: bool,
    /// Whether it worked.
    pub outcome: ToolOutcome,
    /// How long it took, in milliseconds, as far as the times of the messages say.
    pub took_ms: Option<i64>,
    /// When it was called.
    pub at: Time,
    /// The index of the message that called it.
    pub call: usize,
    /// The index of the message with the result.
    pub result: usize,
}

impl ToolStep {
    /// Whether it is a change of a file by a tool that is for that.
    pub fn edits(&self) -> bool {
        self.written.is_none() && is_listed("editing tool", &self.tool.to_lowercase())
    }
}

/// The steps of messages that are in the order of recording, in the order of their results. A call without a result and one
/// that was broken off are none.
pub fn tool_steps(messages: &[ToolMessage<'_>]) -> Vec<ToolStep> {
    let mut waiting: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut steps = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let calls = waiting.entry(message.session).or_default();
        if is_call(message) {
            // What was called for an earlier request and has no result by now was broken off.
            calls.retain(|call| messages[*call].exchange == message.exchange);
            calls.push(index);
            continue;
        }
        let is_of = |call: &usize| [UNNAMED_TOOL, messages[*call].speaker].contains(&message.speaker);
        if let Some(place) = calls.iter().position(is_of) {
            steps.extend(steps_of(messages, calls.remove(place), index));
        }
    }
    steps
}

/// Whether a message of a tool is the call: `Bash {"command":"cargo test"}`.
fn is_call(message: &ToolMessage<'_>) -> bool {
    let input = message.text.strip_prefix(message.speaker).map(str::trim_start);
    input.is_some_and(|input| input.is_empty() || input.starts_with('{'))
}

/// The steps of one call and its result.
fn steps_of(messages: &[ToolMessage<'_>], call: usize, result: usize) -> Vec<ToolStep> {
    let (called, given) = (&messages[call], &messages[result]);
    if NOT_RUN.is_match(first_line(given.text)) {
        return Vec::new();
    }
    let took = Some(given.at.millis() - called.at.millis()).filter(|took| (1..=MAX_TOOK_MS).contains(took));
    let step = |kind: String, label: String, looks: bool| ToolStep {
        exchange: called.exchange,
        session: called.session,
        tool: called.speaker.to_owned(),
        kind,
        label,
        written: None,
        looks,
        // What only looks at something shows errors of others.
        outcome: outcome_of(given, looks),
        took_ms: took,
        at: called.at,
        call,
        result,
    };
    let name = called.speaker.to_lowercase();
    let input = CallInput::read(called.text);
    if let Some(line) = input.command.filter(|_| !is_listed("editing tool", &name)) {
        let of_command = |command: super::command::CommandStep| {
            let looks = is_listed("looks", &command.kind);
            ToolStep { written: Some(command.written), ..step(command.kind.clone(), command.kind, looks) }
        };
        let mut steps: Vec<ToolStep> = command_steps(&line).into_iter().map(of_command).collect();
        keep_last_outcome(&mut steps);
        return steps;
    }
    let file = input.file.filter(|_| is_listed("editing tool", &name));
    let file = file.as_deref().and_then(|path| path.rsplit(['/', '\\']).next());
    let label = file.map_or_else(|| called.speaker.to_owned(), |file| format!("{} {file}", called.speaker));
    vec![step(called.speaker.to_owned(), label, is_listed("looking tool", &name))]
}

/// How a step ended, by its result.
fn outcome_of(given: &ToolMessage<'_>, looks: bool) -> ToolOutcome {
    if REFUSED.is_match(first_line(given.text)) {
        return ToolOutcome::Refused;
    }
    // What only looks at something shows errors of others.
    let failed = told_failure(given).unwrap_or_else(|| !looks && names_error(given.text));
    if failed { ToolOutcome::Failed } else { ToolOutcome::Worked }
}

/// Of several commands in one line the last one is the one that failed, or took its time; a line is refused as a whole.
fn keep_last_outcome(steps: &mut [ToolStep]) {
    let Some((last, before)) = steps.split_last_mut() else { return };
    for step in before {
        step.took_ms = None;
        if last.outcome == ToolOutcome::Failed {
            step.outcome = ToolOutcome::Unknown;
        }
    }
}

/// The parts of the input of a call that tell what it does.
#[derive(Default)]
struct CallInput {
    command: Option<String>,
    file: Option<String>,
}

impl CallInput {
    fn read(text: &str) -> Self {
        let mut input = Self::default();
        for found in FIELD.captures_iter(text) {
            let value = unescaped(&found[2]);
            let is_command = matches!(&found[1], "command" | "cmd" | "script");
            let field = if is_command { &mut input.command } else { &mut input.file };
            field.get_or_insert(value);
        }
        if let Some(list) = WORD_LIST.captures(text) {
            let words: Vec<String> = WORD.captures_iter(&list[1]).map(|word| unescaped(&word[1])).collect();
            input.command.get_or_insert_with(|| match words.as_slice() {
                [_, option, line] if option.starts_with('-') && option.ends_with('c') => line.clone(),
                words => words.join(" "),
            });
        }
        input
    }
}

/// A string of JSON as it is read; what is not written in plain signs stays as it stands.
fn unescaped(value: &str) -> String {
    let mut read = String::with_capacity(value.len());
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        match (sign, (sign == '\\').then(|| signs.next()).flatten()) {
            (_, Some('n' | 'r')) => read.push('\n'),
            (_, Some('t')) => read.push(' '),
            (_, Some('u')) => read.push_str("\\u"),
            (_, Some(escaped)) => read.push(escaped),
            (sign, None) => read.push(sign),
        }
    }
    read
}

/// A kind of failure that an output tells by its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolFailureClass {
    /// Something is not there, by its name.
    Missing(String),
    /// The change of a file did not apply.
    MissedEdit,
    /// It took too long.
    TimedOut,
}

/// The kind of failure that an output tells, in its first lines or in its last one.
pub fn failure_class(output: &str) -> Option<ToolFailureClass> {
    let first = plain_lines(output).take(LINES_WITH_CODE);
    let lines: Vec<&str> =
        first.chain(plain_lines(output).next_back()).chain([failure_line(output)]).collect();
    let any = |patterns: &RegexSet| lines.iter().any(|line| patterns.is_match(line));
    if any(&TIMED_OUT) {
        return Some(ToolFailureClass::TimedOut);
    }
    if any(&MISSED_EDIT) {
        return Some(ToolFailureClass::MissedEdit);
    }
    let named = |line: &&str| {
        let found = MISSING.iter().find_map(|pattern| pattern.captures(line))?;
        found.get(1).map(|name| name.as_str().trim_end_matches(['.', ':', ',']).to_owned())
    };
    lines.iter().find_map(named).filter(|name| !name.is_empty()).map(ToolFailureClass::Missing)
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Whether a step failed, by the host or by the code it ended with; nothing if neither says so.
fn told_failure(result: &ToolMessage<'_>) -> Option<bool> {
    let mut lines = plain_lines(result.text).take(LINES_WITH_CODE);
    let code = lines.find_map(|line| EXIT_CODE.captures(line));
    let failed = code.map(|code| code[1].bytes().any(|digit| digit != b'0'));
    if result.is_error { Some(true) } else { failed }
}

/// Whether an output names an error, in its first line or in its last.
fn names_error(output: &str) -> bool {
    let mut lines = plain_lines(output);
    [lines.next(), lines.next_back()].into_iter().flatten().any(|line| FAILED.is_match(line))
}

fn plain_lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The line of an output that tells how it failed: the first that names an error, else its first.
pub fn failure_line(text: &str) -> &str {
    let plain =
        |line| str::trim(line).trim_start_matches("<tool_use_error>").trim_end_matches("</tool_use_error>");
    let lines = || text.lines().map(plain).filter(|line| !line.is_empty() && !EXIT_CODE.is_match(line));
    let tells = |line: &&str| FAILED.is_match(line) || line.to_lowercase().contains("error");
    lines().find(tells).or_else(|| lines().next()).unwrap_or_default()
}
