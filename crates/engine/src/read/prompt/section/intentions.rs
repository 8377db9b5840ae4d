//! Intentions whose day or occasion has come: they come before everything that is only known.

use crate::read::prompt::{
    block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
    page::ContextLine,
    situation::Situation,
};
use crate::quote::quoted;
use cairn_domain::{IntentionState, Ref};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "intentions",
    priority: 5,
    header: SectionHeader::plain("Due now, asked or promised earlier:"),
    share: SectionShare::thirtieths(4, 6),
    build,
};

/// Intentions that are looked at, and told.
const MAX_INTENTIONS_READ: usize = 100;
const MAX_INTENTIONS: usize = 5;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let seen = situation.agent.intentions(MAX_INTENTIONS_READ).await?;
        let spoken = [briefing.query.as_deref(), briefing.thread.as_deref()];
        let said = spoken.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let due = seen.iter().filter(|it| {
            it.state == IntentionState::Due || it.state == IntentionState::Pending && it.is_occasion(&said)
        });
        let line = |it: &crate::continuity::SeenIntention| {
            let day = it.due_day().map_or_else(String::new, |day| format!(" for {day}"));
            let text = format!("{} {}{day} {}: {}", Ref::Message(it.message).short(), it.at.day(), it.who, quoted(&it.words));
            ContextLine::new(vec![it.message.to_string()], text)
        };
        Ok(Block::of_lines(due.take(MAX_INTENTIONS).map(line).collect()))
    })
}
