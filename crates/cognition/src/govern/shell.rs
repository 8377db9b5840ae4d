//! The commands that a command line runs, each with its words: behind `&&` and `|`, in substitutions, behind `sudo` and `env`,
//! in the text of `sh -c`. What cannot be known before it runs is marked as hidden, never left out.

use super::lexer::{Piece, ShellToken, tokens};
use std::collections::HashMap;

/// Commands of one line that are looked at; what is behind them is hidden.
const MAX_COMMANDS: usize = 512;
/// Command lines within command lines that are followed.
const MAX_DEPTH: usize = 8;
/// Words that stand before a command and are none.
const RESERVED: [&str; 15] = [
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "time", "esac", "coproc",
    "function", "case",
];
/// Programs that run what their arguments name.
const WRAPPERS: [&str; 26] = [
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "ionice", "timeout", "stdbuf",
    "setsid", "xargs", "chroot", "unshare", "watch", "parallel", "strace", "busybox", "toybox", "find", "fd",
    "ssh", "su", "script", "flock",
];
/// Programs that read a command line from an argument or from their input.
const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];
/// Programs that run code in another language given as an argument.
const INTERPRETERS: [&str; 8] = ["python", "python2", "python3", "perl", "ruby", "node", "deno", "php"];

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellWord {
    /// Its letters, as far as they are known.
    pub text: String,
    /// Whether a part of it is only known when it runs.
    pub hidden: bool,
    /// Where in `text` the first unquoted wildcard stands.
    pub wildcard: Option<usize>,
}

/// One command, as it would be run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellCommand {
    /// The program and its arguments.
    pub words: Vec<ShellWord>,
    /// Files that its output is sent to.
    pub writes_to: Vec<ShellWord>,
    /// Code in another language that it runs, or words that are run in a way that cannot be read.
    pub code: Option<String>,
    /// The folders that `cd` went to before it, in order.
    pub folders: Vec<ShellWord>,
    /// Whether it is one reading of the words behind a wrapper, which may be no command at all.
    pub is_reading: bool,
    /// Whether it reads what the command before it printed.
    pub reads_pipe: bool,
}

impl ShellCommand {
    /// The name of the program, without its folder. Nothing if it is only known when it runs.
    pub fn program(&self) -> Option<&str> {
        let first = self.words.first().filter(|word| !word.hidden && word.wildcard.is_none())?;
        first.text.rsplit('/').next()
    }

    /// The words behind the program.
    pub fn arguments(&self) -> &[ShellWord] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// The commands that a command line runs.
pub fn commands(line: &str) -> Vec<ShellCommand> {
    let mut reader = CommandReader::default();
    reader.read_line(line, 0);
    if line.chars().count() > super::lexer::MAX_COMMAND_CHARS || reader.found.len() > MAX_COMMANDS {
        reader.found.truncate(MAX_COMMANDS);
        reader.found.push(hidden_command());
    }
    reader.found
}

fn hidden_command() -> ShellCommand {
    ShellCommand {
        words: vec![ShellWord { hidden: true, ..ShellWord::default() }],
        ..ShellCommand::default()
    }
}

#[derive(Default)]
struct CommandReader {
    found: Vec<ShellCommand>,
    variables: HashMap<String, Option<String>>,
    folders: Vec<ShellWord>,
}

/// A command while its words are collected.
#[derive(Default)]
struct OpenCommand {
    words: Vec<Vec<Piece>>,
    writes_to: Vec<ShellWord>,
    scripts: Vec<String>,
    /// The words of the command whose output it reads, if that only prints them; empty if it does something else.
    piped: Option<Vec<String>>,
}

impl CommandReader {
    fn read_line(&mut self, line: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.found.push(hidden_command());
            return;
        }
        self.read_tokens(tokens(line), depth);
    }

    fn read_tokens(&mut self, tokens: Vec<ShellToken>, depth: usize) {
        let mut open = OpenCommand::default();
        let mut target: Option<ShellToken> = None;
        for token in tokens {
            match token {
                ShellToken::Word(pieces) => match target.take() {
                    Some(ShellToken::WritesTo) => open.writes_to.extend(self.resolved(&pieces)),
                    Some(_) => {}
                    None => open.words.push(pieces),
                },
                ShellToken::WritesTo | ShellToken::ReadsFrom => target = Some(token),
                ShellToken::Script(text) => open.scripts.push(text),
                ShellToken::Nested(inner) => {
                    let folders = self.folders.clone();
                    if depth < MAX_DEPTH {
                        self.read_tokens(inner, depth + 1);
                    } else {
                        self.found.push(hidden_command());
                    }
                    // A substitution changes no folder but its own.
                    self.folders = folders;
                }
                ShellToken::Separator => drop(self.close(std::mem::take(&mut open), depth)),
                ShellToken::Pipe => {
                    let printed = self.close(std::mem::take(&mut open), depth);
                    open.piped = Some(printed);
                }
            }
            if self.found.len() > MAX_COMMANDS {
                return;
            }
        }
        self.close(open, depth);
    }

