//! That a thread was shortened too often: it is to be begun anew, with its handoff alone.

use crate::read::prompt::{
    block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
    situation::Situation,
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "restart",
    priority: 1,
    header: SectionHeader::plain("[SESSION_RESTART]"),
    share: SectionShare::thirtieths(30, 30),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let times = situation.agent.config.continuity.restart_after_compactions;
        Ok(situation.is_restart().then(|| {
            Block::of_header(format!(
                "This thread was shortened {times} times since it was begun: end this session and begin a new one. What it \
                 needs stands here."
            ))
        }))
    })
}
