//! Certainty: whether a text is one simple clause, so that saying it of its speaker by name cannot go wrong. Everything else
//! keeps its speaker's own words.

use super::{inflection::MAX_POSSESSED_WORDS, rewriter::Rewriter};
use crate::{language::is_stop_word, lexicon::PersonsClass, token::Gap};

/// Longer sentences are rarely one clause.
const MAX_SIMPLE_WORDS: usize = 25;
/// Signs that part a sentence or quote somebody.
const PARTING_SIGNS: [char; 14] = ['"', '“', '”', '«', '»', '„', '?', ';', ':', '—', '–', '(', '[', '/'];

impl Rewriter<'_> {
    /// Whether the text is one simple clause whose verb the lists know.
    pub(super) fn is_simple(&self) -> bool {
        let one = self.tokens.iter().skip(1).all(|token| !token.first);
        let whole = one && self.tokens.len() <= MAX_SIMPLE_WORDS && !self.text.contains(PARTING_SIGNS);
        let unsure = |word: &String| {
            self.voice.is(PersonsClass::Unsure, word)
                || self.voice.words(PersonsClass::Unsure).any(|ending| {
                    ending.strip_prefix('-').is_some_and(|ending| word.ends_with(ending) && *word != ending)
                })
        };
        if !whole || self.words.iter().any(unsure) || self.addresses() {
            return false;
        }
        if self.voice.pairs(PersonsClass::Verb).is_empty() {
            self.is_simple_apart()
        } else {
            self.is_simple_joined()
        }
    }

    /// Whether it begins with a verb whose subject is left out: "Can't wait for the seafood."
    pub(super) fn leaves_out_its_subject(&self) -> bool {
        let may_stand_first = |word: &String| {
            self.voice.is(PersonsClass::Unsure, word) || self.voice.is(PersonsClass::NotVerb, word)
        };
        let apart = self.voice.pairs(PersonsClass::Verb).is_empty();
        apart && self.words.first().is_some_and(|word| !may_stand_first(word)) && self.is_known_verb(0)
    }

    /// Whether it speaks of the one it is said to.
    fn addresses(&self) -> bool {
        let said = |word: &String| self.voice.pair(PersonsClass::Say, word);
        self.words.iter().filter_map(said).any(|said| said.contains("{other"))
    }

    /// In a language whose pronouns stand apart from the verb: the speaker is the subject or owns it, and no other verb
    /// needs to agree.
    fn is_simple_apart(&self) -> bool {
        let acts = |at: &usize| {
            let said = self.voice.pair(PersonsClass::Say, &self.words[*at]);
            said.is_some_and(|said| said.starts_with("{speaker}"))
        };
        let owns = |at: usize| {
            let said = self.voice.pair(PersonsClass::Say, &self.words[at]);
            said.is_some_and(|said| said.starts_with("{speaker.possessive}"))
        };
        let acting: Vec<usize> = (0..self.words.len()).filter(acts).collect();
        match acting[..] {
            [] => !self.words.is_empty() && owns(0) && self.parts_are_sure(0, false),
            [0] => {
                // "I'm": the verb is part of the pronoun.
                if self.words[0].contains('\'') {
                    return self.parts_are_sure(0, false);
                }
                let alone = self.voice.is(PersonsClass::Agrees, &self.words[0]);
                let verb = self.verb_after(0).filter(|verb| self.is_known_verb(*verb));
                verb.is_some_and(|verb| self.parts_are_sure(verb, !alone || self.stays(verb)))
            }
            _ => false,
        }
    }

    fn is_known_verb(&self, at: usize) -> bool {
        let word = &self.words[at];
        self.voice.is(PersonsClass::Verb, word)
            || self.voice.is(PersonsClass::SimpleVerb, word)
            || self.voice.pair(PersonsClass::Form, word).is_some()
            || self.stays(at)
    }

    /// Whether a verb is the same for everybody.
    fn stays(&self, at: usize) -> bool {
        let word = &self.words[at];
        let same = self.voice.exchange(PersonsClass::VerbEnding, word, word).is_some_and(|new| new == *word);
        self.voice.is(PersonsClass::Same, word) || (same && word.ends_with("ed"))
    }

    /// Whether everything behind the verb may stay as it is: after a comma or a word that joins stands nothing that could be
    /// a verb of the same subject, unless no verb of it changes.
    fn parts_are_sure(&self, from: usize, stays: bool) -> bool {
        (from + 1..self.words.len()).all(|at| {
            let token = &self.tokens[at];
            if token.gap == Gap::Break {
                return false;
            }
            let joined = token.gap == Gap::Comma || self.voice.is(PersonsClass::And, &self.words[at - 1]);
            let word = &self.words[at];
            let noun = token.is_capital()
                || token.text.starts_with(|c: char| c.is_ascii_digit())
                || self.voice.pair(PersonsClass::Say, word).is_some_and(|said| said.contains(".possessive}"))
                || (is_stop_word(word) && self.voice.is(PersonsClass::NotVerb, word));
            !joined || stays || noun || self.voice.is(PersonsClass::And, word)
        })
    }

    /// In a language whose verbs carry the speaker: one verb, which ends the sentence, or none and something of the speaker's.
    fn is_simple_joined(&self) -> bool {
        let commas = self.tokens.iter().skip(1).any(|token| token.gap != Gap::Space);
        let last = self.words.len().saturating_sub(1);
        let joins = self.words.iter().any(|word| self.voice.is(PersonsClass::And, word));
        let carries = |at: usize| {
            self.voice.pair(PersonsClass::Say, &self.words[at]).is_none() && self.new[at].is_some()
        };
        let changed = (0..self.words.len()).filter(|at| carries(*at)).count();
        // Whose it is needs a noun that says so, too: `bizim arazi` is nobody else's `arazi`.
        let owns_nothing = |at: usize| {
            let said = self.voice.pair(PersonsClass::Say, &self.words[at]);
            let owns = said == Some("{speaker.possessive}") && at < last;
            owns && !(at + 1..=last.min(at + MAX_POSSESSED_WORDS)).any(carries)
        };
        let sure = !(0..self.words.len()).any(owns_nothing);
        !commas && !joins && sure && (carries(last) || changed <= 1)
    }
}
