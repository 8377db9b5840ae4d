//! The experience with tools in this project that fits a request: procedures that worked, and how the tools that it names failed.
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
        let fitting = situation.agent.fitting_skills(Some(thread), query).await?;
        let procedures = fitting.procedures.iter().map(SeenProcedure::line);
        let lines = procedures.chain(fitting.skills.iter().map(SeenSkill::line));
        // A ref that stands on the page already tells nothing of this.
        Ok(Block::of_lines(lines.map(|line| ContextLine::new(Vec::new(), line)).collect()))
    })
}
