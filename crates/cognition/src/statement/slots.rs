//! The slot that a clause with its verb in the middle fills, and its value.

use super::{
    draft::{StatementDraft, SubjectStep, joined, parts},
    frame::ValuePart,
    grammar::{Act, Verb},
    subject::ClauseReader,
    word::{ClauseWord, WordKind},
};
use crate::lexicon::GrammarClass;

/// Whether a verb tells of something that happened once, or of how things are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// "I moved", "then we met".
    Event,
    /// "I live", "I have lived".
    State,
}

/// Who gets the new value of a verb that sets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueGoesTo {
    /// The object: "we changed the port to 80".
    Object,
    /// The subject, as in the passive: "the port was changed to 80".
    Subject,
}

impl ClauseReader<'_> {
    /// A verb with what follows it.
    pub(super) fn said(
        &self,
        verb: &Verb,
        telling: Telling,
        rest: &[ClauseWord],
        mut draft: StatementDraft,
    ) -> Option<StatementDraft> {
        let mut parts = parts(rest);
        if let Some(at) = parts.iter().position(|part| self.grammar.is(&part.marker, GrammarClass::Instead)) {
            draft.old = parts.remove(at).words;
            draft.change = true;
        }
        if parts.is_empty() && verb.act == Act::Object {
            parts.push(ValuePart::plain(vec![self.grammar.word(&verb.base)]));
        }
        let has_object = parts.first().is_some_and(|part| part.marker.is_empty());
        if verb.act == Act::Set {
            return self.set(verb, rest, draft, ValueGoesTo::Object);
        }
        let event = telling == Telling::Event;
        let over = draft.perfect || event;
        let happened = draft.past || event;
        let plain = StatementDraft {
            attribute: verb.slot.clone(),
            single: verb.single,
            negated: draft.negated != verb.not,
            parts,
            ..draft
        };
        match &verb.act {
            Act::Is(state) => {
                let parts = vec![ValuePart::plain(vec![self.grammar.word(state)])];
                Some(StatementDraft { parts, change: true, ..plain })
            }
            Act::Ended if has_object && over => Some(StatementDraft {
                attribute: "ended".to_owned(),
                negated: true,
                change: true,
                past: false,
                ..plain
            }),
            Act::Move => self.moved(verb, rest, StatementDraft { past: happened, ..plain }),
            Act::At(markers) => Some(placed(verb, markers, StatementDraft { past: happened, ..plain })),
            _ if verb.slot == "prefers" => self.preferred(plain),
            _ if verb.slot == "uses" => Some(self.used(StatementDraft { past: happened, ..plain })),
            _ if verb.slot == "age" && !starts_with_number(&plain.parts) => {
                Some(StatementDraft { attribute: verb.base.clone(), single: false, past: happened, ..plain })
            }
            Act::Ended => Some(StatementDraft { attribute: verb.base.clone(), past: happened, ..plain }),
            _ if verb.single => {
                let value = plain.parts.first().map(|part| part.words.clone());
                Some(StatementDraft { value, ..plain })
            }
            _ => Some(StatementDraft { past: happened, ..plain }),
        }
    }

    /// "I moved to Rome", "the meeting moved to 9:30", "we moved the wiki from X to Y".
    fn moved(&self, verb: &Verb, rest: &[ClauseWord], draft: StatementDraft) -> Option<StatementDraft> {
        let slot = |slot: &str| Verb { slot: slot.to_owned(), ..verb.clone() };
        let part = |class: GrammarClass| draft.parts.iter().find(|part| self.grammar.is(&part.marker, class));
        let has_object = draft.parts.first().is_some_and(|part| part.marker.is_empty());
        if has_object {
            if part(GrammarClass::Source).is_none() {
                return Some(StatementDraft { attribute: verb.base.clone(), single: false, ..draft });
            }
            let from = rest.iter().position(|word| word.is(GrammarClass::Preposition))?;
            return self.set(&slot("uses"), rest.get(from..)?, draft, ValueGoesTo::Subject);
        }
        let to = before_time(&part(GrammarClass::Toward)?.words);
        if to.is_empty() || to.iter().any(|word| word.kind != WordKind::Plain) {
            return self.set(&slot("is"), rest, draft, ValueGoesTo::Subject);
        }
        let value = Some(to);
        Some(StatementDraft { value, change: true, past: false, ..draft })
    }

    /// "uses X for Y", "as Y": the slot is Y.
    fn used(&self, draft: StatementDraft) -> StatementDraft {
        let slot = draft.parts.iter().find(|part| self.grammar.is(&part.marker, GrammarClass::Purpose));
        let object = draft.parts.first().filter(|part| part.marker.is_empty());
        let (Some(slot), Some(object)) = (slot, object) else { return draft };
        StatementDraft {
            attribute: format!("uses/{}", joined(&slot.words, |word| &word.text)),
            single: self.grammar.is(&slot.marker, GrammarClass::Role) || draft.change,
            value: Some(object.words.clone()),
            ..draft
        }
    }

    /// "prefers X over Y": the slot is the choice between the two; "prefers dark mode": the slot is mode.
    fn preferred(&self, mut draft: StatementDraft) -> Option<StatementDraft> {
        let object = draft.parts.first().filter(|part| part.marker.is_empty())?.words.clone();
        let than = draft.parts.iter().position(|part| self.grammar.is(&part.marker, GrammarClass::Contrast));
        let (slot, value) = match than {
            Some(than) => {
                let than = draft.parts.remove(than);
                let mut both = [&object, &than.words].map(|words| joined(words, |word| &word.key));
                both.sort();
                (both.join("+"), object)
            }
            None if object.len() > 1 => (object.last()?.text.clone(), object[..object.len() - 1].to_vec()),
            None => return Some(draft),
        };
        Some(StatementDraft {
            attribute: format!("prefers/{slot}"),
            single: true,
            value: Some(value),
            ..draft
        })
    }

    /// Something gets a new value: "we changed the port to 80", "the price rose to 5", "I switched from X to Y".
    pub(super) fn set(
        &self,
        verb: &Verb,
        rest: &[ClauseWord],
        draft: StatementDraft,
        goes_to: ValueGoesTo,
    ) -> Option<StatementDraft> {
        let cut = rest.iter().position(|word| word.is(GrammarClass::Preposition)).unwrap_or(rest.len());
        let (object, around) = rest.split_at(cut);
        let passive = goes_to == ValueGoesTo::Subject;
        let parts = parts(around);
        let part = |class: GrammarClass| parts.iter().find(|part| self.grammar.is(&part.marker, class));
        let words = part(GrammarClass::Toward)
            .map(|part| part.words.clone())
            .or_else(|| passive.then(|| object.to_vec()))?;
        let old = part(GrammarClass::Source).map(|part| part.words.clone()).unwrap_or_default();
        let mut path = if object.is_empty() || passive { draft.path } else { self.path(object)? };
        // "version 3.0": the new value names its own slot.
        let named =
            words.first().filter(|first| words.len() > 1 && self.grammar.slot_noun(&first.key).is_some());
        let (attribute, single, thing, words) = if verb.slot == "uses" {
            ("uses".to_owned(), false, false, words)
        } else if let Some(noun) = named {
            (noun.text.clone(), true, false, words[1..].to_vec())
        } else {
            let words = before_time(&words);
            let slot = self.slot(&mut path, &words);
            let single = slot.is_some() || verb.slot != "is";
            let (attribute, thing) = slot.unwrap_or_else(|| (verb.slot.clone(), false));
            (attribute, single, thing, words)
        };
        let parts = vec![ValuePart::plain(words)];
        Some(StatementDraft {
            path,
            attribute,
            single,
            thing,
            parts,
            value: None,
            change: true,
            past: false,
            old,
            ..draft
        })
    }

    /// "X is …": an age, a place of work, a slot of its owner, a place, or plainly what X is.
    pub(super) fn being(&self, rest: &[ClauseWord], mut draft: StatementDraft) -> Option<StatementDraft> {
        draft.parts = parts(rest);
        let first = draft.parts.first()?.clone();
        let named = first.words[0].capital && first.words[0].kind == WordKind::Plain;
        let filled = |attribute: &str, single: bool, value: Vec<ClauseWord>, draft: StatementDraft| {
            Some(StatementDraft { attribute: attribute.to_owned(), single, value: Some(value), ..draft })
        };
        if self.is_age(&first, &draft) {
            return filled("age", true, vec![first.words[0].clone()], draft);
        }
        if self.grammar.is(&first.marker, GrammarClass::EmployerMarker)
            && named
            && draft.change
            && draft.path.len() == 1
        {
            return filled("employer", true, first.words, draft);
        }
        let described =
            !first.marker.is_empty() && first.words.iter().all(|word| word.kind == WordKind::Plain);
        if !described && let Some((attribute, thing)) = self.slot(&mut draft.path, &first.words) {
            let value = (draft.parts.len() > 1 && first.marker.is_empty()).then_some(first.words);
            return Some(StatementDraft { attribute, single: true, thing, value, ..draft });
        }
        // One place at a time, if it says that this is new.
        if self.grammar.is(&first.marker, GrammarClass::PlaceMarker) && named {
            let change = draft.change;
            return filled("location", change, first.words, draft);
        }
        // "is pinned to version 2.3"
        if let Some((noun, words)) = self.own_slot(&draft.parts) {
            return Some(StatementDraft {
                attribute: noun,
                single: true,
                parts: vec![ValuePart::plain(words)],
                ..draft
            });
        }
        Some(StatementDraft { attribute: "is".to_owned(), ..draft })
    }

    /// Whether a number says how old somebody is: "is 34 years old", "my son is 7".
    fn is_age(&self, first: &ValuePart, draft: &StatementDraft) -> bool {
        let person = |step: &SubjectStep| step.shown == self.speaker || step.shown == "user";
        let someone = draft.path.len() > 1 || draft.path.iter().any(person);
        let alone = draft.parts.len() == 1 && first.words.len() == 1 && first.marker.is_empty();
        let old = first.words.iter().any(|word| word.is(GrammarClass::Old));
        let number = first.words[0].kind == WordKind::Number;
        number && (old || (alone && someone && self.slot(&mut draft.path.clone(), &first.words).is_none()))
    }

    /// A part that names its own slot: "on port 80", "to version 2".
    fn own_slot(&self, parts: &[ValuePart]) -> Option<(String, Vec<ClauseWord>)> {
        parts.iter().find_map(|part| {
            let (first, rest) = part.words.split_first()?;
            self.grammar.slot_noun(&first.key)?;
            rest.first().filter(|word| word.kind == WordKind::Number)?;
            Some((first.text.clone(), rest.to_vec()))
        })
    }
}

