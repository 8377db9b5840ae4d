//! Patterns of rules: which tools, commands and paths a rule is about.

use super::{
    action::{ActionPath, ProposedAction},
    shell::{ShellCommand, ShellWord},
    touched::PathAccess,
};
use cairn_domain::Invalid;
use globset::{Glob, GlobBuilder, GlobMatcher};

/// Long options that say the same as a letter.
const LONG_OPTIONS: [(&str, char); 4] =
    [("--recursive", 'r'), ("--force", 'f'), ("--all", 'a'), ("--delete", 'd')];

/// Whether a pattern is about something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleMatch {
    /// It is not.
    No,
    /// That is only known when the action runs.
    Perhaps,
    /// It is.
    Yes,
}

/// A pattern of a command: a program, and words that stand behind it in this order.
#[derive(Debug, Clone)]
pub struct CommandPattern {
    text: String,
    program: GlobMatcher,
    words: Vec<WordPattern>,
}

#[derive(Debug, Clone)]
enum WordPattern {
    /// Letters of short options, in any order and however they are grouped.
    Flags(Vec<char>),
    Word(GlobMatcher),
}

/// A pattern of a path; everything below a folder with `/**`.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    matcher: GlobMatcher,
    /// The folder before the first wildcard.
    base: String,
}

/// A pattern of a tool's name.
#[derive(Debug, Clone)]
pub struct ToolPattern {
    text: String,
    matcher: GlobMatcher,
}

impl CommandPattern {
    /// Reads a pattern such as `rm -rf` or `git push *main`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let mut words = text.split_whitespace();
        let Some(program) = words.next() else {
            return Err(Invalid::new(
                "a command pattern is empty",
                "write a program, as in command = \"rm -rf\"",
            ));
        };
        let words = words.map(word_pattern).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), program: glob(program)?, words })
    }

    /// Whether one command is such a command.
    pub fn matches(&self, command: &ShellCommand) -> RuleMatch {
        let code = command.code.as_deref().map_or(RuleMatch::No, |code| self.stands_in(code));
        let Some(program) = command.program() else {
            // A program that is only known when it runs may be this one; a reading behind a wrapper is none.
            let hidden = if command.is_reading || command.words.is_empty() {
                RuleMatch::No
            } else {
                RuleMatch::Perhaps
            };
            return hidden.max(code);
        };
        if !self.program.is_match(program) {
            return code;
        }
        self.words_match(command.arguments()).max(code)
    }

    /// Code in another language: whether it has every literal word of the pattern in it.
    fn stands_in(&self, code: &str) -> RuleMatch {
        if code.is_empty() {
            return RuleMatch::Perhaps;
        }
        let has = |word: &str| code.contains(word.trim_matches(['*', '?']));
        if self.text.split_whitespace().all(has) { RuleMatch::Perhaps } else { RuleMatch::No }
    }

    fn words_match(&self, arguments: &[ShellWord]) -> RuleMatch {
        let hides = arguments.iter().any(|word| word.hidden || word.wildcard.is_some());
        let missing = if hides { RuleMatch::Perhaps } else { RuleMatch::No };
        let mut result = RuleMatch::Yes;
        let mut from = 0;
        for pattern in &self.words {
            match pattern {
                WordPattern::Flags(letters) if has_flags(arguments, letters) => {}
                WordPattern::Word(matcher) => {
                    let found = arguments[from..]
                        .iter()
                        .position(|word| !word.hidden && matcher.is_match(&word.text));
                    match found {
                        Some(at) => from += at + 1,
                        None => result = result.min(missing),
                    }
                }
                WordPattern::Flags(_) => result = result.min(missing),
            }
        }
        result
    }
}

impl PathPattern {
    /// Reads a pattern such as `/etc/**`, `~/.ssh/**` or `*.pem`; `home` is what `~` stands for.
    pub fn parse(text: &str, home: Option<&str>) -> Result<Self, Invalid> {
        let whole = match (text.strip_prefix('~'), home) {
            (Some(rest), Some(home)) => format!("{}{rest}", home.trim_end_matches('/')),
            (Some(_), None) => {
                return Err(Invalid::new(
                    format!("`{text}`: there is no home folder"),
                    "write the whole path",
                ));
            }
            (None, _) if text.starts_with('/') => text.to_owned(),
            (None, _) => format!("**/{text}"),
        };
        let wildcard = whole.find(['*', '?', '[', '{']).unwrap_or(whole.len());
        let base = whole[..wildcard].trim_end_matches('/').to_owned();
        let matcher =
            GlobBuilder::new(&whole).literal_separator(true).build().map_err(|error| unreadable(&error))?;
        Ok(Self { text: text.to_owned(), matcher: matcher.compile_matcher(), base })
    }

    /// Whether an action touches such a path, at least in this way.
    pub fn matches(&self, path: &ActionPath, access: PathAccess) -> RuleMatch {
        if path.access < access {
            return RuleMatch::No;
        }
        let touches = |place: &String| {
            let place = place.trim_end_matches('/');
            let is_above =
                self.base.is_empty() || self.base == place || self.base.starts_with(&format!("{place}/"));
            self.matcher.is_match(place)
                || (place == self.base && self.text.ends_with("/**"))
                || (path.is_deep && is_above)
        };
        match (path.places.iter().any(touches), path.hidden) {
            (true, _) => RuleMatch::Yes,
            (false, true) => RuleMatch::Perhaps,
            (false, false) => RuleMatch::No,
        }
    }

    /// Code in another language that has the folder of the pattern in it.
    pub fn stands_in(&self, code: &str) -> RuleMatch {
        let base = self.base.rsplit('/').find(|part| !part.is_empty() && *part != "**");
        let has = code.is_empty() || (!self.base.is_empty() && code.contains(&self.base));
        if has && base.is_some() { RuleMatch::Perhaps } else { RuleMatch::No }
    }
}

