//! Reading a clause whose verb stands in the middle: subject, verb, what is said.

use super::{
    Core, Draft, Part, Reading, Step,
    grammar::{Act, Verb},
    slots::having,
    word::Word,
};

impl Reading<'_> {
    pub(super) fn verb_middle(&self, words: &[Word]) -> Option<Draft> {
        let core = self.core(words);
        let words = &core.words;
        let mut at = self.verb_at(words)?;
        let path = self.path(&words[..at])?;
        let mut draft = Draft { path, ..core.draft(0.8) };
        let is = |at: usize, class: &str| words.get(at).is_some_and(|word| word.is(class));
        while is(at, "do") || is(at, "did") || is(at, "modal") {
            draft.past |= is(at, "did");
            at += 1;
        }
        let verb_of = |at: usize| words.get(at).and_then(|word| self.grammar.verb(word));
        let has = is(at, "have") || is(at, "had");
        if has && (verb_of(at + 1).is_some_and(|verb| verb.past) || is(at + 1, "be") || is(at + 1, "modal")) {
            draft.past |= is(at, "had");
            draft.perfect = true;
            at += 1;
        }
        let rest = |at: usize| words.get(at..).unwrap_or_default();
        let becomes = is(at, "get") && words.get(at + 1).is_some_and(|next| self.grammar.is_state(next));
        if is(at, "be") || is(at, "was") || becomes {
            draft.past |= is(at, "was");
            draft.change |= becomes;
            return self.is_something(rest(at + 1), draft);
        }
        if is(at, "have") || is(at, "had") {
            draft.past |= is(at, "had");
            return having(rest(at + 1), draft);
        }
        let verb = verb_of(at)?;
        let event = (verb.past && !draft.perfect) || words.iter().any(|word| word.is("then"));
        self.said(&doing(verb), event, rest(at + 1), draft)
    }

    /// What follows "is": something being done, something that was done to the subject, or what it is.
    fn is_something(&self, rest: &[Word], draft: Draft) -> Option<Draft> {
        let Some((word, verb)) = rest.first().and_then(|word| Some((word, self.grammar.verb(word)?))) else {
            return self.being(rest, draft);
        };
        let known = verb.known && verb.past && !matches!(verb.act, Act::Ended | Act::Is(_));
        match verb.act {
            _ if self.is_doing(word, &verb, &rest[1..]) => self.said(&doing(verb), false, &rest[1..], draft),
            Act::Set => self.set(&verb, &rest[1..], Draft { past: false, ..draft }, true),
            _ if known => self.said(&verb, false, &rest[1..], draft),
            _ => self.being(rest, draft),
        }
    }

    /// What is planned: everything behind the word that says so.
    pub(super) fn plan_middle(&self, words: &[Word], at: usize) -> Option<Draft> {
        let helps = |word: &Word| word.is_any(&["be", "was", "have", "filler", "not", "change"]);
        let lead: Vec<Word> = words[..at].iter().filter(|word| !helps(word)).cloned().collect();
        let negated = words[..at].iter().any(|word| word.is("not") || word.is("ended"));
        let path = self.path(&lead).filter(|_| !lead.is_empty())?;
        let parts = vec![Part { marker: String::new(), words: content(&words[at + 1..]) }];
        Some(Draft {
            path,
            attribute: "plan".to_owned(),
            parts,
            negated,
            confidence: 0.7,
            ..Draft::default()
        })
    }

    /// The subject of the clause so far, if another verb follows "and" with none of its own: "I sold it and bought a bike".
    pub(super) fn carried(&self, so_far: &[Word], and: &Word, rest: &[Word]) -> Option<Vec<Word>> {
        if !and.is("and") {
            return None;
        }
        let next = rest.iter().take(3).find(|word| !word.is("filler") && !word.is("change"))?;
        let verb_at = self.verb_at(so_far).filter(|at| *at > 0)?;
        let finite = next.is_any(&["be", "was", "have", "had", "do", "did", "modal"]);
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
            if word.is("change") {
                core.change = true;
            } else if word.is("ended") {
                (core.negated, core.change) = (true, true);
            } else if word.is("not") {
                let contrast = at > 1 && words[at - 1].pause && self.verb_at(&core.words).is_some();
                if contrast {
                    core.old = content(&words[at + 1..]);
                    core.change = true;
                    break;
                }
                core.negated = !core.negated;
                not_at = Some(core.words.len());
            } else if word.is("past") {
                core.past = true;
            } else if word.is("but") {
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
            } else if !word.is("filler") {
                core.words.push(word.clone());
            }
        }
        core
    }

    /// Where the verb stands; at the beginning in an order.
    fn verb_at(&self, words: &[Word]) -> Option<usize> {
        (0..words.len()).find(|at| {
            let word = &words[*at];
            if word.capital && *at > 0 {
                return false;
            }
            let helps = word.is_any(&["be", "was", "have", "had", "do", "did", "modal", "get"]);
            let before = at.checked_sub(1).map(|before| &words[before]);
            helps || self.grammar.verb(word).is_some_and(|verb| self.agrees(before, word, &verb))
        })
    }

    /// Whether a word can be the verb behind `before`: "the build takes", not "the build".
    fn agrees(&self, before: Option<&Word>, word: &Word, verb: &Verb) -> bool {
        let Some(before) = before else { return !verb.past || verb.act == Act::Set };
        if before.is_any(&["self", "pronoun", "addressed"]) {
            return true;
        }
        if before.is_any(&["article", "mine", "yours", "preposition"]) || !before.tail.is_empty() {
            return false;
        }
        let ends = |word: &Word| self.grammar.without(&word.text, "plural-ending", 2).is_some();
        verb.past
            || word.text.contains('_')
            || if ends(word) { !ends(before) || before.capital } else { ends(before) }
    }

    /// Whether a form behind "is" says what is being done: "is learning", "are living".
    fn is_doing(&self, word: &Word, verb: &Verb, rest: &[Word]) -> bool {
        let state = rest.is_empty() && self.grammar.is_state(word);
        !verb.past && word.text != verb.base && word.text != word.key && !state
    }

    /// From the owner to what is owned. Nothing if it is a pronoun or no subject at all.
    pub(super) fn path(&self, words: &[Word]) -> Option<Vec<Step>> {
        if words.is_empty() {
            return Some(vec![Step::named("agent")]);
        }
        let begins = |word: &Word| word.is_any(&["self", "mine", "user"]);
        let from = words.iter().position(begins).filter(|at| *at < 4 || !words[0].capital);
        let from = from.or_else(|| words.iter().rposition(|word| word.pause).map(|at| at + 1)).unwrap_or(0);
        let words = words.get(from..).filter(|words| !words.is_empty())?;
        if words[0].is("pronoun") && words.len() == 1 {
            return None;
        }
        let mut path = Vec::new();
        let mut run: Vec<Word> = Vec::new();
        let mut belongs: Option<Step> = None;
        for word in words {
            let article = word.is("article") && (run.is_empty() || !word.capital);
            if article || (word.is("and") && run.is_empty()) {
                continue;
            }
            if let Some(person) = self.person(word) {
                path.push(person);
            } else if word.is("belongs") && !run.is_empty() {
                belongs = Some(Step::of(&run));
                run.clear();
            } else {
                run.push(word.clone());
                if self.grammar.is(&word.tail, "genitive") {
                    path.push(Step::of(&run));
                    run.clear();
                }
            }
        }
        if !run.is_empty() {
            path.push(Step::of(&run));
        }
        path.extend(belongs);
        (!path.is_empty()).then_some(path)
    }
}

