//! Words as a sentence is read: folded to plain letters, with what stood around them.

use super::grammar::Grammar;
use crate::plain::fold;

/// A longer word is cut.
const WORD_CHARS: usize = 60;

/// What a word is, as far as it can be compared with another one of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Plain,
    Number,
    Daypart,
    Weekday,
    Month,
}

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// In lower case and without accents.
    pub text: String,
    /// What stands behind an apostrophe: `s` of `Ana's`, `da` of `Ankara'da`.
    pub tail: String,
    /// What every form of the word has in common.
    pub key: String,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether a comma, a colon or a dash follows.
    pub pause: bool,
    /// What it can be compared with.
    pub kind: Kind,
    /// What it does in a sentence.
    pub classes: Vec<&'static str>,
}

impl Word {
    /// Whether it does this in a sentence.
    pub(crate) fn is(&self, class: &str) -> bool {
        self.classes.contains(&class)
    }

    /// Whether it does one of these.
    pub(crate) fn is_any(&self, classes: &[&str]) -> bool {
        classes.iter().any(|class| self.is(class))
    }
}

/// The words of a sentence as `grammar` reads them: short forms written out, fixed phrases as one word.
pub(crate) fn words(sentence: &str, grammar: &Grammar, most: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for run in sentence.split_whitespace().take(most) {
        if run.chars().all(|c| "-–—:".contains(c)) {
            if let Some(last) = words.last_mut() {
                last.pause = true;
            }
            continue;
        }
        push(run, grammar, &mut words);
    }
    grammar.join_phrases(&words)
}

fn push(run: &str, grammar: &Grammar, words: &mut Vec<Word>) {
    let cut: String = run.chars().take(WORD_CHARS).collect();
    let pause = cut.ends_with([',', ':', ')']);
    let bare = cut.trim_matches(|c: char| !c.is_alphanumeric() && !"$€£%+#".contains(c));
    if bare.is_empty() {
        return;
    }
    let capital = bare.starts_with(char::is_uppercase);
    let folded = fold(bare);
    let from = words.len();
    if let Some(long) = grammar.expansion(&folded) {
        words.extend(long.iter().map(|text| grammar.word(text, "", false)));
    } else {
        let (text, tail) = folded.split_once('\'').unwrap_or((&folded, ""));
        let digits =
            text.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0 && grammar.is(&text[*at..], "unit"));
        match digits {
            Some(at) => {
                words.extend([grammar.word(&text[..at], "", false), grammar.word(&text[at..], tail, false)]);
            }
            None if text.is_empty() => {}
            None => words.push(grammar.word(text, tail, capital)),
        }
    }
    if let Some(last) = words[from..].last_mut() {
        last.pause = pause;
    }
}

/// A number as it is compared: `1,240` and `1.240` are 1240, `$40` is 40; `9:40` and `2.3` stay.
pub(crate) fn number(text: &str) -> Option<String> {
    let bare = text.trim_matches(|c| "$€£%+#".contains(c));
    if !bare.starts_with(|c: char| c.is_ascii_digit()) && !version(bare) {
        return None;
    }
    let is_part = |c: char| c.is_ascii_digit() || ".,:/-".contains(c);
    let bare = bare.strip_prefix('v').unwrap_or(bare);
    if !bare.chars().all(is_part) {
        return None;
    }
    let mut groups = bare.split([',', '.']);
    let first = groups.next().unwrap_or_default();
    let grouped =
        bare.len() > first.len() && (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    Some(if grouped { bare.replace([',', '.'], "") } else { bare.to_owned() })
}

fn version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
