//! Reads a clause whose verb stands in the middle: subject, verb, what is said.

use super::{
    draft::{ClauseCore, StatementDraft},
    frame::ValuePart,
    grammar::{Act, Verb},
    slots::{Telling, ValueGoesTo, having},
    subject::ClauseReader,
    word::ClauseWord,
};
use crate::lexicon::GrammarClass;

impl ClauseReader<'_> {
    pub(super) fn verb_middle(&self, words: &[ClauseWord]) -> Option<StatementDraft> {
        let core = self.core(words);
        let words = &core.words;
        let mut at = self.verb_at(words)?;
        let path = self.path(&words[..at])?;
        let mut draft = StatementDraft { path, ..core.draft(0.8) };
        let is = |at: usize, class: GrammarClass| words.get(at).is_some_and(|word| word.is(class));
        while is(at, GrammarClass::Do) || is(at, GrammarClass::Did) || is(at, GrammarClass::Modal) {
            draft.past |= is(at, GrammarClass::Did);
            at += 1;
        }
        let verb_of = |at: usize| words.get(at).and_then(|word| self.grammar.verb(word));
        let has = is(at, GrammarClass::Have) || is(at, GrammarClass::Had);
        if has
            && (verb_of(at + 1).is_some_and(|verb| verb.past)
                || is(at + 1, GrammarClass::Be)
                || is(at + 1, GrammarClass::Modal))
        {
            draft.past |= is(at, GrammarClass::Had);
            draft.perfect = true;
            at += 1;
        }
        let rest = |at: usize| words.get(at..).unwrap_or_default();
        let becomes =
            is(at, GrammarClass::Get) && words.get(at + 1).is_some_and(|next| self.grammar.is_state(next));
        if is(at, GrammarClass::Be) || is(at, GrammarClass::Was) || becomes {
            draft.past |= is(at, GrammarClass::Was);
            draft.change |= becomes;
            return self.is_something(rest(at + 1), draft);
        }
        if is(at, GrammarClass::Have) || is(at, GrammarClass::Had) {
            draft.past |= is(at, GrammarClass::Had);
            return having(rest(at + 1), draft);
        }
        let verb = verb_of(at)?;
        let event = (verb.past && !draft.perfect) || words.iter().any(|word| word.is(GrammarClass::Then));
        let telling = if event { Telling::Event } else { Telling::State };
        self.said(&doing(verb), telling, rest(at + 1), draft)
    }

    /// Reads the words behind "is": something being done, something that was done to the subject, or what it is.
    fn is_something(&self, rest: &[ClauseWord], draft: StatementDraft) -> Option<StatementDraft> {
        let Some((word, verb)) = rest.first().and_then(|word| Some((word, self.grammar.verb(word)?))) else {
            return self.being(rest, draft);
        };
        let known = verb.known && verb.past && !matches!(verb.act, Act::Ended | Act::Is(_));
        match verb.act {
            _ if self.is_doing(word, &verb, &rest[1..]) => {
                self.said(&doing(verb), Telling::State, &rest[1..], draft)
            }
            Act::Set => {
                let draft = StatementDraft { past: false, ..draft };
                self.set(&verb, &rest[1..], draft, ValueGoesTo::Subject)
            }
            _ if known => self.said(&verb, Telling::State, &rest[1..], draft),
            _ => self.being(rest, draft),
        }
    }

    /// A plan: everything behind the word that says so.
    pub(super) fn plan_middle(&self, words: &[ClauseWord], at: usize) -> Option<StatementDraft> {
        let helps = |word: &ClauseWord| {
            word.is_any(&[
                GrammarClass::Be,
                GrammarClass::Was,
                GrammarClass::Have,
                GrammarClass::Filler,
                GrammarClass::Not,
                GrammarClass::Change,
            ])
        };
        let lead: Vec<ClauseWord> = words[..at].iter().filter(|word| !helps(word)).cloned().collect();
        let negated =
            words[..at].iter().any(|word| word.is(GrammarClass::Not) || word.is(GrammarClass::Ended));
        let path = self.path(&lead).filter(|_| !lead.is_empty())?;
        let parts = vec![ValuePart { marker: String::new(), words: content(&words[at + 1..]) }];
        Some(StatementDraft {
            path,
            attribute: "plan".to_owned(),
            parts,
            negated,
            confidence: 0.7,
            ..StatementDraft::default()
        })
    }

    /// The subject of the clause so far, if another verb follows "and" with none of its own: "I sold it and bought a bike".
    pub(super) fn carried(
        &self,
        so_far: &[ClauseWord],
        and: &ClauseWord,
        rest: &[ClauseWord],
    ) -> Option<Vec<ClauseWord>> {
        if !and.is(GrammarClass::And) {
            return None;
        }
        let next = rest
            .iter()
            .take(3)
            .find(|word| !word.is(GrammarClass::Filler) && !word.is(GrammarClass::Change))?;
        let verb_at = self.verb_at(so_far).filter(|at| *at > 0)?;
        let finite = next.is_any(&[
            GrammarClass::Be,
            GrammarClass::Was,
            GrammarClass::Have,
            GrammarClass::Had,
            GrammarClass::Do,
            GrammarClass::Did,
            GrammarClass::Modal,
        ]);
        let third = self.grammar.without(&so_far[verb_at].text, GrammarClass::PluralEnding, 1).is_some()
            && self.grammar.without(&next.text, GrammarClass::PluralEnding, 2).is_some();
        let verb = self.grammar.verb(next).is_some_and(|verb| verb.past || third);
        (finite || verb).then(|| so_far[..verb_at].to_vec())
    }

    /// Takes out what says that something changed, is not so, was so, or is only said by the way.
    fn core(&self, words: &[ClauseWord]) -> ClauseCore {
        let mut core = ClauseCore::default();
        let mut not_at = None;
        for (at, word) in words.iter().enumerate() {
            if word.is(GrammarClass::Change) {
                core.change = true;
            } else if word.is(GrammarClass::Ended) {
                (core.negated, core.change) = (true, true);
            } else if word.is(GrammarClass::Not) {
                let contrast = at > 1 && words[at - 1].pause && self.verb_at(&core.words).is_some();
                if contrast {
                    core.old = content(&words[at + 1..]);
                    core.change = true;
                    break;
                }
                core.negated = !core.negated;
                not_at = Some(core.words.len());
            } else if word.is(GrammarClass::Past) {
                core.past = true;
            } else if word.is(GrammarClass::But) {
                let Some(from) = not_at.take() else { break };
                core.old = content(&core.words[from.min(core.words.len())..]);
                core.words.truncate(from);
                // What stands right behind "not" may be the verb itself: "is not called X but Y".
                if let Some(verb) = core.old.first().filter(|word| self.grammar.verb(word).is_some()).cloned()
                {
                    core.old.remove(0);
                    core.words.push(verb);
                }
                (core.negated, core.change) = (false, true);
            } else if !word.is(GrammarClass::Filler) {
                core.words.push(word.clone());
            }
        }
        core
    }

    /// Where the verb stands; at the beginning in an order.
    fn verb_at(&self, words: &[ClauseWord]) -> Option<usize> {
        (0..words.len()).find(|at| {
            let word = &words[*at];
            if word.capital && *at > 0 {
                return false;
            }
            let helps = word.is_any(&[
                GrammarClass::Be,
                GrammarClass::Was,
                GrammarClass::Have,
                GrammarClass::Had,
                GrammarClass::Do,
                GrammarClass::Did,
                GrammarClass::Modal,
                GrammarClass::Get,
            ]);
            let before = at.checked_sub(1).map(|before| &words[before]);
            helps || self.grammar.verb(word).is_some_and(|verb| self.agrees(before, word, &verb))
        })
    }

    /// Whether a word can be the verb behind `before`: "the build takes", not "the build".
    fn agrees(&self, before: Option<&ClauseWord>, word: &ClauseWord, verb: &Verb) -> bool {
        let Some(before) = before else { return !verb.past || verb.act == Act::Set };
        if before.is_any(&[GrammarClass::Speaker, GrammarClass::Pronoun, GrammarClass::Addressed]) {
            return true;
        }
        if before.is_any(&[
            GrammarClass::Article,
            GrammarClass::Mine,
            GrammarClass::Yours,
            GrammarClass::Preposition,
        ]) || !before.tail.is_empty()
        {
            return false;
        }
        let ends =
            |word: &ClauseWord| self.grammar.without(&word.text, GrammarClass::PluralEnding, 2).is_some();
        verb.past
            || word.text.contains('_')
            || if ends(word) { !ends(before) || before.capital } else { ends(before) }
    }

    /// Whether a form behind "is" says what is being done: "is learning", "are living".
    fn is_doing(&self, word: &ClauseWord, verb: &Verb, rest: &[ClauseWord]) -> bool {
        let state = rest.is_empty() && self.grammar.is_state(word);
        !verb.past && word.text != verb.base && word.text != word.key && !state
    }
}

