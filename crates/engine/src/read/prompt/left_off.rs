//! Where somebody had left off: the last exchanges of a session that goes on, or what is to be known of the thread, or of the
//! last session, that a new one follows.

use super::{
    briefing::{Brief, Briefing},
    page::{BriefPage, ContextLine},
    standing::message_line,
};
use crate::{
    Agent, Result,
    continuity::{ContextOccasion, ResumeLines, ReturnLines, ReturnQuery, outdated},
    limits::HANDOFF_TOKENS,
    quote,
};
use cairn_cognition::excerpt::excerpt;
use cairn_domain::{HandoffLine, Message, Ref, Role};
use cairn_store::{MessageRecord, View};
use std::cmp::Reverse;

/// Part of the budget that a handoff may take: two in three.
const HANDOFF_SHARE: (usize, usize) = (2, 3);
/// Messages of the last exchanges that are shown …
const MAX_LAST_WORDS: u32 = 6;
/// … and characters of each, if there is room.
const MAX_LAST_WORDS_CHARS: usize = 600;
/// Newest messages among which another session is looked for.
const MAX_MESSAGES_SEARCHED: usize = 50;

impl Agent {
    /// Writes down where the session or the thread was left.
    pub(super) async fn add_where_it_was_left(&self, page: &mut BriefPage<'_>) -> Result<()> {
        let briefing = page.briefing;
        match (briefing.occasion, &briefing.session) {
            (ContextOccasion::Resume, Some(session)) => {
                if let Some(resume) = self.resume_lines(session).await? {
                    page.add_resume(resume);
                }
                Ok(())
            }
            (ContextOccasion::Resume | ContextOccasion::Ongoing | ContextOccasion::Restart, _) => {
                self.add_handoff(page).await
            }
        }
    }

    async fn add_handoff(&self, page: &mut BriefPage<'_>) -> Result<()> {
        let briefing = page.briefing;
        let own = briefing.session.as_deref().filter(|_| briefing.occasion != ContextOccasion::Restart);
        let asked = ReturnQuery { thread: briefing.thread.as_deref(), session: own, mode: briefing.mode };
        if let Some(lines) = self.returning(asked).await? {
            let (part, whole) = HANDOFF_SHARE;
            page.add_return(lines, HANDOFF_TOKENS.min(briefing.tokens * part / whole));
        }
        let last = self.last_words(briefing).await?;
        page.add_section("Said last there, the newest first:", last, page.remaining_tokens() / 2);
        Ok(())
    }

    /// The brief of a thread that was shortened too often: its handoff alone, to begin anew with.
    pub(super) async fn brief_on_restart(&self, briefing: &Briefing) -> Result<Brief> {
        let mut page = BriefPage::new(self.token_counter(), briefing);
        page.add_computed_line(format!(
            "[SESSION_RESTART] This thread was shortened {} times since it was begun: end this session and begin a new one. \
             What it needs stands here.",
            self.config.continuity.restart_after_compactions
        ));
        self.add_handoff(&mut page).await?;
        Ok(page.into_brief(0, 0))
    }

    /// The last words of the thread, or of the last session, on both sides: where nothing was formed, they are all there is.
    async fn last_words(&self, briefing: &Briefing) -> Result<Vec<ContextLine>> {
        let said = self.store.read(|view| {
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
        Ok(said.iter().map(|record| last_words_line(&record.message)).collect())
    }
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

impl BriefPage<'_> {
    /// Writes down the last exchanges of a session, the last ones first to be sure of their place.
    fn add_resume(&mut self, resume: ResumeLines) {
        let all = resume.lines.len();
        let mut room = self.remaining_tokens().saturating_sub(self.counter.count(&resume.heading));
        let mut lines: Vec<ContextLine> = Vec::new();
        for (reference, line) in resume.lines {
            let cost = self.counter.count(&line) + 1;
            if cost > room {
                break;
            }
            room -= cost;
            lines.push(ContextLine::new(vec![reference], line));
        }
        let left_out = all - lines.len();
        lines.reverse();
        let heading = match left_out {
            0 => resume.heading,
            _ => format!("{} {left_out} earlier message(s) are not shown.", resume.heading),
        };
        self.add_section(&heading, lines, usize::MAX);
    }

    /// Writes down what is to be known of a thread, in at most `most` tokens.
    fn add_return(&mut self, lines: ReturnLines, most: usize) {
        let before = self.remaining_tokens();
        let mut heading = Some(lines.heading);
        for (title, lines) in lines.sections {
            let room = most.saturating_sub(before - self.remaining_tokens());
            let title =
                heading.take().map_or_else(|| title.to_owned(), |heading| format!("{heading}\n{title}"));
            self.add_section(&title, lines.iter().map(handoff_line).collect(), room);
        }
    }
}

/// A line of a handoff, its ref first as everywhere in a brief.
fn handoff_line(line: &HandoffLine) -> ContextLine {
    let short = line.refs.first().and_then(|reference| reference.parse::<Ref>().ok());
    let short = short.map_or_else(String::new, |reference| format!("{} ", reference.short()));
    ContextLine::new(line.refs.clone(), format!("{short}{}", line.text()))
}