fn starts_with_number(parts: &[ValuePart]) -> bool {
    parts.first().and_then(|part| part.words.first()).is_some_and(|word| word.kind == WordKind::Number)
}

/// The words up to the first that only says when.
fn before_time(words: &[ClauseWord]) -> Vec<ClauseWord> {
    words.iter().take_while(|word| !word.is(GrammarClass::Time)).cloned().collect()
}

/// "lives in X", "works at X": the value stands behind one of `markers`; else it is only a verb. Behind one with `^` only a
/// name is a value: "lives on Elm Street", but not "lives on toast".
fn placed(verb: &Verb, markers: &[String], draft: StatementDraft) -> StatementDraft {
    let timed = |part: &ValuePart| {
        part.words.iter().take(1).any(|word| word.is(GrammarClass::Time) || word.kind != WordKind::Plain)
    };
    let has_object = draft.parts.first().is_some_and(|part| part.marker.is_empty());
    let is_marked = |part: &ValuePart| {
        let names_one = |marker: &String| marker.strip_suffix('^') == Some(part.marker.as_str());
        let begins_name = part.words.first().is_some_and(|word| word.capital);
        markers.contains(&part.marker) || begins_name && markers.iter().any(names_one)
    };
    let place = draft.parts.iter().position(|part| is_marked(part) && !timed(part));
    let Some(at) = place.filter(|_| !has_object || verb.base.contains('_')) else {
        return StatementDraft { attribute: verb.base.clone(), single: false, ..draft };
    };
    let marker = &draft.parts[at].marker;
    let more = draft.parts[at + 1..].iter().take_while(|next| next.marker == *marker);
    let more = more.flat_map(|next| next.words.clone());
    let words = before_time(&draft.parts[at].words).into_iter().chain(more).collect();
    StatementDraft { value: Some(words), ..draft }
}

/// "X has a dog": the slot is what is had.
pub(super) fn having(rest: &[ClauseWord], draft: StatementDraft) -> Option<StatementDraft> {
    let parts = parts(rest);
    let object = parts.first().filter(|part| part.marker.is_empty())?;
    let head = object.words.iter().rfind(|word| word.kind == WordKind::Plain)?;
    Some(StatementDraft { attribute: format!("has/{}", head.text), parts, ..draft })
}
