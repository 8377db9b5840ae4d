//! Remarks: what somebody who comes back has to know of a talk. Decisions and corrections, commitments of either side,
//! appointments, and questions that nobody answered, each in the words it was said in. Nothing here reads or writes anything.

use crate::{
    quote,
    write::{Proposition, every_statement},
};
use cairn_cognition::{
    due::{due_day, due_day_elsewhere},
    remark_cue::{RemarkCue, remark_cues},
    sentence::sentences,
    settled::is_question,
    trivial::trivial_reason,
};
use cairn_domain::{Category, Day, Message, MessageId, Role, Time};
use cairn_store::MessageRecord;
use rayon::prelude::*;

/// A statement that the judge or a day makes a remark is one if it is worth this …
const MIN_WORTH: f64 = 0.25;
/// … what begins with a promise if it is worth this …
const MIN_PROMISE_WORTH: f64 = 0.2;
/// … or this if it names a day …
const MIN_DATED_PROMISE_WORTH: f64 = 0.08;
/// … and what has another cue in it if it is worth this.
const MIN_CUE_WORTH: f64 = 0.3;
/// A class that single words give away counts from this certainty on.
const MIN_CLASS_CONFIDENCE: f64 = 0.7;

/// The use of a remark to whoever comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemarkKind {
    /// Something was decided or set right.
    Decision,
    /// Somebody means to do something.
    Commitment,
    /// Something happens on a day to come.
    Appointment,
}

/// A statement that is worth handing over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remark {
    pub(crate) message: MessageId,
    pub(crate) at: Time,
    /// Who said it, as a model is shown it.
    pub(crate) who: String,
    /// The words, verbatim.
    pub(crate) said: String,
    pub(crate) kind: RemarkKind,
    pub(crate) due: Option<Day>,
}

/// A message with the statements that it makes.
pub(crate) struct SpokenMessage<'a> {
    pub(crate) message: &'a Message,
    pub(crate) statements: Vec<Proposition>,
}

/// The messages of a talk, in order, each with what it says.
pub(crate) fn spoken(messages: &[MessageRecord]) -> Vec<SpokenMessage<'_>> {
    let prepare = |(at, record): (usize, &'_ MessageRecord)| {
        let before =
            messages[..at].iter().rev().find(|before| before.message.session == record.message.session);
        every_statement(&record.message, before.map(|before| &before.message))
    };
    let statements: Vec<Vec<Proposition>> = messages.par_iter().enumerate().map(prepare).collect();
    let spoken = messages.iter().zip(statements);
    spoken.map(|(record, statements)| SpokenMessage { message: &record.message, statements }).collect()
}

/// The remarks of a talk, in its order.
pub(crate) fn remarks(spoken: &[SpokenMessage<'_>]) -> Vec<Remark> {
    spoken.iter().flat_map(message_remarks).collect()
}

fn message_remarks(spoken: &SpokenMessage<'_>) -> Vec<Remark> {
    let SpokenMessage { message, statements } = spoken;
    let remark = |said: &str, kind, due| Remark {
        message: message.id,
        at: message.at,
        who: quote::speaker(message),
        said: said.to_owned(),
        kind,
        due,
    };
    let mut found: Vec<Remark> = Vec::new();
    for statement in statements {
        let due = due_day(&statement.said, message.at);
        if let Some(kind) = kind_of(statement, due, message.role) {
            found.push(remark(&statement.said, kind, due));
        }
    }
    // A day to come is handed over in whatever language it is named, also where a sentence is cut behind its number.
    if message.role == Role::User && trivial_reason(&message.text).is_none() {
        for sentence in dated_sentences(&message.text) {
            let told =
                found.iter().any(|remark| remark.said.contains(sentence) || sentence.contains(&remark.said));
            if let Some(due) =
                due_day_elsewhere(sentence, message.at).filter(|_| !told && !is_question(sentence))
            {
                let promises = remark_cues(sentence).contains(&RemarkCue::Promise);
                let kind = if promises { RemarkKind::Commitment } else { RemarkKind::Appointment };
                found.push(remark(sentence, kind, Some(due)));
            }
        }
    }
    found
}

/// The sentences of a text; one that ends in a number goes on in the next: "bis 22. November".
fn dated_sentences(text: &str) -> Vec<&str> {
    let mut joined: Vec<&str> = Vec::new();
    for sentence in sentences(text) {
        let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
        let numbered = |last: &&str| last.trim_end_matches('.').ends_with(|c: char| c.is_ascii_digit());
        match joined.last_mut().filter(|last| numbered(last)) {
            Some(last) => {
                let begin = last.as_ptr() as usize - text.as_ptr() as usize;
                *last = &text[begin..start + sentence.len()];
            }
            None => joined.push(sentence),
        }
    }
    joined
}

fn kind_of(statement: &Proposition, due: Option<Day>, role: Role) -> Option<RemarkKind> {
    let worth = statement.worth;
    let judged = judged_kind(statement).or_else(|| due.map(|_| RemarkKind::Appointment));
    let cues = remark_cues(&statement.said);
    // An assistant explains a great deal; only what it promises is a remark.
    let speaks_for_itself = role == Role::User;
    let promise_worth = if due.is_some() { MIN_DATED_PROMISE_WORTH } else { MIN_PROMISE_WORTH };
    let by_cue = cues.iter().rev().find_map(|cue| match cue {
        RemarkCue::Promise => (worth >= promise_worth).then_some(RemarkKind::Commitment),
        RemarkCue::Commitment => {
            (speaks_for_itself && worth >= MIN_CUE_WORTH).then_some(RemarkKind::Commitment)
        }
        RemarkCue::Done | RemarkCue::Undone => None,
        RemarkCue::Decision => (speaks_for_itself && worth >= MIN_CUE_WORTH).then_some(RemarkKind::Decision),
    });
    let is_judged = judged.filter(|_| worth >= MIN_WORTH);
    match is_judged {
        Some(RemarkKind::Appointment) | None => by_cue.or(is_judged),
        Some(RemarkKind::Decision | RemarkKind::Commitment) => is_judged,
    }
}

/// The kind of a statement as the judge, its tense and its words say.
fn judged_kind(statement: &Proposition) -> Option<RemarkKind> {
    let classed = |category: Category| {
        let mut classes = statement.character.classes.iter();
        classes.any(|class| class.category == category && class.confidence >= MIN_CLASS_CONFIDENCE)
    };
    match statement.category {
        Category::Decision | Category::Correction => Some(RemarkKind::Decision),
        Category::Plan => Some(RemarkKind::Commitment),
        _ if statement.foresight.is_some() => Some(RemarkKind::Commitment),
        _ if classed(Category::Decision) || classed(Category::Correction) => Some(RemarkKind::Decision),
        _ if classed(Category::Plan) => Some(RemarkKind::Commitment),
        _ => None,
    }
}

/// The question that a talk ends with: nobody has answered it.
pub(crate) fn open_question(messages: &[MessageRecord]) -> Option<(&Message, &str)> {
    let last = messages.iter().rev().map(|record| &record.message).find(|it| it.role != Role::Tool)?;
    if !matches!(last.role, Role::User | Role::Assistant) {
        return None;
    }
    let asked = sentences(&last.text).into_iter().rev().find(|sentence| is_question(sentence))?;
    Some((last, asked))
}
