//! The experience with tools in this project that fits a request: procedures that worked, how the tools that it names failed, and the
//! friction that it is about; where a session begins, the friction that was seen most often. For code only; rules that were laid down
//! stand among the wishes.

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
    share: SectionShare::thirtieths(8, 3),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let Some(thread) = &briefing.thread else { return Ok(None) };
        // A host names no mode; tools are used where code is written.
        if briefing.mode.is_some_and(|mode| mode != Mode::Code) || situation.is_restart() {
            return Ok(None);
        }
        let mut lines = Vec::new();
        if let Some(query) = &briefing.query {
            let fitting = situation.agent.fitting_skills(Some(thread), query).await?;
            lines.extend(fitting.procedures.iter().map(SeenProcedure::line));
            lines.extend(fitting.skills.iter().map(SeenSkill::line));
        }
        lines.extend(situation.agent.friction_hints(thread, briefing.query.as_deref()).await?);
        // A ref that stands on the page already tells nothing of this.
        Ok(Block::of_lines(lines.into_iter().map(|line| ContextLine::new(Vec::new(), line)).collect()))
    })
}
