//! Reads a clause whose verb stands at the end, or which has none: subject, what is said, verb.

use super::{
    draft::{ClauseCore, StatementDraft, SubjectStep},
    frame::ValuePart,
    grammar::{Act, Ending, Verb},
    lead::Lead,
    subject::ClauseReader,
    word::{ClauseWord, WordKind},
};
use crate::lexicon::GrammarClass;

impl ClauseReader<'_> {
    pub(super) fn verb_last(&self, words: &[ClauseWord]) -> Option<StatementDraft> {
        let core = last_core(words);
        let words = &core.words;
        let last = words.last()?;
        let draft = core.draft(0.7);
        if last.is(GrammarClass::Exist) || last.is(GrammarClass::Missing) {
            let negated = draft.negated != last.is(GrammarClass::Missing);
            return self.had(&words[..words.len() - 1], StatementDraft { negated, ..draft });
        }
        let before = words.len().checked_sub(2).map(|at| &words[at]);
        let named = last.capital && words.len() > 1;
        let plain = last.tail.is_empty() && !last.is(GrammarClass::NotMine) && last.kind == WordKind::Plain;
        let verb =
            Some(last).filter(|_| plain && !named).and_then(|last| self.grammar.last_verb(last, before));
        match verb {
            Some((verb, ending, pair)) => {
                let rest = &words[..words.len() - 1 - usize::from(pair)];
                self.done(&verb, &ending, rest, draft)
            }
            None => self.nominal(words, draft),
        }
    }

    /// A verb with what stands before it.
    fn done(
        &self,
        verb: &Verb,
        ending: &Ending,
        rest: &[ClauseWord],
        draft: StatementDraft,
    ) -> Option<StatementDraft> {
        let order = ending.time == "order";
        if ending.time == "if" || (order && !verb.known && rest.is_empty()) {
            return None;
        }
        let lead = if order {
            Lead { path: vec![SubjectStep::named("agent")], length: 0 }
        } else if ending.first {
            let length = usize::from(rest.first().is_some_and(|word| word.is(GrammarClass::Speaker)));
            Lead { path: vec![self.speaking()], length }
        } else {
            self.lead(rest)?
        };
        let mut words = rest.get(lead.length..).unwrap_or_default();
        // "my friend Can": the name belongs to the friend.
        if let [name, next, ..] = words
            && lead.path.len() > 1
            && name.capital
            && name.tail.is_empty()
            && next.capital
        {
            words = &words[1..];
        }
        let draft = StatementDraft {
            path: lead.path,
            attribute: verb.slot.clone(),
            single: verb.single,
            negated: (draft.negated || ending.not) != verb.not,
            parts: cases(words),
            past: draft.past || ending.time == "past",
            ..draft
        };
        if ending.time == "plan" {
            return Some(StatementDraft { attribute: "plan".to_owned(), single: false, ..draft });
        }
        self.acted(verb, words, rest, draft)
    }

    /// The slot a verb fills with the words before it.
    fn acted(
        &self,
        verb: &Verb,
        words: &[ClauseWord],
        rest: &[ClauseWord],
        draft: StatementDraft,
    ) -> Option<StatementDraft> {
        let only = |draft| StatementDraft { attribute: verb.base.clone(), single: false, ..draft };
        let whole = verb.base.contains('_');
        match &verb.act {
            Act::Ended => Some(StatementDraft {
                attribute: "ended".to_owned(),
                negated: true,
                change: true,
                past: false,
                ..draft
            }),
            Act::Is(state) if state.is_empty() => self.nominal(
                rest,
                StatementDraft { parts: Vec::new(), single: false, change: true, past: false, ..draft },
            ),
            Act::Is(state) => {
                let parts = vec![ValuePart::plain(vec![self.grammar.word(state)])];
                Some(StatementDraft { parts, change: true, past: false, ..draft })
            }
            Act::Set => self.set_last(verb, rest, StatementDraft { past: false, ..draft }),
            Act::Move => {
                let last = || words.last().map(|word| vec![word.clone()]);
                let value = Some(self.tailed(words, GrammarClass::TowardTail).or_else(last)?);
                Some(StatementDraft { value, change: true, past: false, ..draft })
            }
            Act::At(_) => {
                let infinitive = |word: &ClauseWord| {
                    self.grammar.without(&word.text, GrammarClass::InfinitiveEnding, 2).is_some()
                };
                let place = self.tailed(words, GrammarClass::PlaceTail).or_else(|| named_place(words));
                let place = place.filter(|_| whole || !rest.iter().any(infinitive));
                let Some(place) = place else { return Some(only(draft)) };
                // "has begun to work": a change, and it holds.
                let (change, past) = (draft.change || whole, draft.past && !whole);
                Some(StatementDraft { value: Some(place), change, past, ..draft })
            }
            Act::Object if verb.slot == "age" => match years(words) {
                Some(years) => Some(StatementDraft { value: Some(vec![years]), past: false, ..draft }),
                None => Some(only(draft)),
            },
            Act::Object if verb.slot == "prefers" => Some(preferred_last(draft)),
            Act::Object => Some(draft),
        }
    }

    /// The name in the case of a place or a direction, with the capitals before it.
    fn tailed(&self, words: &[ClauseWord], class: GrammarClass) -> Option<Vec<ClauseWord>> {
        let tailed = |word: &ClauseWord| !word.tail.is_empty() && self.grammar.is(&word.tail, class);
        let end = words.iter().rposition(tailed)?;
        let begin =
            words[..end].iter().rposition(|word| !word.capital && !tailed(word)).map_or(0, |at| at + 1);
        Some(words[begin..=end].to_vec())
    }

    /// Something gets a new value: "fiyat 5 lira oldu", "X'ten Y'ye geçtik".
    fn set_last(&self, verb: &Verb, rest: &[ClauseWord], draft: StatementDraft) -> Option<StatementDraft> {
        if verb.slot == "uses" {
            let to = self.tailed(rest, GrammarClass::TowardTail)?;
            let old = self.tailed(rest, GrammarClass::SourceTail).unwrap_or_default();
            let to = to.into_iter().filter(|word| !old.contains(word)).collect();
            let parts = vec![ValuePart::plain(to)];
            return Some(StatementDraft { attribute: "uses".to_owned(), parts, change: true, old, ..draft });
        }
        let draft =
            self.nominal(rest, StatementDraft { single: false, change: true, past: false, ..draft })?;
        draft
            .parts
            .iter()
            .flat_map(|part| &part.words)
            .any(|word| word.kind != WordKind::Plain)
            .then_some(draft)
    }

    /// "X'in bir Y'si var": the slot is what is had.
    fn had(&self, words: &[ClauseWord], draft: StatementDraft) -> Option<StatementDraft> {
        let (head, before) = words.split_last()?;
        let first = words.first()?;
        let mine = self.mine(&head.text).is_some();
        if !mine && self.person(first).is_none() && self.owns(first).is_none() {
            return None;
        }
        let lead = self.lead(words)?;
        let mut path = if mine { vec![self.speaking()] } else { lead.path };
        // What is had may have been read as a step of the owner.
        if !mine && (lead.length > before.len() || path.last().is_some_and(|step| step.key == head.key)) {
            path.pop();
        }
        let from = if mine { 0 } else { lead.length.min(before.len()) };
        let slot = self.grammar.shown(&head.key).unwrap_or(&head.key);
        Some(StatementDraft {
            path,
            attribute: format!("has/{slot}"),
            parts: vec![ValuePart::plain(words[from..].to_vec())],
            ..draft
        })
    }

    /// A clause without a verb: "Leyla cerrah", "kira 5 lira", "evliyim".
    fn nominal(&self, words: &[ClauseWord], draft: StatementDraft) -> Option<StatementDraft> {
        let mut words = words.to_vec();
        let last = words.last()?;
        let was = self.grammar.without(&last.tail, GrammarClass::CopulaPast, 0).is_some()
            || self.grammar.without(&last.text, GrammarClass::CopulaWas, 3).is_some();
        let mut first = last.is(GrammarClass::Old) && self.mine(&last.text).is_some();
        if let Some(bare) = self.without_copula(&words) {
            first = true;
            *words.last_mut()? = bare;
        }
        let lead = self.lead(&words).filter(|lead| lead.length < words.len() && words.len() > 1);
        let speaks = first && lead.as_ref().is_none_or(|lead| lead.path.len() < 2);
        let lead = if speaks { Lead { path: vec![self.speaking()], length: 0 } } else { lead? };
        let value = &words[lead.length..];
        let draft = StatementDraft { path: lead.path, parts: cases(value), past: draft.past || was, ..draft };
        if let Some(years) = years(value) {
            return Some(StatementDraft {
                attribute: "age".to_owned(),
                single: true,
                value: Some(vec![years]),
                ..draft
            });
        }
        let place = self
            .tailed(value, GrammarClass::PlaceTail)
            .filter(|place| place.len() == value.len() && place[0].capital);
        if let Some(place) = place.filter(|place| place.iter().all(|word| word.kind == WordKind::Plain)) {
            // One place at a time, if it says that this is new.
            let single = draft.change;
            return Some(StatementDraft {
                attribute: "location".to_owned(),
                single,
                value: Some(place),
                ..draft
            });
        }
        let mut path = draft.path.clone();
        let slot = self.slot(&mut path, value);
        let single = slot.is_some();
        let (attribute, thing) = slot.unwrap_or(("is".to_owned(), false));
        Some(StatementDraft { path, attribute, single, thing, ..draft })
    }

    /// The last word without the ending that says "I am": "evliyim".
    fn without_copula(&self, words: &[ClauseWord]) -> Option<ClauseWord> {
        let last = words.last()?;
        let plain =
            last.tail.is_empty() && last.kind == WordKind::Plain && !(last.capital && words.len() > 1);
        let other = self.person(&words[0]).is_some() && !words[0].is(GrammarClass::Speaker);
        if !plain || other || last.is(GrammarClass::NotMine) || self.grammar.names_state(last) {
            return None;
        }
        let stem = self.grammar.without(&last.text, GrammarClass::Copula, 3)?;
        Some(ClauseWord { pause: last.pause, capital: last.capital, ..self.grammar.word(stem) })
    }
}

