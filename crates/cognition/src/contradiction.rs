//! Contradiction: whether a new statement and a known one cannot both hold, and whether they say something about the same
//! thing.
//!
//! Two statements meet when their subject and attribute are the same. They clash when one denies what the other says, when
//! they differ in nothing but opposite words or numbers, dates and times, or when the attribute has one value at a time and
//! neither value is contained in the other. What only adds detail never clashes, and only what adds detail is joined.

mod pair;
mod rules;

pub use rules::{Clash, ClashRule};

use crate::{
    plain::folded_words,
    statement::{Statement, word::ClauseWord},
};
use pair::{StatementPair, value_keys};
use rules::{deciding_rule, one_holds_the_other};

/// Why two sayings cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The kind of contradiction.
    pub clash: Clash,
    /// The rule that decided.
    pub rule: ClashRule,
    /// The subject of both.
    pub subject: String,
    /// The attribute of both.
    pub attribute: String,
    /// The known value.
    pub old: String,
    /// The new value.
    pub new: String,
    /// In a sentence, for people.
    pub why: String,
}

/// The subject and attribute that two sayings share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matter {
    /// The subject of both.
    pub subject: String,
    /// The attribute of both.
    pub attribute: String,
}

/// A text with what it states.
#[derive(Debug, Clone, Copy)]
pub struct Saying<'a> {
    /// The text.
    pub text: &'a str,
    /// Its statements, as [`crate::statement::statements`] found them.
    pub statements: &'a [Statement],
}

/// Whether `new` and `old` cannot both hold now.
pub fn contradiction(old: &Saying<'_>, new: &Saying<'_>) -> Option<Contradiction> {
    if same_text(old.text, new.text) {
        return None;
    }
    let pairs = old.statements.iter().flat_map(|o| new.statements.iter().map(move |n| (o, n)));
    let excludes = |(o, n)| {
        let rule = deciding_rule(&StatementPair::new(o, n, new.text));
        rule.clash().map(|clash| explained(clash, rule, o, n))
    };
    // The strongest reason first, so that the order of statements does not matter.
    let order = |found: &Contradiction| {
        let Contradiction { clash, rule, subject, attribute, old, new, .. } = found.clone();
        (clash, subject, attribute, old, new, rule)
    };
    pairs.filter_map(excludes).min_by_key(order)
}

fn explained(clash: Clash, rule: ClashRule, old: &Statement, new: &Statement) -> Contradiction {
    let why = match clash {
        Clash::Value => "has one value at a time",
        Clash::Negation => "is denied",
        Clash::Antonym => "is now the opposite",
        Clash::Preference => "is another choice now",
        Clash::Number => "has another number, date or time",
        Clash::Ended => "is over",
    };
    Contradiction {
        clash,
        rule,
        subject: old.subject.clone(),
        attribute: old.attribute.clone(),
        old: old.value.clone(),
        new: new.value.clone(),
        why: format!("{} of {} {why}: \"{}\", then \"{}\"", old.attribute, old.subject, old.value, new.value),
    }
}

/// Whether two texts say something about the same subject and attribute, so that they may be joined into one memory: the
/// new one holds all that the known one says of it, and more.
pub fn same_matter(old: &Saying<'_>, new: &Saying<'_>) -> Option<Matter> {
    if contradiction(old, new).is_some() {
        return None;
    }
    let pairs = old.statements.iter().flat_map(|o| new.statements.iter().map(move |n| (o, n)));
    let mut matters: Vec<Matter> = pairs
        .filter(|(o, n)| adds(o, n))
        .map(|(o, _)| Matter { subject: o.subject.clone(), attribute: o.attribute.clone() })
        .collect();
    matters.sort_by(|a, b| (&a.subject, &a.attribute).cmp(&(&b.subject, &b.attribute)));
    matters.into_iter().next()
}

fn adds(old: &Statement, new: &Statement) -> bool {
    let (o, n) = (&old.frame, &new.frame);
    let event = old.attribute.starts_with("past/");
    if o.grammar != n.grammar
        || o.subject != n.subject
        || o.attribute != n.attribute
        || old.negated != new.negated
        || event
    {
        return false;
    }
    let (known, said) = (value_keys(old), value_keys(new));
    if known.is_empty() || !known.iter().all(|word| said.contains(word)) {
        return false;
    }
    // The object is the same thing: "tea" and "black tea", not "tea" and "from a tea cup".
    let (first, now_first) = (&o.parts[0], &n.parts[0]);
    let within = |word: &ClauseWord| now_first.words.iter().any(|other| other.key == word.key);
    let same_object =
        !first.marker.is_empty() || (now_first.marker.is_empty() && first.words.iter().all(within));
    let clash = o.parts.iter().any(|part| {
        let mut alike = n.parts.iter().filter(|other| other.marker == part.marker).peekable();
        alike.peek().is_some() && !alike.any(|other| one_holds_the_other(part, other))
    });
    same_object && !clash
}

/// Whether the two are the same proposition, so that nothing is added by joining them.
pub fn same_proposition(old: &Saying<'_>, new: &Saying<'_>) -> bool {
    if same_text(old.text, new.text) {
        return true;
    }
    let in_other =
        |one: &Statement, others: &[Statement]| others.iter().any(|other| same_statement(one, other));
    !old.statements.is_empty()
        && old.statements.iter().all(|one| in_other(one, new.statements))
        && new.statements.iter().all(|one| in_other(one, old.statements))
}

fn same_statement(a: &Statement, b: &Statement) -> bool {
    let sorted = |statement: &Statement| {
        let mut words: Vec<String> = value_keys(statement).into_iter().map(str::to_owned).collect();
        words.sort();
        words
    };
    (&a.frame.subject, &a.frame.attribute, a.negated) == (&b.frame.subject, &b.frame.attribute, b.negated)
        && sorted(a) == sorted(b)
}

/// Whether two texts have the same words.
fn same_text(a: &str, b: &str) -> bool {
    folded_words(a) == folded_words(b)
}

#[cfg(test)]
mod tests;
