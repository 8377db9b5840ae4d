//! Echoes: a question that was asked before is no answer to the same question.

use crate::{
    keywords::query_words, lexicon::GrammarClass, plain::fold, sentence::sentences,
    statement::grammar::GRAMMARS,
};
use std::collections::BTreeSet;

/// Share of the words of two questions that both have, from which on they ask the same.
const SAME_QUESTION_SHARE: f64 = 0.6;
/// Where a question has fewer words that carry content, its other words are compared as well: "Where do I live now?"
const MIN_CONTENT_WORDS: usize = 2;
/// Longer texts say something besides, and are not looked at.
const MAX_ECHO_CHARS: usize = 400;

/// Whether a text asks what a question asks, in nearly the same words, and says nothing besides.
///
/// same = |words of both| / |words of either| ≥ 0.6
pub fn asks_the_same(text: &str, question: &str) -> bool {
    if text.chars().nth(MAX_ECHO_CHARS).is_some() {
        return false;
    }
    let first = first_word(question);
    if !is_question(question) {
        return false;
    }
    // "I've never been there, have you?" tells something; "Hm?" does not.
    let asks = |sentence: &&str| {
        let begins = first_word(sentence);
        let is_alone = || !sentence.trim().contains(char::is_whitespace);
        begins == first
            || (ends_in_question_mark(sentence)
                && begins.as_deref().is_none_or(|word| is_question_word(word) || is_alone()))
    };
    let said = sentences(text);
    if said.is_empty() || !said.iter().all(asks) {
        return false;
    }
    let content = content_words(question);
    shares_most(&content_words(text), &content)
        && (content.len() >= MIN_CONTENT_WORDS || shares_most(&all_words(text), &all_words(question)))
}

fn shares_most(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let (both, either) = (one.intersection(other).count(), one.union(other).count());
    both as f64 >= SAME_QUESTION_SHARE * either as f64
}

/// Whether a text asks: it ends in a question mark or begins with a word that asks.
fn is_question(text: &str) -> bool {
    ends_in_question_mark(text) || first_word(text).as_deref().is_some_and(is_question_word)
}

fn ends_in_question_mark(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    sentence[end.len()..].contains(['?', '？', '؟'])
}

fn is_question_word(word: &str) -> bool {
    GRAMMARS.iter().any(|grammar| grammar.is(word, GrammarClass::Question))
}

fn first_word(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).map(fold)
}

fn all_words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(fold).collect()
}

/// The words of a text that carry content, each as the first term it may stand as.
fn content_words(text: &str) -> BTreeSet<String> {
    query_words(text).into_iter().filter_map(|terms| terms.into_iter().next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_is_no_answer() {
        let asked = "What did we find out about the login bug?";
        for echo in [
            "What did we find out about the login bug?",
            "what did we find out about the login bug",
            "Hm? What did we find about that login bug?",
        ] {
            assert!(asks_the_same(echo, asked), "{echo}");
        }
        for other in [
            "We found out that the login bug was a stale cookie.",
            "What did we find out about the login bug? It was the cookie.",
            "What did we find out about the trip to Porto?",
            "The login bug.",
            "I never found out about the login bug, did we?",
            "I've never found out what the login bug is about, how do we do that?",
            "",
        ] {
            assert!(!asks_the_same(other, asked), "{other}");
        }
        assert!(asks_the_same("Leonor kaç fincan sipariş etti?", "Leonor kaç fincan sipariş etmişti?"));
        assert!(!asks_the_same("And a fathom?", "fathom"), "words to look up are no question");
        assert!(!asks_the_same("And a fathom?", "What is a fathom?"));
        for (echo, asked) in [("where do I live?", "Where do I live now?"), ("Who am I?", "who am I")] {
            assert!(asks_the_same(echo, asked), "{asked}");
        }
        for other in ["Where does Tomás live now?", "I live in Graça now.", "Where do I live now? In Graça."]
        {
            assert!(!asks_the_same(other, "Where do I live now?"), "{other}");
        }
        assert!(!asks_the_same("I keep the spare key here.", "Where do I keep the spare key?"));
    }
}
