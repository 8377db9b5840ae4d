//! The paths that a command touches, and whether it may change them. A program that is not known only to read may change what
//! it is given.

use super::shell::{ShellCommand, ShellWord};

/// Programs that only read the files they are given.
const READERS: [&str; 46] = [
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ls",
    "ll",
    "stat",
    "file",
    "wc",
    "diff",
    "cmp",
    "test",
    "[",
    "readlink",
    "realpath",
    "du",
    "df",
    "echo",
    "printf",
    "cd",
    "pushd",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "b3sum",
    "tree",
    "cut",
    "jq",
    "xxd",
    "od",
    "strings",
    "which",
    "type",
    "basename",
    "dirname",
    "nl",
    "tac",
    "uniq",
    "column",
    "source",
    ".",
];
/// Programs whose plain words are names of files, also without a slash in them.
const FILE_WRITERS: [&str; 22] = [
    "rm", "mv", "cp", "touch", "tee", "chmod", "chown", "chgrp", "truncate", "dd", "ln", "install", "mkdir",
    "rmdir", "unlink", "shred", "sed", "vi", "vim", "nano", "rsync", "patch",
];
/// Programs that write only to the last file they are given.
const COPIERS: [&str; 4] = ["cp", "scp", "rsync", "install"];
/// Programs that reach everything below a folder without being told to.
const DEEP: [&str; 3] = ["mv", "find", "rsync"];

/// How a path is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathAccess {
    /// It is read.
    Read,
    /// It may be changed.
    Write,
}

/// A path that a command touches, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedPath {
    /// As it was written, up to the first wildcard.
    pub text: String,
    /// The folders that `cd` went to before.
    pub folders: Vec<ShellWord>,
    /// How.
    pub access: PathAccess,
    /// Whether everything below it is touched as well.
    pub is_deep: bool,
    /// Whether a part of it is only known when it runs.
    pub hidden: bool,
}

/// The paths that a command touches.
pub fn touched_paths(command: &ShellCommand) -> Vec<TouchedPath> {
    let program = command.program().unwrap_or_default();
    let arguments = command.arguments();
    let is_deep = DEEP.contains(&program) || arguments.iter().any(is_recursive);
    let writes_names = FILE_WRITERS.contains(&program);
    let last = arguments.iter().rposition(|word| !word.text.starts_with('-'));
    let mut found = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let access = if COPIERS.contains(&program) {
            if Some(at) == last { PathAccess::Write } else { PathAccess::Read }
        } else {
            access_of(program, arguments)
        };
        for text in path_parts(word) {
            let is_path = text.contains('/') || text.starts_with('.') || text.starts_with('~');
            if is_path || word.hidden || (writes_names && !word.text.starts_with('-')) {
                found.push(touched(command, word, text, access, is_deep));
            }
        }
    }
    let written = command.writes_to.iter().filter(|word| word.text != "/dev/null");
    found.extend(written.map(|word| touched(command, word, word.text.clone(), PathAccess::Write, false)));
    found
}

fn touched(
    command: &ShellCommand,
    word: &ShellWord,
    text: String,
    access: PathAccess,
    is_deep: bool,
) -> TouchedPath {
    // Whatever a wildcard stands for is below the folder before it.
    let wildcard = word.wildcard.filter(|_| text == word.text);
    let text = match wildcard {
        Some(at) => text[..at].rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/")),
        None => text,
    };
    let folders = command.folders.clone();
    TouchedPath { text, folders, access, is_deep: is_deep || wildcard.is_some(), hidden: word.hidden }
}

fn access_of(program: &str, arguments: &[ShellWord]) -> PathAccess {
    let has = |flag: &str| arguments.iter().any(|word| word.text.starts_with(flag));
    let reads = READERS.contains(&program)
        || (program == "find" && !has("-delete") && !has("-exec") && !has("-ok") && !has("-fprint"))
        || (program == "sed"
            && !has("-i")
            && !has("--in-place")
            && !arguments.iter().any(|it| it.text.contains("w ")))
        || (program == "sort" && !has("-o") && !has("--output"));
    if reads { PathAccess::Read } else { PathAccess::Write }
}

fn is_recursive(word: &ShellWord) -> bool {
    let short = word.text.starts_with('-') && !word.text.starts_with("--");
    (short && word.text.contains(['r', 'R', 'a'])) || word.text == "--recursive" || word.text == "--archive"
}

/// The parts of a word that may be a path: the word, what stands behind `=`, what stands behind a short option.
fn path_parts(word: &ShellWord) -> Vec<String> {
    let mut parts = Vec::new();
    if !word.text.starts_with('-') {
        parts.push(word.text.clone());
    } else if !word.text.starts_with("--") {
        parts.extend(word.text.find(['/', '~']).map(|at| word.text[at..].to_owned()));
    }
    if let Some((_, value)) = word.text.split_once('=') {
        parts.push(value.to_owned());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::govern::shell::commands;

    fn seen(line: &str) -> String {
        let all = commands(line);
        let plain = all.iter().filter(|command| !command.is_reading).flat_map(touched_paths);
        let one = |path: TouchedPath| {
            let access = if path.access == PathAccess::Write { "w" } else { "r" };
            let deep = if path.is_deep { "+" } else { "" };
            let hidden = if path.hidden { "?" } else { "" };
            let folders: String = path.folders.iter().flat_map(|it| [it.text.as_str(), ":"]).collect();
            format!("{access}{deep}{hidden} {folders}{}", path.text)
        };
        plain.map(one).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_path_is_seen_wherever_it_stands() {
        for (line, found) in [
            ("cat /etc/hosts", "r /etc/hosts"),
            ("echo x > /etc/hosts", "w /etc/hosts"),
            ("rm -rf /etc", "w+ /etc"),
            ("rm /et?/passwd", "w+ /"),
            ("cd /etc && rm passwd", "r /etc|w /etc:passwd"),
            ("cp /etc/hosts .", "r /etc/hosts|w ."),
            ("dd if=/dev/zero of=/etc/x", "w if=/dev/zero|w /dev/zero|w of=/etc/x|w /etc/x"),
            ("rm -rf $DIR", "w+? "),
            ("tar -C/etc -xf a.tar", "w /etc"),
            ("git status", ""),
        ] {
            assert_eq!(seen(line), found, "{line}");
        }
    }
}
