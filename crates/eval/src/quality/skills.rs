//! How many procedures that were planted in transcripts of a coding agent are mined, and how many are invented.

use crate::{
    corpus::tool_work::{WorkLine, WorkOrder, work_transcript},
    harness::{clock::StoppedClock, scratch::scratch_folder, share::Share},
};
use cairn_domain::AgentName;
use cairn_engine::{Agent, EngineError, Home, Missing, SeenProcedure, transcript::Format};
use serde_json::{Map, Value, json};
use std::{io::Cursor, path::Path, sync::Arc};

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

/// Makes the histories, takes them in, in a scratch agent beside those of `home`, and asks for its skills.
pub async fn run(
    lines: &[WorkLine],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<SkillReport, EngineError> {
    let folder = scratch_folder(home.path())?;
    let scratch = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let mut report = SkillReport::default();
    for (number, line) in lines.iter().enumerate() {
        on_stage(&format!("project {} of {}", number + 1, lines.len()));
        for seed in 0..HISTORIES {
            let planted = mined(&agent, line, WorkOrder::Planted, seed).await?;
            report.count_planted(line, &planted, seed);
            let control = mined(&agent, line, WorkOrder::Shuffled, seed).await?;
            report.count_control(line, &control, seed);
        }
    }
    Ok(report)
}

/// The labels of the procedures of one history.
async fn mined(
    agent: &Agent,
    line: &WorkLine,
    order: WorkOrder,
    seed: u64,
) -> Result<Vec<Vec<String>>, EngineError> {
    let thread = format!("{}-{seed}-{order:?}", line.id);
    let transcript = Box::new(Cursor::new(work_transcript(line, order, &thread, seed)));
    agent.ingest(transcript, &thread, Path::new(&thread), Some(Format::ClaudeCode), &mut |_| {}).await?;
    let labels = |procedure: &SeenProcedure| procedure.steps.iter().map(|step| step.label.clone()).collect();
    let projects = agent.skills(Some(&thread)).await?;
    Ok(projects.iter().flat_map(|project| &project.procedures).map(labels).collect())
}

/// Whether a mined procedure is a planted one: all its steps in order, and hardly any other.
fn is_planted(mined: &[String], planted: &[String]) -> bool {
    let mut rest = mined.iter();
    planted.iter().all(|label| rest.any(|other| other == label))
        && mined.len() <= planted.len() + MAX_STEPS_BESIDES
}

impl SkillReport {
    fn count_planted(&mut self, line: &WorkLine, mined: &[Vec<String>], seed: u64) {
        for planted in &line.procedures {
            let is_found = mined.iter().any(|mined| is_planted(mined, &planted.labels));
            self.found.count(is_found);
            if !is_found {
                self.note(line, seed, format!("not found: {}", planted.labels.join(" → ")));
            }
        }
        for procedure in mined {
            let is_invented = !line.procedures.iter().any(|planted| is_planted(procedure, &planted.labels));
            self.invented.count(is_invented);
            if is_invented {
                self.note(line, seed, format!("invented: {}", procedure.join(" → ")));
            }
        }
    }

    fn count_control(&mut self, line: &WorkLine, mined: &[Vec<String>], seed: u64) {
        self.invented_in_control.count(!mined.is_empty());
        for procedure in mined {
            self.note(line, seed, format!("invented in any order: {}", procedure.join(" → ")));
        }
    }

    fn note(&mut self, line: &WorkLine, seed: u64, told: String) {
        self.wrong.push((format!("{}-{seed}", line.id), told));
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
