//! Pronouns: the first person becomes the speaker's name, and a pronoun of the third person the one it means.

use super::rewriter::{Rewriter, capitalized};
use crate::{entity::kind_of, language::is_stop_word, lexicon::PersonsClass, token::Gap};
use cairn_domain::EntityKind;

/// The longest saying that is left as it is.
const MAX_IDIOM_WORDS: usize = 4;

impl Rewriter<'_> {
    /// The text in the third person.
    pub(super) fn rewrite(mut self) -> String {
        self.fill_in();
        self.written()
    }

    /// Puts names in the place of persons.
    pub(super) fn fill_in(&mut self) {
        self.resolve_third();
        let mut at = 0;
        while at < self.tokens.len() {
            at = if self.is_quoted(at) || self.new[at].is_some() { at + 1 } else { self.say(at) };
        }
        self.inflect();
    }

    /// Whether anything was put in the place of a word.
    pub(super) fn is_changed(&self) -> bool {
        self.new.iter().chain(&self.before).any(Option::is_some)
    }

    /// Says the words at a place of whom they mean. The place after them.
    fn say(&mut self, at: usize) -> usize {
        let leaves = |words: &usize| {
            self.phrase(at, *words).is_some_and(|phrase| self.voice.is(PersonsClass::Leave, &phrase))
        };
        if let Some(words) = (2..=MAX_IDIOM_WORDS).rev().find(leaves) {
            return at + words;
        }
        for words in [2, 1] {
            let Some(phrase) = self.phrase(at, words) else { continue };
            let Some(template) = self.voice.pair(PersonsClass::Say, &phrase) else { continue };
            let Some(said) = self.filled(template) else { continue };
            let said = if self.tokens[at].first { capitalized(&said) } else { said };
            self.put(at, words, said);
            self.agree(at, words);
            return at + words;
        }
        at + 1
    }

    /// Says the first pronoun of the third person of the last one named, if the text has nobody else it could mean.
    fn resolve_third(&mut self) {
        let Some(entity) = self.context.last_entity else { return };
        let classes: &[PersonsClass] = match kind_of(entity) {
            Some(EntityKind::Org) => {
                &[PersonsClass::ThirdAny, PersonsClass::ThirdThing, PersonsClass::ThirdOrg]
            }
            None | Some(EntityKind::Person) => &[PersonsClass::ThirdAny, PersonsClass::ThirdPerson],
            Some(_) => &[PersonsClass::ThirdAny, PersonsClass::ThirdThing],
        };
        for at in 0..self.tokens.len() {
            if self.voice.is(PersonsClass::Somebody, &self.words[at]) || self.names_somebody(at) {
                return;
            }
            if self.is_quoted(at) {
                continue;
            }
            for words in (1..=3).rev() {
                let Some(phrase) = self.phrase(at, words) else { continue };
                let Some((class, template)) =
                    classes.iter().find_map(|class| Some((*class, self.voice.pair(*class, &phrase)?)))
                else {
                    continue;
                };
                let opens = class == PersonsClass::ThirdPerson || self.tokens[at].first;
                if opens && self.owns_something(template, at + words) {
                    if let Some(said) = self.filled(template) {
                        self.put(at, words, said);
                    }
                    return;
                }
            }
        }
    }

    /// A pronoun that may also be no possessive needs something to possess after it.
    fn owns_something(&self, template: &str, next: usize) -> bool {
        let follows = self.tokens.get(next).filter(|token| token.gap == Gap::Space);
        !template.ends_with(".possessive}") || follows.is_some_and(|_| !is_stop_word(&self.words[next]))
    }

    fn names_somebody(&self, at: usize) -> bool {
        let start = self.tokens[at].start;
        self.mentions()
            .iter()
            .any(|mention| mention.range.start == start && mention.kind == EntityKind::Person)
    }
}
