//! Statements: who has which value of what.
//!
//! A sentence is read clause by clause. What asks, wishes, supposes or passes on somebody else's words states nothing; what
//! is planned is a `plan`, what was so once stands under `past/`, so that neither clashes with what is so. What is left is
//! read by the build of its language (`middle`: subject, verb, rest; `last`: the verb at the end), and the lists of the
//! lexicon say which slot a verb or a noun fills. First person and third give the same statement: the speaker is put in the
//! place of "I".

mod asked;
pub(crate) mod grammar;
mod last;
mod lead;
mod middle;
mod slots;
pub(crate) mod word;

pub use asked::{asked_slot, fills_slot};

use crate::{language::languages_of, plain::fold};
use grammar::{GRAMMARS, Grammar, grammar};
use word::{Kind, Word};

/// Statements made of one text.
const MOST_STATEMENTS: usize = 16;
/// Sentences and bytes of a text that are read, and words of a sentence.
const MOST_SENTENCES: usize = 24;
const MOST_BYTES: usize = 4000;
const MOST_WORDS: usize = 60;

/// What a sentence says: the value that a subject has of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// `user`, `agent`, a name or a noun phrase; what belongs to somebody as `user/sister`.
    pub subject: String,
    /// The slot: `residence`, `employer`, `name`, `likes`, `has/dog`, or a verb or noun of the text.
    pub attribute: String,
    /// The value, in lower case and without accents.
    pub value: String,
    /// It is said not to be so.
    pub negated: bool,
    /// One subject has one such value at a time.
    pub single: bool,
    /// The sentence says itself that something changed.
    pub change: bool,
    /// The value that it says no longer holds.
    pub old: Option<String>,
    /// How sure the reading is, 0–1.
    pub confidence: f64,
    pub(crate) frame: Frame,
}

/// A statement that is believed less than this is still to be made sure of.
const PENDING_BELOW: f64 = 0.25;

impl Statement {
    /// Whether it is still to be made sure of: its source is of little confidence, or its reading is unsure.
    ///
    /// pending if source confidence × confidence of the reading < 0.25
    pub fn is_pending(&self, source_confidence: f64) -> bool {
        source_confidence * self.confidence < PENDING_BELOW
    }
}

/// What statements are compared by.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Frame {
    /// The subject and the attribute by the keys of their words.
    pub subject: String,
    pub attribute: String,
    /// The value alone, and with everything around it.
    pub value: Vec<Word>,
    pub parts: Vec<Part>,
    pub old: Vec<Word>,
    /// Only names and numbers fill this slot.
    pub thing: bool,
    /// Which grammar read it.
    pub grammar: usize,
}

/// Words that belong together, and the word or case that binds them to the sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Part {
    pub marker: String,
    pub words: Vec<Word>,
}

impl Part {
    /// Words that nothing binds.
    fn plain(words: Vec<Word>) -> Self {
        Self { marker: String::new(), words }
    }
}

impl Frame {
    /// Every word of the value.
    pub(crate) fn words(&self) -> impl Iterator<Item = &Word> {
        self.parts.iter().flat_map(|part| &part.words)
    }
}

/// A statement while it is read.
#[derive(Debug, Clone, Default)]
struct Draft {
    /// From the owner to what is owned: `user`, `sister`.
    path: Vec<Step>,
    attribute: String,
    single: bool,
    thing: bool,
    parts: Vec<Part>,
    /// The words that are the value, if not all are.
    value: Option<Vec<Word>>,
    negated: bool,
    change: bool,
    past: bool,
    /// Said of the past for what it means now: "has moved".
    perfect: bool,
    old: Vec<Word>,
    confidence: f64,
}

/// A clause without the words that only say how it is meant.
#[derive(Default)]
struct Core {
    words: Vec<Word>,
    negated: bool,
    change: bool,
    past: bool,
    old: Vec<Word>,
}

impl Core {
    /// What the clause says as a whole.
    fn draft(&self, confidence: f64) -> Draft {
        let (negated, change, past) = (self.negated, self.change, self.past);
        Draft { negated, change, past, old: self.old.clone(), confidence, ..Draft::default() }
    }
}

/// One step of a subject.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    shown: String,
    key: String,
}

impl Step {
    fn of(words: &[Word]) -> Self {
        Self { shown: joined(words, |word| &word.text), key: joined(words, |word| &word.key) }
    }

    /// A noun that somebody has, in the form of the list.
    fn owned(words: &[Word], grammar: &Grammar) -> Self {
        let step = Self::of(words);
        match grammar.shown(&step.key) {
            Some(shown) if grammar.verb_last => Self { shown: shown.to_owned(), ..step },
            _ => step,
        }
    }

    fn named(name: &str) -> Self {
        Self { shown: name.to_owned(), key: name.to_owned() }
    }
}

fn joined(words: &[Word], of: impl Fn(&Word) -> &str) -> String {
    words.iter().map(of).collect::<Vec<_>>().join(" ")
}

/// Whether a text breaks off in a word that is written with a full stop.
fn abbreviated(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    word.len() < 8 && GRAMMARS.iter().any(|grammar| grammar.is(&fold(word), "abbreviation"))
}

/// What is said around a clause as a whole.
struct Reading<'g> {
    grammar: &'g Grammar,
    speaker: &'g str,
}

/// What `text` states. `speaker` is `user`, `agent` or a person's name in lower case.
pub fn statements(text: &str, speaker: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    for (sentence, asks) in sentences(text) {
        if asks {
            continue;
        }
        let lower = sentence.to_lowercase();
        let plain =
            lower.split(|c: char| !c.is_alphanumeric() && !"'’̇".contains(c)).filter(|word| !word.is_empty());
        for language in languages_of(plain) {
            let reading = Reading { grammar: grammar(language), speaker };
            let words = word::words(sentence, reading.grammar, MOST_WORDS);
            let before = found.len();
            for clause in reading.clauses(&words) {
                found.extend(reading.statement(&clause));
            }
            if found.len() > before {
                break;
            }
        }
        if found.len() >= MOST_STATEMENTS {
            found.truncate(MOST_STATEMENTS);
            break;
        }
    }
    found
}

