//! The experience with tools in this project that fits a request: procedures that worked, and how the tools that it names failed.
//! For code only; rules that were laid down stand among the wishes.

use crate::{
    continuity::{SeenProcedure, SeenSkill},
    quote,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_domain::{MessageId, Mode, Ref};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "code",
    priority: 20,
    header: SectionHeader { first_person: "[WHAT WORKED FOR YOU HERE]", system: "[CODE EVOLUTION]" },
    share: SectionShare::thirtieths(8, 0),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let (Some(thread), Some(query)) = (&briefing.thread, &briefing.query) else { return Ok(None) };
        // A host names no mode; tools are used where code is written.
        if briefing.mode.is_some_and(|mode| mode != Mode::Code) {
            return Ok(None);
        }
        let fitting = situation.agent.fitting_skills(thread, query).await?;
        let procedures = fitting.procedures.iter().map(procedure_line);
        Ok(Block::of_lines(procedures.chain(fitting.skills.iter().map(skill_line)).collect()))
    })
}

fn procedure_line(procedure: &SeenProcedure) -> ContextLine {
    let (order, worked, last) =
        (quote::quoted(&procedure.order()), procedure.worked, procedure.last_at.day());
    line_of(procedure.evidence.first(), &format!("{order} worked {worked} times, last on {last}"))
}

fn skill_line(skill: &SeenSkill) -> ContextLine {
    line_of(skill.failure.as_ref().map(|failure| &failure.result), &skill.line())
}

/// A line with the ref of its evidence, which may stand on the page already.
fn line_of(evidence: Option<&MessageId>, text: &str) -> ContextLine {
    let short = evidence.map_or_else(String::new, |id| format!("{} ", Ref::Message(*id).short()));
    ContextLine::new(Vec::new(), format!("{short}{text}"))
}
