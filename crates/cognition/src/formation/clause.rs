//! Clauses: what of a sentence tells something, and whom it tells it of.

use crate::{
    entity::{Mention, entities_among},
    language::LANGUAGES,
    plain::fold,
    standalone::{is_somebody, speaks_of_self},
    statement::statements,
    token::{Gap, Token, tokens},
    trivial::trivial,
};
use cairn_domain::EntityKind;
use foldhash::fast::FixedState;
use regex::bytes::{Regex, RegexBuilder};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// A statement has at least so many words.
const STATEMENT_WORDS: usize = 3;

/// Words that say nothing are not looked for in longer pieces.
const HOLLOW_CHARS: usize = 100;

/// Joining words of a sentence that are looked at for a shared subject.
const MOST_SHARED: usize = 3;

/// Whoever speaks, for comparing what clauses say.
const SPEAKER: &str = "user";

/// A sentence that is longer than this is not split.
const SPLIT_BYTES: usize = 600;

struct Lists {
    sets: HashMap<&'static str, HashSet<&'static str, FixedState>, FixedState>,
    hollow: Regex,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let mut sets: HashMap<&str, HashSet<&str, FixedState>, FixedState> = HashMap::default();
    let mut hollow = Vec::new();
    for line in LANGUAGES.iter().flat_map(|language| language.lines("formation")) {
        let (label, entries) = line.split_once(": ").expect("a label and its entries");
        if label == "hollow" {
            hollow.push(entries);
        } else {
            sets.entry(label).or_default().extend(entries.split(';').map(str::trim));
        }
    }
    let any = fold(&format!("^(?:{})$", hollow.join("|")));
    Lists { sets, hollow: RegexBuilder::new(&any).unicode(false).build().expect("a list that a test reads") }
});

fn is(label: &str, word: &str) -> bool {
    LISTS.sets.get(label).is_some_and(|words| words.contains(word))
}

/// Whether a word is a predicate: in the list as it is, or with one of its endings.
fn is_predicate(label: &str, word: &str) -> bool {
    is(label, word)
        || LISTS.sets.get(label).is_some_and(|words| {
            words
                .iter()
                .filter_map(|ending| ending.strip_prefix('-'))
                .any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending))
        })
}

fn lower(token: &Token) -> String {
    let whole = if token.ending.is_empty() {
        token.text.to_owned()
    } else {
        format!("{}'{}", token.text, token.ending)
    };
    whole.to_lowercase()
}

/// Words that tell something, read once.
pub(super) struct Told<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    mentions: Vec<Mention>,
}

impl<'t> Told<'t> {
    fn of(text: &'t str) -> Self {
        let tokens = tokens(text);
        Self { mentions: entities_among(text, &tokens), text, tokens }
    }
}

/// What of a sentence tells something: nothing of a greeting or praise; of a question what stands before it, or the ground
/// that it gives.
pub(super) fn telling(sentence: &str) -> Option<Told<'_>> {
    let stop = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let told = if stop.ends_with('?') {
        before_question(stop).or_else(|| ground_of_question(stop))?
    } else {
        sentence
    };
    if trivial(told).is_some() {
        return None;
    }
    let told = Told::of(told);
    (!told.is_hollow()).then_some(told)
}

/// The clauses of a question before the one that asks.
fn before_question(sentence: &str) -> Option<&str> {
    let tokens = tokens(sentence);
    let first = tokens.first()?;
    if asks(&tokens, 0) || is("no_fact", &lower(first)) {
        return None;
    }
    let begins = (1..tokens.len()).filter(|at| tokens[*at].gap != Gap::Space);
    let asking = begins.into_iter().find(|at| asks(&tokens, *at))?;
    let told = &sentence[..tokens[asking - 1].whole_end];
    let asks = tokens[..asking].iter().any(|token| is("asks", &lower(token)));
    (asking >= STATEMENT_WORDS && !asks).then_some(told)
}

/// What a question rests on, as it says itself: "…, considering we submitted it on July 12?".
fn ground_of_question(sentence: &str) -> Option<&str> {
    let tokens = tokens(sentence);
    let ground = (STATEMENT_WORDS..tokens.len()).find(|at| is("ground", &lower(&tokens[*at])))?;
    let told = tokens.get(ground + 1..)?;
    if told.len() < STATEMENT_WORDS || told.iter().any(|token| is("asks", &lower(token))) {
        return None;
    }
    let end = told.last()?.whole_end;
    Some(&sentence[told[0].start..end])
}

/// Whether the clause that begins at a word asks. A word that leads from what was said to the question may come first.
fn asks(tokens: &[Token], at: usize) -> bool {
    let at = if at + 1 < tokens.len() && is("asks_lead", &lower(&tokens[at])) { at + 1 } else { at };
    let one = lower(&tokens[at]);
    let two = tokens.get(at + 1).map(|next| format!("{one} {}", lower(next)));
    let end = (at + 1..tokens.len()).find(|next| tokens[*next].gap != Gap::Space).unwrap_or(tokens.len());
    is("asks_first", &one)
        || two.is_some_and(|two| is("asks_first", &two))
        || tokens[at..end].iter().any(|token| is("asks", &lower(token)))
}

impl Told<'_> {
    /// Whether a sentence says nothing: each of its pieces greets, praises or names somebody.
    fn is_hollow(&self) -> bool {
        if self.text.chars().count() > HOLLOW_CHARS {
            return false;
        }
        let people = || self.mentions.iter().filter(|mention| mention.kind == EntityKind::Person);
        let mut pieces = vec![String::new()];
        for token in &self.tokens {
            if token.gap != Gap::Space {
                pieces.push(String::new());
            }
            if token.ending.is_empty() && people().any(|person| person.range.contains(&token.start)) {
                continue;
            }
            let piece = pieces.last_mut().expect("at least one");
            if !piece.is_empty() {
                piece.push(' ');
            }
            piece.push_str(&lower(token));
        }
        pieces.iter().all(|piece| {
            piece.is_empty() || LISTS.hollow.is_match(fold(piece).as_bytes()) || trivial(piece).is_some()
        })
    }
}