/// The sentences of a text and whether they ask.
fn sentences(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    let ends = |(at, c): (usize, char)| {
        let next = text[at + c.len_utf8()..].chars().next();
        let open = next.is_none_or(|next| next.is_whitespace() || "\"”')".contains(next));
        let end =
            "\n;".contains(c) || (".!?…".contains(c) && open && !(c == '.' && abbreviated(&text[..at])));
        end.then_some((at, c))
    };
    let mut from = 0;
    let last = (text.len(), '.');
    let marks: Vec<(usize, char)> = text.char_indices().filter_map(ends).chain([last]).collect();
    marks
        .into_iter()
        .map(move |(at, mark)| {
            let sentence = text[from.min(at)..at].trim();
            from = (at + mark.len_utf8()).min(text.len());
            (sentence, mark == '?')
        })
        .filter(|(sentence, _)| sentence.chars().any(char::is_alphanumeric))
        .take(MOST_SENTENCES)
}

impl Reading<'_> {
    /// Parts of a sentence that have a verb of their own. One that takes its subject from the one before gets it.
    fn clauses(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let mut clauses: Vec<Vec<Word>> = vec![Vec::new()];
        let mut at = 0;
        while at < words.len() && clauses.len() <= MOST_STATEMENTS {
            let word = &words[at];
            let rest = &words[at + 1..];
            let so_far = clauses.last().map_or(&[][..], Vec::as_slice);
            let lead = if self.grammar.verb_last { None } else { self.carried(so_far, word, rest) };
            let after_verb = || {
                let (last, before) = so_far.split_last()?;
                Some(self.grammar.verb_last && self.is_verb(last, before.last()))
            };
            let binds = word.is("and") && (own_subject(rest) || lead.is_some() || after_verb() == Some(true));
            if binds {
                clauses.push(lead.unwrap_or_default());
                at += 1;
                continue;
            }
            let split = word.pause
                && !rest.is_empty()
                && if self.grammar.verb_last { self.is_verb(word, so_far.last()) } else { own_subject(rest) };
            let word = Word { pause: word.pause && !split, ..word.clone() };
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
    fn is_verb(&self, word: &Word, before: Option<&Word>) -> bool {
        word.tail.is_empty() && self.grammar.last_verb(word, before).is_some()
    }

    /// What one clause states.
    fn statement(&self, words: &[Word]) -> Option<Statement> {
        let asks = words.first().is_some_and(|first| first.is("question")) && asks(words);
        let unsaid = |(at, word): (usize, &Word)| {
            let a_name = word.capital && at > 0;
            (word.is("if") && !a_name)
                || word.is("reported")
                || self.grammar.without(&word.text, "clause-ending", 3).is_some()
        };
        if asks || words.iter().enumerate().any(unsaid) {
            return None;
        }
        let draft = if self.grammar.verb_last {
            let planned = words.iter().any(|word| word.is("plan"));
            let plan = |draft| Draft {
                attribute: "plan".to_owned(),
                single: false,
                change: false,
                old: Vec::new(),
                ..draft
            };
            self.verb_last(words).map(|draft| if planned { plan(draft) } else { draft })
        } else {
            match middle::plan_at(words) {
                Some(at) => self.plan_middle(words, at),
                None => self.verb_middle(words),
            }
        };
        self.finished(draft?)
    }

    fn finished(&self, draft: Draft) -> Option<Statement> {
        let words: Vec<Word> = draft.parts.iter().flat_map(|part| part.words.clone()).collect();
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
            frame: Frame {
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

    /// The speaker in the place of "I", the user where a memory names him, the agent where it is addressed.
    fn person(&self, word: &Word) -> Option<Step> {
        let classes =
            [("self", self.speaker), ("mine", self.speaker), ("user", "user"), ("user-genitive", "user")];
        let named =
            classes.iter().find(|(class, _)| word.is(class)).map(|(_, name)| Step::named(&fold(name)));
        let agent = || (word.is("addressed") || word.is("yours")).then(|| Step::named("agent"));
        named.or_else(agent)
    }

    /// Makes the last noun of a subject the attribute, if it names a slot and `value` can fill it.
    fn slot(&self, path: &mut Vec<Step>, value: &[Word]) -> Option<(String, bool)> {
        let last = path.last()?.clone();
        let key_words: Vec<&str> = last.key.split(' ').collect();
        let shown_words: Vec<&str> = last.shown.split(' ').collect();
        let fills = |noun: &grammar::Noun| {
            let typed = |word: &Word| word.kind != Kind::Plain;
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
        let favourite = shown_words.iter().position(|word| self.grammar.is(word, "favourite"));
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
            path.push(Step { shown: shown_words[..from].join(" "), key: key_words[..from].join(" ") });
        }
        if path.is_empty() {
            path.push(last);
        }
        Some((attribute, thing))
    }
}

/// Whether a clause that begins like a question has the build of one: an auxiliary and then the subject.
fn asks(words: &[Word]) -> bool {
    words
        .get(1)
        .is_some_and(|second| second.is_any(&["self", "addressed", "pronoun", "mine", "article", "user"]))
}

/// Whether words begin with a subject.
fn own_subject(words: &[Word]) -> bool {
    let own = |word: &Word| word.is_any(&["self", "pronoun", "user"]);
    words.len() > 1 && words.iter().take(2).any(own)
}

#[cfg(test)]
mod tests;
