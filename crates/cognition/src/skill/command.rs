//! Commands: what a line for a shell does, by its programs and their subcommands, without its arguments.

use std::sync::LazyLock;

/// Letters of the ending of a file's name, at most.
const MAX_FILE_ENDING_LETTERS: usize = 5;
/// Commands of one line that are read.
const MAX_COMMANDS: usize = 12;

/// The lists of `commands.txt`.
struct CommandWords {
    sections: Vec<(&'static str, Vec<&'static str>)>,
}

static WORDS: LazyLock<CommandWords> = LazyLock::new(|| {
    let text = include_str!("../../lexicon/commands.txt");
    let sections = text.split("\n[").skip(1).filter_map(|section| section.split_once("]\n"));
    CommandWords { sections: sections.map(|(name, entries)| (name, entries.lines().collect())).collect() }
});

/// Whether a list has a word.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    WORDS.sections.iter().any(|(name, entries)| *name == list && entries.contains(&word))
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellCommand {
    /// The program with its subcommand: `cargo test`.
    pub(super) kind: String,
    /// As it was written.
    pub(super) written: String,
}

/// The commands of a line, in order. What stands behind a pipe and what only changes the folder is left out.
pub(super) fn shell_commands(line: &str) -> Vec<ShellCommand> {
    let command = |words: Vec<String>| {
        let kind = kind_of(&words)?;
        (kind != "cd").then(|| ShellCommand { kind, written: words.join(" ") })
    };
    split_commands(line).into_iter().filter_map(command).take(MAX_COMMANDS).collect()
}

/// The words of each command of a line.
fn split_commands(line: &str) -> Vec<Vec<String>> {
    let mut reader = LineReader::default();
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match (reader.quote, sign) {
            (Some(quote), sign) if sign == quote => reader.quote = None,
            (Some(_), sign) => reader.word.push(sign),
            (None, '\'' | '"') => reader.quote = Some(sign),
            (None, '\\') => reader.word.extend(signs.next().filter(|next| *next != '\n')),
            // What follows is a text for the command, not a command.
            (None, '<') if signs.peek() == Some(&'<') => break,
            (None, ';' | '\n') => reader.end_command(),
            (None, '&') if signs.peek() == Some(&'&') => {
                signs.next();
                reader.end_command();
            }
            (None, '|') if signs.peek() == Some(&'|') => {
                signs.next();
                reader.end_command();
            }
            (None, '|') => reader.end_visible(),
            (None, ' ' | '\t') => reader.end_word(),
            (None, '>') => reader.redirect(),
            (None, sign) => reader.word.push(sign),
        }
    }
    reader.end_command();
    reader.commands
}

/// A line while it is read.
#[derive(Default)]
struct LineReader {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: String,
    quote: Option<char>,
    /// Whether the words up to the next command are left out.
    hidden: bool,
    /// Whether the next word is where the output goes.
    redirected: bool,
}

impl LineReader {
    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        if !std::mem::take(&mut self.redirected) && !self.hidden {
            self.words.push(word);
        }
    }

    fn end_visible(&mut self) {
        self.end_word();
        self.hidden = true;
    }

    fn end_command(&mut self) {
        self.end_word();
        self.hidden = false;
        self.redirected = false;
        let words = std::mem::take(&mut self.words);
        if words.first().is_some_and(|first| !first.starts_with('#')) {
            self.commands.push(words);
        }
    }

    /// The sign for where output goes; a number before it belongs to it.
    fn redirect(&mut self) {
        if self.word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'&') {
            self.word.clear();
        }
        self.end_word();
        self.redirected = true;
    }
}

/// The program of a command with its subcommand.
fn kind_of(words: &[String]) -> Option<String> {
    let begin = words.iter().position(|word| !is_assignment(word))?;
    let words = &words[begin..];
    let program = words[0].rsplit('/').next().filter(|name| !name.is_empty())?;
    let rest = &words[1..];
    if is_listed("wraps", program) {
        let is_option = |word: &&String| word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit());
        return kind_of(&rest[rest.iter().take_while(is_option).count()..]);
    }
    if is_listed("runs", program) {
        return kind_of(rest);
    }
    if let Some(first) = rest.first().filter(|first| is_listed("runs", &format!("{program} {first}"))) {
        return kind_of(&rest[1..]).or_else(|| Some(format!("{program} {first}")));
    }
    if is_listed("script", program) {
        return Some(script_kind(program, rest));
    }
    let has_arguments_only = is_listed("looks", program) || is_listed("plain", program) || program.contains('.');
    if has_arguments_only {
        return Some(program.to_owned());
    }
    let rest = without_options(rest);
    let mut subcommands = rest.iter().take_while(|word| is_name(word));
    let Some(first) = subcommands.next() else { return Some(program.to_owned()) };
    match subcommands.next().filter(|_| is_listed("nested", first)) {
        Some(second) => Some(format!("{program} {first} {second}")),
        None => Some(format!("{program} {first}")),
    }
}

/// The words behind options that may stand before a subcommand: `-C FOLDER`, `-j4`, `+nightly`.
fn without_options(mut words: &[String]) -> &[String] {
    while let Some(word) = words.first() {
        let is_whole = word.starts_with('+') || word.starts_with('-') && word.contains(|c: char| c == '=' || c.is_ascii_digit());
        let taken = if is_whole { 1 } else { 2 * usize::from(is_listed("folder option", word)) };
        if taken == 0 {
            break;
        }
        words = words.get(taken..).unwrap_or_default();
    }
    words
}

/// A file that is run, with its subcommand; a module of Python is a program of its own.
fn script_kind(program: &str, rest: &[String]) -> String {
    if let Some(module) = rest.iter().position(|word| word == "-m").map(|at| &rest[at + 1..]) {
        return kind_of(module).unwrap_or_else(|| program.to_owned());
    }
    let Some(at) = rest.iter().position(|word| !word.starts_with('-')) else { return program.to_owned() };
    // What is given as text has no name.
    if rest[..at].iter().any(|word| matches!(word.as_str(), "-c" | "-e" | "-lc")) {
        return program.to_owned();
    }
    let file = rest[at].rsplit('/').next().unwrap_or_default();
    match rest.get(at + 1).filter(|word| is_name(word)) {
        Some(subcommand) => format!("{program} {file} {subcommand}"),
        None => format!("{program} {file}"),
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
