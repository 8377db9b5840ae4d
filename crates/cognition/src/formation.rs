//! Formation: the statements that a message makes, without a model of language. Each clause is judged by itself; what is
//! kept is cut out whole, as contiguous words of the message. Clauses that only make sense together stay together:
//! one that begins with "it" or "because", or that has only a word or two. Questions, greetings and praise are left out; what
//! a question tells before it asks is kept.

mod clause;
mod context;
mod restated;
mod training;
mod turn;
mod unit;

pub use training::{KeepLevel, LabeledMessage, LabeledText, TaughtPart, WorthModels, train_worth_judge};
pub use turn::{KeepRule, MessageTurn};

use crate::{
    density::Density,
    entity::Mention,
    judge::worth::{ClauseKind, MIN_TELLS, MIN_WORTH, SpeakerKind, TurnBefore, WorthJudge, WorthVerdict},
    lexicon::WordList,
    observer::CategoryMatch,
    pattern::Patterns,
    reading::Reading,
    standalone::{STANDALONE_CHARS, SpeakerContext, standalone_in},
    statement::statements_in,
    temporal::{Foresight, dated_in},
};
use context::{SentenceBeside, context_beside, context_of_turn_before};
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
/// A person's clause that is worth less is not looked at, whatever it might change.
const MIN_CHANGING_WORTH: f64 = 0.1;
/// Maximum clauses of one message that are read by a model.
const MAX_READINGS: usize = 3;
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
    /// The sentence beside them in their message, in brackets, if the text does without it: what they change may stand there.
    pub beside: Option<String>,
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

/// Reads a clause, as it stands in its message: the log-odds that somebody would write it down; none where no model reads.
pub type WorthReader<'r> = dyn Fn(&str) -> Option<f64> + 'r;

/// The statements of a message, judged by its words.
pub fn form(message: &Reading, turn: &MessageTurn) -> FormedMessage {
    form_with_reader(message, turn, &|_| None)
}

/// The statements of a message, of which clauses that the words leave in doubt are read by a model.
pub fn form_with_reader(message: &Reading, turn: &MessageTurn, reader: &WorthReader) -> FormedMessage {
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
    let mut readings_left = MAX_READINGS;
    let judged = units.judged(turn.speaker, &before, |unit, clause| {
        let mut verdict = judge.judge(clause);
        let asked = requested.iter().any(|sentence| sentence.contains(clause.reading.text()));
        let doubted = turn.keep == KeepRule::Judged && !asked && verdict.is_in_doubt() && readings_left > 0;
        let read = doubted.then(|| reader(unit.clause.said)).flatten();
        if let Some(odds) = read {
            readings_left -= 1;
            verdict.weigh_reading(odds);
        }
        // Nobody says one plain sentence and nothing else for the sake of talk.
        let tells = || verdict.tells >= MIN_TELLS || !statements_in(clause.reading, SPEAKER).is_empty();
        let plain = read.is_none() && only && clause.is_plain() && tells();
        let worthy = verdict.worth >= MIN_WORTH || plain || asked;
        let restated = worthy && repeats_before(clause.reading.text());
        let kept = turn.keep == KeepRule::Everything || (worthy && !restated);
        let because = || judge.reasons_to_leave(clause).into_iter().map(|reason| reason.feature).collect();
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
            let leads = group.units.len() == 1
                && (first.words < MIN_ALONE_WORDS
                    || first.is_verbless_fragment()
                    || first.said.ends_with(':'));
            let most = if leads || clause.leans() { STANDALONE_CHARS } else { MAX_JOINED_CHARS };
            let joins = leads || clause.leans() || clause.is_fragment() || !clause.begins_anew;
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
        let needs = (clause.leans() || clause.is_fragment()) && at > free && adjoin(at - 1, at);
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
        let mut needed = None;
        if first.opens {
            needed = context_of_turn_before(&first.clause, reading.tokens().len(), turn, before, &text);
        }
        let mut beside = None;
        if turn.speaker == SpeakerKind::Person && needed.is_none() {
            beside = context_beside(message, first.range.start..last.range.end);
        }
        let clause = &first.clause;
        if clause.leans() || clause.is_fragment() {
            let tells = |beside: &SentenceBeside| beside.asks || clause.leans() || clause.is_verbless;
            needed = needed.or_else(|| beside.take_if(|beside| tells(beside)).map(|beside| beside.text));
        }
        text.extend(needed);
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
            beside: beside.map(|beside| beside.text),
        }
    }
}

#[cfg(test)]
mod tests;
