//! Clauses: what of a sentence tells something, and whom it tells it of.

use crate::{
    entity::{Mention, entities_in},
    lexicon::{FormationClass, classed_entries},
    plain::fold,
    reading::Reading,
    standalone::{is_somebody, means_speaker, speaks_of_self},
    statement::statements,
    token::{Gap, Token},
    trivial::trivial_reason,
    verb::is_verbless,
};
use cairn_domain::EntityKind;
use foldhash::fast::FixedState;
use regex::bytes::{Regex, RegexBuilder};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

/// Minimum words of a statement.
const MIN_STATEMENT_WORDS: usize = 3;

/// Longer sentences are never empty phrases.
const MAX_HOLLOW_CHARS: usize = 100;

/// Joining words of a sentence that are tried for a shared subject.
const MAX_SHARED_JOINS: usize = 3;

/// A longer clause says enough by itself, however it begins.
const MAX_FRAGMENT_WORDS: usize = 12;

/// A name that stands so near the beginning of a clause is what it is about.
const MAX_NAME_PLACE: usize = 3;

/// A word for somebody that stands before this place, with nobody named before it, means one who was named before the clause;
/// in a short clause wherever it stands.
const MAX_REFERRING_PLACE: usize = 3;
const MAX_REFERRING_WORDS: usize = 8;

/// A word for a thing that stands before this place, with no thing named or introduced before it, means one of the words before.
const MAX_THING_PLACE: usize = 6;

/// The speaker's name when clauses are compared.
const SPEAKER: &str = "user";

/// Longer sentences are not split.
const MAX_SPLIT_BYTES: usize = 600;

struct FormationLists {
    sets: HashMap<FormationClass, HashSet<&'static str, FixedState>, FixedState>,
    hollow: Regex,
}

static LISTS: LazyLock<FormationLists> = LazyLock::new(|| {
    let mut sets: HashMap<FormationClass, HashSet<&str, FixedState>, FixedState> = HashMap::default();
    let mut hollow = Vec::new();
    for entry in classed_entries() {
        match entry.class {
            FormationClass::Hollow => hollow.push(entry.text),
            class => drop(sets.entry(class).or_default().insert(entry.text)),
        }
    }
    let any = fold(&format!("^(?:{})$", hollow.join("|")));
    FormationLists {
        sets,
        hollow: RegexBuilder::new(&any).unicode(false).build().expect("a list that a test reads"),
    }
});

fn is(class: FormationClass, word: &str) -> bool {
    LISTS.sets.get(&class).is_some_and(|words| words.contains(word))
}

/// Whether a word is a predicate: in the list as it is, or with one of its endings.
fn is_predicate(class: FormationClass, word: &str) -> bool {
    is(class, word)
        || LISTS.sets.get(&class).is_some_and(|words| {
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

/// Words that tell something, with whom and what they name.
pub(super) struct ToldWords<'t> {
    reading: Reading<'t>,
    mentions: Vec<Mention>,
}

impl<'t> ToldWords<'t> {
    fn of(reading: Reading<'t>) -> Self {
        Self { mentions: entities_in(&reading), reading }
    }
}

/// The part of a sentence that tells something: nothing of a greeting or praise; of a question what stands before it, or the ground
/// that it gives.
pub(super) fn telling<'t>(sentence: &Reading<'t>) -> Option<ToldWords<'t>> {
    let stop = sentence.text().trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let told = if stop.ends_with('?') {
        let range = before_question(sentence).or_else(|| ground_of_question(sentence.tokens()))?;
        sentence.part(range)
    } else {
        sentence.clone()
    };
    if trivial_reason(told.text()).is_some() || is_aside(told.text()) {
        return None;
    }
    let told = ToldWords::of(told);
    (!told.is_hollow()).then_some(told)
}

/// Words that a host adds to somebody's: "[shares an image: …]".
fn is_aside(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']')
}

/// Where the clauses of a question stand before the one that asks.
fn before_question(sentence: &Reading) -> Option<Range<usize>> {
    let tokens = sentence.tokens();
    let first = tokens.first()?;
    if asks(tokens, 0) || is(FormationClass::NoFact, &lower(first)) {
        return None;
    }
    let begins = || (1..tokens.len()).filter(|at| tokens[*at].gap != Gap::Space);
    let opens = |at: &usize| sentence.text()[tokens[at - 1].whole_end..tokens[*at].start].contains('¿');
    let asking = begins().find(|at| opens(at) || asks(tokens, *at)).or_else(|| {
        // In a language without lists the last clause asks.
        begins()
            .next_back()
            .filter(|_| !tokens.iter().any(|token| is(FormationClass::AsksFirst, &lower(token))))
    })?;
    let asks = tokens[..asking].iter().any(|token| is(FormationClass::Asks, &lower(token)));
    (asking >= MIN_STATEMENT_WORDS && !asks).then(|| 0..tokens[asking - 1].whole_end)
}

