//! Reading a clause whose verb stands in the middle: subject, verb, what is said.

use super::{
    Draft, Part, Reading, Step,
    grammar::{Act, Verb},
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

impl Reading<'_> {
    pub(super) fn verb_middle(&self, words: &[Word]) -> Option<Draft> {
        let core = self.core(words);
        let words = &core.words;
        let verb_at = self.verb_at(words)?;
        let mut path = self.path(&words[..verb_at])?;
        let mut at = verb_at;
        let mut past = core.past;
        let mut perfect = false;
        let is = |at: usize, class: &str| words.get(at).is_some_and(|word| self.is(word, class));
        while is(at, "do") || is(at, "did") || is(at, "modal") {
            past |= is(at, "did");
            at += 1;
        }
        let participle = |at: usize| words.get(at).and_then(|word| self.grammar.verb(word)).is_some_and(|verb| verb.past);
        if (is(at, "have") || is(at, "had")) && (participle(at + 1) || is(at + 1, "be") || is(at + 1, "modal")) {
            past |= is(at, "had");
            perfect = true;
            at += 1;
        }
        let draft = Draft { negated: core.negated, change: core.change, old: core.old.clone(), confidence: 0.8, ..Draft::default() };
        let rest = |at: usize| words.get(at..).unwrap_or_default();
        let becomes = is(at, "get") && words.get(at + 1).is_some_and(|next| self.grammar.is_state(next));
        if is(at, "be") || is(at, "was") || becomes {
            let next = words.get(at + 1).and_then(|word| self.grammar.verb(word).map(|verb| (word, verb)));
            let draft = Draft { past: past || is(at, "was"), change: draft.change || becomes, ..draft };
            return match next {
                Some((word, verb)) if self.is_doing(word, &verb, rest(at + 2)) => {
                    self.said(verb, false, path, rest(at + 2), draft)
                }
                Some((_, verb)) if verb.act == Act::Set => self.set(&verb, path, rest(at + 2), Draft { past: false, ..draft }, true),
                Some((_, verb)) if verb.known && verb.past && !matches!(verb.act, Act::Ended | Act::Is(_)) => {
                    self.said(verb, false, path, rest(at + 2), draft)
                }
                _ => self.being(&mut path, rest(at + 1), draft),
            };
        }
        if is(at, "have") || is(at, "had") {
            return self.having(path, rest(at + 1), Draft { past: past || (is(at, "had") && !perfect), ..draft });
        }
        let verb = self.grammar.verb(words.get(at)?)?;
        let event = (verb.past && !perfect) || words.iter().any(|word| self.is(word, "then"));
        self.said(verb, event, path, rest(at + 1), Draft { past, perfect, ..draft })
    }

    /// Where a clause says that it speaks of a plan: "I plan", "we will", "the plan to", not "the planning is".
    pub(super) fn plan_at(&self, words: &[Word]) -> Option<usize> {
        (0..words.len()).find(|at| {
            let before = at.checked_sub(1).map(|before| &words[before]);
            let acts = |word: &Word| {
                word.capital || ["self", "user", "be", "was", "pronoun", "addressed", "filler", "not"].iter().any(|class| self.is(word, class))
            };
            let toward = || words.get(at + 1).is_some_and(|next| self.is(next, "toward"));
            let always = || self.is(&words[*at], "will");
            self.is(&words[*at], "plan") && (before.is_some_and(acts) || toward() || always())
        })
    }

    /// What is planned: everything behind the word that says so.
    pub(super) fn plan_middle(&self, words: &[Word], at: usize) -> Option<Draft> {
        let helps = |word: &Word| ["be", "was", "have", "filler", "not", "change"].iter().any(|class| self.is(word, class));
        let lead: Vec<Word> = words[..at].iter().filter(|word| !helps(word)).cloned().collect();
        let negated = words[..at].iter().any(|word| self.is(word, "not") || self.is(word, "ended"));
        let path = self.path(&lead).filter(|_| !lead.is_empty())?;
        let parts = vec![Part { marker: String::new(), words: self.content(&words[at + 1..]) }];
        Some(Draft { path, attribute: "plan".to_owned(), parts, negated, confidence: 0.7, ..Draft::default() })
    }

    /// The subject of the clause so far, if another verb follows "and" with none of its own: "I sold it and bought a bike".
    pub(super) fn carried(&self, so_far: &[Word], and: &Word, rest: &[Word]) -> Option<Vec<Word>> {
        if !self.is(and, "and") {
            return None;
        }
        let next = rest.iter().take(3).find(|word| !self.is(word, "filler") && !self.is(word, "change"))?;
        let verb_at = self.verb_at(so_far).filter(|at| *at > 0)?;
        let finite = ["be", "was", "have", "had", "do", "did", "modal"].iter().any(|class| self.is(next, class));
        let third = self.grammar.without(&so_far[verb_at].text, "plural-ending", 1).is_some()
            && self.grammar.without(&next.text, "plural-ending", 2).is_some();
        let verb = self.grammar.verb(next).is_some_and(|verb| verb.past || third);
        (finite || verb).then(|| so_far[..verb_at].to_vec())
    }

    /// Takes out what says that something changed, is not so, was so, or is only said by the way.
    fn core(&self, words: &[Word]) -> Core {
        let mut core = Core::default();
        let mut not_at = None;
        for (at, word) in words.iter().enumerate() {
            if self.is(word, "change") {
                core.change = true;
            } else if self.is(word, "ended") {
                (core.negated, core.change) = (true, true);
            } else if self.is(word, "not") {
                let contrast = at > 1 && words[at - 1].pause && self.verb_at(&core.words).is_some();
                if contrast {
                    core.old = self.content(&words[at + 1..]);
                    core.change = true;
                    break;
                }
                core.negated = !core.negated;
                not_at = Some(core.words.len());
            } else if self.is(word, "past") {
                core.past = true;
            } else if self.is(word, "but") {
                let Some(from) = not_at.take() else { break };
                core.old = self.content(&core.words[from.min(core.words.len())..]);
                core.words.truncate(from);
                // What stands right behind "not" may be the verb itself: "is not called X but Y".
                if let Some(verb) = core.old.first().filter(|word| self.grammar.verb(word).is_some()).cloned() {
                    core.old.remove(0);
                    core.words.push(verb);
                }
                (core.negated, core.change) = (false, true);
            } else if !self.is(word, "filler") {
                core.words.push(word.clone());
            }
        }
        core
    }

    /// Words that carry content.
    fn content(&self, words: &[Word]) -> Vec<Word> {
        let empty = |word: &&Word| !["article", "preposition", "filler", "change", "self", "mine"].iter().any(|class| self.is(word, class));
        words.iter().filter(empty).cloned().collect()
    }

    /// Where the verb stands; at the beginning in an order.
    fn verb_at(&self, words: &[Word]) -> Option<usize> {
        (0..words.len()).find(|at| {
            let word = &words[*at];
            if word.capital && *at > 0 {
                return false;
            }
            let helps = ["be", "was", "have", "had", "do", "did", "modal", "get"].iter().any(|class| self.is(word, class));
            let before = at.checked_sub(1).map(|before| &words[before]);
            helps || self.grammar.verb(word).is_some_and(|verb| self.agrees(before, word, &verb))
        })
    }

    /// Whether a word can be the verb behind `before`: "the build takes", not "the build".
    fn agrees(&self, before: Option<&Word>, word: &Word, verb: &Verb) -> bool {
        let Some(before) = before else { return !verb.past || verb.act == Act::Set };
        if ["self", "pronoun", "addressed"].iter().any(|class| self.is(before, class)) {
            return true;
        }
        if ["article", "mine", "yours", "preposition"].iter().any(|class| self.is(before, class)) || !before.tail.is_empty() {
            return false;
        }
        let ends = |word: &Word| self.grammar.without(&word.text, "plural-ending", 2).is_some();
        verb.past || word.text.contains('_') || if ends(word) { !ends(before) || before.capital } else { ends(before) }
    }

    /// Whether a form behind "is" says what is being done: "is learning", "are living".
    fn is_doing(&self, word: &Word, verb: &Verb, rest: &[Word]) -> bool {
        let state = rest.is_empty() && self.grammar.is_state(word);
        !verb.past && word.text != verb.base && word.text != word.key && !state
    }

    /// From the owner to what is owned. Nothing if it is a pronoun or no subject at all.
    fn path(&self, words: &[Word]) -> Option<Vec<Step>> {
        if words.is_empty() {
            return Some(vec![Step::named("agent")]);
        }
        let begins = |word: &Word| ["self", "mine", "user"].iter().any(|class| self.is(word, class));
        let from = words.iter().position(begins).filter(|at| *at < 4 || !words[0].capital);
        let from = from.or_else(|| words.iter().rposition(|word| word.pause).map(|at| at + 1)).unwrap_or(0);
        let words = words.get(from..).filter(|words| !words.is_empty())?;
        if self.is(&words[0], "pronoun") && words.len() == 1 {
            return None;
        }
        let mut path = Vec::new();
        let mut run: Vec<Word> = Vec::new();
        let mut belongs: Option<Vec<Step>> = None;
        for word in words {
            if let Some(person) = self.person(word) {
                path.push(person);
            } else if self.is(word, "belongs") && !run.is_empty() {
                belongs = Some(vec![Step::of(&run)]);
                run.clear();
            } else if self.is(word, "article") && (run.is_empty() || !word.capital) {
                continue;
            } else if self.is(word, "and") && run.is_empty() {
                continue;
            } else {
                run.push(word.clone());
                if self.is(&Word { text: word.tail.clone(), ..word.clone() }, "genitive") {
                    path.push(Step::of(&run));
                    run.clear();
                }
            }
        }
        if !run.is_empty() {
            path.push(Step::of(&run));
        }
        path.extend(belongs.into_iter().flatten());
        (!path.is_empty()).then_some(path)
    }

    /// What follows the verb, cut at its prepositions.
    fn parts(&self, words: &[Word]) -> Vec<Part> {
        let mut parts: Vec<Part> = vec![Part::default()];
        for word in words {
            if self.is(word, "preposition") && !word.capital {
                parts.push(Part { marker: word.text.clone(), words: Vec::new() });
            } else if word.capital || !["article", "joint", "and", "mine", "yours", "self"].iter().any(|class| self.is(word, class)) {
                parts.last_mut().expect("one to begin with").words.push(word.clone());
            }
        }
        parts.retain(|part| !part.words.is_empty());
        parts
    }

    /// A verb with what follows it.
    fn said(&self, verb: Verb, event: bool, path: Vec<Step>, rest: &[Word], draft: Draft) -> Option<Draft> {
        let mut parts = self.parts(rest);
        let mut draft = draft;
        if let Some(at) = parts.iter().position(|part| self.grammar.is(&part.marker, "instead")) {
            draft.old = parts.remove(at).words;
            draft.change = true;
        }
        if parts.is_empty() && verb.act == Act::Object {
            parts.push(Part { marker: String::new(), words: vec![self.grammar.word(&verb.base, "", false)] });
        }
        let object = parts.first().filter(|part| part.marker.is_empty());
        let negated = draft.negated != verb.not;
        let plain = Draft { path: path.clone(), attribute: verb.slot.clone(), single: verb.single, negated, parts: parts.clone(), ..draft.clone() };
        match &verb.act {
            Act::Set => self.set(&verb, path, rest, draft, false),
            Act::Is(state) => {
                let words = if state.is_empty() { Vec::new() } else { vec![self.grammar.word(state, "", false)] };
                Some(Draft { parts: vec![Part { marker: String::new(), words }], change: true, ..plain })
            }
            Act::Ended if object.is_none() || !(event || draft.perfect) => {
                Some(Draft { attribute: verb.base.clone(), past: draft.past || event, ..plain })
            }
            Act::Ended => Some(Draft { attribute: "ended".to_owned(), negated: true, change: true, past: false, ..plain }),
            Act::Move if object.is_some() && parts.iter().any(|part| self.grammar.is(&part.marker, "source")) => {
                let uses = Verb { slot: "uses".to_owned(), ..verb };
                let from = rest.iter().position(|word| self.is(word, "preposition"))?;
                self.set(&uses, path, rest.get(from..)?, draft, true)
            }
            Act::Move if object.is_none() => {
                let to = parts.iter().find(|part| self.grammar.is(&part.marker, "toward"))?;
                if to.words.iter().any(|word| word.kind != Kind::Plain) {
                    return self.set(&Verb { slot: "is".to_owned(), ..verb }, path, rest, draft, true);
                }
                Some(Draft { value: Some(self.named(&to.words)), change: true, past: false, ..plain })
            }
            Act::At(markers) => {
                let timed = |part: &&Part| !part.words.iter().take(1).any(|word| self.is(word, "time") || word.kind != Kind::Plain);
                let place = parts.iter().filter(|part| markers.contains(&part.marker)).find(timed);
                match place.filter(|_| object.is_none() || verb.base.contains('_')) {
                    Some(part) => {
                        let after = parts.iter().skip_while(|one| *one != part).skip(1);
                        let same = after.take_while(|next| next.marker == part.marker).flat_map(|next| next.words.clone());
                        let words = self.named(&part.words).into_iter().chain(same).collect();
                        Some(Draft { value: Some(words), past: draft.past || event, ..plain })
                    }
                    None => Some(Draft { attribute: verb.base.clone(), single: false, past: draft.past || event, ..plain }),
                }
            }
            _ if verb.slot == "prefers" => self.preferred(plain),
            _ if verb.slot == "uses" => Some(self.used(Draft { past: draft.past || event, ..plain })),
            _ => {
                let turned = verb.slot == "age" && !parts.first()?.words.first().is_some_and(|word| word.kind == Kind::Number);
                let moved = verb.act == Act::Move;
                let attribute = if turned || moved { verb.base.clone() } else { plain.attribute.clone() };
                let event = event && !(verb.single && verb.act == Act::Object);
                let value = plain.single.then(|| parts.first().map(|part| part.words.clone())).flatten();
                let (single, past) = (plain.single && !turned && !moved, draft.past || event);
                Some(Draft { attribute, single, past, value, ..plain })
            }
        }
    }

    /// The words up to the first that only says when.
    fn named(&self, words: &[Word]) -> Vec<Word> {
        words.iter().take_while(|word| !self.is(word, "time")).cloned().collect()
    }

    /// "uses X for Y", "as Y": the slot is Y.
    fn used(&self, draft: Draft) -> Draft {
        let slot = draft.parts.iter().find(|part| self.grammar.is(&part.marker, "purpose"));
        let object = draft.parts.first().filter(|part| part.marker.is_empty());
        let (Some(slot), Some(object)) = (slot, object) else { return draft };
        // "uses port 80": what is used names its own slot.
        Draft {
            attribute: format!("uses/{}", super::joined(&slot.words, |word| &word.text)),
            single: self.grammar.is(&slot.marker, "role") || draft.change,
            value: Some(object.words.clone()),
            ..draft
        }
    }

    /// "prefers X over Y": the slot is the choice between the two; "prefers dark mode": the slot is mode.
    fn preferred(&self, draft: Draft) -> Option<Draft> {
        let object = draft.parts.first().filter(|part| part.marker.is_empty())?.words.clone();
        let than = draft.parts.iter().find(|part| self.grammar.is(&part.marker, "contrast"));
        let (slot, value) = match than {
            Some(than) => {
                let mut both: Vec<String> = vec![super::joined(&object, |word| &word.key), super::joined(&than.words, |word| &word.key)];
                both.sort();
                (both.join("+"), object)
            }
            None if object.len() > 1 => (object.last()?.text.clone(), object[..object.len() - 1].to_vec()),
            None => return Some(draft),
        };
        Some(Draft { attribute: format!("prefers/{slot}"), single: true, value: Some(value), ..draft })
    }

    /// Something gets a new value: "we changed the port to 80", "the price rose to 5", "I switched from X to Y".
    fn set(&self, verb: &Verb, path: Vec<Step>, rest: &[Word], draft: Draft, passive: bool) -> Option<Draft> {
        let cut = rest.iter().position(|word| self.is(word, "preposition")).unwrap_or(rest.len());
        let parts = self.parts(&rest[cut..]);
        let to = parts.iter().find(|part| self.grammar.is(&part.marker, "toward"));
        let from = parts.iter().find(|part| self.grammar.is(&part.marker, "source"));
        let bare = (passive && to.is_none()).then(|| Part { marker: String::new(), words: rest[..cut].to_vec() });
        let words = to.map(|part| &part.words).or_else(|| bare.as_ref().map(|part| &part.words))?.clone();
        let object = &rest[..cut];
        let mut path = if object.is_empty() || passive { path } else { self.path(object)? };
        let old = from.map(|part| part.words.clone()).unwrap_or_default();
        // "version 3.0": the new value names its own slot.
        let named = words.first().filter(|first| words.len() > 1 && self.grammar.slot_noun(&first.key).is_some());
        let (attribute, single, thing, words) = if verb.slot == "uses" {
            ("uses".to_owned(), false, false, words)
        } else if let Some(noun) = named {
            (noun.text.clone(), true, false, words[1..].to_vec())
        } else {
            let words = self.named(&words);
            let slot = self.slot(&mut path, &words);
            let single = slot.is_some() || verb.slot != "is";
            let (attribute, thing) = slot.unwrap_or_else(|| (verb.slot.clone(), false));
            (attribute, single, thing, words)
        };
        let parts = vec![Part { marker: String::new(), words }];
        Some(Draft { path, attribute, single, thing, parts, change: true, old, past: false, ..draft })
    }

    /// "X is …": a slot of its owner, an age, a place of work, or plainly what X is.
    fn being(&self, path: &mut Vec<Step>, rest: &[Word], draft: Draft) -> Option<Draft> {
        let parts = self.parts(rest);
        let first = parts.first()?.clone();
        let number = first.words.first().filter(|word| word.kind == Kind::Number);
        let path_now = path.clone();
        let plain = |attribute: &str, single: bool, value: Option<Vec<Word>>| {
            let attribute = attribute.to_owned();
            Some(Draft { path: path_now.clone(), attribute, single, value, parts: parts.clone(), ..draft.clone() })
        };
        let old = first.words.iter().any(|word| self.is(word, "old"));
        let someone = path[0].shown != path.last()?.shown || path[0].shown == self.speaker || path[0].shown == "user";
        if let Some(number) = number.filter(|_| old || (parts.len() == 1 && first.words.len() == 1 && someone && first.marker.is_empty()))
            && (old || self.slot(&mut path.clone(), &first.words).is_none())
        {
            return plain("age", true, Some(vec![number.clone()]));
        }
        let at = self.grammar.is(&first.marker, "employer-marker") && first.words[0].capital && draft.change;
        if at && path.len() == 1 {
            return plain("employer", true, Some(first.words.clone()));
        }
        let described = !first.marker.is_empty() && first.words.iter().all(|word| word.kind == Kind::Plain);
        if !described && let Some((attribute, thing)) = self.slot(path, &first.words) {
            let single = true;
            let value = if parts.len() == 1 { None } else { Some(first.words.clone()) };
            let value = value.filter(|_| first.marker.is_empty());
            return Some(Draft { path: path.clone(), attribute, single, thing, value, parts, ..draft });
        }
        // "is in Frankfurt": one place at a time, if it says that this is new.
        if self.grammar.is(&first.marker, "place-marker") && first.words[0].capital && first.words[0].kind == Kind::Plain {
            return plain("location", draft.change, Some(first.words.clone()));
        }
        // "is pinned to version 2.3"
        if let Some((noun, words)) = self.own_slot(&parts) {
            let parts = vec![Part { marker: String::new(), words }];
            return Some(Draft { path: path.clone(), attribute: noun, single: true, parts, ..draft });
        }
        plain("is", false, None)
    }

    /// A part that names its own slot: "on port 80", "to version 2".
    fn own_slot(&self, parts: &[Part]) -> Option<(String, Vec<Word>)> {
        parts.iter().find_map(|part| {
            let (first, rest) = part.words.split_first()?;
            self.grammar.slot_noun(&first.key)?;
            rest.first().filter(|word| word.kind == Kind::Number)?;
            Some((first.text.clone(), rest.to_vec()))
        })
    }

    /// "X has a dog": the slot is what is had.
    fn having(&self, path: Vec<Step>, rest: &[Word], draft: Draft) -> Option<Draft> {
        let parts = self.parts(rest);
        let object = parts.first().filter(|part| part.marker.is_empty())?;
        let head = object.words.iter().rfind(|word| word.kind == Kind::Plain)?;
        Some(Draft { path, attribute: format!("has/{}", head.text), parts, ..draft })
    }
}
