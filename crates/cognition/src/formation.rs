//! Formation: the statements that a message makes, without a model of language. Each clause is judged by itself; what is
//! kept is cut out whole, as contiguous words of the message. Clauses that only make sense together stay together:
//! one that begins with "it" or "because", or that has only a word or two. Questions, greetings and praise are left out; what
//! a question tells before it asks is kept.

mod clause;
mod restated;
mod training;
mod unit;

pub use training::{KeepLevel, LabeledMessage, LabeledText, TaughtPart, WorthModels, train_worth_judge};

use crate::{
    density::Density,
    entity::Mention,
    judge::worth::{ClauseKind, MIN_TELLS, MIN_WORTH, SpeakerKind, TurnBefore, WorthJudge, WorthVerdict},
    lexicon::WordList,
    observer::CategoryMatch,
    pattern::Patterns,
    reading::Reading,
    standalone::{ABOUT, AFTER, ASKED, STANDALONE_CHARS, SpeakerContext, standalone_in},
    statement::statements_in,
    temporal::{Foresight, dated_in},
};
use cairn_domain::Time;
use restated::ToldWordSet;
use std::{borrow::Cow, cell::OnceCell, ops::Range, sync::LazyLock};
use unit::{KnownWords, MessageUnit, MessageUnits};

/// Maximum statements formed from one message: those of the most worth.
pub const MAX_FORMED: usize = 8;

/// The speaker's name while it is asked whether a clause states anything.
const SPEAKER: &str = "user";
/// Clauses with fewer words say little without the one beside them.
const MIN_ALONE_WORDS: usize = 4;
/// Maximum characters of sentences that are kept together because they continue one another.
const MAX_JOINED_CHARS: usize = 320;
/// A fragment of at most this many words needs the sentence before it, or the question that it answers.
const MAX_FRAGMENT_WORDS: usize = 12;
/// An answer of at most this many words is shown with its question, however it begins.
const MAX_BARE_ANSWER_WORDS: usize = 6;
/// Maximum characters of a question that stands beside its answer, or of the words that a statement goes on from.
const MAX_ASKED_CHARS: usize = 160;
/// A person's clause that is worth less is not looked at, whatever it might change.
const MIN_CHANGING_WORTH: f64 = 0.1;
/// Why an agent's clause is left out that repeats the turn before it.
const RESTATED: &str = "restates the turn before";

/// A statement formed from a message.
#[derive(Debug, Clone, PartialEq)]
pub struct FormedStatement {
    /// The statement, readable without its conversation, with its dates.
    pub text: String,
    /// The words of the message that it stands on, as they were said.
    pub said: String,
    /// The same with the subject that they leave out: "work there" after "I live here and" is "I work there".
    pub stated: String,
    /// The entities that these words name.
    pub entities: Vec<Mention>,
    /// The plan that they tell.
    pub foresight: Option<Foresight>,
    /// How much they say.
    pub density: Density,
    /// The kinds of thing that single words of it give away.
    pub categories: Vec<CategoryMatch>,
    /// Their kind, according to the judge.
    pub kind: ClauseKind,
    /// The probability that somebody would write them down.
    pub worth: f64,
}

/// Which clauses of a message are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRule {
    /// Those that are worth it.
    Judged,
    /// All that tell something: somebody meant the message to be remembered.
    Everything,
}

/// The turn that a message is.
#[derive(Debug, Clone, Copy)]
pub struct MessageTurn<'a> {
    /// Who speaks to whom.
    pub context: SpeakerContext<'a>,
    /// Whether a person speaks.
    pub speaker: SpeakerKind,
    /// The words of the turn before; empty if there is none.
    pub before: &'a str,
    /// When it was said.
    pub said_at: Time,
    /// Which clauses are kept.
    pub keep: KeepRule,
}

/// The statements of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormedMessage {
    /// The statements that are kept, in the order of the message, at most [`MAX_FORMED`].
    pub statements: Vec<FormedStatement>,
    /// The best clause that was left out.
    pub best_left: Option<LeftClause>,
}

/// A clause that was not worth keeping.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftClause {
    /// The probability that somebody would write it down.
    pub worth: f64,
    /// The features that spoke most against it.
    pub because: Vec<String>,
    /// The statement that it makes, if a person tells something by it: it may still change what is known.
    pub statement: Option<FormedStatement>,
}

