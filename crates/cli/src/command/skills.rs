//! `cairn skills`: how work with tools went, and which procedures worked.

use super::invocation::Invocation;
use crate::{
    args::SkillsArgs,
    failure::Failure,
    show::{self, BOLD, DIM, GREEN},
};
use cairn_engine::{Missing, ProjectSkills, SeenFailure, SeenSkill, shown_time};
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
        err!("no work with tools is kept; `cairn setup claude-code` keeps that of a coding agent");
    }
    for project in projects {
        out!("{BOLD}{}{BOLD:#}", project.thread.as_deref().unwrap_or("(no thread)"));
        let mut table = show::table(&["tool", "did", "worked", "takes", "failed as", "fixed by"]);
        for skill in project.skills.iter().take(limit) {
            table.add_row(row(skill));
        }
        out!("{table}");
        for procedure in project.procedures.iter().take(limit) {
            let sure = procedure.confidence * 100.0;
            let evidence: Vec<String> = procedure.evidence.iter().map(ToString::to_string).collect();
            out!("{GREEN}procedure:{GREEN:#} {}, {sure:.0} % sure", procedure.line());
            out!("  {DIM}{}{DIM:#}", evidence.join(" "));
        }
    }
}

fn row(skill: &SeenSkill) -> [String; 6] {
    let took = skill.median_ms.map_or_else(String::new, shown_time);
    let fixed = |failure: &SeenFailure| {
        failure.fixed_by.iter().map(|step| step.label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let failure = skill.failure.as_ref();
    [
        skill.tool.clone(),
        skill.kind.clone(),
        format!("{} of {}", skill.worked, skill.tried),
        took,
        failure.map_or_else(String::new, |failure| failure.line.clone()),
        failure.map_or_else(String::new, fixed),
    ]
}
