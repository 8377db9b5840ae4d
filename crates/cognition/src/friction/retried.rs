//! Calls that are made again: another way that works, the same way that failed, or the same way for nothing.

use super::{
    kind::{Friction, FrictionKind, WorkRef},
    signature::failure_signature,
    work::{Work, newest},
};
use crate::skill::{ToolOutcome, ToolStep};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Requests during which the same detour is made before it is friction.
const MIN_DETOURS: usize = 2;
/// Steps after a failure among which the way that works is looked for.
const MAX_DETOUR_STEPS: usize = 6;
/// Calls in a row that fail alike with nothing changed between.
const MIN_RETRIES: usize = 3;
/// Such rows before they are friction, or calls in one that are by themselves.
const MIN_ROWS: usize = 2;
const MIN_RETRIES_IN_ONE: usize = 5;
/// The same call with the same result for one request: so many are friction, and so many if that happens twice.
const MIN_LOOP: usize = 6;
const MIN_LOOP_AGAIN: usize = 4;

/// It failed one way and worked another, the same each time: with an option more, or by another program.
pub(super) fn detours(work: &Work<'_>, claimed: &mut BTreeSet<usize>) -> Vec<Friction> {
    let mut ways: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, step) in work.failed(claimed) {
        if let Some((other, way)) = way_around(work, index, step) {
            ways.entry(way).or_default().push((index, other));
        }
    }
    let mut found = Vec::new();
    for (way, pairs) in ways {
        let failed: Vec<usize> = pairs.iter().map(|(failed, _)| *failed).collect();
        let Some(mut friction) = work.of_steps(FrictionKind::Detour, way, &failed) else { continue };
        if friction.exchanges.len() >= MIN_DETOURS {
            friction.instead = pairs.last().and_then(|(_, worked)| work.steps[*worked].written.clone());
            claimed.extend(failed);
            found.push(friction);
        }
    }
    found
}

/// The step of the same request that did the same another way and worked, before anything was changed; and how it differs.
fn way_around(work: &Work<'_>, index: usize, failed: &ToolStep) -> Option<(usize, String)> {
    let was: Vec<&str> = failed.written.as_deref()?.split_whitespace().collect();
    let later = work.steps.iter().enumerate().skip(index + 1).take(MAX_DETOUR_STEPS);
    let same = later.filter(|(_, step)| work.exchange(step) == work.exchange(failed));
    for (other, step) in same.filter(|(_, step)| !step.looks) {
        let Some(written) = step.written.as_deref().filter(|_| step.outcome == ToolOutcome::Worked) else {
            // A change of a file, or another failure on the way to what works.
            if step.edits() || step.kind != failed.kind {
                return None;
            }
            continue;
        };
        let now: Vec<&str> = written.split_whitespace().collect();
        return difference(&was, &now, step.kind == failed.kind).map(|way| (other, way));
    }
    None
}

/// How two commands differ, if they do the same: in options, or in the program alone.
fn difference(was: &[&str], now: &[&str], is_same_kind: bool) -> Option<String> {
    if is_same_kind {
        let is_option = |word: &&&str| word.starts_with('-') || word.contains('=');
        let added: BTreeSet<&&str> =
            now.iter().filter(is_option).filter(|word| !was.contains(word)).collect();
        let added: Vec<&str> =
            added.into_iter().map(|word| word.split('=').next().unwrap_or_default()).collect();
        return (!added.is_empty()).then(|| format!("{} + {}", program(was), added.join(" ")));
    }
    let shared = was.iter().skip(1).filter(|word| now.contains(word)).count();
    let is_same_work = shared > 0 && shared + 1 >= was.len() && now.len() <= was.len() + 2;
    let differ = program(was) != program(now);
    (is_same_work && differ).then(|| format!("{} → {}", program(was), program(now)))
}

fn program<'a>(words: &[&'a str]) -> &'a str {
    words.first().copied().unwrap_or_default()
}

/// The same call again and again after it failed, with nothing changed between.
pub(super) fn blind_retries(work: &Work<'_>, claimed: &mut BTreeSet<usize>) -> Vec<Friction> {
    let mut groups: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    for row in failing_rows(work, claimed) {
        let kind = work.steps[row[0]].kind.clone();
        groups.entry(kind).or_default().push(row);
    }
    let mut found = Vec::new();
    for (kind, rows) in groups {
        let longest = rows.iter().map(Vec::len).max().unwrap_or_default();
        if rows.len() < MIN_ROWS && longest < MIN_RETRIES_IN_ONE {
            continue;
        }
        let steps: Vec<usize> = rows.concat();
        found.extend(work.of_steps(FrictionKind::BlindRetry, kind, &steps));
        claimed.extend(steps);
    }
    found
}

/// Rows of the same call that failed alike, each within one request.
fn failing_rows(work: &Work<'_>, claimed: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut open: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut rows = Vec::new();
    for (index, step) in work.steps.iter().enumerate().filter(|(_, step)| !step.looks) {
        let row = open.entry(step.session).or_default();
        let goes_on = row.last().is_some_and(|last| {
            let before = &work.steps[*last];
            step.outcome == ToolOutcome::Failed
                && work.exchange(before) == work.exchange(step)
                && work.call(before) == work.call(step)
                && failure_signature(work.result(before)) == failure_signature(work.result(step))
        });
        if !goes_on {
            rows.push(std::mem::take(row));
        }
        if step.outcome == ToolOutcome::Failed && !claimed.contains(&index) {
            row.push(index);
        }
    }
    rows.extend(open.into_values());
    rows.retain(|row| row.len() >= MIN_RETRIES);
    rows.sort_unstable();
    rows
}

/// The same call with the same result many times for one request.
pub(super) fn call_loops(work: &Work<'_>, claimed: &BTreeSet<usize>) -> Vec<Friction> {
    let mut open: HashMap<(i64, &str), Vec<usize>> = HashMap::new();
    let mut loops: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    let mut close = |group: Vec<usize>| {
        if group.len() >= MIN_LOOP_AGAIN {
            let key = work.steps[group[0]].label.clone();
            loops.entry(key).or_default().push(group);
        }
    };
    for (index, step) in work.steps.iter().enumerate().filter(|(index, _)| !claimed.contains(index)) {
        let exchange = work.exchange(step);
        if step.edits() && step.outcome == ToolOutcome::Worked {
            // Whatever is called again now looks at something else.
            let of_exchange: Vec<_> = open.keys().filter(|(of, _)| *of == exchange).copied().collect();
            of_exchange.into_iter().filter_map(|key| open.remove(&key)).for_each(&mut close);
            continue;
        }
        let group = open.entry((exchange, work.call(step))).or_default();
        let is_same = group.last().is_none_or(|last| work.result(&work.steps[*last]) == work.result(step));
        if !is_same {
            close(std::mem::take(group));
        }
        // Of a line of several commands the last one stands for the call.
        match group.last_mut().filter(|last| work.steps[**last].call == step.call) {
            Some(last) => *last = index,
            None => group.push(index),
        }
    }
    open.into_values().for_each(&mut close);
    let often = loops.into_iter().filter_map(|(key, groups)| {
        let longest = groups.iter().map(Vec::len).max().unwrap_or_default();
        let mut steps = (groups.len() > 1 || longest >= MIN_LOOP).then(|| groups.concat())?;
        steps.sort_unstable();
        let mut friction = work.of_steps(FrictionKind::CallLoop, key, &steps)?;
        friction.line.clear();
        friction.seen = newest(steps.iter().map(|at| WorkRef::Result(work.steps[*at].result)).collect());
        Some(friction)
    });
    often.collect()
}
