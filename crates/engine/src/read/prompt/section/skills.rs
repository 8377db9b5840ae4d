//! What work with tools in this project has shown: the procedures that fit the request, and how the tools that it names failed.
//! For code only; rules that were laid down stand among the wishes.

use crate::{
    continuity::{SeenProcedure, SeenSkill},
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_domain::Mode;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "code evolution",
    priority: 20,
    header: SectionHeader { first_person: "[WHAT WORKED FOR YOU BEFORE]", system: "[CODE EVOLUTION]" },
    share: SectionShare::thirtieths(4, 4),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let (Some(Mode::Code), Some(thread), Some(query)) = (briefing.mode, &briefing.thread, &briefing.query) else {
            return Ok(None);
        };
        let fitting = situation.agent.fitting_skills(thread, query).await?;
        let procedures = fitting.procedures.iter().map(procedure_line);
        Ok(Block::of_lines(procedures.chain(fitting.skills.iter().map(skill_line)).collect()))
    })
}

fn procedure_line(procedure: &SeenProcedure) -> ContextLine {
    let newest = procedure.evidence.first().map(ToString::to_string);
    ContextLine::new(newest.into_iter().collect(), procedure.line())
}

fn skill_line(skill: &SeenSkill) -> ContextLine {
    let result = skill.failure.as_ref().map(|failure| failure.result.to_string());
    ContextLine::new(result.into_iter().collect(), skill.line())
}
