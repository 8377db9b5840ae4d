//! The words a clause is parsed from: folded to plain letters, with the punctuation that stood around them.

use crate::lexicon::GrammarClass;

/// The kind of a word; only words of one kind can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordKind {
    Plain,
    Number,
    Daypart,
    Weekday,
    Month,
}

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClauseWord {
    /// In lower case and without accents.
    pub text: String,
    /// The letters behind an apostrophe: `s` of `Ana's`, `da` of `Ankara'da`.
    pub tail: String,
    /// The stem that all forms of the word share.
    pub key: String,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether a comma, a colon or a dash follows.
    pub pause: bool,
    /// Its kind: a number, a weekday, a plain word.
    pub kind: WordKind,
    /// Its word classes.
    pub classes: Vec<GrammarClass>,
}

impl ClauseWord {
    /// Whether it does this in a sentence.
    pub(crate) fn is(&self, class: GrammarClass) -> bool {
        self.classes.contains(&class)
    }

    /// Whether it does one of these.
    pub(crate) fn is_any(&self, classes: &[GrammarClass]) -> bool {
        classes.iter().any(|class| self.is(*class))
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
