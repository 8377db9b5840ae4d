//! Intentions whose day or occasion has come: they come before everything that is only known, and once a session.

use crate::{
    continuity::SeenIntention,
    limits::MAX_CONTEXT_INTENTIONS,
    quote::quoted,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        report::INTENTIONS,
        situation::Situation,
    },
};
use cairn_domain::Role;

pub(super) const SECTION: ContextSection = ContextSection {
    name: INTENTIONS,
    priority: 5,
    header: SectionHeader::plain("Due now, asked or promised earlier:"),
    share: SectionShare::thirtieths(4, 6),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let spoken = [briefing.query.as_deref(), briefing.thread.as_deref()];
        let said = spoken.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let session = briefing.session.as_deref();
        let due = situation.agent.intentions_to_tell(&said, session, MAX_CONTEXT_INTENTIONS).await?;
        Ok(Block::of_lines(due.iter().map(intention_line).collect()))
    })
}

/// `msg_… asked on 2026-11-18, for 2026-11-20: “…”`
pub(crate) fn intention_line(seen: &SeenIntention) -> ContextLine {
    let record = &seen.record;
    let how = if record.role == Role::Assistant { "promised" } else { "asked" };
    let day = seen.due_day().map_or_else(String::new, |day| format!(", for {day}"));
    let (name, said_on) = (record.name().short(), record.said_at.day());
    let line = format!("{name} {how} on {said_on}{day}: {}", quoted(&record.words));
    ContextLine::new(vec![record.message.to_string()], line)
}
