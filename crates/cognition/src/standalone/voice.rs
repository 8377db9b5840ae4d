//! How a language says who acts: the list `persons` of each.

use crate::{
    language::{LANGUAGES, Language},
    lexicon::PersonsClass,
    reading::Reading,
};
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type Pairs = Vec<(&'static str, &'static str)>;

/// The list of one language, by class: words, and pairs of words.
pub(super) struct VoiceLists {
    /// The language.
    pub language: &'static Language,
    sets: HashMap<PersonsClass, HashSet<&'static str, FixedState>, FixedState>,
    pairs: HashMap<PersonsClass, Pairs, FixedState>,
    known: HashMap<(PersonsClass, &'static str), &'static str, FixedState>,
    /// The endings of names by case.
    cases: HashMap<&'static str, Pairs, FixedState>,
}

/// The case whose endings name all vowels of a language.
const POSSESSIVE: &str = "possessive";

static VOICES: LazyLock<Vec<VoiceLists>> = LazyLock::new(|| LANGUAGES.iter().map(VoiceLists::read).collect());

/// The voice of every language.
pub(super) fn voices() -> &'static [VoiceLists] {
    &VOICES
}

impl VoiceLists {
    fn read(language: &'static Language) -> Self {
        let mut voice = Self {
            language,
            sets: HashMap::default(),
            pairs: HashMap::default(),
            known: HashMap::default(),
            cases: HashMap::default(),
        };
        for entry in language.classed_entries() {
            match (entry.class, entry.text.split_once(" = ")) {
                (PersonsClass::Ending, Some(pair)) => {
                    voice.cases.entry(entry.argument).or_default().push(pair);
                }
                (class, Some((from, to))) => {
                    voice.pairs.entry(class).or_default().push((from, to));
                    voice.known.entry((class, from)).or_insert(to);
                }
                (class, None) => drop(voice.sets.entry(class).or_default().insert(entry.text)),
            }
        }
        for pairs in voice.pairs.values_mut().chain(voice.cases.values_mut()) {
            // The longest ending comes first; what fits everything last.
            pairs.sort_by_key(|(from, _)| (*from == "*", std::cmp::Reverse(from.chars().count())));
        }
        voice
    }

    /// Whether a word is in the set of a class.
    pub(super) fn is(&self, class: PersonsClass, word: &str) -> bool {
        self.sets.get(&class).is_some_and(|words| words.contains(word))
    }

    /// The words of a set.
    pub(super) fn words(&self, class: PersonsClass) -> impl Iterator<Item = &'static str> {
        self.sets.get(&class).into_iter().flatten().copied()
    }

    /// The replacement of a word.
    pub(super) fn pair(&self, class: PersonsClass, word: &str) -> Option<&'static str> {
        // The key is looked up for as long as this borrow lasts, whatever the list was read from.
        self.known.get(&(class, word) as &(PersonsClass, &str)).copied()
    }

    /// A word with the first ending of a list that it has exchanged. A star fits any word.
    pub(super) fn exchange(&self, class: PersonsClass, lower: &str, written: &str) -> Option<String> {
        let (from, to) =
            self.pairs.get(&class)?.iter().find(|(from, _)| *from == "*" || lower.ends_with(from))?;
        if *from == "*" {
            return Some(format!("{written}{to}"));
        }
        exchanged(written, from, to)
    }

    /// All pairs of a class, the longest first.
    pub(super) fn pairs(&self, class: PersonsClass) -> &[(&'static str, &'static str)] {
        self.pairs.get(&class).map_or(&[], Vec::as_slice)
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
            match self.pair(PersonsClass::Capital, c.encode_utf8(&mut letter)) {
                Some(small) => lower.push_str(small),
                None if c == '’' => lower.push('\''),
                None => lower.extend(c.to_lowercase()),
            }
        }
        lower
    }

    /// A name, in the case that a template asks for (none: as it is).
    pub(super) fn name(&self, name: &str, case: &str) -> String {
        let role = self.pair(PersonsClass::Role, name);
        let called = role.unwrap_or(name);
        if case.is_empty() {
            return called.to_owned();
        }
        let is_vowel = |c: &char| self.is_vowel(*c);
        let lower = self.lower(called);
        let last_vowel = lower.chars().rev().find(is_vowel);
        let after_vowel = lower.chars().next_back().is_some_and(|c| is_vowel(&c));
        let ending = self.cases.get(case).and_then(|endings| {
            let fits = |vowels: &str| vowels == "*" || last_vowel.is_none_or(|vowel| vowels.contains(vowel));
            endings.iter().find(|(vowels, _)| fits(vowels)).and_then(|(_, forms)| forms.split_once(" = "))
        });
        let (consonant, vowel) = ending.unwrap_or_default();
        let apostrophe =
            if role.is_none() && self.sets.contains_key(&PersonsClass::Apostrophe) { "'" } else { "" };
        let ending = if after_vowel { vowel } else { consonant };
        if ending.is_empty() { called.to_owned() } else { format!("{called}{apostrophe}{ending}") }
    }

    fn is_vowel(&self, c: char) -> bool {
        self.cases.get(POSSESSIVE).into_iter().flatten().any(|(vowels, _)| vowels.contains(c))
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
        let filler = self.words(PersonsClass::Filler).filter(fits).max_by_key(|filler| filler.len())?;
        let chars = filler.chars().count();
        let end = text.char_indices().nth(chars).map_or(text.len(), |(end, _)| end);
        let rest = text[end..].trim_start_matches([' ', ',', '.', '…']);
        // A sentence that is nothing but a filler stays.
        (Reading::of(&rest[..rest.floor_char_boundary(80)]).tokens().len() > 1)
            .then(|| text.len() - rest.len())
    }
}

/// A word with one ending in place of another of so many letters.
pub(super) fn exchanged(written: &str, from: &str, to: &str) -> Option<String> {
    let keep = written.chars().count().checked_sub(from.chars().count())?;
    let stem: String = written.chars().take(keep).collect();
    Some(stem + to)
}
