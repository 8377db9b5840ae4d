//! The last words of the thread, or of the last session, on both sides: where nothing was formed, they are all there is.

use crate::{
    Result,
    continuity::{ContextOccasion, outdated},
    quote,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        lines::message_line,
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_cognition::excerpt::excerpt;
use cairn_domain::{Message, Ref, Role};
use cairn_store::{MessageRecord, View};
use std::cmp::Reverse;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "last words",
    priority: 10,
    header: SectionHeader::plain("Said last there, the newest first:"),
    share: SectionShare::thirtieths(10, 10),
    build,
};

/// Messages of the last exchanges that are shown …
const MAX_LAST_WORDS: u32 = 6;
/// … and characters of each, if there is room.
const MAX_LAST_WORDS_CHARS: usize = 600;
/// Newest messages among which another session is looked for.
const MAX_MESSAGES_SEARCHED: usize = 50;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(last_words(situation))
}

async fn last_words<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    let briefing = situation.briefing;
    let asked_for_more = situation.is_asked() && !situation.asks_where_it_was_left();
    if briefing.occasion == ContextOccasion::Resume || asked_for_more {
        return Ok(None);
    }
    let said = situation.agent.store.read(|view| {
        let mut said = match &briefing.thread {
            Some(thread) => {
                let seqs = view.seqs_of_thread(thread, MAX_LAST_WORDS)?;
                view.messages_at(&seqs)?
            }
            None => last_of_another_session(view, briefing.session.as_deref())?,
        };
        let (over, _) = outdated(view, &said)?;
        said.retain(|record| !over.contains_whole(record.message.id));
        Ok(said)
    });
    let mut said = said.await?;
    said.retain(|record| {
        briefing.mode.is_none_or(|mode| record.message.mode.shares_with(mode))
            && matches!(record.message.role, Role::User | Role::Assistant)
            && Some(&record.message.session) != briefing.session.as_ref()
    });
    said.sort_by_key(|record| Reverse(record.seq));
    Ok(Block::of_lines(said.iter().map(|record| last_words_line(&record.message)).collect()))
}

/// The last messages of the session that was last at work, if that is another than this one.
fn last_of_another_session(
    view: &mut View<'_>,
    session: Option<&str>,
) -> cairn_store::Result<Vec<MessageRecord>> {
    let newest: Vec<u32> = (0..view.next_seq()?).rev().take(MAX_MESSAGES_SEARCHED).collect();
    let newest = view.messages_at(&newest)?;
    let others = newest.iter().filter(|record| Some(record.message.session.as_str()) != session);
    match others.max_by_key(|record| record.seq) {
        Some(last) => view.of_session(&last.message.session, None, MAX_LAST_WORDS),
        None => Ok(Vec::new()),
    }
}

/// Words that stand at the end of a talk: at length if there is room.
fn last_words_line(message: &Message) -> ContextLine {
    let short = message_line(message);
    let words = quote::quoted(&excerpt(&message.text, MAX_LAST_WORDS_CHARS, |_| 0.0));
    let reference = Ref::Message(message.id).short();
    let line = format!("{reference} {} {}: {words}", message.at.day(), quote::speaker(message));
    ContextLine { shorter: Some(short.line), line, ..short }
}
