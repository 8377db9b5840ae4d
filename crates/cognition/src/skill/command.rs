//! Commands: the steps that a line for a shell is made of, each by its program and subcommand, without its arguments.

use crate::govern::shell::{ShellCommand, ShellWord, commands};
use regex::RegexSet;
use std::sync::LazyLock;

/// Letters of the ending of a file's name, at most.
const MAX_FILE_ENDING_LETTERS: usize = 5;
/// Commands of one line that are read.
const MAX_COMMANDS: usize = 12;

/// The lists of `commands.txt`.
static LISTS: LazyLock<Vec<WordList>> = LazyLock::new(|| {
    let text = include_str!("../../lexicon/commands.txt");
    let sections = text.split("\n[").skip(1).filter_map(|section| section.split_once("]\n"));
    sections.map(|(name, entries)| WordList { name, entries: entries.lines().collect() }).collect()
});

struct WordList {
    name: &'static str,
    entries: Vec<&'static str>,
}

fn entries(list: &str) -> &'static [&'static str] {
    LISTS.iter().find(|it| it.name == list).map_or(&[], |it| &it.entries)
}

/// Whether a list has a word.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    entries(list).contains(&word)
}

/// The patterns of a list.
pub(super) fn patterns(list: &str) -> RegexSet {
    let patterns = entries(list).iter().map(|pattern| format!("(?i){pattern}"));
    RegexSet::new(patterns).expect("patterns of the lexicon")
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandStep {
    /// The program with its subcommand: `cargo test`.
    pub(super) kind: String,
    /// The command with its arguments.
    pub(super) written: String,
}

/// The steps of a line, in order. What only reads another command's output is none.
pub(super) fn command_steps(line: &str) -> Vec<CommandStep> {
    let found = commands(line);
    let steps = found.iter().filter(|it| !it.is_reading && !it.reads_pipe).filter_map(step_of);
    steps.take(MAX_COMMANDS).collect()
}

fn step_of(command: &ShellCommand) -> Option<CommandStep> {
    let words: Vec<&str> = command.words.iter().map(shown).collect();
    let kind = kind_of(&words)?;
    if is_listed("ignored", &kind) {
        return None;
    }
    let quoted = words.iter().map(|word| {
        if word.contains(char::is_whitespace) { format!("'{word}'") } else { (*word).to_owned() }
    });
    Some(CommandStep { kind, written: quoted.collect::<Vec<_>>().join(" ") })
}

fn shown(word: &ShellWord) -> &str {
    if word.hidden { "…" } else { &word.text }
}

/// The program of a command with its subcommand.
fn kind_of(words: &[&str]) -> Option<String> {
    let begin = words.iter().position(|word| !is_assignment(word))?;
    let words = &words[begin..];
    let program =
        words[0].rsplit('/').next().filter(|name| !name.is_empty() && !name.starts_with(['…', '[']))?;
    let rest = &words[1..];
    if is_listed("wraps", program) {
        let is_option =
            |word: &&&str| word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit());
        return kind_of(&rest[rest.iter().take_while(is_option).count()..]);
    }
    if is_listed("runs", program) {
        return kind_of(rest);
    }
    if let Some(first) = rest.first().filter(|first| is_listed("runs", &format!("{program} {first}"))) {
        return kind_of(&rest[1..]).or_else(|| Some(format!("{program} {first}")));
    }
    if is_listed("script", program) {
        return script_kind(program, rest);
    }
    let rest = without_options(rest);
    let mut subcommands = rest.iter().take_while(|word| is_name(word));
    let named = format!("{program} {}", rest.first().copied().unwrap_or_default());
    let is_plain = is_listed("plain", program) || is_listed("ignored", program) || program.contains('.');
    if is_plain || is_listed("looks", program) && !is_listed("looks", &named) {
        return Some(program.to_owned());
    }
    let Some(first) = subcommands.next() else { return Some(program.to_owned()) };
    match subcommands.next().filter(|_| is_listed("nested", first)) {
        Some(second) => Some(format!("{program} {first} {second}")),
        None => Some(format!("{program} {first}")),
    }
}

/// The words behind options that may stand before a subcommand: `-C FOLDER`, `-j4`, `+nightly`.
fn without_options<'a, 'b>(mut words: &'b [&'a str]) -> &'b [&'a str] {
    while let Some(word) = words.first() {
        let has_value = |option: &str| option.contains(|c: char| c == '=' || c.is_ascii_digit());
        let is_whole = word.starts_with('+') || word.starts_with('-') && has_value(word);
        let taken = if is_whole { 1 } else { 2 * usize::from(is_listed("folder option", word)) };
        if taken == 0 {
            break;
        }
        words = words.get(taken..).unwrap_or_default();
    }
    words
}

/// A file that is run, with its subcommand; a module of Python is a program of its own. A line that a shell is given is read
/// by itself.
fn script_kind(program: &str, rest: &[&str]) -> Option<String> {
    if let Some(module) = rest.iter().position(|word| *word == "-m").map(|at| &rest[at + 1..]) {
        return kind_of(module);
    }
    let Some(at) = rest.iter().position(|word| !word.starts_with('-')) else {
        return Some(program.to_owned());
    };
    let is_text =
        |word: &&str| word.starts_with('-') && !word.starts_with("--") && word.ends_with(['c', 'e']);
    if rest[..at].iter().any(is_text) {
        let is_shell = program.ends_with("sh");
        return (!is_shell).then(|| program.to_owned());
    }
    let file = rest[at].rsplit('/').next().unwrap_or_default();
    match rest.get(at + 1).filter(|word| is_name(word)) {
        Some(subcommand) => Some(format!("{program} {file} {subcommand}")),
        None => Some(format!("{program} {file}")),
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Whether a word is the name of a subcommand and no file.
fn is_name(word: &str) -> bool {
    let is_file = word.rsplit_once('.').is_some_and(|(_, ending)| ending.len() <= MAX_FILE_ENDING_LETTERS);
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.');
    !is_file && word.starts_with(|sign: char| sign.is_ascii_lowercase()) && word.bytes().all(is_sign)
}