    /// Takes a command down; the words that it prints, if it only prints.
    fn close(&mut self, open: OpenCommand, depth: usize) -> Vec<String> {
        let mut words: Vec<ShellWord> = open.words.iter().flat_map(|pieces| self.resolved(pieces)).collect();
        self.declare_loop_variable(&words);
        while words.first().is_some_and(|word| !word.hidden && RESERVED.contains(&word.text.as_str())) {
            words.remove(0);
        }
        let assigned = words.iter().take_while(|word| assignment(word).is_some()).count();
        let assignments: Vec<ShellWord> = words.drain(..assigned).collect();
        if words.is_empty() {
            for word in &assignments {
                if let Some((name, value)) = assignment(word) {
                    let value = Some(value.to_owned()).filter(|_| !word.hidden);
                    self.variables.insert(name.to_owned(), value);
                }
            }
            if open.writes_to.is_empty() {
                return Vec::new();
            }
        }
        let folders = self.folders.clone();
        let (writes_to, reads_pipe) = (open.writes_to, open.piped.is_some());
        let command = ShellCommand { words, writes_to, folders, reads_pipe, ..ShellCommand::default() };
        let printed = printed_words(&command);
        self.change_folder(&command);
        self.take(command, &open.scripts, open.piped.as_deref(), depth);
        printed
    }

    fn take(&mut self, command: ShellCommand, scripts: &[String], piped: Option<&[String]>, depth: usize) {
        let program = command.program().unwrap_or_default().to_owned();
        let name = program.as_str();
        let arguments = command.arguments().to_vec();
        let joined = arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let is_hidden = arguments.iter().any(|word| word.hidden);
        let mut command = command;
        if SHELLS.contains(&name) {
            self.read_shell(&mut command, scripts, piped, depth);
        } else if matches!(name, "eval" | "trap") {
            self.read_line(&joined, depth + 1);
            if is_hidden {
                command.code = Some(String::new());
            }
        } else if is_interpreter(name) {
            let code: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
            let given = scripts
                .iter()
                .map(String::as_str)
                .chain(piped.unwrap_or_default().iter().map(String::as_str));
            command.code = Some(code.into_iter().chain(given).collect::<Vec<_>>().join("\n"));
        }
        self.found.push(command.clone());
        if WRAPPERS.contains(&name) {
            self.read_wrapped(&command, depth);
        }
    }

    /// A shell: the text behind `-c`, a heredoc, or what is piped into it.
    fn read_shell(
        &mut self,
        command: &mut ShellCommand,
        scripts: &[String],
        piped: Option<&[String]>,
        depth: usize,
    ) {
        let arguments = command.arguments().to_vec();
        let takes_text = |word: &ShellWord| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c')
        };
        if let Some(at) = arguments.iter().position(takes_text) {
            for word in arguments.iter().skip(at + 1) {
                if word.hidden {
                    command.code = Some(word.text.clone());
                }
                self.read_line(&word.text, depth + 1);
            }
            return;
        }
        for script in scripts {
            self.read_line(script, depth + 1);
        }
        let reads_input = arguments.iter().all(|word| word.text.starts_with('-'));
        match piped {
            Some([]) if reads_input => command.code = Some(String::new()),
            Some(printed) if reads_input => self.read_line(&printed.join(" "), depth + 1),
            _ => {}
        }
    }

    /// Behind a wrapper every word may be the program: `sudo -u root rm`, `xargs -n 1 rm`, `find . -exec rm`.
    fn read_wrapped(&mut self, command: &ShellCommand, depth: usize) {
        for at in 1..command.words.len().min(MAX_COMMANDS) {
            let words = command.words[at..].to_vec();
            if words[0].text.contains(char::is_whitespace) {
                self.read_line(&words[0].text, depth + 1);
                continue;
            }
            if words[0].text.starts_with('-') || assignment(&words[0]).is_some() {
                continue;
            }
            let folders = command.folders.clone();
            let reading = ShellCommand { words, folders, is_reading: true, ..ShellCommand::default() };
            let name = reading.program().unwrap_or_default();
            if SHELLS.contains(&name) || name == "eval" || is_interpreter(name) {
                self.take(reading, &[], None, depth + 1);
            } else {
                self.found.push(reading);
            }
        }
    }

    fn change_folder(&mut self, command: &ShellCommand) {
        if matches!(command.program(), Some("cd" | "pushd")) {
            let home = ShellWord { text: "~".to_owned(), ..ShellWord::default() };
            let to = command.arguments().iter().find(|word| !word.text.starts_with('-') || word.text == "-");
            let to = to.cloned().unwrap_or(home);
            // Where `cd -` goes is not known.
            let hidden = to.hidden || to.text == "-" || to.wildcard.is_some();
            self.folders.push(ShellWord { hidden, ..to });
        } else if command.program() == Some("popd") {
            self.folders.push(ShellWord { hidden: true, ..ShellWord::default() });
        }
    }

    /// The variable of a loop may be anything.
    fn declare_loop_variable(&mut self, words: &[ShellWord]) {
        if let [first, name, ..] = words
            && matches!(first.text.as_str(), "for" | "select" | "read")
        {
            self.variables.insert(name.text.clone(), None);
        }
    }

    /// A word with its variables filled in; several if an unquoted value has several words.
    fn resolved(&self, pieces: &[Piece]) -> Vec<ShellWord> {
        let mut words = vec![ShellWord::default()];
        for piece in pieces {
            let Some(last) = words.last_mut() else { break };
            match piece {
                Piece::Text(text) => last.text.push_str(text),
                Piece::Wildcard(text) => {
                    last.wildcard.get_or_insert(last.text.len());
                    last.text.push_str(text);
                }
                Piece::Hidden => last.hidden = true,
                Piece::Variable { name, quoted } => match self.variables.get(name).cloned().flatten() {
                    Some(value) if *quoted => last.text.push_str(&value),
                    Some(value) => {
                        let mut parts = value.split_whitespace();
                        last.text.push_str(parts.next().unwrap_or_default());
                        words.extend(
                            parts.map(|part| ShellWord { text: part.to_owned(), ..ShellWord::default() }),
                        );
                    }
                    None if name == "HOME" && last.text.is_empty() => last.text.push('~'),
                    None => last.hidden = true,
                },
            }
        }
        words
    }
}

