//! Glosses: what words of one language mean in another, so that a question is also searched for in the language in which an
//! answer may have been given. The words are data: nouns without endings and roots of verbs, with their English.

use crate::{
    keywords::{language_of, plain_words, query_words, term_of},
    language::{LANGUAGES, Language, is_stop_word},
    lexicon::GlossesClass,
    plain::fold,
};
use regex::Regex;
use std::{collections::HashMap, sync::LazyLock};

/// Least letters of a term of another language that is searched for.
const MIN_TERM_CHARS: usize = 3;
/// The language that glosses are written in.
const GLOSSED_IN: &str = "en";

/// The endings of a noun, in plain letters: plural, whose, case.
static NOUN_ENDINGS: LazyLock<Regex> = LazyLock::new(|| {
    ending(
        "^(?:l[ae]r)?(?:[iu]m(?:[iu]z)?|[iu]n(?:[iu]z)?|m|n|s?[iu])?(?:n?[dt][ae]n?|n?[iu]n|y?l[ae]|[yn]?[ae]|[yn]?[iu])?$",
    )
});
/// The beginnings of the endings of a verb, in plain letters: tense, mood, negation, participles.
static VERB_ENDINGS: LazyLock<Regex> = LazyLock::new(|| {
    ending(
        "^(?:[iu]?yor|[dt][iu]|m[iu]s|y?[ae]c[ae][kg]|m[ae]|[aeiu]?r|s[ae]|y?[ae]bil|[iu]l[dim]|[iu]n[dim]|[dt][iu][gk]|en|an)",
    )
});

fn ending(source: &str) -> Regex {
    Regex::new(source).unwrap_or_else(|error| panic!("endings of glosses: {error}"))
}

/// A word with its English.
struct Gloss {
    language: &'static Language,
    class: GlossesClass,
    word: &'static str,
    /// As it stands before a consonant and before a vowel, by its letters without accents: `renk`, `reng-`; `git`, `gid-`.
    forms: Vec<String>,
    english: Vec<&'static str>,
}

static GLOSSES: LazyLock<Vec<Gloss>> = LazyLock::new(|| {
    let of = |language: &'static Language| {
        language.classed_entries::<GlossesClass>().filter_map(move |entry| {
            let (word, english) = entry.text.split_once(" = ")?;
            let english = english.split_whitespace().collect();
            Some(Gloss { language, class: entry.class, word, forms: forms(word), english })
        })
    };
    LANGUAGES.iter().flat_map(of).collect()
});

/// The nouns of other languages for each English term.
static NOUNS_OF: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut nouns: HashMap<String, Vec<String>> = HashMap::new();
    for gloss in GLOSSES.iter().filter(|gloss| gloss.class == GlossesClass::Noun) {
        for english in &gloss.english {
            let term = term_of(gloss.word, gloss.language);
            // A stem that is hardly a word, or a word that tells nothing, stands for too much.
            if term.chars().count() >= MIN_TERM_CHARS && !is_stop_word(english) && !is_stop_word(&term) {
                nouns.entry(term_of(english, &LANGUAGES[0])).or_default().push(term);
            }
        }
    }
    nouns
});

/// The terms by which a word of a question in this language may stand in a message of another.
fn terms_elsewhere(word: &str, asked_in: &Language) -> Vec<String> {
    if asked_in.code == GLOSSED_IN {
        return NOUNS_OF.get(&term_of(word, asked_in)).cloned().unwrap_or_default();
    }
    let english = gloss_of(word, asked_in).map(|gloss| gloss.english.as_slice()).unwrap_or_default();
    let telling = english.iter().filter(|english| !is_stop_word(english));
    telling.map(|english| term_of(english, &LANGUAGES[0])).collect()
}

/// The distinct words of a question, each with the terms it may stand as in a message of any language that has glosses.
pub fn searched_words(question: &str) -> Vec<Vec<String>> {
    let asked_in = language_of(&plain_words(question));
    let mut searched = query_words(question);
    for word in plain_words(question) {
        let own = term_of(&word, asked_in);
        if let Some(terms) = searched.iter_mut().find(|terms| terms.contains(&own)) {
            let more = terms_elsewhere(&word, asked_in).into_iter();
            let more: Vec<String> = more.filter(|term| !terms.contains(term)).collect();
            terms.extend(more);
        }
    }
    searched
}

/// A question that is not in English as far as its words have an English gloss, in their order, with its names and numbers;
/// nothing if hardly any has one.
pub fn glossed_question(question: &str) -> Option<String> {
    let words = plain_words(question);
    let language = language_of(&words);
    if language.code == GLOSSED_IN {
        return None;
    }
    let mut known = 0;
    let glossed =
        question.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter_map(|word| {
            let gloss = gloss_of(&word.to_lowercase(), language);
            known += usize::from(gloss.is_some());
            let named = word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            let name = || named.then(|| word.split(['\'', '’']).next().unwrap_or_default());
            gloss.map(|gloss| gloss.english[0]).or_else(name)
        });
    let glossed: Vec<&str> = glossed.collect();
    (known > 0).then(|| glossed.join(" "))
}

/// The longest noun or root that a word begins with, if its ending is one of such a word.
fn gloss_of(word: &str, language: &Language) -> Option<&'static Gloss> {
    let word = fold(word.split(['\'', '’']).next().unwrap_or_default());
    let fits = |gloss: &&Gloss| {
        gloss.language.code == language.code
            && gloss.forms.iter().any(|form| {
                word.strip_prefix(form.as_str()).is_some_and(|rest| match gloss.class {
                    GlossesClass::Noun => NOUN_ENDINGS.is_match(rest),
                    GlossesClass::Verb => VERB_ENDINGS.is_match(rest),
                })
            })
    };
    GLOSSES.iter().filter(fits).max_by_key(|gloss| gloss.forms[0].len())
}

fn forms(word: &str) -> Vec<String> {
    let plain = fold(word);
    let mut forms = vec![plain.clone()];
    for (hard, soft) in [('k', 'g'), ('t', 'd'), ('p', 'b')] {
        if let Some(stem) = plain.strip_suffix(hard).filter(|stem| stem.len() > 1) {
            forms.push(format!("{stem}{soft}"));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_glossed_word_by_word() {
        for (question, glossed) in [
            ("Depozitodan ne kadar geri aldım?", Some("deposit get")),
            ("Leonor kaç fincan sipariş etti?", Some("Leonor how cup order")),
            ("Arabanın rengi ne?", Some("car colour")),
            ("Where do I live?", None),
        ] {
            assert_eq!(glossed_question(question).as_deref(), glossed, "{question}");
        }
    }

    #[test]
    fn a_word_is_searched_for_in_the_other_language() {
        let turkish = LANGUAGES.iter().find(|language| language.code == "tr").expect("Turkish");
        assert!(terms_elsewhere("annesinin", turkish).contains(&term_of("mother", &LANGUAGES[0])));
        assert!(terms_elsewhere("mother", &LANGUAGES[0]).contains(&term_of("anne", turkish)));
        assert!(terms_elsewhere("zebra", &LANGUAGES[0]).is_empty());
    }
}
