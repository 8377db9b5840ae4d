//! Hot memories: the few that come with everything that is asked.

use crate::read::prompt::{
    block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
    lines::memory_line,
    situation::Situation,
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "hot",
    priority: 10,
    header: SectionHeader::plain("Always kept in mind:"),
    share: SectionShare::thirtieths(6, 6),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        if situation.is_restart() {
            return Ok(None);
        }
        let hot = situation.agent.hot().await?;
        let shown = hot.iter().filter(|record| situation.may_show(&record.memory));
        Ok(Block::of_lines(shown.map(|record| memory_line(&record.memory)).collect()))
    })
}