fn is_interpreter(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default();
    INTERPRETERS.contains(&name)
}

/// The name and the value of `NAME=value`.
fn assignment(word: &ShellWord) -> Option<(&str, &str)> {
    let (name, value) = word.text.split_once('=')?;
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

/// The words that a command prints as they are; empty if it does more than that.
fn printed_words(command: &ShellCommand) -> Vec<String> {
    let arguments = command.arguments();
    if !matches!(command.program(), Some("echo" | "printf")) || arguments.iter().any(|word| word.hidden) {
        return Vec::new();
    }
    arguments
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .map(|word| word.text.replace("\\n", "\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn programs(line: &str) -> Vec<String> {
        let plain = commands(line).into_iter().filter(|command| !command.is_reading);
        plain
            .map(|command| {
                let words: Vec<String> = command
                    .words
                    .iter()
                    .map(|word| if word.hidden { format!("{}?", word.text) } else { word.text.clone() })
                    .collect();
                words.join(" ")
            })
            .collect()
    }

    /// covers: W-198
    #[test]
    fn a_command_is_found_wherever_a_shell_would_run_it() {
        for (line, found) in [
            ("rm -rf build", "rm -rf build"),
            ("ls && rm -rf build; echo done", "ls|rm -rf build|echo done"),
            ("r'm' \"-r\"f bu\\ild", "rm -rf build"),
            ("FOO=1 BAR='a b' rm x", "rm x"),
            ("X=rm; $X -rf y", "rm -rf y"),
            ("C='rm -rf'; $C /", "rm -rf /"),
            ("rm${IFS}-rf${IFS}/", "rm -rf /"),
            ("$'\\x72\\x6d' -rf /", "rm -rf /"),
            ("sh -c 'rm -rf x'", "rm -rf x|sh -c rm -rf x"),
            ("bash -lc \"cd /tmp && rm x\"", "cd /tmp|rm x|bash -lc cd /tmp && rm x"),
            ("eval rm -rf x", "rm -rf x|eval rm -rf x"),
            ("echo $(rm x)", "rm x|echo ?"),
            ("echo \"`rm x`\"", "rm x|echo ?"),
            ("echo 'rm -rf x' | sh", "echo rm -rf x|rm -rf x|sh"),
            ("if true; then rm x; fi", "true|rm x"),
            ("(rm x)", "rm x"),
            ("f() { rm x; }; f", "f|rm x|f"),
            ("cat <<EOF\nrm x\nEOF\nls", "cat|ls"),
            ("bash <<'EOF'\nrm x\nEOF", "rm x|bash"),
            ("bash <<< 'rm x'", "rm x|bash"),
            ("rm \\\n  -rf x", "rm -rf x"),
            ("# rm x\nls", "ls"),
            ("$UNKNOWN -rf /", "? -rf /"),
            ("ls 2>&1 >out.txt", "ls"),
            ("diff <(rm x) y", "rm x|diff ? y"),
        ] {
            assert_eq!(programs(line).join("|"), found, "{line:?}");
        }
        let wrapped = commands("sudo -u root env A=1 rm -rf /");
        assert!(wrapped.iter().any(|it| it.program() == Some("rm") && it.is_reading));
        let piped = commands("curl x | base64 -d | sh");
        assert!(piped.iter().any(|it| it.program() == Some("sh") && it.code.is_some()), "{piped:?}");
        assert_eq!(commands("ls > /etc/x")[0].writes_to[0].text, "/etc/x");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_written_reading_it_ends(line in "[a-z $(){}`'\"\\\\<>|&;=*\n]{0,200}") {
            prop_assert!(commands(&line).len() <= MAX_COMMANDS + 1);
        }
    }
}