/// "X'i Y'ye tercih ediyor": the slot is the choice between the two.
fn preferred_last(draft: StatementDraft) -> StatementDraft {
    let words: Vec<ClauseWord> = draft.parts.iter().flat_map(|part| part.words.clone()).collect();
    let [value, other] = words.as_slice() else { return draft };
    let mut both = [value.key.clone(), other.key.clone()];
    both.sort();
    let attribute = format!("prefers/{}", both.join("+"));
    StatementDraft { attribute, single: true, value: Some(vec![value.clone()]), ..draft }
}

/// The name before a noun that says what kind of place it is: "Acme şirketinde".
fn named_place(words: &[ClauseWord]) -> Option<Vec<ClauseWord>> {
    let end = words.iter().rposition(|word| word.is(GrammarClass::PlaceNoun))?;
    let begin = words[..end].iter().rposition(|word| !word.capital).map_or(0, |at| at + 1);
    (begin < end).then(|| words[begin..end].to_vec())
}

fn last_core(words: &[ClauseWord]) -> ClauseCore {
    let mut core = ClauseCore::default();
    for (at, word) in words.iter().enumerate() {
        if word.is(GrammarClass::Change) {
            core.change = true;
        } else if word.is(GrammarClass::Past) {
            core.past = true;
        } else if word.is(GrammarClass::Not) {
            let rest: Vec<ClauseWord> =
                words[at + 1..].iter().filter(|word| !word.is(GrammarClass::Change)).cloned().collect();
            let contrast = word.pause || words.get(at + 1).is_some_and(|next| next.capital);
            if contrast && !rest.is_empty() && !core.words.is_empty() {
                // "X is not Y but Z": Y is the run of capitals, or the word, before it.
                let named = core.words.iter().rev().take_while(|word| word.capital).count().max(1);
                let kept = core.words.len().saturating_sub(named).max(1);
                core.old = core.words.split_off(kept.min(core.words.len()));
                core.change = true;
            } else {
                core.negated = !core.negated;
            }
        } else if word.is(GrammarClass::Instead) {
            let from = core.words.len().saturating_sub(1);
            core.old = core.words.split_off(from);
            core.change = true;
        } else if !word.is(GrammarClass::Filler) && !word.is(GrammarClass::Article) {
            core.words.push(word.clone());
        }
    }
    core
}

/// The number that says how old somebody is.
fn years(words: &[ClauseWord]) -> Option<ClauseWord> {
    let old = words.iter().any(|word| word.is(GrammarClass::Old));
    words.iter().find(|word| word.kind == WordKind::Number).filter(|_| old).cloned()
}

/// Every word by its case, as far as it can be seen; words without one together.
fn cases(words: &[ClauseWord]) -> Vec<ValuePart> {
    let mut parts: Vec<ValuePart> = vec![ValuePart::default()];
    for word in words.iter().filter(|word| !word.is(GrammarClass::Joint) || word.capital) {
        parts[0].words.push(word.clone());
    }
    parts.retain(|part| !part.words.is_empty());
    parts
}
