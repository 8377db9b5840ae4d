//! The newest memories where nothing is asked, those of the project first; of another project none.

use crate::read::prompt::{
    block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
    lines::memory_line,
    situation::Situation,
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "noted last",
    priority: 10,
    header: SectionHeader::plain("Noted last:"),
    share: SectionShare::thirtieths(0, 30),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let memories = situation.newest_memories().await?;
        Ok(Block::of_lines(memories.iter().map(|record| memory_line(&record.memory)).collect()))
    })
}
