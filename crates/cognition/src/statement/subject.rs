//! Whom a clause is about: the speaker in the place of "I", owners and what they own, and which slot of its owner a noun names.

use super::{
    draft::SubjectStep,
    grammar::{Grammar, Noun},
    word::{ClauseWord, WordKind},
};
use crate::lexicon::GrammarClass;
use crate::plain::fold;

/// Parses clauses of one language and one speaker. Each file of this folder adds the methods of one step.
pub(super) struct ClauseReader<'g> {
    pub(super) grammar: &'g Grammar,
    pub(super) speaker: &'g str,
}

impl ClauseReader<'_> {
    /// The speaker in the place of "I", the user where a memory names him, the agent where it is addressed.
    pub(super) fn person(&self, word: &ClauseWord) -> Option<SubjectStep> {
        let classes = [
            (GrammarClass::Speaker, self.speaker),
            (GrammarClass::Mine, self.speaker),
            (GrammarClass::User, "user"),
            (GrammarClass::UserGenitive, "user"),
        ];
        let named = classes
            .iter()
            .find(|(class, _)| word.is(*class))
            .map(|(_, name)| SubjectStep::named(&fold(name)));
        let agent = || {
            (word.is(GrammarClass::Addressed) || word.is(GrammarClass::Yours))
                .then(|| SubjectStep::named("agent"))
        };
        named.or_else(agent)
    }

    /// Makes the last noun of a subject the attribute, if it names a slot and `value` can fill it.
    pub(super) fn slot(&self, path: &mut Vec<SubjectStep>, value: &[ClauseWord]) -> Option<(String, bool)> {
        let last = path.last()?.clone();
        let key_words: Vec<&str> = last.key.split(' ').collect();
        let shown_words: Vec<&str> = last.shown.split(' ').collect();
        let fills = |noun: &Noun| {
            let typed = |word: &ClauseWord| word.kind != WordKind::Plain;
            if noun.number {
                value.iter().any(typed)
            } else {
                !noun.thing || value.iter().any(|word| word.capital || typed(word))
            }
        };
        let begins = (0..key_words.len()).find_map(|from| {
            let noun = self.grammar.slot_noun(&key_words[from..].join(" "))?;
            fills(noun).then_some((from, noun))
        });
        let favourite = shown_words.iter().position(|word| self.grammar.is(word, GrammarClass::Favorite));
        let (from, attribute, thing) = match (favourite, begins) {
            (Some(from), begins) => {
                let of =
                    begins.map_or_else(|| shown_words[from + 1..].join(" "), |(_, noun)| noun.slot.clone());
                (from, format!("favourite {of}"), false)
            }
            (None, Some((from, noun))) => (from, noun.slot.clone(), noun.thing),
            (None, None) => return None,
        };
        path.pop();
        if from > 0 {
            path.push(SubjectStep { shown: shown_words[..from].join(" "), key: key_words[..from].join(" ") });
        }
        if path.is_empty() {
            path.push(last);
        }
        Some((attribute, thing))
    }

    /// From the owner to what is owned. Nothing if it is a pronoun or no subject at all.
    pub(super) fn path(&self, words: &[ClauseWord]) -> Option<Vec<SubjectStep>> {
        if words.is_empty() {
            return Some(vec![SubjectStep::named("agent")]);
        }
        let begins =
            |word: &ClauseWord| word.is_any(&[GrammarClass::Speaker, GrammarClass::Mine, GrammarClass::User]);
        let from = words.iter().position(begins).filter(|at| *at < 4 || !words[0].capital);
        let from = from.or_else(|| words.iter().rposition(|word| word.pause).map(|at| at + 1)).unwrap_or(0);
        let words = words.get(from..).filter(|words| !words.is_empty())?;
        if words[0].is(GrammarClass::Pronoun) && words.len() == 1 {
            return None;
        }
        let mut path = Vec::new();
        let mut run: Vec<ClauseWord> = Vec::new();
        let mut belongs: Option<SubjectStep> = None;
        for word in words {
            let article = word.is(GrammarClass::Article) && (run.is_empty() || !word.capital);
            if article || (word.is(GrammarClass::And) && run.is_empty()) {
                continue;
            }
            if let Some(person) = self.person(word) {
                path.push(person);
            } else if word.is(GrammarClass::Belongs) && !run.is_empty() {
                belongs = Some(SubjectStep::of(&run));
                run.clear();
            } else {
                run.push(word.clone());
                if self.grammar.is(&word.tail, GrammarClass::Genitive) {
                    path.push(SubjectStep::of(&run));
                    run.clear();
                }
            }
        }
        if !run.is_empty() {
            path.push(SubjectStep::of(&run));
        }
        path.extend(belongs);
        (!path.is_empty()).then_some(path)
    }
}