/// A clause, or several that tell of the same.
#[derive(Debug)]
pub(super) struct Clause {
    /// The words.
    pub said: String,
    /// The words with the subject that they share with the clause before them.
    pub stated: String,
    /// Whether it says something of its own about the same subject: it is kept apart, so that each can change alone.
    pub alone: bool,
    /// Whom and what the words name; not known of several clauses together.
    pub mentions: Option<Vec<Mention>>,
    /// The slug of the name that it tells something of, if it begins with one.
    subject: Option<String>,
    slugs: Vec<String>,
}

impl Clause {
    fn new(said: &str) -> Self {
        Self::of(&Told::of(said))
    }

    fn of(told: &Told) -> Self {
        let Told { text, tokens, mentions } = told;
        Self {
            subject: subject(tokens, mentions),
            slugs: mentions.iter().map(|mention| mention.slug.clone()).collect(),
            said: (*text).to_owned(),
            stated: (*text).to_owned(),
            alone: false,
            mentions: Some(mentions.clone()),
        }
    }

    /// Whether another clause tells of another subject and of nothing that this one names.
    pub(super) fn is_apart_from(&self, other: &Self) -> bool {
        let apart = match (&self.subject, &other.subject) {
            (Some(one), Some(other)) => one != other,
            (Some(_), None) => speaks_of_self(&other.said),
            (None, Some(_)) => speaks_of_self(&self.said),
            (None, None) => false,
        };
        apart && !other.slugs.is_empty() && self.slugs.iter().all(|slug| !other.slugs.contains(slug))
    }

    /// Takes another clause in.
    pub(super) fn append(&mut self, other: Self) {
        for (own, more) in [(&mut self.said, &other.said), (&mut self.stated, &other.stated)] {
            own.push(' ');
            own.push_str(more);
        }
        self.slugs.extend(other.slugs);
        self.subject = self.subject.take().or(other.subject);
        self.mentions = None;
    }
}

/// The slug of the name that a clause tells something of: it begins with it, or with a word for somebody and then it.
fn subject(tokens: &[Token], mentions: &[Mention]) -> Option<String> {
    let mention = mentions.first()?;
    let at = tokens.iter().position(|token| token.start == mention.range.start).unwrap_or(0);
    let after = tokens.iter().position(|token| token.start >= mention.range.end);
    let addressed = after.is_none_or(|after| tokens[after].gap != Gap::Space);
    let leads = at == 0 || (at <= 3 && is_somebody(&lower(&tokens[at - 1])));
    (leads && !addressed && states(tokens, after)).then(|| mention.slug.clone())
}

/// Whether words say something of the subject before them.
fn states(tokens: &[Token], after: Option<usize>) -> bool {
    let Some(rest) = after.and_then(|after| tokens.get(after..)) else { return false };
    let next = rest
        .first()
        .is_some_and(|token| !token.is_capital() && is_predicate("predicate_next", &lower(token)));
    next || rest.iter().any(|token| !token.is_capital() && is_predicate("predicate", &lower(token)))
}

/// The clauses of a sentence: two, if a word joins statements of different subjects that name different things.
pub(super) fn clauses(told: &Told) -> Vec<Clause> {
    let Told { text: sentence, tokens, .. } = told;
    if sentence.len() > SPLIT_BYTES {
        return vec![Clause::of(told)];
    }
    let joins = (STATEMENT_WORDS..tokens.len().saturating_sub(STATEMENT_WORDS))
        .filter(|at| is("joins", &lower(&tokens[*at])));
    for at in joins.take(8) {
        let left = sentence[..tokens[at - 1].whole_end].trim();
        let right = sentence[tokens[at + 1].start..].trim();
        let right = Told::of(right);
        if right.mentions.first().is_none_or(|mention| mention.range.start > 40) {
            continue;
        }
        let (left, right) = (Clause::new(left), Clause::of(&right));
        if left.is_apart_from(&right) && !left.slugs.is_empty() {
            return vec![left, right];
        }
    }
    let joins =
        (STATEMENT_WORDS..tokens.len().saturating_sub(1)).filter(|at| is("joins", &lower(&tokens[*at])));
    joins
        .take(MOST_SHARED)
        .find_map(|at| sharing_subject(sentence, tokens, at))
        .unwrap_or_else(|| vec![Clause::of(told)])
}

/// Two clauses about one subject that fill different slots with one value at a time: "I live in Lisbon and work at Siemens".
/// Each may come to be outdated without the other.
fn sharing_subject(sentence: &str, tokens: &[Token], at: usize) -> Option<Vec<Clause>> {
    let left = sentence[..tokens[at - 1].whole_end].trim();
    let right = sentence[tokens[at + 1].start..].trim();
    let first = tokens.first().filter(|first| is("shared_subject", &lower(first)));
    let stated = first.map_or_else(|| right.to_owned(), |first| format!("{} {right}", first.text));
    let slots = |text: &str| -> Vec<(String, String)> {
        let single = statements(text, SPEAKER).into_iter().filter(|statement| statement.single);
        single.map(|statement| (statement.subject, statement.attribute)).collect()
    };
    let (one, other) = (slots(left), slots(&stated));
    let own = other.iter().any(|(subject, slot)| {
        one.iter().any(|(same, _)| same == subject) && one.iter().all(|(_, known)| known != slot)
    });
    own.then(|| vec![Clause::new(left), Clause { stated, alone: true, ..Clause::new(right) }])
}