/// Whether a sentence asks that what it says be remembered.
fn asks_to_keep(sentence: &str) -> bool {
    static REQUESTS: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::read_plain(WordList::KeepRequests));
    !sentence.trim_end().ends_with('?') && REQUESTS.find(sentence).next().is_some()
}

/// The statements of a message.
pub fn form(message: &Reading, turn: &MessageTurn) -> FormedMessage {
    let before = TurnBefore::of(turn.before);
    let units = MessageUnits::of(message, turn.said_at);
    let judge = WorthJudge::shipped();
    let only = message.sentences().nth(1).is_none();
    let requested: Vec<&str> =
        message.sentences().filter(|it| turn.speaker == SpeakerKind::Person && asks_to_keep(it)).collect();
    let told_before = OnceCell::new();
    let repeats_before = |clause: &str| {
        let answers = turn.speaker == SpeakerKind::Assistant && !turn.before.is_empty();
        answers && told_before.get_or_init(|| told_by_turn_before(turn)).is_restated_by(clause)
    };
    let judged = units.judged((turn.speaker, &before), |_, clause| {
        let verdict = judge.judge(clause);
        // Nobody says one plain sentence and nothing else for the sake of talk.
        let tells = || verdict.tells >= MIN_TELLS || !statements_in(clause.reading, SPEAKER).is_empty();
        let plain = only && clause.is_plain() && tells();
        let asked = requested.iter().any(|sentence| sentence.contains(clause.reading.text()));
        let worthy = verdict.worth >= MIN_WORTH || plain || asked;
        let restated = worthy && repeats_before(clause.reading.text());
        let kept = turn.keep == KeepRule::Everything || (worthy && !restated);
        let because = || judge.reasons(clause, false).into_iter().map(|reason| reason.feature).collect();
        let because = || if restated { vec![RESTATED.to_owned()] } else { because() };
        let left = (!kept).then(|| LeftClause { worth: verdict.worth, because: because(), statement: None });
        (verdict, left)
    });
    let mut groups = groups(message, &units.units, &judged);
    let formed = |group: UnitGroup| group.formed(message, &units.units, turn, &before);
    let best_left = best_left(&groups, &judged).map(|(at, left)| {
        let group = UnitGroup { units: at..at + 1, verdict: judged[at].0.clone() };
        let tells = turn.speaker == SpeakerKind::Person && left.worth >= MIN_CHANGING_WORTH;
        LeftClause { statement: tells.then(|| formed(group)), ..left.clone() }
    });
    if groups.len() > MAX_FORMED {
        let mut worths: Vec<f64> = groups.iter().map(|group| group.verdict.worth).collect();
        worths.sort_by(|a, b| b.total_cmp(a));
        groups.retain(|group| group.verdict.worth >= worths[MAX_FORMED - 1]);
        groups.truncate(MAX_FORMED);
    }
    FormedMessage { statements: groups.into_iter().map(formed).collect(), best_left }
}

/// The words of the turn before an agent's that are kept from there. What it was only asked to do is not among them: that it
/// was done is new.
fn told_by_turn_before(turn: &MessageTurn) -> ToldWordSet {
    let before = MessageTurn { speaker: SpeakerKind::Person, before: "", keep: KeepRule::Judged, ..*turn };
    let formed = form(&Reading::of(turn.before), &before);
    ToldWordSet::of(formed.statements.into_iter().map(|statement| statement.said))
}

/// The clause of the most worth among those that were left out and stand in no kept statement, and its place.
fn best_left<'j>(
    groups: &[UnitGroup],
    judged: &'j [(WorthVerdict, Option<LeftClause>)],
) -> Option<(usize, &'j LeftClause)> {
    let stands_apart = |at: usize| !groups.iter().any(|group| group.units.contains(&at));
    let left = judged.iter().enumerate().filter_map(|(at, (_, left))| Some((at, left.as_ref()?)));
    left.filter(|(at, _)| stands_apart(*at)).max_by(|(_, a), (_, b)| a.worth.total_cmp(&b.worth))
}

/// Units that are one statement.
struct UnitGroup {
    units: Range<usize>,
    verdict: WorthVerdict,
}

