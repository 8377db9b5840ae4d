//! `cairn skills`: how work with tools went.

use super::invocation::Invocation;
use crate::{
    args::SkillsArgs,
    failure::Failure,
    show::{self, BOLD, DIM},
};
use cairn_engine::{Missing, ProjectSkills, SeenFailure, SeenSkill};
use cairn_wire as wire;

pub(crate) async fn skills(invocation: &Invocation, args: SkillsArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let projects = agent.skills(args.thread.as_deref()).await?;
    let limit = args.limit.limit;
    invocation.answer(|| wire::Skills::new(&projects, limit), || print_projects(&projects, limit));
    Ok(())
}

fn print_projects(projects: &[ProjectSkills], limit: usize) {
    if projects.is_empty() {
        err!(
            "no tool was used yet; `cairn setup claude-code` keeps what a coding agent does, `cairn ingest` what it did"
        );
    }
    for (place, project) in projects.iter().enumerate() {
        if place > 0 {
            out!("");
        }
        let name = project.thread.as_deref().unwrap_or("(no thread)");
        let calls = if project.calls == 1 { "call of a tool" } else { "calls of tools" };
        out!("{BOLD}{name}{BOLD:#}  {DIM}{} {calls} since {}{DIM:#}", project.calls, project.since.day());
        let mut table = show::table(&["tool", "worked", "takes", "failed as", "fixed by"]);
        for skill in project.skills.iter().take(limit) {
            table.add_row(row(skill));
        }
        out!("{table}");
    }
}

fn row(skill: &SeenSkill) -> [String; 5] {
    let fixed = |failure: &SeenFailure| {
        failure.fixed_by.iter().map(|step| step.label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let failure = skill.failure.as_ref();
    [
        skill.kind.clone(),
        format!("{} of {}", skill.worked, skill.tried),
        skill.median_ms.map_or_else(String::new, shown_time),
        failure.map_or_else(String::new, |failure| failure.line.clone()),
        failure.map_or_else(String::new, fixed),
    ]
}

/// A length of time: `850 ms`, `4 s`, `3 min`.
fn shown_time(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min", ms / 60_000),
    }
}
