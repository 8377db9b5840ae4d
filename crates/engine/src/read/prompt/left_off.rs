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
};
use cairn_domain::{HandoffLine, Ref, Role};

/// Part of the budget that a handoff may take: two in three.
const HANDOFF_SHARE: (usize, usize) = (2, 3);
/// Messages of the last exchange that are shown.
const MAX_LAST_WORDS: u32 = 4;

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
        let Some(lines) = self.returning(asked).await? else { return Ok(()) };
        let (part, whole) = HANDOFF_SHARE;
        page.add_return(lines, HANDOFF_TOKENS.min(briefing.tokens * part / whole));
        let last = self.last_words(briefing).await?;
        page.add_section("Said last there:", last, page.remaining_tokens() / 2);
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

    /// The last words of the thread on both sides: where nothing was formed, they are all there is.
    async fn last_words(&self, briefing: &Briefing) -> Result<Vec<ContextLine>> {
        let Some(thread) = &briefing.thread else { return Ok(Vec::new()) };
        let said = self.store.read(|view| {
            let seqs = view.seqs_of_thread(thread, MAX_LAST_WORDS)?;
            let mut said = view.messages_at(&seqs)?;
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
        said.sort_by_key(|record| record.seq);
        Ok(said.iter().map(|record| message_line(&record.message)).collect())
    }
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
            lines.push(ContextLine { refs: vec![reference], line });
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
    ContextLine { refs: line.refs.clone(), line: format!("{short}{}", line.text()) }
}