/// The kept units, those together that only make sense together.
fn groups(
    message: &Reading,
    units: &[MessageUnit],
    judged: &[(WorthVerdict, Option<LeftClause>)],
) -> Vec<UnitGroup> {
    let adjoin = |one: usize, next: usize| {
        let between = &message.text()[units[one].range.end..units[next].range.start];
        between.trim().is_empty()
    };
    let fits = |from: usize, to: usize, most: usize| units[to].range.end - units[from].range.start <= most;
    let mut groups: Vec<UnitGroup> = Vec::new();
    for (at, (verdict, left)) in judged.iter().enumerate() {
        if left.is_some() {
            continue;
        }
        let clause = &units[at].clause;
        if let Some(group) = groups.last_mut().filter(|group| group.units.end == at && adjoin(at - 1, at)) {
            let first = &units[group.units.start].clause;
            let leads =
                group.units.len() == 1 && (first.words < MIN_ALONE_WORDS || first.said.ends_with(':'));
            let most = if leads || clause.leans() { STANDALONE_CHARS } else { MAX_JOINED_CHARS };
            let joins = leads || clause.leans() || !clause.begins_anew;
            if joins && fits(group.units.start, at, most) {
                group.units.end = at + 1;
                if verdict.worth > group.verdict.worth {
                    group.verdict = verdict.clone();
                }
                continue;
            }
        }
        // What it speaks of stands in the clause before it, which by itself was not worth keeping.
        let free = groups.last().map_or(0, |group| group.units.end);
        let fragment = !clause.begins_anew && clause.words <= MAX_FRAGMENT_WORDS;
        let needs = (clause.leans() || fragment) && at > free && adjoin(at - 1, at);
        let start = if needs && fits(at - 1, at, MAX_JOINED_CHARS) { at - 1 } else { at };
        groups.push(UnitGroup { units: start..at + 1, verdict: verdict.clone() });
    }
    groups
}

impl UnitGroup {
    fn formed(
        self,
        message: &Reading,
        units: &[MessageUnit],
        turn: &MessageTurn,
        before: &TurnBefore,
    ) -> FormedStatement {
        let (first, last) = (&units[self.units.start], &units[self.units.end - 1]);
        let said = &message.text()[first.range.start..last.range.end];
        let alone = self.units.len() == 1;
        let stated = if alone { first.clause.stated.clone() } else { Cow::Borrowed(said) };
        let reading = Reading::of(&stated);
        let known = if alone { first.known.clone() } else { KnownWords::of(&reading, turn.said_at) };
        let KnownWords { mut mentions, density, categories, foresight, .. } = known;
        if stated != said {
            mentions = crate::entity::entities(said);
        }
        // Only the first words of a message can mean somebody of the turn before.
        let last_entity = turn.context.last_entity.filter(|_| first.opens && alone);
        let context = SpeakerContext { last_entity, ..turn.context };
        let mut text = standalone_in(&reading, &dated_in(&reading, turn.said_at).text, &context);
        if first.opens
            && let Some(needed) = needed_context(&reading, &first.clause, turn, before, &text)
        {
            text.push_str(&needed);
        }
        FormedStatement {
            text,
            said: said.to_owned(),
            entities: mentions,
            foresight,
            density,
            categories,
            kind: self.verdict.kind,
            worth: self.verdict.worth,
            stated: stated.into_owned(),
        }
    }
}

/// The turn before, as far as the first words of a message cannot be understood without it: the question that a bare answer
/// answers, the only one a pronoun can mean, or the words that it goes on from.
fn needed_context(
    stated: &Reading,
    clause: &clause::Clause,
    turn: &MessageTurn,
    before: &TurnBefore,
    text: &str,
) -> Option<String> {
    let words = stated.tokens().len();
    let fragment = !clause.begins_anew && words <= MAX_FRAGMENT_WORDS;
    let last_sentence = || {
        let last = Reading::of(turn.before).sentences().last()?.trim().to_owned();
        (last.chars().count() <= MAX_ASKED_CHARS && !last.is_empty()).then_some(last)
    };
    if before.asks && (fragment || words <= MAX_BARE_ANSWER_WORDS) {
        return last_sentence().map(|asked| format!("{ASKED}“{asked}”]"));
    }
    if let Some(meant) = turn.context.last_entity.filter(|meant| clause.refers && !text.contains(meant)) {
        return Some(format!("{ABOUT}{meant}]"));
    }
    let person = turn.speaker == SpeakerKind::Person;
    if clause.refers && person && !before.asks {
        last_sentence().map(|said| format!("{AFTER}“{said}”]"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
