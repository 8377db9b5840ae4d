//! The rules by which a new statement excludes a known one, in the order in which they are tried. The first rule that
//! applies decides, and the verdict names it.

use super::pair::{StatementPair, has_name_or_measure, measure_kind, value_keys};
use crate::lexicon::GrammarClass;
use crate::{
    plain::fold,
    statement::{
        Statement, ValuePart,
        word::{ClauseWord, WordKind},
    },
};

/// The attribute of a statement that something is over.
const ENDED: &str = "ended";
/// Slots in which opposites stand side by side.
const OPEN_SLOTS: [&str; 2] = ["likes", "owns"];
/// Slots that hold many things, so that another number says nothing against the first.
const MANY_VALUED_SLOTS: [&str; 3] = ["likes", "uses", "owns"];

/// The kind of contradiction between two sayings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// The rule that decided about a pair of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClashRule {
    /// One of them speaks of the past or of a plan.
    NotCurrent,
    /// They were read by different grammars, so their words cannot be compared.
    DifferentLanguage,
    /// The new one says that what the known one says is over: "I quit smoking".
    SaidToBeOver,
    /// One of them ends something, and not what the other says.
    EndsSomethingElse,
    /// The new one names the known value as the one that no longer holds: "switched from Vim to Helix".
    NamesOldValue,
    /// The same words, subject and value swapped, and one of them denies: "the lead is Ana", "Ana is not the lead".
    DeniedTurnedRound,
    /// They are about different subjects.
    DifferentSubject,
    /// "prefers X", then "prefers Y over X".
    ChosenAgainst,
    /// "prefers X over Y", then "prefers Y", or "cannot stand X any more".
    ChosenBack,
    /// They are about different attributes of their subject.
    DifferentAttribute,
    /// One of them denies a liking that the other states.
    LikingDenied,
    /// One of them denies what the other states.
    Denied,
    /// One of them denies only a detail of what the other states.
    DetailDenied,
    /// Both are denials.
    BothDenied,
    /// One value holds all words of the other, and at most adds detail.
    OnlyAddsDetail,
    /// They hold for different things: "for free users", "for paid users".
    DifferentScope,
    /// The values differ in opposite words.
    OppositeWords,
    /// The values differ in nothing but a number, a date or a time.
    DifferentMeasure,
    /// The slot holds several values at a time.
    SeveralValues,
    /// Only a name or a number fills the slot, and one of the values is a description.
    DescriptionOnly,
    /// The values differ in measures of different kinds: a weekday and a time of day.
    DifferentKinds,
    /// Another choice in a slot of preferences.
    DifferentChoice,
    /// Another number, date or time among other words.
    DifferentNumber,
    /// Another value of a slot that has one at a time.
    DifferentValue,
}

impl ClashRule {
    /// The contradiction that this rule finds; none if both statements can hold.
    pub fn clash(self) -> Option<Clash> {
        match self {
            Self::SaidToBeOver => Some(Clash::Ended),
            Self::NamesOldValue | Self::DifferentValue => Some(Clash::Value),
            Self::DeniedTurnedRound | Self::Denied => Some(Clash::Negation),
            Self::OppositeWords => Some(Clash::Antonym),
            Self::ChosenAgainst | Self::ChosenBack | Self::LikingDenied | Self::DifferentChoice => {
                Some(Clash::Preference)
            }
            Self::DifferentMeasure | Self::DifferentNumber => Some(Clash::Number),
            Self::NotCurrent
            | Self::DifferentLanguage
            | Self::EndsSomethingElse
            | Self::DifferentSubject
            | Self::DifferentAttribute
            | Self::DetailDenied
            | Self::BothDenied
            | Self::OnlyAddsDetail
            | Self::DifferentScope
            | Self::SeveralValues
            | Self::DescriptionOnly
            | Self::DifferentKinds => None,
        }
    }
}

/// Whether a rule decides about a pair.
type RuleCondition = fn(&StatementPair) -> bool;

