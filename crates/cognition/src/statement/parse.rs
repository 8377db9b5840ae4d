//! From a text to its statements: sentence by sentence, clause by clause.

use super::{
    clause_words::clause_words,
    draft::{StatementDraft, joined},
    frame::{Statement, StatementFrame},
    grammar::{GRAMMARS, grammar},
    middle::plan_at,
    subject::ClauseReader,
    word::ClauseWord,
};
use crate::{language::likely_languages, lexicon::GrammarClass, reading::Reading, sentence::sentence_parts};

/// Maximum statements taken from one text.
pub(super) const MAX_STATEMENTS: usize = 16;
/// Sentences and bytes of a text, and words of a sentence, that are parsed.
const MAX_SENTENCES: usize = 24;
const MAX_TEXT_BYTES: usize = 4000;
const MAX_SENTENCE_WORDS: usize = 60;

/// The statements of a text. `speaker` is `user`, `agent` or a person's name in lower case.
pub fn statements(text: &str, speaker: &str) -> Vec<Statement> {
    statements_in(&Reading::of(text), speaker)
}

/// The same of a text that is read already.
pub fn statements_in(reading: &Reading, speaker: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let parts = reading.sentences_within(MAX_TEXT_BYTES).flat_map(sentence_parts);
    for part in parts.take(MAX_SENTENCES).filter(|part| !part.asks) {
        let lower = part.text.to_lowercase();
        let plain =
            lower.split(|c: char| !c.is_alphanumeric() && !"'’̇".contains(c)).filter(|word| !word.is_empty());
        for language in likely_languages(plain) {
            let reader = ClauseReader { grammar: grammar(language), speaker };
            let words = clause_words(part.text, reader.grammar, MAX_SENTENCE_WORDS);
            let before = found.len();
            for clause in reader.clauses(&words) {
                found.extend(reader.statement(&clause));
            }
            if found.len() > before {
                break;
            }
        }
        if found.len() >= MAX_STATEMENTS {
            found.truncate(MAX_STATEMENTS);
            break;
        }
    }
    found
}

impl ClauseReader<'_> {
    /// Parts of a sentence that have a verb of their own. One that takes its subject from the one before gets it.
    fn clauses(&self, words: &[ClauseWord]) -> Vec<Vec<ClauseWord>> {
        let mut clauses: Vec<Vec<ClauseWord>> = vec![Vec::new()];
        let mut at = 0;
        while at < words.len() && clauses.len() <= MAX_STATEMENTS {
            let word = &words[at];
            let rest = &words[at + 1..];
            let so_far = clauses.last().map_or(&[][..], Vec::as_slice);
            let lead = if self.grammar.verb_last { None } else { self.carried(so_far, word, rest) };
            let after_verb = || {
                let (last, before) = so_far.split_last()?;
                Some(self.grammar.verb_last && self.is_verb(last, before.last()))
            };
            let binds = word.is(GrammarClass::And)
                && (own_subject(rest) || lead.is_some() || after_verb() == Some(true));
            if binds {
                clauses.push(lead.unwrap_or_default());
                at += 1;
                continue;
            }
            let split = word.pause
                && !rest.is_empty()
                && if self.grammar.verb_last { self.is_verb(word, so_far.last()) } else { own_subject(rest) };
            let word = ClauseWord { pause: word.pause && !split, ..word.clone() };
            clauses.last_mut().expect("one to begin with").push(word);
            if split {
                clauses.push(Vec::new());
            }
            at += 1;
        }
        clauses.retain(|clause| !clause.is_empty());
        clauses
    }

    /// Whether a word is a verb that ends its clause.
    fn is_verb(&self, word: &ClauseWord, before: Option<&ClauseWord>) -> bool {
        word.tail.is_empty() && self.grammar.last_verb(word, before).is_some()
    }

    /// The statement of one clause, if it makes one.
    fn statement(&self, words: &[ClauseWord]) -> Option<Statement> {
        let asks = words.first().is_some_and(|first| first.is(GrammarClass::Question)) && asks(words);
        let unsaid = |(at, word): (usize, &ClauseWord)| {
            let a_name = word.capital && at > 0;
            (word.is(GrammarClass::If) && !a_name)
                || word.is(GrammarClass::Reported)
                || self.grammar.without(&word.text, GrammarClass::ClauseEnding, 3).is_some()
        };
        if asks || words.iter().enumerate().any(unsaid) {
            return None;
        }
        let draft = if self.grammar.verb_last {
            let planned = words.iter().any(|word| word.is(GrammarClass::Plan));
            let plan = |draft| StatementDraft {
                attribute: "plan".to_owned(),
                single: false,
                change: false,
                old: Vec::new(),
                ..draft
            };
            self.verb_last(words).map(|draft| if planned { plan(draft) } else { draft })
        } else {
            match plan_at(words) {
                Some(at) => self.plan_middle(words, at),
                None => self.verb_middle(words),
            }
        };
        self.finished(draft?)
    }

    fn finished(&self, draft: StatementDraft) -> Option<Statement> {
        let words: Vec<ClauseWord> = draft.parts.iter().flat_map(|part| part.words.clone()).collect();
        let value = joined(draft.value.as_ref().unwrap_or(&words), |word| &word.text).replace('_', " ");
        if value.is_empty() || draft.path.is_empty() {
            return None;
        }
        let words = draft.value.unwrap_or(words);
        let under = |attribute: String| if draft.past { format!("past/{attribute}") } else { attribute };
        let keys: Vec<&str> = draft.path.iter().map(|step| step.key.as_str()).collect();
        let shown: Vec<&str> = draft.path.iter().map(|step| step.shown.as_str()).collect();
        let attribute = under(draft.attribute.replace('_', " "));
        let attribute_key =
            attribute.split([' ', '/']).map(|word| self.grammar.key(word)).collect::<Vec<_>>().join(" ");
        Some(Statement {
            subject: shown.join("/").replace('_', " "),
            attribute,
            value,
            negated: draft.negated,
            single: draft.single && !draft.past,
            change: draft.change,
            old: (!draft.old.is_empty()).then(|| joined(&draft.old, |word| &word.text)),
            confidence: draft.confidence,
            frame: StatementFrame {
                subject: keys.join("/"),
                attribute: attribute_key,
                value: words,
                parts: draft.parts,
                old: draft.old,
                thing: draft.thing,
                grammar: GRAMMARS.iter().position(|one| std::ptr::eq(one, self.grammar)).unwrap_or(0),
            },
        })
    }
}

/// Whether a clause that begins like a question has the build of one: an auxiliary and then the subject.
fn asks(words: &[ClauseWord]) -> bool {
    words.get(1).is_some_and(|second| {
        second.is_any(&[
            GrammarClass::Speaker,
            GrammarClass::Addressed,
            GrammarClass::Pronoun,
            GrammarClass::Mine,
            GrammarClass::Article,
            GrammarClass::User,
        ])
    })
}

/// Whether words begin with a subject.
fn own_subject(words: &[ClauseWord]) -> bool {
    let own =
        |word: &ClauseWord| word.is_any(&[GrammarClass::Speaker, GrammarClass::Pronoun, GrammarClass::User]);
    words.len() > 1 && words.iter().take(2).any(own)
}
