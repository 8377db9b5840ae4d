//! The working memory of the running session: after its conversation was shortened, the model no longer sees who said it.

use crate::read::prompt::{
    block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
    lines::memory_line,
    situation::Situation,
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "in mind",
    priority: 10,
    header: SectionHeader::plain("In mind in this session:"),
    share: SectionShare::thirtieths(0, 8),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let Some(session) = situation.briefing.session.as_deref().filter(|_| situation.is_start()) else {
            return Ok(None);
        };
        let records = situation.agent.in_mind(session).await?;
        let shown = records.iter().filter(|record| situation.may_show(&record.memory));
        Ok(Block::of_lines(shown.map(|record| memory_line(&record.memory)).collect()))
    })
}
