//! Reading a clause whose verb stands at the end, or which has none: subject, what is said, verb.

use super::{
    Core, Draft, Part, Reading, Step,
    grammar::{Act, Ending, Verb},
    lead::Lead,
    word::{Kind, Word},
};

impl Reading<'_> {
    pub(super) fn verb_last(&self, words: &[Word]) -> Option<Draft> {
        let core = last_core(words);
        let words = &core.words;
        let last = words.last()?;
        let draft = core.draft(0.7);
        if last.is("exist") || last.is("missing") {
            let negated = draft.negated != last.is("missing");
            return self.had(&words[..words.len() - 1], Draft { negated, ..draft });
        }
        let before = words.len().checked_sub(2).map(|at| &words[at]);
        let named = last.capital && words.len() > 1;
        let plain = last.tail.is_empty() && !last.is("not-mine") && last.kind == Kind::Plain;
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
    fn done(&self, verb: &Verb, ending: &Ending, rest: &[Word], draft: Draft) -> Option<Draft> {
        let order = ending.time == "order";
        if ending.time == "if" || (order && !verb.known && rest.is_empty()) {
            return None;
        }
        let lead = if order {
            Lead { path: vec![Step::named("agent")], length: 0 }
        } else if ending.first {
            let length = usize::from(rest.first().is_some_and(|word| word.is("self")));
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
        let draft = Draft {
            path: lead.path,
            attribute: verb.slot.clone(),
            single: verb.single,
            negated: (draft.negated || ending.not) != verb.not,
            parts: cases(words),
            past: draft.past || ending.time == "past",
            ..draft
        };
        if ending.time == "plan" {
            return Some(Draft { attribute: "plan".to_owned(), single: false, ..draft });
        }
        self.acted(verb, words, rest, draft)
    }

    /// Which slot a verb fills with the words before it.
    fn acted(&self, verb: &Verb, words: &[Word], rest: &[Word], draft: Draft) -> Option<Draft> {
        let only = |draft| Draft { attribute: verb.base.clone(), single: false, ..draft };
        let whole = verb.base.contains('_');
        match &verb.act {
            Act::Ended => Some(Draft {
                attribute: "ended".to_owned(),
                negated: true,
                change: true,
                past: false,
                ..draft
            }),
            Act::Is(state) if state.is_empty() => self.nominal(
                rest,
                Draft { parts: Vec::new(), single: false, change: true, past: false, ..draft },
            ),
            Act::Is(state) => {
                let parts = vec![Part::plain(vec![self.grammar.word(state, "", false)])];
                Some(Draft { parts, change: true, past: false, ..draft })
            }
            Act::Set => self.set_last(verb, rest, Draft { past: false, ..draft }),
            Act::Move => {
                let last = || words.last().map(|word| vec![word.clone()]);
                let value = Some(self.tailed(words, "toward-tail").or_else(last)?);
                Some(Draft { value, change: true, past: false, ..draft })
            }
            Act::At(_) => {
                let infinitive =
                    |word: &Word| self.grammar.without(&word.text, "infinitive-ending", 2).is_some();
                let place = self.tailed(words, "place-tail").or_else(|| named_place(words));
                let place = place.filter(|_| whole || !rest.iter().any(infinitive));
                let Some(place) = place else { return Some(only(draft)) };
                // "has begun to work": a change, and it holds.
                let (change, past) = (draft.change || whole, draft.past && !whole);
                Some(Draft { value: Some(place), change, past, ..draft })
            }
            Act::Object if verb.slot == "age" => match years(words) {
                Some(years) => Some(Draft { value: Some(vec![years]), past: false, ..draft }),
                None => Some(only(draft)),
            },
            Act::Object if verb.slot == "prefers" => Some(preferred_last(draft)),
            Act::Object => Some(draft),
        }
    }

    /// The name in the case of a place or a direction, with the capitals before it.
    fn tailed(&self, words: &[Word], class: &str) -> Option<Vec<Word>> {
        let tailed = |word: &Word| !word.tail.is_empty() && self.grammar.is(&word.tail, class);
        let end = words.iter().rposition(tailed)?;
        let begin =
            words[..end].iter().rposition(|word| !word.capital && !tailed(word)).map_or(0, |at| at + 1);
        Some(words[begin..=end].to_vec())
    }

    /// Something gets a new value: "fiyat 5 lira oldu", "X'ten Y'ye geçtik".
    fn set_last(&self, verb: &Verb, rest: &[Word], draft: Draft) -> Option<Draft> {
        if verb.slot == "uses" {
            let to = self.tailed(rest, "toward-tail")?;
            let old = self.tailed(rest, "source-tail").unwrap_or_default();
            let to = to.into_iter().filter(|word| !old.contains(word)).collect();
            let parts = vec![Part::plain(to)];
            return Some(Draft { attribute: "uses".to_owned(), parts, change: true, old, ..draft });
        }
        let draft = self.nominal(rest, Draft { single: false, change: true, past: false, ..draft })?;
        draft.parts.iter().flat_map(|part| &part.words).any(|word| word.kind != Kind::Plain).then_some(draft)
    }

    /// "X'in bir Y'si var": the slot is what is had.
    fn had(&self, words: &[Word], draft: Draft) -> Option<Draft> {
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
        Some(Draft {
            path,
            attribute: format!("has/{slot}"),
            parts: vec![Part::plain(words[from..].to_vec())],
            ..draft
        })
    }

    /// A clause without a verb: "Leyla cerrah", "kira 5 lira", "evliyim".
    fn nominal(&self, words: &[Word], draft: Draft) -> Option<Draft> {
        let mut words = words.to_vec();
        let last = words.last()?;
        let was = self.grammar.without(&last.tail, "copula-past", 0).is_some()
            || self.grammar.without(&last.text, "copula-was", 3).is_some();
        let mut first = last.is("old") && self.mine(&last.text).is_some();
        if let Some(bare) = self.without_copula(&words) {
            first = true;
            *words.last_mut()? = bare;
        }
        let lead = self.lead(&words).filter(|lead| lead.length < words.len() && words.len() > 1);
        let speaks = first && lead.as_ref().is_none_or(|lead| lead.path.len() < 2);
        let lead = if speaks { Lead { path: vec![self.speaking()], length: 0 } } else { lead? };
        let value = &words[lead.length..];
        let draft = Draft { path: lead.path, parts: cases(value), past: draft.past || was, ..draft };
        if let Some(years) = years(value) {
            return Some(Draft {
                attribute: "age".to_owned(),
                single: true,
                value: Some(vec![years]),
                ..draft
            });
        }
        let place =
            self.tailed(value, "place-tail").filter(|place| place.len() == value.len() && place[0].capital);
        if let Some(place) = place.filter(|place| place.iter().all(|word| word.kind == Kind::Plain)) {
            // One place at a time, if it says that this is new.
            let single = draft.change;
            return Some(Draft { attribute: "location".to_owned(), single, value: Some(place), ..draft });
        }
        let mut path = draft.path.clone();
        let slot = self.slot(&mut path, value);
        let single = slot.is_some();
        let (attribute, thing) = slot.unwrap_or(("is".to_owned(), false));
        Some(Draft { path, attribute, single, thing, ..draft })
    }

    /// The last word without the ending that says "I am": "evliyim".
    fn without_copula(&self, words: &[Word]) -> Option<Word> {
        let last = words.last()?;
        let plain = last.tail.is_empty() && last.kind == Kind::Plain && !(last.capital && words.len() > 1);
        let other = self.person(&words[0]).is_some() && !words[0].is("self");
        if !plain || other || last.is("not-mine") || self.grammar.names_state(last) {
            return None;
        }
        let stem = self.grammar.without(&last.text, "copula", 3)?;
        Some(Word { pause: last.pause, ..self.grammar.word(stem, "", last.capital) })
    }
}

/// "X'i Y'ye tercih ediyor": the slot is the choice between the two.
fn preferred_last(draft: Draft) -> Draft {
    let words: Vec<Word> = draft.parts.iter().flat_map(|part| part.words.clone()).collect();
    let [value, other] = words.as_slice() else { return draft };
    let mut both = [value.key.clone(), other.key.clone()];
    both.sort();
    let attribute = format!("prefers/{}", both.join("+"));
    Draft { attribute, single: true, value: Some(vec![value.clone()]), ..draft }
}

/// The name before a noun that says what kind of place it is: "Acme şirketinde".
fn named_place(words: &[Word]) -> Option<Vec<Word>> {
    let end = words.iter().rposition(|word| word.is("place-noun"))?;
    let begin = words[..end].iter().rposition(|word| !word.capital).map_or(0, |at| at + 1);
    (begin < end).then(|| words[begin..end].to_vec())
}

fn last_core(words: &[Word]) -> Core {
    let mut core = Core::default();
    for (at, word) in words.iter().enumerate() {
        if word.is("change") {
            core.change = true;
        } else if word.is("past") {
            core.past = true;
        } else if word.is("not") {
            let rest: Vec<Word> = words[at + 1..].iter().filter(|word| !word.is("change")).cloned().collect();
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
        } else if word.is("instead") {
            let from = core.words.len().saturating_sub(1);
            core.old = core.words.split_off(from);
            core.change = true;
        } else if !word.is("filler") && !word.is("article") {
            core.words.push(word.clone());
        }
    }
    core
}

/// The number that says how old somebody is.
fn years(words: &[Word]) -> Option<Word> {
    let old = words.iter().any(|word| word.is("old"));
    words.iter().find(|word| word.kind == Kind::Number).filter(|_| old).cloned()
}

/// Every word by its case, as far as it can be seen; words without one together.
fn cases(words: &[Word]) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![Part::default()];
    for word in words.iter().filter(|word| !word.is("joint") || word.capital) {
        parts[0].words.push(word.clone());
    }
    parts.retain(|part| !part.words.is_empty());
    parts
}