/// Where a question says what it rests on: "…, considering we submitted it on July 12?".
fn ground_of_question(tokens: &[Token]) -> Option<Range<usize>> {
    let ground =
        (MIN_STATEMENT_WORDS..tokens.len()).find(|at| is(FormationClass::Ground, &lower(&tokens[*at])))?;
    let told = tokens.get(ground + 1..)?;
    if told.len() < MIN_STATEMENT_WORDS || told.iter().any(|token| is(FormationClass::Asks, &lower(token))) {
        return None;
    }
    Some(told[0].start..told.last()?.whole_end)
}

/// Whether the clause that begins at a word asks. A word that leads from what was said to the question may come first.
fn asks(tokens: &[Token], at: usize) -> bool {
    let at =
        if at + 1 < tokens.len() && is(FormationClass::AsksLead, &lower(&tokens[at])) { at + 1 } else { at };
    let one = lower(&tokens[at]);
    let two = tokens.get(at + 1).map(|next| format!("{one} {}", lower(next)));
    let end = (at + 1..tokens.len()).find(|next| tokens[*next].gap != Gap::Space).unwrap_or(tokens.len());
    is(FormationClass::AsksFirst, &one)
        || two.is_some_and(|two| is(FormationClass::AsksFirst, &two))
        || tokens[at..end].iter().any(|token| is(FormationClass::Asks, &lower(token)))
}

impl ToldWords<'_> {
    /// Whether a sentence says nothing: each of its pieces greets, praises or names somebody.
    fn is_hollow(&self) -> bool {
        if self.reading.text().chars().count() > MAX_HOLLOW_CHARS {
            return false;
        }
        let people = || self.mentions.iter().filter(|mention| mention.kind == EntityKind::Person);
        let mut pieces = vec![String::new()];
        for token in self.reading.tokens() {
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
            piece.is_empty()
                || LISTS.hollow.is_match(fold(piece).as_bytes())
                || trivial_reason(piece).is_some()
        })
    }
}

/// A clause.
#[derive(Debug)]
pub(super) struct Clause<'t> {
    /// The words.
    pub said: &'t str,
    /// The words with the subject that they share with the clause before them.
    pub stated: Cow<'t, str>,
    /// Whether it begins with a word for something that was named before it: "she", "I told her".
    pub refers: bool,
    /// Whether it begins with a word that goes on from what was said before it.
    pub goes_on: bool,
    /// Whether it begins with its speaker, with a name, or with something of the speaker's: it can be read alone.
    pub begins_anew: bool,
    /// Whether it is an item of a list.
    pub is_item: bool,
    /// Whether it has no verb, in a language whose verbs are known: "An occupational hazard".
    pub is_verbless: bool,
    /// How many words it has.
    pub words: usize,
    /// The slug of the name that it tells something of, if it begins with one.
    subject: Option<String>,
    slugs: Vec<String>,
}

impl<'t> Clause<'t> {
    fn of(told: &ToldWords<'t>) -> Self {
        let ToldWords { reading, mentions } = told;
        let first = reading.tokens().first().map(lower);
        let begins = |class| first.as_ref().is_some_and(|word| is(class, word));
        let near = reading.tokens().get(MAX_NAME_PLACE).map_or(usize::MAX, |token| token.start);
        let named = mentions.first().is_some_and(|mention| mention.range.start < near);
        Self {
            subject: subject(reading.tokens(), mentions),
            begins_anew: named || first.as_deref().is_some_and(means_speaker),
            is_item: reading.text().starts_with(['-', '*', '•', '–']),
            slugs: mentions.iter().map(|mention| mention.slug.clone()).collect(),
            said: reading.text(),
            stated: Cow::Borrowed(reading.text()),
            refers: begins(FormationClass::Refers)
                || refers_within(reading.tokens(), mentions)
                || means_a_thing_before(reading.tokens(), mentions),
            goes_on: begins(FormationClass::GoesOn),
            is_verbless: is_verbless(reading),
            words: reading.tokens().len(),
        }
    }

    /// Whether it can only be understood with the clause before it.
    pub(super) fn leans(&self) -> bool {
        self.refers || self.goes_on || self.is_item || self.words < MIN_STATEMENT_WORDS + 1
    }

    /// Whether it is a few words without a verb: "Back from the shop."
    pub(super) fn is_verbless_fragment(&self) -> bool {
        self.is_verbless && self.words <= MAX_FRAGMENT_WORDS
    }

    /// Whether it says little without what was said before it.
    pub(super) fn is_fragment(&self) -> bool {
        (self.is_verbless || !self.begins_anew) && self.words <= MAX_FRAGMENT_WORDS
    }