/// Where a clause says that it speaks of a plan: "I plan", "we will", "the plan to", not "the planning is".
pub(super) fn plan_at(words: &[Word]) -> Option<usize> {
    (0..words.len()).find(|at| {
        let before = at.checked_sub(1).map(|before| &words[before]);
        let acts = |word: &Word| {
            word.capital
                || word.is_any(&["self", "user", "be", "was", "pronoun", "addressed", "filler", "not"])
        };
        let toward = || words.get(at + 1).is_some_and(|next| next.is("toward"));
        let always = || words[*at].is("will");
        words[*at].is("plan") && (before.is_some_and(acts) || toward() || always())
    })
}

/// Words that carry content.
fn content(words: &[Word]) -> Vec<Word> {
    let empty = |word: &&Word| !word.is_any(&["article", "preposition", "filler", "change", "self", "mine"]);
    words.iter().filter(empty).cloned().collect()
}

/// What follows the verb, cut at its prepositions.
pub(super) fn parts(words: &[Word]) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![Part::default()];
    for word in words {
        if word.is("preposition") && !word.capital {
            parts.push(Part { marker: word.text.clone(), words: Vec::new() });
        } else if word.capital || !word.is_any(&["article", "joint", "and", "mine", "yours", "self"]) {
            parts.last_mut().expect("one to begin with").words.push(word.clone());
        }
    }
    parts.retain(|part| !part.words.is_empty());
    parts
}

/// A verb as the subject does it: whoever calls somebody or something is not called so.
fn doing(verb: Verb) -> Verb {
    if verb.slot == "name" { Verb { slot: verb.base.clone(), single: false, ..verb } } else { verb }
}