impl ToolPattern {
    /// Reads a pattern such as `mcp__deploy__*`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Ok(Self { text: text.to_owned(), matcher: glob(text)? })
    }

    /// Whether an action uses such a tool.
    pub fn matches(&self, action: &ProposedAction) -> RuleMatch {
        if self.matcher.is_match(&action.tool) { RuleMatch::Yes } else { RuleMatch::No }
    }
}

macro_rules! written_as {
    ($($name:ident)+) => { $(
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.text == other.text
            }
        }

        impl $name {
            /// As it was written.
            pub fn text(&self) -> &str {
                &self.text
            }
        }
    )+ };
}
written_as!(CommandPattern PathPattern ToolPattern);

fn word_pattern(word: &str) -> Result<WordPattern, Invalid> {
    let letters =
        word.strip_prefix('-').filter(|rest| !rest.is_empty() && rest.chars().all(char::is_alphabetic));
    Ok(match letters {
        Some(letters) => WordPattern::Flags(letters.chars().collect()),
        None => WordPattern::Word(glob(word)?),
    })
}

/// Whether these options stand among the arguments, in one group or several, or by their long names.
fn has_flags(arguments: &[ShellWord], letters: &[char]) -> bool {
    letters.iter().all(|letter| {
        arguments.iter().take_while(|word| word.text != "--").any(|word| {
            let short = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let lower = letter.to_ascii_lowercase();
            short.is_some_and(|short| short.contains(*letter) || lower == 'r' && short.contains(['r', 'R']))
                || LONG_OPTIONS.contains(&(word.text.as_str(), lower))
        })
    })
}

fn glob(text: &str) -> Result<GlobMatcher, Invalid> {
    Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| unreadable(&error))
}

fn unreadable(error: &globset::Error) -> Invalid {
    Invalid::new(
        format!("this is not a pattern: {error}"),
        "use *, ?, [abc] and {a,b}; ** stands for folders",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::govern::shell::commands;

    fn best(pattern: &str, line: &str) -> RuleMatch {
        let pattern = CommandPattern::parse(pattern).expect("a pattern");
        commands(line).iter().map(|command| pattern.matches(command)).max().unwrap_or(RuleMatch::No)
    }

    #[test]
    fn a_command_is_known_however_it_is_written() {
        for (pattern, line, expected) in [
            ("rm -rf", "rm -rf build", RuleMatch::Yes),
            ("rm -rf", "rm -f -r build", RuleMatch::Yes),
            ("rm -rf", "rm --force --recursive x", RuleMatch::Yes),
            ("rm -rf", "rm -Rf x", RuleMatch::Yes),
            ("rm -rf", "/bin/rm -fr x", RuleMatch::Yes),
            ("rm -rf", "\\rm -rf x", RuleMatch::Yes),
            ("rm -rf", "sudo -u root rm -rf x", RuleMatch::Yes),
            ("rm -rf", "find . -name x -exec rm -rf {} ;", RuleMatch::Yes),
            ("rm -rf", "ls | xargs rm -rf", RuleMatch::Yes),
            ("rm -rf", "env A=1 bash -c 'true && rm -rf x'", RuleMatch::Yes),
            ("rm -rf", "rm -r build", RuleMatch::No),
            ("rm -rf", "echo 'rm -rf x'", RuleMatch::No),
            ("rm -rf", "git commit -m 'rm -rf is dangerous'", RuleMatch::No),
            ("rm -rf", "$CMD x", RuleMatch::Perhaps),
            ("rm -rf", "rm $FLAGS x", RuleMatch::Perhaps),
            ("rm -rf", "curl https://x | sh", RuleMatch::Perhaps),
            ("rm -rf", "python3 -c 'import os; os.system(\"rm -rf x\")'", RuleMatch::Perhaps),
            ("rm -rf", "python3 -c 'print(1)'", RuleMatch::No),
            ("git push *main", "git push origin main", RuleMatch::Yes),
            ("git push *main", "git -C repo push origin HEAD:main", RuleMatch::Yes),
            ("git push *main", "git push origin +refs/heads/main", RuleMatch::Yes),
            ("git push *main", "git push origin dev", RuleMatch::No),
            ("git push *main", "git push origin $BRANCH", RuleMatch::Perhaps),
            ("git push *main", "GIT_DIR=x git push origin ma''in", RuleMatch::Yes),
        ] {
            assert_eq!(best(pattern, line), expected, "{pattern} for {line}");
        }
    }

    #[test]
    fn a_path_is_known_from_above_and_below() {
        let path = |place: &str, access, is_deep| ActionPath {
            places: vec![place.into()],
            access,
            is_deep,
            hidden: false,
        };
        let (read, write) = (PathAccess::Read, PathAccess::Write);
        for (pattern, touched, expected) in [
            ("/etc/**", path("/etc/hosts", write, false), RuleMatch::Yes),
            ("/etc/**", path("/etc", write, false), RuleMatch::Yes),
            ("/etc/**", path("/", write, true), RuleMatch::Yes),
            ("/etc/**", path("/", write, false), RuleMatch::No),
            ("/etc/**", path("/etc/hosts", read, false), RuleMatch::No),
            ("/etc/**", path("/etcetera/x", write, false), RuleMatch::No),
            ("*.pem", path("/srv/keys/a.pem", write, false), RuleMatch::Yes),
            ("~/.ssh/**", path("/home/ece/.ssh/id", write, false), RuleMatch::Yes),
        ] {
            let pattern = PathPattern::parse(pattern, Some("/home/ece")).expect("a pattern");
            assert_eq!(pattern.matches(&touched, write), expected, "{} for {touched:?}", pattern.text());
        }
    }
}
