//! Contradiction: whether a new statement and a known one cannot both hold, and whether they say something about the same
//! thing.
//!
//! Two statements meet when their subject and attribute are the same. They clash when one denies what the other says, when
//! they differ in nothing but opposite words or numbers, dates and times, or when the attribute has one value at a time and
//! neither value is contained in the other. What only adds detail never clashes, and only what adds detail is joined.

use crate::plain::fold;
use crate::statement::{
    Part, Statement,
    grammar::{GRAMMARS, Grammar},
    word::{Kind, Word},
};

/// In which way two sayings exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// Another value of an attribute that has one at a time.
    Value,
    /// One denies what the other says.
    Negation,
    /// Opposite words.
    Antonym,
    /// Another choice.
    Preference,
    /// Another number, date or time.
    Number,
    /// The new one says that the old one is over.
    Ended,
}

/// Why two sayings cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// In which way.
    pub clash: Clash,
    /// Of whom or what.
    pub subject: String,
    /// In which slot.
    pub attribute: String,
    /// The known value.
    pub old: String,
    /// The new value.
    pub new: String,
    /// In a sentence, for people.
    pub why: String,
}

/// What two sayings are both about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matter {
    /// Of whom or what.
    pub subject: String,
    /// In which slot.
    pub attribute: String,
}

/// A text with what it states.
#[derive(Debug, Clone, Copy)]
pub struct Saying<'a> {
    /// The text.
    pub text: &'a str,
    /// What [`crate::statement::statements`] made of it.
    pub statements: &'a [Statement],
}

/// Whether `new` and `old` cannot both hold now.
pub fn contradiction(old: &Saying<'_>, new: &Saying<'_>) -> Option<Contradiction> {
    if same_text(old.text, new.text) {
        return None;
    }
    let pairs = old.statements.iter().flat_map(|o| new.statements.iter().map(move |n| (o, n)));
    // The strongest reason first, so that the order of statements does not matter.
    let mut clashes: Vec<Contradiction> =
        pairs.filter_map(|(o, n)| clash(o, n, new.text).map(|clash| told(clash, o, n))).collect();
    clashes.sort_by(|a, b| {
        (a.clash as u8, &a.subject, &a.attribute, &a.old, &a.new).cmp(&(
            b.clash as u8,
            &b.subject,
            &b.attribute,
            &b.old,
            &b.new,
        ))
    });
    clashes.into_iter().next()
}

fn told(clash: Clash, old: &Statement, new: &Statement) -> Contradiction {
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
        subject: old.subject.clone(),
        attribute: old.attribute.clone(),
        old: old.value.clone(),
        new: new.value.clone(),
        why: format!("{} of {} {why}: \"{}\", then \"{}\"", old.attribute, old.subject, old.value, new.value),
    }
}

fn clash(old: &Statement, new: &Statement, new_text: &str) -> Option<Clash> {
    let gone = |statement: &Statement| {
        ["past/", "plan"].iter().any(|prefix| statement.attribute.starts_with(prefix))
    };
    if gone(old) || gone(new) || old.frame.grammar != new.frame.grammar {
        return None;
    }
    let grammar = &GRAMMARS[old.frame.grammar];
    let same_subject = old.frame.subject == new.frame.subject;
    if new.attribute == ENDED {
        return (same_subject && old.attribute != ENDED && ends(old, new)).then_some(Clash::Ended);
    }
    if old.attribute == ENDED {
        return None;
    }
    if !old.negated
        && !new.negated
        && names_old(old, new)
        && (same_subject || mentions(new_text, &old.subject))
    {
        return Some(Clash::Value);
    }
    if old.negated != new.negated && turned_round(old, new) {
        return Some(Clash::Negation);
    }
    if !same_subject {
        return None;
    }
    if old.frame.attribute != new.frame.attribute {
        return (chosen_against(old, new) || chosen_back(old, new)).then_some(Clash::Preference);
    }
    let (words_old, words_new) = (keys(old), keys(new));
    if old.negated != new.negated {
        // Who denies the whole denies the part, not the other way round.
        let (denied, said) = if new.negated { (&words_new, &words_old) } else { (&words_old, &words_new) };
        let whole = !denied.is_empty() && denied.iter().all(|word| said.contains(word));
        return whole.then_some(if old.attribute == "likes" { Clash::Preference } else { Clash::Negation });
    }
    if old.negated {
        return None;
    }
    differs(old, new, grammar)
}

