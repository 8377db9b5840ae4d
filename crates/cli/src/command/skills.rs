//! `cairn skills`: how work with tools went, and which procedures worked.

use super::invocation::Invocation;
use crate::{
    args::SkillsArgs,
    failure::Failure,
    show::{self, BOLD, DIM, RED},
};
use cairn_domain::Ref;
use cairn_engine::{Missing, ProjectSkills, SeenFailure, SeenProcedure, SeenSkill};
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
        if !project.procedures.is_empty() {
            out!("{BOLD}procedures{BOLD:#}");
        }
        project.procedures.iter().take(limit).for_each(print_procedure);
    }
}

fn print_procedure(procedure: &SeenProcedure) {
    let SeenProcedure { worked, failed_since, last_at, .. } = procedure;
    let failed = match failed_since {
        0 => String::new(),
        1 => format!(", {RED}failed once since{RED:#}"),
        times => format!(", {RED}failed {times} times since{RED:#}"),
    };
    let evidence: Vec<String> = procedure.evidence.iter().map(|id| Ref::Message(*id).short()).collect();
    out!(" {}", procedure.order());
    out!("   worked {worked} times, last on {}{failed}  {DIM}{}{DIM:#}", last_at.day(), evidence.join(" "));
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
