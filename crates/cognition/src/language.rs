//! The languages Cairn reads: their stop words, their stems, and which of them a text is in.

pub use crate::lexicon::{LANGUAGES, Language};

use crate::lexicon::WordList;
use foldhash::fast::FixedState;
use rust_stemmers::Stemmer;
use std::{cell::RefCell, collections::HashMap, sync::LazyLock};

/// Stems remembered by each thread and language: words repeat, and looking one up is several times quicker than
/// stemming it again.
const MAX_REMEMBERED_STEMS: usize = 1 << 15;

/// Every stop word with the places of the languages it belongs to, one bit each.
static STOP_WORDS: LazyLock<HashMap<&'static str, u8, FixedState>> = LazyLock::new(|| {
    let mut words = HashMap::default();
    for language in &LANGUAGES {
        for word in language.plain_entries(WordList::Stopwords) {
            *words.entry(word).or_default() |= 1 << language.place;
        }
    }
    words
});

/// Stems by word.
type Stems = HashMap<String, String, FixedState>;

thread_local! {
    static STEMS: RefCell<[Stems; LANGUAGES.len()]> = RefCell::default();
}

/// Whether `word` (in lower case) carries grammar rather than content, in any language.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains_key(word)
}

impl Language {
    /// Appends the stem of `word` (in lower case) to `stem`.
    pub fn stem_into(&self, word: &str, stem: &mut String) {
        STEMS.with_borrow_mut(|stems| {
            let stems = &mut stems[self.place];
            if let Some(known) = stems.get(word) {
                stem.push_str(known);
                return;
            }
            let found = Stemmer::create(self.algorithm).stem(word).into_owned();
            stem.push_str(&found);
            if stems.len() >= MAX_REMEMBERED_STEMS {
                stems.clear();
            }
            stems.insert(word.to_owned(), found);
        });
    }
}

/// The languages that `words` (in lower case) may be in: the one they give most evidence for, one for each stop word and
/// two for each word with a letter that only this language writes. All of them when there is no evidence at all.
pub fn likely_languages<'a>(words: impl Iterator<Item = &'a str>) -> &'static [Language] {
    let mut evidence = [0_u32; LANGUAGES.len()];
    for word in words {
        let speaks = STOP_WORDS.get(word).copied().unwrap_or(0);
        for language in &LANGUAGES {
            let telltale = !word.is_ascii() && word.contains(|c| language.telltale_letters.contains(c));
            evidence[language.place] += u32::from(speaks >> language.place & 1) + 2 * u32::from(telltale);
        }
    }
    if evidence == [0; LANGUAGES.len()] {
        return &LANGUAGES;
    }
    let stronger = |best: &'static Language, other: &'static Language| {
        if evidence[other.place] > evidence[best.place] { other } else { best }
    };
    let [english, others @ ..] = &LANGUAGES;
    std::slice::from_ref(others.iter().fold(english, stronger))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_in_the_language_it_gives_evidence_for() {
        for (text, code) in [
            ("where did i put the keys", "en"),
            ("arabam nerede", "tr"),
            ("şekersiz kahve", "tr"),
            ("kubernetes postgres", "en tr"),
            ("", "en tr"),
            ("i told ece about the flat in ankara", "en"),
        ] {
            let codes: Vec<&str> =
                likely_languages(text.split_whitespace()).iter().map(|language| language.code).collect();
            assert_eq!(codes.join(" "), code, "{text}");
        }
    }

    #[test]
    fn every_language_is_complete() {
        for (place, language) in LANGUAGES.iter().enumerate() {
            assert_eq!(language.place, place, "{}", language.code);
            let words: Vec<&str> = language.plain_entries(WordList::Stopwords).collect();
            assert!(words.len() > 100, "{}", language.code);
            assert!(words.iter().all(|word| word.to_lowercase() == **word), "{}", language.code);
        }
    }

    #[test]
    fn a_remembered_stem_is_the_stem() {
        for _ in 0..2 {
            let mut stem = String::new();
            LANGUAGES[0].stem_into("running", &mut stem);
            assert_eq!(stem, "run");
        }
    }
}
