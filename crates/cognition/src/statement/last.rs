//! Reading a clause whose verb stands at the end, or which has none: subject, what is said, verb.

use super::{
    Draft, Part, Reading, Step,
    grammar::{Act, Ending, Verb},
    word::{Kind, Word},
};

/// A clause without the words that only say how it is meant.
#[derive(Default)]
struct Core {
    words: Vec<Word>,
    negated: bool,
    change: bool,
    past: bool,
    old: Vec<Word>,
}

/// The subject of a clause and how many words it takes.
struct Lead {
    path: Vec<Step>,
    length: usize,
}

impl Reading<'_> {
    pub(super) fn verb_last(&self, words: &[Word]) -> Option<Draft> {
        let core = self.last_core(words);
        let words = &core.words;
        let last = words.last()?;
        let draft = Draft {
            negated: core.negated,
            change: core.change,
            past: core.past,
            old: core.old.clone(),
            confidence: 0.7,
            ..Draft::default()
        };
        if self.is(last, "exist") || self.is(last, "missing") {
            let negated = draft.negated != self.is(last, "missing");
            return self.had(&words[..words.len() - 1], Draft { negated, ..draft });
        }
        let before = words.len().checked_sub(2).map(|at| &words[at]);
        let verb = Some(last).filter(|last| last.tail.is_empty() && !self.is(last, "not-mine") && last.kind == Kind::Plain).and_then(|last| self.grammar.last_verb(last, before));
        match verb {
            Some((verb, ending, pair)) => {
                let rest = &words[..words.len() - 1 - usize::from(pair)];
                self.done(&verb, &ending, rest, draft)
            }
            None => self.nominal(words, draft),
        }
    }

    fn last_core(&self, words: &[Word]) -> Core {
        let mut core = Core::default();
        for (at, word) in words.iter().enumerate() {
            if self.is(word, "change") {
                core.change = true;
            } else if self.is(word, "past") {
                core.past = true;
            } else if self.is(word, "not") {
                let rest: Vec<Word> = words[at + 1..].iter().filter(|word| !self.is(word, "change")).cloned().collect();
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
            } else if self.is(word, "instead") {
                let from = core.words.len().saturating_sub(1);
                core.old = core.words.split_off(from);
                core.change = true;
            } else if !self.is(word, "filler") && !self.is(word, "article") {
                core.words.push(word.clone());
            }
        }
        core
    }

    /// Whether a word belongs to the next one: "Ayşe'nin", "kedimin".
    fn owns<'w>(&self, word: &'w Word) -> Option<&'w str> {
        if self.is(word, "time") {
            return None;
        }
        if !word.tail.is_empty() {
            return self.grammar.is(&word.tail, "genitive").then_some(word.text.as_str());
        }
        self.grammar.without(&word.text, "genitive", 3)
    }

    /// Whether a word says that it is the speaker's: "kedim", and its stem.
    fn mine<'w>(&self, text: &'w str) -> Option<&'w str> {
        let known = self.grammar.is(text, "not-mine") || self.grammar.is(text, "time");
        self.grammar.without(text, "mine-ending", 2).filter(|_| !known)
    }

    /// The subject: owners, what is owned, or the first word.
    fn lead(&self, words: &[Word]) -> Option<Lead> {
        let mut path = Vec::new();
        let mut at = 0;
        if let Some(person) = words.first().and_then(|word| self.person(word)) {
            path.push(person);
            at = 1;
        }
        let speaker = || Step::named(&super::fold(self.speaker));
        // Owners, as long as there is something left that they own.
        while at + 1 < words.len() && path.len() < 3 {
            let run = (at..words.len() - 1).take(2).find(|next| self.owns(&words[*next]).is_some());
            let Some(owner_at) = run.filter(|owner| self.owned_after(words, *owner)) else { break };
            let owner = &words[owner_at];
            let stem = self.owns(owner).unwrap_or(&owner.text);
            if owner.tail.is_empty() && path.is_empty() && self.mine(stem).is_some() {
                path.push(speaker());
            }
            let mut named = words[at..=owner_at].to_vec();
            if let Some(last) = named.last_mut() {
                last.text = self.mine(stem).filter(|_| owner.tail.is_empty()).unwrap_or(stem).to_owned();
            }
            path.push(Step::owned(&named, self.grammar));
            at = owner_at + 1;
        }
        if !path.is_empty() && (at == 1 && words.len() > 1 && self.is(&words[0], "user")) && !self.is(&words[0], "user-genitive") {
            return Some(Lead { path, length: at });
        }
        let owner = !path.is_empty() && (at > 1 || self.is(&words[0], "user-genitive") || self.is(&words[0], "mine") || !words[0].tail.is_empty() || self.owns(&words[0]).is_some());
        if owner {
            let end = self.possessed_end(words, at);
            if end > at {
                path.push(Step::owned(&words[at..end], self.grammar));
            }
            return Some(Lead { path, length: end });
        }
        if !path.is_empty() {
            return Some(Lead { path, length: at });
        }
        let favourite = words.first().is_some_and(|word| self.is(word, "favourite"));
        if favourite && words.len() > 2 {
            return Some(Lead { path: vec![speaker(), Step::of(&words[..2])], length: 2 });
        }
        let mine_at = (0..words.len().saturating_sub(1)).take(3).find(|at| {
            words[*at].tail.is_empty() && self.mine(&words[*at].text).is_some() && words[*at].kind == Kind::Plain
        });
        match mine_at {
            Some(end) if !words[..end].iter().any(|word| !word.tail.is_empty() || self.is(word, "time")) => {
                Some(Lead { path: vec![speaker(), Step::owned(&words[..=end], self.grammar)], length: end + 1 })
            }
            _ => {
                let length = self.plain_end(words);
                Some(Lead { path: vec![Step::of(words.get(..length)?)], length }).filter(|lead| lead.length > 0)
            }
        }
    }

    /// Whether something that is owned stands behind an owner.
    fn owned_after(&self, words: &[Word], owner: usize) -> bool {
        if !words[owner].tail.is_empty() || self.is(&words[owner], "user-genitive") {
            return true;
        }
        words[owner + 1..words.len() - 1].iter().take(3).filter(|word| word.kind == Kind::Plain && !self.is(word, "time")).any(|word| {
            self.grammar.without(&word.text, "possessed", 2).is_some() || self.owns(word).is_some()
        })
    }

    /// Where the noun ends that an owner owns: at the first that bears the ending for it.
    fn possessed_end(&self, words: &[Word], at: usize) -> usize {
        if words.get(at).is_some_and(|word| self.is(word, "favourite")) {
            return (at + 2).min(words.len());
        }
        let owned = |end: &usize| {
            let word = &words[*end];
            word.kind == Kind::Plain && word.tail.is_empty() && self.grammar.without(&word.text, "possessed", 2).is_some()
        };
        let end = (at..words.len().saturating_sub(1).max(at)).take(3).find(owned);
        end.map_or(at, |end| end + 1)
    }

    /// Where a subject without an owner ends: before a value with a kind, else behind a compound noun or the first word.
    fn plain_end(&self, words: &[Word]) -> usize {
        let most = words.len().saturating_sub(1).max(1);
        let kind_at = words.iter().position(|word| word.kind != Kind::Plain && !self.is(word, "article"));
        if let Some(at) = kind_at.filter(|at| (1..=4).contains(at))
            && words[..at].iter().all(|word| word.tail.is_empty())
        {
            return at;
        }
        let scope = kind_at == Some(0);
        let compound = (1..most).take(2).find(|at| {
            let (word, before) = (&words[*at], &words[at - 1]);
            word.tail.is_empty() && !word.capital && before.tail.is_empty() && self.grammar.without(&word.text, "possessed", 3).is_some()
        });
        let capitals = words.iter().take_while(|word| word.capital && word.tail.is_empty()).count();
        let named = if capitals > 1 && capitals < words.len() && !words[0].tail.is_empty() { capitals } else { 1 };
        compound.map_or(named + usize::from(scope), |at| at + 1).min(words.len())
    }

    /// A verb with what stands before it.
    fn done(&self, verb: &Verb, ending: &Ending, rest: &[Word], draft: Draft) -> Option<Draft> {
        let order = ending.time == "order";
        let infinitive = rest.iter().any(|word| self.grammar.without(&word.text, "infinitive-ending", 2).is_some());
        if ending.time == "if" || (order && !verb.known && rest.is_empty()) {
            return None;
        }
        let lead = if order {
            Lead { path: vec![Step::named("agent")], length: 0 }
        } else if ending.first {
            let length = usize::from(rest.first().is_some_and(|word| self.is(word, "self")));
            Lead { path: vec![Step::named(&super::fold(self.speaker))], length }
        } else {
            self.lead(rest)?
        };
        let mut words = rest.get(lead.length..).unwrap_or_default();
        // "my friend Can": the name belongs to the friend.
        if lead.path.len() > 1 && words.len() > 1 && words[0].capital && words[0].tail.is_empty() && words[1].capital {
            words = &words[1..];
        }
        let negated = (draft.negated || ending.not) != verb.not;
        let past = draft.past || ending.time == "past";
        let parts = self.cases(words);
        let attribute = if ending.time == "plan" { "plan".to_owned() } else { verb.slot.clone() };
        let single = verb.single && ending.time != "plan";
        let plain = Draft { path: lead.path, attribute, single, negated, parts, past, ..draft };
        match &verb.act {
            _ if ending.time == "plan" => Some(plain),
            Act::Ended => Some(Draft { attribute: "ended".to_owned(), negated: true, change: true, past: false, ..plain }),
            Act::Is(state) => {
                if state.is_empty() {
                    let draft = Draft { path: Vec::new(), parts: Vec::new(), attribute: String::new(), ..plain };
                    return self.nominal(rest, Draft { change: true, past: false, ..draft });
                }
                let words = vec![self.grammar.word(state, "", false)];
                Some(Draft { parts: vec![Part { marker: String::new(), words }], change: true, past: false, ..plain })
            }
            Act::Set => self.set_last(verb, rest, Draft { past: false, ..plain }),
            Act::Move => {
                let place = self.tailed(words, "toward-tail").or_else(|| words.last().map(|word| vec![word.clone()]))?;
                Some(Draft { value: Some(place), change: true, past: false, ..plain })
            }
            Act::At(_) => match self.tailed(words, "place-tail") {
                Some(place) if !infinitive || verb.base.contains('_') => {
                    let past = past && !verb.base.contains('_');
                    Some(Draft { value: Some(place), change: plain.change || verb.base.contains('_'), past, ..plain })
                }
                _ => Some(Draft { attribute: verb.base.clone(), single: false, ..plain }),
            },
            _ if verb.slot == "age" => {
                let years = words.iter().find(|word| word.kind == Kind::Number).filter(|_| words.iter().any(|word| self.is(word, "old")));
                match years {
                    Some(years) => Some(Draft { value: Some(vec![years.clone()]), past: false, ..plain }),
                    None => Some(Draft { attribute: verb.base.clone(), single: false, ..plain }),
                }
            }
            _ if verb.slot == "prefers" => self.preferred_last(plain),
            _ => Some(plain),
        }
    }

    /// The name in the case of a place or a direction, with the capitals before it.
    fn tailed(&self, words: &[Word], class: &str) -> Option<Vec<Word>> {
        let tailed = |word: &Word| !word.tail.is_empty() && self.grammar.is(&word.tail, class);
        let end = words.iter().rposition(tailed)?;
        let begin = words[..end].iter().rposition(|word| !word.capital && !tailed(word)).map_or(0, |at| at + 1);
        Some(words[begin..=end].to_vec())
    }

    /// Every word by its case, as far as it can be seen; words without one together.
    fn cases(&self, words: &[Word]) -> Vec<Part> {
        let mut parts: Vec<Part> = vec![Part::default()];
        for word in words.iter().filter(|word| !self.is(word, "joint") || word.capital) {
            parts[0].words.push(word.clone());
        }
        parts.retain(|part| !part.words.is_empty());
        parts
    }

    /// "X'i Y'ye tercih ediyor": the slot is the choice between the two.
    fn preferred_last(&self, draft: Draft) -> Option<Draft> {
        let words: Vec<Word> = draft.parts.iter().flat_map(|part| part.words.clone()).collect();
        let [value, other] = words.as_slice() else { return Some(draft) };
        let mut both = [value.key.clone(), other.key.clone()];
        both.sort();
        let attribute = format!("prefers/{}", both.join("+"));
        Some(Draft { attribute, single: true, value: Some(vec![value.clone()]), ..draft })
    }

    /// Something gets a new value: "fiyat 5 lira oldu", "X'ten Y'ye geçtik".
    fn set_last(&self, verb: &Verb, rest: &[Word], draft: Draft) -> Option<Draft> {
        if verb.slot == "uses" {
            let to = self.tailed(rest, "toward-tail")?;
            let old = self.tailed(rest, "source-tail").unwrap_or_default();
            let to = to.into_iter().filter(|word| !old.contains(word)).collect();
            let parts = vec![Part { marker: String::new(), words: to }];
            return Some(Draft { attribute: "uses".to_owned(), parts, change: true, old, ..draft });
        }
        let draft = self.nominal(rest, Draft { change: true, past: false, path: Vec::new(), parts: Vec::new(), ..draft })?;
        draft.parts.iter().flat_map(|part| &part.words).any(|word| word.kind != Kind::Plain).then_some(draft)
    }

    /// "X'in bir Y'si var": the slot is what is had.
    fn had(&self, words: &[Word], draft: Draft) -> Option<Draft> {
        let (head, before) = words.split_last()?;
        let owned = self.mine(&head.text).is_some();
        let owner = words.first().is_some_and(|first| self.person(first).is_some() || self.owns(first).is_some());
        if !owned && !owner {
            return None;
        }
        let lead = self.lead(words)?;
        let mut path = lead.path;
        // What is had may have been read as a step of the owner.
        if owned {
            path = vec![Step::named(&super::fold(self.speaker))];
        }
        if path.last().is_some_and(|step| step.key == head.key) || (!owned && lead.length > before.len()) {
            path.pop();
        }
        if path.is_empty() {
            return None;
        }
        let rest: Vec<Word> = if owned { words.to_vec() } else { words[lead.length.min(before.len())..].to_vec() };
        let slot = self.grammar.shown(&head.key).unwrap_or(&head.key);
        Some(Draft { path, attribute: format!("has/{slot}"), parts: vec![Part { marker: String::new(), words: rest }], ..draft })
    }

    /// A clause without a verb: "Leyla cerrah", "kira 5 lira", "evliyim".
    fn nominal(&self, words: &[Word], draft: Draft) -> Option<Draft> {
        let mut words = words.to_vec();
        let count = words.len();
        let last = words.last_mut()?;
        let was = self.grammar.without(&last.tail, "copula-past", 0).is_some()
            || self.grammar.without(&last.text, "copula-was", 3).is_some();
        let mut first = self.is(last, "old") && self.mine(&last.text).is_some();
        if last.tail.is_empty()
            && last.kind == Kind::Plain
            && !(last.capital && count > 1)
            && !self.is(last, "not-mine")
            && !self.grammar.names_state(last)
            && let Some(stem) = self.grammar.without(&last.text, "copula", 3).map(str::to_owned)
            && self.person(&words[0]).is_none_or(|_| self.is(&words[0], "self"))
        {
            let last = words.last_mut()?;
            first = !stem.is_empty();
            *last = Word { pause: last.pause, ..self.grammar.word(&stem, "", last.capital) };
        }
        let alone = words.len() == 1;
        let before_lead = self.lead(&words).filter(|lead| lead.length < words.len() && !alone);
        let speaks = first && before_lead.as_ref().is_none_or(|lead| lead.path.len() < 2);
        let lead = if speaks { Lead { path: vec![Step::named(&super::fold(self.speaker))], length: 0 } } else { before_lead? };
        let value = words[lead.length..].to_vec();
        let mut path = lead.path;
        let past = draft.past || was;
        if let Some(years) = value.iter().find(|word| word.kind == Kind::Number).filter(|_| value.iter().any(|word| self.is(word, "old"))) {
            let years = Some(vec![years.clone()]);
            return Some(Draft { path, attribute: "age".to_owned(), single: true, value: years, parts: self.cases(&value), past, ..draft });
        }
        let place = self.tailed(&value, "place-tail").filter(|place| place.len() == value.len() && value[0].capital);
        if let Some(place) = place.filter(|place| place.iter().all(|word| word.kind == Kind::Plain)) {
            let (attribute, single) = ("location".to_owned(), draft.change);
            return Some(Draft { path, attribute, single, value: Some(place), parts: self.cases(&value), past, ..draft });
        }
        let slot = self.slot(&mut path, &value);
        let single = slot.is_some();
        let (attribute, thing) = slot.unwrap_or(("is".to_owned(), false));
        Some(Draft { path, attribute, single, thing, parts: self.cases(&value), past, ..draft })
    }
}