    /// Whether another clause tells of another subject and of nothing that this one names.
    fn is_apart_from(&self, other: &Self) -> bool {
        let apart = match (&self.subject, &other.subject) {
            (Some(one), Some(other)) => one != other,
            (Some(_), None) => speaks_of_self(other.said),
            (None, Some(_)) => speaks_of_self(self.said),
            (None, None) => false,
        };
        apart && !other.slugs.is_empty() && self.slugs.iter().all(|slug| !other.slugs.contains(slug))
    }
}

/// Whether a word of a clause behind the first means somebody or something that it has not named.
fn refers_within(tokens: &[Token], mentions: &[Mention]) -> bool {
    let places = if tokens.len() <= MAX_REFERRING_WORDS { tokens.len() } else { MAX_REFERRING_PLACE };
    let meant = tokens.iter().take(places).skip(1);
    let unnamed = |token: &&Token| mentions.iter().all(|mention| mention.range.start > token.start);
    meant.filter(unnamed).any(|token| is(FormationClass::RefersWithin, &lower(token)))
}

/// Whether a short clause means a thing that it has neither named nor introduced: "Dona Odete signed for it".
fn means_a_thing_before(tokens: &[Token], mentions: &[Mention]) -> bool {
    if tokens.len() > MAX_FRAGMENT_WORDS {
        return false;
    }
    let meant =
        tokens.iter().take(MAX_THING_PLACE).position(|token| is(FormationClass::ThingWithin, &lower(token)));
    meant.is_some_and(|at| {
        let introduced = tokens[..at].iter().any(|token| is(FormationClass::Introduces, &lower(token)));
        let named =
            |mention: &Mention| mention.kind != EntityKind::Person && mention.range.start < tokens[at].start;
        at > 0 && !introduced && !mentions.iter().any(named)
    })
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
    let next = rest.first().is_some_and(|token| {
        !token.is_capital() && is_predicate(FormationClass::PredicateNext, &lower(token))
    });
    next || rest
        .iter()
        .any(|token| !token.is_capital() && is_predicate(FormationClass::Predicate, &lower(token)))
}

/// The clauses of a sentence: two, if a word joins statements of different subjects that name different things.
pub(super) fn clauses<'t>(told: &ToldWords<'t>) -> Vec<Clause<'t>> {
    let ToldWords { reading, .. } = told;
    let (sentence, tokens) = (reading.text(), reading.tokens());
    if sentence.len() > MAX_SPLIT_BYTES {
        return vec![Clause::of(told)];
    }
    let joins = (MIN_STATEMENT_WORDS..tokens.len().saturating_sub(MIN_STATEMENT_WORDS))
        .filter(|at| is(FormationClass::Joins, &lower(&tokens[*at])));
    for at in joins.take(8) {
        let right = ToldWords::of(right_of(reading, at));
        if right.mentions.first().is_none_or(|mention| mention.range.start > 40) {
            continue;
        }
        let (left, right) = (Clause::of(&ToldWords::of(left_of(reading, at))), Clause::of(&right));
        if left.is_apart_from(&right) && !left.slugs.is_empty() {
            return vec![left, right];
        }
    }
    let joins = (MIN_STATEMENT_WORDS..tokens.len().saturating_sub(1))
        .filter(|at| is(FormationClass::Joins, &lower(&tokens[*at])));
    joins
        .take(MAX_SHARED_JOINS)
        .find_map(|at| sharing_subject(reading, at))
        .unwrap_or_else(|| vec![Clause::of(told)])
}

/// The clause before the word that joins two.
fn left_of<'t>(reading: &Reading<'t>, join: usize) -> Reading<'t> {
    reading.part(0..reading.tokens()[join - 1].whole_end)
}

/// The clause after it.
fn right_of<'t>(reading: &Reading<'t>, join: usize) -> Reading<'t> {
    reading.part(reading.tokens()[join + 1].start..reading.text().len())
}

/// Two clauses about one subject that fill different slots with one value at a time: "I live in Lisbon and work at Siemens".
/// Each may come to be outdated without the other.
fn sharing_subject<'t>(reading: &Reading<'t>, join: usize) -> Option<Vec<Clause<'t>>> {
    let (left, right) = (left_of(reading, join), right_of(reading, join));
    let first = reading.tokens().first().filter(|first| is(FormationClass::SharedSubject, &lower(first)));
    let stated = first
        .map_or(Cow::Borrowed(right.text()), |first| Cow::Owned(format!("{} {}", first.text, right.text())));
    let slots = |text: &str| -> Vec<(String, String)> {
        let single = statements(text, SPEAKER).into_iter().filter(|statement| statement.single);
        single.map(|statement| (statement.subject, statement.attribute)).collect()
    };
    let (one, other) = (slots(left.text()), slots(&stated));
    let own = other.iter().any(|(subject, slot)| {
        one.iter().any(|(same, _)| same == subject) && one.iter().all(|(_, known)| known != slot)
    });
    own.then(|| {
        let right = Clause { stated, ..Clause::of(&ToldWords::of(right)) };
        vec![Clause::of(&ToldWords::of(left)), right]
    })
}