/// Every rule with the condition under which it decides. A later condition may rely on all earlier ones being false.
pub(super) const RULES: [(ClashRule, RuleCondition); 24] = [
    (ClashRule::NotCurrent, |pair| is_past_or_plan(pair.old) || is_past_or_plan(pair.new)),
    (ClashRule::DifferentLanguage, |pair| pair.old.frame.grammar != pair.new.frame.grammar),
    (ClashRule::SaidToBeOver, is_said_to_be_over),
    (ClashRule::EndsSomethingElse, |pair| pair.new.attribute == ENDED || pair.old.attribute == ENDED),
    (ClashRule::NamesOldValue, names_old_value),
    (ClashRule::DeniedTurnedRound, |pair| pair.one_denies() && is_turned_round(pair)),
    (ClashRule::DifferentSubject, |pair| !pair.same_subject),
    (ClashRule::ChosenAgainst, |pair| differs_in_attribute(pair) && is_chosen_against(pair)),
    (ClashRule::ChosenBack, |pair| differs_in_attribute(pair) && is_chosen_back(pair)),
    (ClashRule::DifferentAttribute, differs_in_attribute),
    (ClashRule::LikingDenied, |pair| pair.old.attribute == "likes" && denies_the_whole(pair)),
    (ClashRule::Denied, denies_the_whole),
    (ClashRule::DetailDenied, |pair| pair.one_denies()),
    (ClashRule::BothDenied, |pair| pair.old.negated),
    (ClashRule::OnlyAddsDetail, only_adds_detail),
    (ClashRule::DifferentScope, |pair| pair.has_one_value() && differs_in_scope(pair)),
    (ClashRule::OppositeWords, has_opposite_words),
    (ClashRule::DifferentMeasure, differs_in_measure_alone),
    (ClashRule::SeveralValues, |pair| !pair.has_one_value()),
    (ClashRule::DescriptionOnly, is_description_only),
    (ClashRule::DifferentKinds, differs_in_kind_of_measure),
    (ClashRule::DifferentChoice, |pair| pair.old.attribute.starts_with("prefers")),
    (ClashRule::DifferentNumber, |pair| pair.difference().is_of_measures()),
    (ClashRule::DifferentValue, |_| true),
];

/// The rule that decides whether `new` excludes `old`.
pub(super) fn deciding_rule(pair: &StatementPair) -> ClashRule {
    let decides = RULES.iter().find(|(_, applies)| applies(pair));
    decides.map_or(ClashRule::DifferentValue, |(rule, _)| *rule)
}

fn is_past_or_plan(statement: &Statement) -> bool {
    ["past/", "plan"].iter().any(|prefix| statement.attribute.starts_with(prefix))
}

/// The new statement ends the verb and its value, or the value alone.
fn is_said_to_be_over(pair: &StatementPair) -> bool {
    let (old, new) = (pair.old, pair.new);
    if new.attribute != ENDED || old.attribute == ENDED || !pair.same_subject {
        return false;
    }
    let taste = old.attribute == "likes" || old.attribute.starts_with("prefers");
    if old.negated || taste || old.attribute == "is" {
        return false;
    }
    let mut known = value_keys(old);
    known.extend(old.frame.attribute.split(' '));
    let when =
        |word: &&ClauseWord| word.kind != WordKind::Plain || pair.grammar.is(&word.text, GrammarClass::Time);
    let post = |word: &ClauseWord| pair.grammar.is(&word.text, GrammarClass::Post);
    let ended: Vec<&ClauseWord> = new.frame.words().filter(|word| !when(word)).collect();
    if !ended.is_empty() && ended.iter().all(|word| post(word)) {
        return old.attribute == "employer";
    }
    let ended: Vec<&str> =
        ended.into_iter().filter(|word| !post(word)).map(|word| word.key.as_str()).collect();
    !ended.is_empty() && ended.iter().all(|word| known.contains(word))
}

/// The new statement says that exactly the known value no longer holds.
fn names_old_value(pair: &StatementPair) -> bool {
    let (old, new) = (pair.old, pair.new);
    if old.negated || new.negated {
        return false;
    }
    let known = value_keys(old);
    let gone = &new.frame.old;
    let alike = old.frame.attribute == new.frame.attribute || old.single || new.attribute == "uses";
    alike
        && !gone.is_empty()
        && gone.iter().all(|word| known.contains(&word.key.as_str()))
        && (pair.same_subject || mentions(pair.new_text, &old.subject))
}

/// Whether a text speaks of a subject by its words.
fn mentions(text: &str, subject: &str) -> bool {
    let text = fold(text);
    !subject.contains('/') && subject.split(' ').all(|word| text.contains(word))
}

fn is_turned_round(pair: &StatementPair) -> bool {
    let bag = |statement: &Statement| {
        let attribute = statement.frame.attribute.split(' ').filter(|word| *word != "is");
        let subject = statement.frame.subject.split([' ', '/']);
        let mut words: Vec<String> = subject.chain(attribute).map(str::to_owned).collect();
        let slot = |word: &str| {
            pair.grammar.slot_noun(word).map_or(word.to_owned(), |noun| pair.grammar.key(&noun.slot))
        };
        words.extend(value_keys(statement).into_iter().map(slot));
        // "my lead" and "the lead" are the same words.
        words.retain(|word| word != "user");
        words.sort();
        words.dedup();
        words
    };
    !pair.same_subject && bag(pair.old) == bag(pair.new)
}

