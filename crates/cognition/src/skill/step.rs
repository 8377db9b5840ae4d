//! Steps: a call of a tool and what came back.

use super::command::{is_listed, shell_commands};
use cairn_domain::{Role, Time};
use regex::Regex;
use std::{collections::HashMap, sync::LazyLock};

/// Characters of an assistant's message that is read as an action: more is talk.
const MAX_ACTION_CHARS: usize = 300;
/// Longer than this nothing was waited for: somebody was away.
const MAX_TOOK_MS: i64 = 3_600_000;
/// The name of the tool of a result that does not say which.
const UNNAMED_TOOL: &str = "tool";

/// The beginning of a line by which an output says that it failed.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    let begins = r"error\b|fatal\b|traceback\b|exception\b|panic\b|failed\b|failure\b|exit (?:code|status)[: ]+[1-9]|npm err!";
    let anywhere = r"command not found|no such file or directory|permission denied|test result: failed";
    Regex::new(&format!(r"(?i)^\s*(?:{begins})|{anywhere}")).expect("a pattern")
});
/// A field of the input of a call, however much of it there is.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    let names = "command|cmd|script|file_path|filePath|path|notebook_path|target_file";
    Regex::new(&format!(r#""({names})"\s*:\s*"((?:[^"\\]|\\.)*)"#)).expect("a pattern")
});

/// One message of work with tools, in the order of recording.
#[derive(Debug, Clone, Copy)]
pub struct ToolMessage<'a> {
    /// The number of its exchange.
    pub exchange: i64,
    /// The number of its session.
    pub session: i64,
    /// Who spoke.
    pub role: Role,
    /// The tool, if it is a tool's.
    pub speaker: &'a str,
    /// The words, or the beginning of them.
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
    /// The same as a step of a procedure: with the file, if it changes one.
    pub label: String,
    /// The command as it was written; none if it is not one.
    pub written: Option<String>,
    /// Whether it only looks at something.
    pub looks: bool,
    /// Whether it worked.
    pub outcome: ToolOutcome,
    /// How long it took, in milliseconds, as far as the times of the messages say.
    pub took_ms: Option<i64>,
    /// The index of the message that called it.
    pub call: usize,
    /// The index of the message with the result.
    pub result: usize,
}

/// The steps of some messages, in the order of their results. A call without a result is none.
pub fn tool_steps(messages: &[ToolMessage<'_>]) -> Vec<ToolStep> {
    let mut waiting: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut said: HashMap<i64, usize> = HashMap::new();
    let mut steps = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let calls = waiting.entry(message.session).or_default();
        match message.role {
            Role::Tool if is_call(message) => calls.push(index),
            Role::Tool => {
                let is_of = |call: &usize| message.speaker == UNNAMED_TOOL || messages[*call].speaker == message.speaker;
                let call = match calls.iter().position(is_of) {
                    Some(place) => Some(calls.remove(place)),
                    None => said.remove(&message.session),
                };
                steps.extend(call.into_iter().flat_map(|call| steps_of(messages, call, index)));
            }
            Role::Assistant if message.text.chars().count() <= MAX_ACTION_CHARS => {
                said.insert(message.session, index);
            }
            Role::Assistant | Role::System => {}
            Role::User => {
                calls.clear();
                said.remove(&message.session);
            }
        }
    }
    steps
}

/// Whether a message of a tool is the call: `Bash {"command":"cargo test"}`.
fn is_call(message: &ToolMessage<'_>) -> bool {
    let input = message.text.strip_prefix(message.speaker).map(str::trim_start);
    input.is_some_and(|input| input.is_empty() || input.starts_with(['{', '"']))
}

/// The steps of one call and its result.
fn steps_of(messages: &[ToolMessage<'_>], call: usize, result: usize) -> Vec<ToolStep> {
    let (called, given) = (&messages[call], &messages[result]);
    let failed = given.is_error || says_failed(given.text);
    let outcome = if failed { ToolOutcome::Failed } else { ToolOutcome::Worked };
    let took = Some(given.at.millis() - called.at.millis()).filter(|took| (1..=MAX_TOOK_MS).contains(took));
    let tool = if called.role == Role::Tool { called.speaker } else { given.speaker };
    let step = |kind: String, label: String, written: Option<String>, looks| ToolStep {
        exchange: called.exchange,
        session: called.session,
        tool: tool.to_owned(),
        kind,
        label,
        written,
        looks,
        outcome,
        took_ms: took,
        call,
        result,
    };
    if called.role != Role::Tool {
        let action = unnumbered(called.text);
        let kind = action.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        return vec![step(kind.clone(), kind, Some(action.to_owned()), false)];
    }
    let named = tool.to_lowercase();
    let fields = input_fields(called.text);
    let field = |names: &[&str]| fields.iter().find(|field| names.contains(&field.name)).map(|field| field.value.as_str());
    if let Some(line) = field(&["command", "cmd", "script"]).filter(|_| !is_listed("editing tool", &named)) {
        let mut steps: Vec<ToolStep> = shell_commands(line)
            .into_iter()
            .map(|command| {
                let looks = is_listed("looks", &command.kind);
                step(command.kind.clone(), command.kind, Some(command.written), looks)
            })
            .collect();
        // Of several commands in one line the last one is the one that failed or took its time.
        let last = steps.len().saturating_sub(1);
        for step in &mut steps[..last] {
            step.took_ms = None;
            step.outcome = if failed { ToolOutcome::Unknown } else { step.outcome };
        }
        return steps;
    }
    let file = field(&["file_path", "filePath", "path", "notebook_path", "target_file"]);
    let file_name = file.and_then(|path| path.rsplit(['/', '\\']).next()).filter(|_| is_listed("editing tool", &named));
    let label = file_name.map_or_else(|| tool.to_owned(), |name| format!("{tool} {name}"));
    vec![step(tool.to_owned(), label, None, is_listed("looking tool", &named))]
}

/// A field of the input of a call.
struct InputField<'a> {
    name: &'a str,
    value: String,
}

fn input_fields(text: &str) -> Vec<InputField<'_>> {
    let field = |found: regex::Captures<'_>| {
        let (name, value) = (found.get(1)?, found.get(2)?);
        let name = &text[name.range()];
        Some(InputField { name, value: unescaped(value.as_str()) })
    };
    FIELD.captures_iter(text).filter_map(field).collect()
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

/// Whether an output says itself that it failed: in its first line or in its last one.
fn says_failed(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next();
    [first, lines.next_back()].into_iter().flatten().any(|line| FAILED.is_match(line))
}

/// An action without the number of its step.
fn unnumbered(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((number, rest)) if number.to_lowercase().starts_with("step") => rest.trim(),
        _ => text,
    }
}

/// The line of an output that tells how it failed: the first that names an error, else its first.
pub fn failure_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_code = |line: &str| line.to_lowercase().starts_with("exit ");
    let first = lines.clone().find(|line| !is_code(line)).unwrap_or_default();
    lines.find(|line| !is_code(line) && (FAILED.is_match(line) || line.to_lowercase().contains("error"))).unwrap_or(first)
}
