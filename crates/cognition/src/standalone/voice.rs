//! How a language says who acts: the list `persons` of each.

use crate::{
    language::{LANGUAGES, Language},
    token::tokens,
};
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// The list of one language, by label: words, and pairs of words.
pub(super) struct Voice {
    /// The language.
    pub language: &'static Language,
    sets: HashMap<&'static str, HashSet<&'static str, FixedState>, FixedState>,
    pairs: HashMap<&'static str, Vec<(&'static str, &'static str)>, FixedState>,
    known: HashMap<(&'static str, &'static str), &'static str, FixedState>,
}

static VOICES: LazyLock<Vec<Voice>> = LazyLock::new(|| LANGUAGES.iter().map(Voice::read).collect());

/// The voice of every language.
pub(super) fn voices() -> &'static [Voice] {
    &VOICES
}

impl Voice {
    fn read(language: &'static Language) -> Self {
        let mut voice =
            Self { language, sets: HashMap::default(), pairs: HashMap::default(), known: HashMap::default() };
        for line in language.lines("persons") {
            let (label, entries) = line.split_once(": ").expect("a label and its entries");
            for entry in entries.split(';').map(str::trim) {
                if let Some((from, to)) = entry.split_once(" = ") {
                    voice.pairs.entry(label).or_default().push((from, to));
                    voice.known.entry((label, from)).or_insert(to);
                } else {
                    voice.sets.entry(label).or_default().insert(entry);
                }
            }
        }
        for pairs in voice.pairs.values_mut() {
            // The longest ending comes first; what fits everything last.
            pairs.sort_by_key(|(from, _)| (*from == "*", std::cmp::Reverse(from.chars().count())));
        }
        voice
    }

    /// Whether a word is in the set of this label.
    pub(super) fn is(&self, label: &str, word: &str) -> bool {
        self.sets.get(label).is_some_and(|words| words.contains(word))
    }

    /// The words of a set.
    pub(super) fn words(&self, label: &str) -> impl Iterator<Item = &'static str> {
        self.sets.get(label).into_iter().flatten().copied()
    }

    /// What stands for a word.
    pub(super) fn pair(&self, label: &'static str, word: &str) -> Option<&'static str> {
        // The key is looked up for as long as this borrow lasts, whatever the list was read from.
        self.known.get(&(label, word) as &(&str, &str)).copied()
    }

    /// A word with the first ending of a list that it has exchanged. A star fits any word.
    pub(super) fn exchange(&self, label: &str, lower: &str, written: &str) -> Option<String> {
        let (from, to) =
            self.pairs.get(label)?.iter().find(|(from, _)| *from == "*" || lower.ends_with(from))?;
        if *from == "*" {
            return Some(format!("{written}{to}"));
        }
        exchanged(written, from, to)
    }

    /// All pairs of a label, the longest first.
    pub(super) fn pairs(&self, label: &str) -> &[(&'static str, &'static str)] {
        self.pairs.get(label).map_or(&[], Vec::as_slice)
    }

    /// In small letters, as this language makes them, with straight apostrophes.
    pub(super) fn lower(&self, word: &str) -> String {
        let mut lower = String::with_capacity(word.len());
        for c in word.chars() {
            if c.is_ascii_lowercase() {
                lower.push(c);
                continue;
            }
            let mut letter = [0; 4];
            match self.pair("capital", c.encode_utf8(&mut letter)) {
                Some(small) => lower.push_str(small),
                None if c == '’' => lower.push('\''),
                None => lower.extend(c.to_lowercase()),
            }
        }
        lower
    }

    /// A name, in the case that a template asks for (none: as it is).
    pub(super) fn name(&self, name: &str, case: &str) -> String {
        let role = self.pair("role", name);
        let called = role.unwrap_or(name);
        if case.is_empty() {
            return called.to_owned();
        }
        let is_vowel = |c: &char| self.is_vowel(*c);
        let lower = self.lower(called);
        let last_vowel = lower.chars().rev().find(is_vowel);
        let after_vowel = lower.chars().next_back().is_some_and(|c| is_vowel(&c));
        let endings = self.pairs.iter().find(|(label, _)| label.strip_prefix("ending/") == Some(case));
        let ending = endings.and_then(|(_, endings)| {
            let fits = |vowels: &str| vowels == "*" || last_vowel.is_none_or(|vowel| vowels.contains(vowel));
            endings.iter().find(|(vowels, _)| fits(vowels)).and_then(|(_, forms)| forms.split_once(" = "))
        });
        let (consonant, vowel) = ending.unwrap_or_default();
        let apostrophe = if role.is_none() && self.sets.contains_key("apostrophe") { "'" } else { "" };
        let ending = if after_vowel { vowel } else { consonant };
        if ending.is_empty() { called.to_owned() } else { format!("{called}{apostrophe}{ending}") }
    }

    fn is_vowel(&self, c: char) -> bool {
        self.pairs("ending/possessive").iter().any(|(vowels, _)| vowels.contains(c))
    }

    /// The longest filler that a text begins with and where it ends.
    pub(super) fn filler(&self, text: &str) -> Option<usize> {
        let head: String = text.chars().take(40).collect();
        let lower = self.lower(&head);
        let fits = |filler: &&str| {
            lower
                .strip_prefix(*filler)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\''))
        };
        let filler = self.words("filler").filter(fits).max_by_key(|filler| filler.len())?;
        let chars = filler.chars().count();
        let end = text.char_indices().nth(chars).map_or(text.len(), |(end, _)| end);
        let rest = text[end..].trim_start_matches([' ', ',', '.', '…']);
        // A sentence that is nothing but a filler stays.
        (tokens(&rest[..rest.floor_char_boundary(80)]).len() > 1).then(|| text.len() - rest.len())
    }
}

/// A word with one ending in place of another of so many letters.
pub(super) fn exchanged(written: &str, from: &str, to: &str) -> Option<String> {
    let keep = written.chars().count().checked_sub(from.chars().count())?;
    let stem: String = written.chars().take(keep).collect();
    Some(stem + to)
}
