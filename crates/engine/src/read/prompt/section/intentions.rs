//! Intentions whose day or occasion has come: they come before everything that is only known, and once a session.

use crate::{
    continuity::SeenIntention,
    limits::MAX_CONTEXT_INTENTIONS,
    quote::INTENTIONS_HEADER,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        report::INTENTIONS,
        situation::Situation,
    },
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: INTENTIONS,
    priority: 5,
    header: SectionHeader::plain(INTENTIONS_HEADER),
    share: SectionShare::thirtieths(12, 10),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let spoken = [briefing.query.as_deref(), briefing.thread.as_deref()];
        let said = spoken.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let told_in = briefing.told_in.as_deref();
        let due = situation.agent.intentions_to_tell(&said, told_in, MAX_CONTEXT_INTENTIONS).await?;
        Ok(Block::of_lines(due.iter().map(intention_line).collect()))
    })
}

fn intention_line(seen: &SeenIntention) -> ContextLine {
    ContextLine::new(vec![seen.record.message.to_string()], seen.line())
}
