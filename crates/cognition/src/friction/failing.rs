//! Failures that come back: something is not there, an edit does not apply, a command takes too long, or it fails as it did before.

use super::{
    kind::{Friction, FrictionKind},
    signature::failure_signature,
    work::Work,
};
use crate::skill::{ToolFailureClass, failure_class};
use std::collections::{BTreeMap, BTreeSet};

/// How often a failure is seen before it is friction, and during how many requests.
const OFTEN: (usize, usize) = (3, 2);
/// The same of what took too long, which costs the most.
const OFTEN_TOO_LONG: (usize, usize) = (2, 2);
/// Share of the edits of a tool that must miss before that is more than a slip.
const MIN_MISSED_SHARE: f64 = 0.1;

/// The same program, module or file is not there again.
pub(super) fn missing(work: &Work<'_>, claimed: &mut BTreeSet<usize>) -> Vec<Friction> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, step) in work.failed(claimed) {
        let Some(ToolFailureClass::Missing(name)) = failure_class(work.result(step)) else { continue };
        // A file that is written afterwards was about to be made.
        let file = name.rsplit('/').next().unwrap_or_default().to_lowercase();
        let is_made = work.steps[index + 1..].iter().take_while(|later| later.session == step.session);
        if !is_made.filter(|later| later.edits()).any(|later| later.label.to_lowercase().ends_with(&file)) {
            groups.entry(name).or_default().push(index);
        }
    }
    let mut found = work.seen_often(FrictionKind::Missing, groups, OFTEN, claimed);
    for friction in &mut found {
        friction.subject.clone_from(&friction.key);
    }
    found
}

/// The edits of a tool miss what they are to replace.
pub(super) fn missed_edits(work: &Work<'_>, claimed: &mut BTreeSet<usize>) -> Vec<Friction> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, step) in work.failed(claimed).filter(|(_, step)| step.edits()) {
        if matches!(failure_class(work.result(step)), Some(ToolFailureClass::MissedEdit)) {
            groups.entry(step.kind.clone()).or_default().push(index);
        }
    }
    groups.retain(|kind, missed| {
        let all = work.steps.iter().filter(|step| step.kind == *kind).count();
        missed.len() as f64 >= all as f64 * MIN_MISSED_SHARE
    });
    let mut found = work.seen_often(FrictionKind::MissedEdit, groups, OFTEN, claimed);
    for friction in &mut found {
        friction.subject.clone_from(&friction.key);
    }
    found
}

/// The same command takes longer than a call may.
pub(super) fn timeouts(work: &Work<'_>, claimed: &mut BTreeSet<usize>) -> Vec<Friction> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, step) in work.failed(claimed) {
        if matches!(failure_class(work.result(step)), Some(ToolFailureClass::TimedOut)) {
            groups.entry(step.kind.clone()).or_default().push(index);
        }
    }
    work.seen_often(FrictionKind::Timeout, groups, OFTEN_TOO_LONG, claimed)
}

/// The same fails the same way again, without a change of a file that ended it.
pub(super) fn repeated_failures(work: &Work<'_>, claimed: &mut BTreeSet<usize>) -> Vec<Friction> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, step) in work.failed(claimed).filter(|(_, step)| !step.looks && !step.edits()) {
        let Some(signature) = failure_signature(work.result(step)) else { continue };
        if !work.was_developed(index) {
            groups.entry(format!("{} · {signature}", step.kind)).or_default().push(index);
        }
    }
    work.seen_often(FrictionKind::RepeatedFailure, groups, OFTEN, claimed)
}
