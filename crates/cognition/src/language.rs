//! The languages Cairn stems and the words each of them asks with but does not search for.
//!
//! A language is a folder under `lexicon/` and one row in [`LANGUAGES`].

use rust_stemmers::{Algorithm, Stemmer};
use std::{collections::HashSet, sync::LazyLock};

/// A language with its stop words, its stemmer and the letters that give it away.
pub struct Language {
    /// Two-letter code, the name of its lexicon folder.
    pub code: &'static str,
    stop_words: HashSet<&'static str>,
    telltale_letters: &'static str,
    stemmer: Stemmer,
}

impl Language {
    fn new(code: &'static str, algorithm: Algorithm, telltale_letters: &'static str, words: &'static str) -> Self {
        let stop_words = words.split_whitespace().collect();
        Self { code, stop_words, telltale_letters, stemmer: Stemmer::create(algorithm) }
    }

    /// Whether `word` (in lower case) carries grammar rather than content.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }

    /// The stem of `word` (in lower case).
    pub fn stem<'a>(&self, word: &'a str) -> std::borrow::Cow<'a, str> {
        self.stemmer.stem(word)
    }

    /// How strongly `words` (in lower case) speak this language: one for each stop word, two for each word
    /// with a letter that only this language writes.
    fn evidence(&self, words: &[String]) -> usize {
        words
            .iter()
            .map(|word| {
                usize::from(self.is_stop_word(word)) + 2 * usize::from(word.contains(|c| self.telltale_letters.contains(c)))
            })
            .sum()
    }
}

/// English first: it is what a text without any evidence is read as.
pub static LANGUAGES: LazyLock<[Language; 2]> = LazyLock::new(|| {
    [
        Language::new("en", Algorithm::English, "", include_str!("../lexicon/en/stopwords.txt")),
        // U+0307 is what the lower case of İ leaves behind.
        Language::new("tr", Algorithm::Turkish, "ğış\u{307}", include_str!("../lexicon/tr/stopwords.txt")),
    ]
});

/// The language that `words` (in lower case) give most evidence for; English when none gives more.
pub fn language_of(words: &[String]) -> &'static Language {
    let [english, others @ ..] = &*LANGUAGES;
    let mut best = (english, english.evidence(words));
    for language in others {
        let evidence = language.evidence(words);
        if evidence > best.1 {
            best = (language, evidence);
        }
    }
    best.0
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
            ("kubernetes postgres", "en"),
            ("", "en"),
            ("i told ece about the flat in ankara", "en"),
        ] {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            assert_eq!(language_of(&words).code, code, "{text}");
        }
    }

    #[test]
    fn every_language_is_complete() {
        for language in &*LANGUAGES {
            assert!(language.stop_words.len() > 100, "{}", language.code);
            assert!(language.stop_words.iter().all(|word| word.to_lowercase() == **word), "{}", language.code);
        }
    }
}
