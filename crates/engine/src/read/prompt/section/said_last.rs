//! The user's last words, in whatever session or project the request does not leave out, which still hold and of which no
//! newer memory tells: the talk goes on after what was last worth noting.

use crate::{
    Result,
    continuity::outdated,
    read::{
        prompt::{
            block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
            lines::message_line,
            situation::Situation,
        },
        show::Timeline,
    },
};
use cairn_cognition::trivial::trivial_reason;
use cairn_domain::Role;
use cairn_store::MessageRecord;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "said last",
    priority: 10,
    header: SectionHeader::plain("Said last:"),
    share: SectionShare::thirtieths(0, 6),
    build,
};

/// Maximum messages considered.
const MAX_NEWEST_MESSAGES: usize = 20;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(said_last(situation))
}

async fn said_last<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    if !situation.is_start() {
        return Ok(None);
    }
    let briefing = situation.briefing;
    let noted = situation.newest_memories().await?;
    let newest_noted = noted.iter().map(|record| record.memory.valid_from).max();
    let newest = Timeline::Newest { k: MAX_NEWEST_MESSAGES, as_of: None };
    let mut newest = situation.agent.messages_in_order(newest).await?;
    let (over, _) = situation.agent.store.read(|view| outdated(view, &newest)).await?;
    newest.retain(|record| !over.contains_whole(record.message.id));
    let tells = |record: &&MessageRecord| {
        let message = &record.message;
        let project =
            message.thread.is_none() || briefing.thread.is_none() || message.thread == briefing.thread;
        message.role == Role::User
            && newest_noted.is_none_or(|noted| message.at > noted)
            && Some(&message.session) != briefing.session.as_ref()
            && project
            && briefing.mode.is_none_or(|mode| message.mode.shares_with(mode))
            && trivial_reason(&message.text).is_none()
    };
    let lines = newest.iter().rev().filter(tells).map(|record| message_line(&record.message)).collect();
    Ok(Block::of_lines(lines))
}