/// Where a clause says that it speaks of a plan: "I plan", "we will", "the plan to", not "the planning is".
pub(super) fn plan_at(words: &[ClauseWord]) -> Option<usize> {
    (0..words.len()).find(|at| {
        let before = at.checked_sub(1).map(|before| &words[before]);
        let acts = |word: &ClauseWord| {
            word.capital
                || word.is_any(&[
                    GrammarClass::Speaker,
                    GrammarClass::User,
                    GrammarClass::Be,
                    GrammarClass::Was,
                    GrammarClass::Pronoun,
                    GrammarClass::Addressed,
                    GrammarClass::Filler,
                    GrammarClass::Not,
                ])
        };
        let toward = || words.get(at + 1).is_some_and(|next| next.is(GrammarClass::Toward));
        let always = || words[*at].is(GrammarClass::Will);
        words[*at].is(GrammarClass::Plan) && (before.is_some_and(acts) || toward() || always())
    })
}

/// Words that carry content.
fn content(words: &[ClauseWord]) -> Vec<ClauseWord> {
    let empty = |word: &&ClauseWord| {
        !word.is_any(&[
            GrammarClass::Article,
            GrammarClass::Preposition,
            GrammarClass::Filler,
            GrammarClass::Change,
            GrammarClass::Speaker,
            GrammarClass::Mine,
        ])
    };
    words.iter().filter(empty).cloned().collect()
}

/// A verb as the subject does it: whoever calls somebody or something is not called so.
fn doing(verb: Verb) -> Verb {
    if verb.slot == "name" { Verb { slot: verb.base.clone(), single: false, ..verb } } else { verb }
}