/// Another value in the same slot.
fn differs(old: &Statement, new: &Statement, grammar: &Grammar) -> Option<Clash> {
    let one_value = new.single && (old.single || new.change);
    let words = |statement: &'_ Statement| -> Vec<Word> {
        if one_value { statement.frame.value.clone() } else { statement.frame.words().cloned().collect() }
    };
    let (all_old, all_new) = (words(old), words(new));
    let (all_old, all_new): (Vec<&Word>, Vec<&Word>) = (all_old.iter().collect(), all_new.iter().collect());
    let has = |words: &[&Word], word: &Word| words.iter().any(|other| other.key == word.key);
    let only_old: Vec<&Word> = all_old.iter().filter(|word| !has(&all_new, word)).copied().collect();
    let only_new: Vec<&Word> = all_new.iter().filter(|word| !has(&all_old, word)).copied().collect();
    if only_old.is_empty() || only_new.is_empty() || (one_value && other_scope(old, new)) {
        return None;
    }
    let told = only_old.len() == 1 || new.change;
    let opposite =
        only_new.len() == 1 && told && only_old.iter().any(|word| grammar.opposite(word, only_new[0]));
    let owned = old.attribute.starts_with("has/");
    let state = old.attribute == "is" || old.single;
    if opposite
        && (state || !(owned || OPEN.contains(&old.attribute.as_str()) || grammar.one_of_many(only_new[0])))
    {
        return Some(Clash::Antonym);
    }
    let (kinds_old, kinds_new) = (measure(&only_old), measure(&only_new));
    let dated = kinds_old.is_some_and(|kind| kind != Kind::Number);
    // What is done on Mondays may be done on Fridays too.
    let repeated = matches!(kinds_old, Some(Kind::Weekday)) && !state && !new.change;
    let many = MANY.contains(&old.attribute.as_str());
    if kinds_old.is_some() && kinds_old == kinds_new && !(dated && owned) && !many && !repeated {
        return Some(Clash::Number);
    }
    if !one_value {
        return None;
    }
    let named = |words: &[&Word]| words.iter().any(|word| word.capital || word.kind != Kind::Plain);
    if old.frame.thing && !(named(&all_old) && named(&all_new)) {
        return None;
    }
    let typed = |words: &[&Word]| words.iter().any(|word| word.kind != Kind::Plain);
    let kind_of = |words: &[&Word]| words.iter().map(|word| word.kind).max();
    if typed(&only_old) && typed(&only_new) && kind_of(&only_old) != kind_of(&only_new) {
        return None;
    }
    if old.attribute.starts_with("prefers") {
        return Some(Clash::Preference);
    }
    Some(if typed(&only_old) && typed(&only_new) { Clash::Number } else { Clash::Value })
}

/// Whether both name what they hold for, and not the same: "for free users", "for paid users".
fn other_scope(old: &Statement, new: &Statement) -> bool {
    let scopes = |statement: &Statement| -> Vec<Part> {
        let of_value = |part: &&Part| !part.words.iter().any(|word| statement.frame.value.contains(word));
        statement
            .frame
            .parts
            .iter()
            .filter(of_value)
            .filter(|part| !part.marker.is_empty())
            .cloned()
            .collect()
    };
    let new_scopes = scopes(new);
    scopes(old).iter().any(|scope| {
        let mut alike = new_scopes.iter().filter(|other| other.marker == scope.marker).peekable();
        alike.peek().is_some() && !alike.any(|other| shares(scope, other))
    })
}

/// Whether one of two parts holds all words of the other.
fn shares(one: &Part, other: &Part) -> bool {
    let within = |a: &Part, b: &Part| a.words.iter().all(|word| b.words.iter().any(|w| w.key == word.key));
    within(one, other) || within(other, one)
}

const ENDED: &str = "ended";
/// Slots in which opposites stand side by side.
const OPEN: [&str; 2] = ["likes", "owns"];
/// Slots that hold many things, so that another number says nothing against the first.
const MANY: [&str; 3] = ["likes", "uses", "owns"];

/// The one kind of words that are all numbers, dates or times; a day of a month counts as its month.
fn measure(words: &[&Word]) -> Option<Kind> {
    if words.iter().any(|word| word.kind == Kind::Plain) {
        return None;
    }
    let mut kinds: Vec<Kind> = words.iter().map(|word| word.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [kind] => Some(*kind),
        [Kind::Number, Kind::Daypart] => Some(Kind::Number),
        [Kind::Number, Kind::Month] => Some(Kind::Month),
        _ => None,
    }
}

fn keys(statement: &Statement) -> Vec<&str> {
    statement.frame.words().map(|word| word.key.as_str()).collect()
}

/// Whether what `new` says no longer holds is what `old` says.
fn names_old(old: &Statement, new: &Statement) -> bool {
    let known = keys(old);
    let gone = &new.frame.old;
    let alike = old.frame.attribute == new.frame.attribute || old.single || new.attribute == "uses";
    alike && !gone.is_empty() && gone.iter().all(|word| known.contains(&word.key.as_str()))
}

