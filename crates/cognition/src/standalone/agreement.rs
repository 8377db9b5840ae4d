//! Agreement: a verb after a name that stood after a pronoun.

use super::rewriter::Rewriter;
use crate::{lexicon::PersonsClass, token::Gap};

/// Maximum adverbs between a subject and its verb.
const MAX_ADVERBS: usize = 3;

/// Words behind a verb in which a second verb of the same subject is looked for.
const CLAUSE_WORDS: usize = 25;

/// Maximum words before the second of two joined subjects.
const MAX_JOINED_WORDS: usize = 4;

impl Rewriter<'_> {
    /// Makes the verb agree with the name that stands for the words at a place.
    pub(super) fn agree(&mut self, at: usize, words: usize) {
        let pronoun = &self.words[at];
        let always = words == 1 && self.voice.is(PersonsClass::Agrees, pronoun);
        let first = words == 1 && self.voice.is(PersonsClass::AgreesFirst, pronoun);
        if !(always || first) || self.is_joined(at) {
            return;
        }
        let Some(verb) = self.verb_after(at) else { return };
        let begins = always || self.begins_clause(at);
        if (begins || self.voice.is(PersonsClass::Being, &self.words[verb])) && self.inflect_verb(verb) {
            self.agree_further(verb);
        }
    }

    /// `Bob and I`: two subjects, whose verb stays as it is.
    fn is_joined(&self, at: usize) -> bool {
        let Some(and) = at.checked_sub(1).filter(|and| self.voice.is(PersonsClass::And, &self.words[*and]))
        else {
            return false;
        };
        let begin = (0..=and).rev().find(|place| self.tokens[*place].first).unwrap_or(0);
        let stays = |word: &String| {
            self.voice.exchange(PersonsClass::VerbEnding, word, word).is_some_and(|new| new == *word)
        };
        let is_verb = |word: &String| {
            self.voice.is(PersonsClass::Verb, word)
                || self.voice.is(PersonsClass::Same, word)
                || self.voice.pair(PersonsClass::Form, word).is_some()
                || stays(word)
        };
        let before = &self.words[begin..and];
        !before.is_empty()
            && before.len() < MAX_JOINED_WORDS
            && !before.iter().any(is_verb)
            && self.tokens[at].gap == Gap::Space
    }

    fn begins_clause(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.words[before].as_str());
        self.tokens[at].first
            || self.tokens[at].gap != Gap::Space
            || before.is_some_and(|before| self.voice.is(PersonsClass::Clause, before))
    }

    /// The place of the verb after a subject.
    pub(super) fn verb_after(&self, at: usize) -> Option<usize> {
        for verb in at + 1..=at + 1 + MAX_ADVERBS {
            let token = self.tokens.get(verb).filter(|token| token.gap == Gap::Space && !token.first)?;
            if !self.voice.is(PersonsClass::Adverb, &self.words[verb]) {
                return token.text.chars().all(char::is_alphabetic).then_some(verb);
            }
        }
        None
    }

    /// Gives a verb its third person. Whether it is in the present.
    fn inflect_verb(&mut self, at: usize) -> bool {
        let word = &self.words[at];
        if let Some(form) = self.voice.pair(PersonsClass::Form, word) {
            self.new[at] = Some(form.to_owned());
            return !self.voice.is(PersonsClass::NoMore, form);
        }
        if self.voice.is(PersonsClass::Same, word) || self.voice.is(PersonsClass::NotVerb, word) {
            return false;
        }
        let Some(new) = self.voice.exchange(PersonsClass::VerbEnding, word, &word.clone()) else {
            return false;
        };
        let changed = new != *word;
        if changed {
            self.new[at] = Some(new);
        }
        changed
    }

    /// Further verbs of the same subject: `loves tea and plays chess`.
    fn agree_further(&mut self, verb: usize) {
        let end = (verb + CLAUSE_WORDS).min(self.tokens.len());
        for at in verb + 1..end {
            let word = &self.words[at];
            let clause = self.tokens[at].first || self.tokens[at].gap == Gap::Break;
            if clause
                || self.voice.is(PersonsClass::NoMore, word)
                || self.voice.is(PersonsClass::Agrees, word)
            {
                return;
            }
            if self.voice.is(PersonsClass::And, word)
                && let Some(next) = self.verb_after(at)
                && self.voice.is(PersonsClass::Verb, &self.words[next])
            {
                self.inflect_verb(next);
            }
        }
    }
}
