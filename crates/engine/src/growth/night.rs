//! The report of the last night: what each rhythm changed, in sentences. A step that only moves numbers is left out.

use crate::{
    agent::Agent,
    error::Result,
    quote::{beginning, quoted},
    rhythm::told_changes,
};
use cairn_domain::{ContemplationPass, MILLIS_PER_HOUR, RunState, Time};
use cairn_store::{PassRecord, StepRecord, View};

/// A night is told of for this long.
const NIGHT_MS: i64 = 18 * MILLIS_PER_HOUR;
/// The rhythms of the night that are told of.
const NIGHT_RHYTHMS: [&str; 4] = ["dream", "standing", "evolution", "digests"];
/// Passes that are looked at.
const MAX_PASSES_SEARCHED: u32 = 100;
/// Inquiries whose end is told; the others are counted.
const MAX_ENDED: usize = 1;
/// Characters of its question.
const MAX_QUESTION_CHARS: usize = 100;

/// The report of the last night, in lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NightReport {
    pub(crate) lines: Vec<String>,
}

impl Agent {
    /// The report of the last night, if it is not long ago: what its rhythms changed, which inquiries came to an end, and how
    /// many proposals wait.
    pub(crate) async fn night_report(&self) -> Result<NightReport> {
        let now = self.now();
        let since = Time::from_millis(now.millis() - NIGHT_MS);
        let report = self.store.read(move |view| {
            let (mut changes, mut began) = (Vec::new(), None);
            for rhythm in NIGHT_RHYTHMS {
                let run = view
                    .runs(rhythm, 1)?
                    .pop()
                    .filter(|run| run.state == RunState::Done && run.as_of > since && run.as_of <= now);
                let Some(run) = run else { continue };
                began = began.or(Some(run.as_of));
                changes.extend(view.steps_of(run.run)?.iter().filter_map(told_step));
            }
            let mut lines = Vec::new();
            if let Some(began) = began {
                let changes = Some(changes).filter(|changes| !changes.is_empty());
                lines.extend(changes.map(|told| format!("{}: {}.", began.minute(), told.join(", "))));
                let passes = view.passes_since(since, MAX_PASSES_SEARCHED)?;
                lines.extend(ended_inquiries(view, &passes)?);
                let waiting = view.pending_proposals(now)?.len();
                lines.extend(
                    counted(waiting, "1 proposal waits", "proposals wait")
                        .map(|told| told + " for an operator."),
                );
            }
            Ok(NightReport { lines })
        });
        Ok(report.await?)
    }
}

/// The inquiries that were thought through, with what they came to, and how many are still being thought about.
fn ended_inquiries(view: &mut View<'_>, passes: &[PassRecord]) -> cairn_store::Result<Vec<String>> {
    let mut lines = Vec::new();
    let ended = passes.iter().filter(|made| made.pass == ContemplationPass::Synthesize);
    for made in ended.clone().take(MAX_ENDED) {
        let Some(inquiry) = view.inquiry(made.inquiry)? else { continue };
        let question = beginning(&inquiry.question, MAX_QUESTION_CHARS);
        lines.push(format!("Finished thinking about: “{question}” → {}", quoted(&made.text)));
    }
    let more = ended.count().saturating_sub(MAX_ENDED);
    lines.extend(counted(
        more,
        "1 more inquiry was thought through.",
        "more inquiries were thought through.",
    ));
    let begun = passes.iter().filter(|made| made.pass == ContemplationPass::Clarify).count();
    lines.extend(counted(begun, "1 question was taken up.", "questions were taken up."));
    Ok(lines)
}

fn told_step(step: &StepRecord) -> Option<String> {
    let (one, many) = told_changes(&step.name)?;
    counted(step.changed as usize, one, many)
}

/// `1 day was condensed`, `3 days were condensed`; nothing of none.
fn counted(number: usize, one: &str, many: &str) -> Option<String> {
    match number {
        0 => None,
        1 => Some(one.to_owned()),
        number => Some(format!("{number} {many}")),
    }
}
