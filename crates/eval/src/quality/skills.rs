//! How many procedures that were planted in the work of a coding agent are mined, and how many are invented.

use crate::{
    corpus::tool_work::{WorkLine, WorkOrder, work_messages},
    harness::share::Share,
};
use cairn_cognition::skill::{Procedure, ToolMessage, mined_procedures, tool_steps};
use serde_json::{Map, Value, json};

/// Histories that are made of each project, of each kind.
const HISTORIES: u64 = 5;
/// Steps that a mined procedure may have besides those that were planted.
const MAX_STEPS_BESIDES: usize = 1;

/// Counts over the histories of a set.
#[derive(Debug, Default)]
pub struct SkillReport {
    /// Of the planted procedures, those that were mined.
    pub found: Share,
    /// Of the procedures mined where some were planted, those that nobody planted.
    pub invented: Share,
    /// Of the histories whose steps are in any order, those in which a procedure was mined.
    pub invented_in_control: Share,
    /// Each failure: the history, and what was found or not.
    pub wrong: Vec<(String, String)>,
}

/// Makes the histories and mines them.
pub fn run(lines: &[WorkLine], seed: u64) -> SkillReport {
    let mut report = SkillReport::default();
    for line in lines {
        for history in 0..HISTORIES {
            let seed = seed.wrapping_mul(1_000).wrapping_add(history);
            report.count_planted(line, seed);
            report.count_control(line, seed);
        }
    }
    report
}

fn mined(line: &WorkLine, order: WorkOrder, seed: u64) -> Vec<Vec<String>> {
    let messages = work_messages(line, order, seed);
    let read: Vec<ToolMessage<'_>> = messages.iter().map(|message| message.as_read()).collect();
    let labels = |procedure: Procedure| procedure.steps.into_iter().map(|step| step.label).collect();
    mined_procedures(&tool_steps(&read)).into_iter().map(labels).collect()
}

/// Whether a mined procedure is a planted one: all its steps in order, and hardly any other.
fn is_planted(mined: &[String], planted: &[String]) -> bool {
    let mut rest = mined.iter();
    planted.iter().all(|label| rest.any(|other| other == label)) && mined.len() <= planted.len() + MAX_STEPS_BESIDES
}

impl SkillReport {
    fn count_planted(&mut self, line: &WorkLine, seed: u64) {
        let mined = mined(line, WorkOrder::Planted, seed);
        for planted in &line.procedures {
            let is_found = mined.iter().any(|mined| is_planted(mined, &planted.labels));
            self.found.count(is_found);
            if !is_found {
                self.wrong.push((format!("{} {seed}", line.id), format!("not found: {}", planted.labels.join(" → "))));
            }
        }
        for procedure in mined {
            let is_invented = !line.procedures.iter().any(|planted| is_planted(&procedure, &planted.labels));
            self.invented.count(is_invented);
            if is_invented {
                self.wrong.push((format!("{} {seed}", line.id), format!("invented: {}", procedure.join(" → "))));
            }
        }
    }

    fn count_control(&mut self, line: &WorkLine, seed: u64) {
        let mined = mined(line, WorkOrder::Shuffled, seed);
        self.invented_in_control.count(!mined.is_empty());
        let told = mined.iter().map(|procedure| format!("invented in any order: {}", procedure.join(" → ")));
        self.wrong.extend(told.map(|told| (format!("{} {seed}", line.id), told)));
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        self.named().map(|(name, share)| (name.to_owned(), share.show())).to_vec()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let named = self.named().map(|(name, share)| (name.to_owned(), share.to_json()));
        let mut told: Map<String, Value> = named.into_iter().collect();
        told.insert("wrong".into(), json!(self.wrong));
        told.into()
    }

    fn named(&self) -> [(&'static str, Share); 3] {
        [
            ("found", self.found),
            ("invented", self.invented),
            ("invented where the steps are in any order", self.invented_in_control),
        ]
    }
}