/// Whether a text speaks of a subject by its words.
fn mentions(text: &str, subject: &str) -> bool {
    let text = fold(text);
    !subject.contains('/') && subject.split(' ').all(|word| text.contains(word))
}

/// Whether `new` ends what `old` says: the verb and its value, or the value alone.
fn ends(old: &Statement, new: &Statement) -> bool {
    if old.negated
        || old.attribute == "likes"
        || old.attribute.starts_with("prefers")
        || old.attribute == "is"
    {
        return false;
    }
    let mut known = keys(old);
    known.extend(old.frame.attribute.split(' '));
    let grammar = &GRAMMARS[new.frame.grammar];
    let when = |word: &&Word| word.kind != Kind::Plain || grammar.is(&word.text, "time");
    let post = |word: &Word| grammar.is(&word.text, "post");
    let ended: Vec<&Word> = new.frame.words().filter(|word| !when(word)).collect();
    if !ended.is_empty() && ended.iter().all(|word| post(word)) {
        return old.attribute == "employer";
    }
    let ended: Vec<&str> =
        ended.into_iter().filter(|word| !post(word)).map(|word| word.key.as_str()).collect();
    !ended.is_empty() && ended.iter().all(|word| known.contains(word))
}

/// Whether the same words stand in both, subject and value changed about: "the lead is Ana", "Ana is not the lead".
fn turned_round(old: &Statement, new: &Statement) -> bool {
    let bag = |statement: &Statement| {
        let attribute = statement.frame.attribute.split(' ').filter(|word| *word != "is");
        let subject = statement.frame.subject.split([' ', '/']);
        let mut words: Vec<String> = subject.chain(attribute).map(str::to_owned).collect();
        let grammar = &GRAMMARS[statement.frame.grammar];
        let slot =
            |word: &str| grammar.slot_noun(word).map_or(word.to_owned(), |noun| grammar.key(&noun.slot));
        words.extend(keys(statement).into_iter().map(slot));
        // "my lead" and "the lead" are the same words.
        words.retain(|word| word != "user");
        words.sort();
        words.dedup();
        words
    };
    old.frame.subject != new.frame.subject && bag(old) == bag(new)
}

/// "prefers X over Y", then "prefers Y", or "cannot stand X any more".
fn chosen_back(old: &Statement, new: &Statement) -> bool {
    if old.negated || !old.attribute.starts_with("prefers") {
        return false;
    }
    let (known, chosen) = (keys(old), keys(new));
    let held = |word: &&str| known.contains(word);
    if new.attribute == "likes" {
        return new.negated
            && new.change
            && !known.is_empty()
            && known.iter().all(|word| chosen.contains(word));
    }
    // The slot of a choice is made of the keys of what there is to choose from.
    let choices: Vec<&str> = old.attribute.split([' ', '/', '+']).skip(1).collect();
    let between = old.attribute.contains('+') && new.attribute == "prefers" && !new.negated;
    between && !chosen.iter().any(held) && chosen.iter().all(|word| choices.contains(word))
}

/// "prefers X", then "prefers Y over X".
fn chosen_against(old: &Statement, new: &Statement) -> bool {
    let choice = |statement: &Statement| statement.frame.attribute.starts_with("prefer");
    let liked = old.attribute == "likes" && !old.negated && new.change;
    if !choice(new) || !(old.attribute == "prefers" || liked) {
        return false;
    }
    let (known, chosen) = (keys(old), keys(new));
    let choices: Vec<&str> = new.frame.attribute.split([' ', '+']).collect();
    !choices.is_empty()
        && known.iter().all(|word| choices.contains(word))
        && !known.iter().any(|word| chosen.contains(word))
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
    let (known, said) = (keys(old), keys(new));
    if known.is_empty() || !known.iter().all(|word| said.contains(word)) {
        return false;
    }
    // The object is the same thing: "tea" and "black tea", not "tea" and "from a tea cup".
    let (first, now_first) = (&o.parts[0], &n.parts[0]);
    let within = |word: &Word| now_first.words.iter().any(|other| other.key == word.key);
    let same_object =
        !first.marker.is_empty() || (now_first.marker.is_empty() && first.words.iter().all(within));
    let clash = o.parts.iter().any(|part| {
        let mut alike = n.parts.iter().filter(|other| other.marker == part.marker).peekable();
        alike.peek().is_some() && !alike.any(|other| shares(part, other))
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
        let mut words: Vec<String> = keys(statement).into_iter().map(str::to_owned).collect();
        words.sort();
        words
    };
    (&a.frame.subject, &a.frame.attribute, a.negated) == (&b.frame.subject, &b.frame.attribute, b.negated)
        && sorted(a) == sorted(b)
}

/// Whether two texts have the same words.
fn same_text(a: &str, b: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
    }
    words(&fold(a)).eq(words(&fold(b)))
}

#[cfg(test)]
mod tests;
