//! Friction that the user tells: what is not let run, what is said again, what is still not right.

use super::{
    kind::{Friction, FrictionKind, WorkRef},
    signal::{WorkSignal, habit_sentence, habit_terms, work_signal},
    work::{Work, newest},
};
use crate::skill::ToolOutcome;
use std::collections::{BTreeMap, BTreeSet};

/// How often something is not let run before it is friction, and during how many requests.
const REFUSED_OFTEN: (usize, usize) = (2, 2);
/// Times that a habit is corrected.
const MIN_CORRECTIONS: usize = 2;
/// Terms that two sentences share if they are about one habit, and the part of the shorter one that they make up.
const MIN_SHARED_TERMS: usize = 2;
const MIN_SHARED_PART: f64 = 0.6;
/// Requests in a row that say that it is still not right, and such requests in all.
const MIN_UNSOLVED_IN_A_ROW: usize = 2;
const MIN_UNSOLVED: usize = 3;

/// The same is not let run again.
pub(super) fn refused_calls(work: &Work<'_>) -> Vec<Friction> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let refused = work.steps.iter().enumerate().filter(|(_, step)| step.outcome == ToolOutcome::Refused);
    // An edit is refused for what it says, not for being one.
    for (index, step) in refused.filter(|(_, step)| !step.edits()) {
        groups.entry(step.kind.clone()).or_default().push(index);
    }
    let mut found = work.seen_often(FrictionKind::RefusedCall, groups, REFUSED_OFTEN, &mut BTreeSet::new());
    for friction in &mut found {
        friction.line.clear();
    }
    found
}

/// The user says again how something is to be done.
pub(super) fn corrected_habits(work: &Work<'_>) -> Vec<Friction> {
    let worked: BTreeSet<i64> = work.messages.iter().map(|message| message.session).collect();
    let mut habits: Vec<Habit<'_>> = Vec::new();
    for (index, request) in work.requests.iter().enumerate().filter(|(_, it)| worked.contains(&it.session)) {
        let Some(sentence) = habit_sentence(request.text) else { continue };
        let terms = habit_terms(sentence);
        match habits.iter_mut().find(|known| is_same_habit(&known.terms, &terms)) {
            Some(known) => {
                known.sentence = sentence;
                known.seen.push(index);
            }
            None => habits.push(Habit { terms, sentence, seen: vec![index] }),
        }
    }
    let often = habits.into_iter().filter_map(|Habit { terms, sentence, seen }| {
        let exchanges: BTreeSet<i64> = seen.iter().map(|at| work.requests[*at].exchange).collect();
        (exchanges.len() >= MIN_CORRECTIONS).then(|| Friction {
            kind: FrictionKind::CorrectedHabit,
            key: terms.into_iter().collect::<Vec<_>>().join(" "),
            subject: sentence.to_owned(),
            line: sentence.to_owned(),
            instead: None,
            times: seen.len(),
            exchanges,
            seen: newest(seen.into_iter().map(WorkRef::Request).collect()),
        })
    });
    often.collect()
}

/// A way to do something that the user asked for.
struct Habit<'a> {
    terms: BTreeSet<String>,
    sentence: &'a str,
    seen: Vec<usize>,
}

/// Whether two sentences are about one habit: most terms of the shorter one are in the other.
fn is_same_habit(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let (shared, shorter) = (one.intersection(other).count(), one.len().min(other.len()));
    shared >= MIN_SHARED_TERMS.min(shorter.max(1)) && shared as f64 >= shorter as f64 * MIN_SHARED_PART
}

/// The user says that what was done is still not right, one request after the other or again and again.
pub(super) fn unsolved(work: &Work<'_>) -> Vec<Friction> {
    let worked: BTreeSet<i64> = work.messages.iter().map(|message| message.exchange).collect();
    let mut row: BTreeMap<i64, usize> = BTreeMap::new();
    let mut before: BTreeMap<i64, i64> = BTreeMap::new();
    let (mut seen, mut longest) = (Vec::new(), 0);
    for (index, request) in work.requests.iter().enumerate() {
        let follows_work = before.insert(request.session, request.exchange);
        let follows_work = follows_work.is_some_and(|exchange| worked.contains(&exchange));
        let count = row.entry(request.session).or_default();
        if follows_work && work_signal(request.text) == Some(WorkSignal::Unsolved) {
            *count += 1;
            longest = longest.max(*count);
            seen.push(index);
        } else {
            *count = 0;
        }
    }
    if longest < MIN_UNSOLVED_IN_A_ROW && seen.len() < MIN_UNSOLVED {
        return Vec::new();
    }
    let line = seen.last().map_or("", |at| work.requests[*at].text);
    vec![Friction {
        kind: FrictionKind::Unsolved,
        key: String::new(),
        subject: String::new(),
        line: line.to_owned(),
        instead: None,
        times: seen.len(),
        exchanges: seen.iter().map(|at| work.requests[*at].exchange).collect(),
        seen: newest(seen.into_iter().map(WorkRef::Request).collect()),
    }]
}