fn differs_in_attribute(pair: &StatementPair) -> bool {
    pair.old.frame.attribute != pair.new.frame.attribute
}

fn is_chosen_against(pair: &StatementPair) -> bool {
    let (old, new) = (pair.old, pair.new);
    let liked = old.attribute == "likes" && !old.negated && new.change;
    if !new.frame.attribute.starts_with("prefer") || !(old.attribute == "prefers" || liked) {
        return false;
    }
    let (known, chosen) = (value_keys(old), value_keys(new));
    let choices: Vec<&str> = new.frame.attribute.split([' ', '+']).collect();
    !choices.is_empty()
        && known.iter().all(|word| choices.contains(word))
        && !known.iter().any(|word| chosen.contains(word))
}

fn is_chosen_back(pair: &StatementPair) -> bool {
    let (old, new) = (pair.old, pair.new);
    if old.negated || !old.attribute.starts_with("prefers") {
        return false;
    }
    let (known, chosen) = (value_keys(old), value_keys(new));
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

/// Who denies the whole denies the part, not the other way round.
fn denies_the_whole(pair: &StatementPair) -> bool {
    let (words_old, words_new) = (value_keys(pair.old), value_keys(pair.new));
    let (denied, said) = if pair.new.negated { (&words_new, &words_old) } else { (&words_old, &words_new) };
    pair.one_denies() && !denied.is_empty() && denied.iter().all(|word| said.contains(word))
}

fn only_adds_detail(pair: &StatementPair) -> bool {
    let difference = pair.difference();
    difference.only_old.is_empty() || difference.only_new.is_empty()
}

/// Both name what they hold for, and not the same.
fn differs_in_scope(pair: &StatementPair) -> bool {
    fn scopes(statement: &Statement) -> impl Iterator<Item = &ValuePart> {
        let of_value =
            |part: &&ValuePart| !part.words.iter().any(|word| statement.frame.value.contains(word));
        statement.frame.parts.iter().filter(of_value).filter(|part| !part.marker.is_empty())
    }
    let new_scopes: Vec<&ValuePart> = scopes(pair.new).collect();
    scopes(pair.old).any(|scope| {
        let mut alike = new_scopes.iter().filter(|other| other.marker == scope.marker).peekable();
        alike.peek().is_some() && !alike.any(|other| one_holds_the_other(scope, other))
    })
}

/// Whether one of two parts holds all words of the other.
pub(super) fn one_holds_the_other(one: &ValuePart, other: &ValuePart) -> bool {
    let within = |a: &ValuePart, b: &ValuePart| {
        a.words.iter().all(|word| b.words.iter().any(|other| other.key == word.key))
    };
    within(one, other) || within(other, one)
}

fn has_opposite_words(pair: &StatementPair) -> bool {
    let difference = pair.difference();
    let [new] = difference.only_new[..] else { return false };
    let told = difference.only_old.len() == 1 || pair.new.change;
    let opposite = told && difference.only_old.iter().any(|word| pair.grammar.opposite(word, new));
    let side_by_side = || {
        is_owned(pair) || OPEN_SLOTS.contains(&pair.old.attribute.as_str()) || pair.grammar.one_of_many(new)
    };
    opposite && (pair.is_state() || !side_by_side())
}

fn is_owned(pair: &StatementPair) -> bool {
    pair.old.attribute.starts_with("has/")
}

fn differs_in_measure_alone(pair: &StatementPair) -> bool {
    let difference = pair.difference();
    let (old, new) = (measure_kind(&difference.only_old), measure_kind(&difference.only_new));
    let dated = old.is_some_and(|kind| kind != WordKind::Number);
    // What is done on Mondays may be done on Fridays too.
    let repeated = old == Some(WordKind::Weekday) && !pair.is_state() && !pair.new.change;
    let many = MANY_VALUED_SLOTS.contains(&pair.old.attribute.as_str());
    old.is_some() && old == new && !(dated && is_owned(pair)) && !many && !repeated
}

fn is_description_only(pair: &StatementPair) -> bool {
    let difference = pair.difference();
    pair.old.frame.thing
        && !(has_name_or_measure(&difference.all_old) && has_name_or_measure(&difference.all_new))
}

fn differs_in_kind_of_measure(pair: &StatementPair) -> bool {
    let difference = pair.difference();
    let kind = |words: &[&ClauseWord]| words.iter().map(|word| word.kind).max();
    difference.is_of_measures() && kind(&difference.only_old) != kind(&difference.only_new)
}
