//! Where somebody had left off: the last exchanges of a session that goes on, or what is to be known of the thread, or of the
//! last session, that a new one follows.

use crate::{
    Result,
    continuity::{ContextOccasion, ResumeLines, ReturnQuery},
    limits::HANDOFF_TOKENS,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, LineBlock, LineGroup, SectionHeader, SectionShare},
        page::{BriefPage, ContextLine},
        situation::Situation,
    },
};
use cairn_domain::{HandoffLine, Ref};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "left off",
    priority: 10,
    header: SectionHeader {
        first_person: "[WHAT YOU REMEMBER FROM LAST SESSION]",
        system: "[SESSION HANDOFF]",
    },
    share: SectionShare::thirtieths(20, 20),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(left_off(situation))
}

async fn left_off<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    let (briefing, agent) = (situation.briefing, situation.agent);
    if situation.is_asked() && !situation.asks_where_it_was_left() {
        return Ok(None);
    }
    if let (ContextOccasion::Resume, Some(session)) = (briefing.occasion, &briefing.session) {
        return Ok(agent.resume_lines(session).await?.map(Block::Resume));
    }
    let own = briefing.session.as_deref().filter(|_| !situation.is_restart());
    let asked = ReturnQuery { thread: briefing.thread.as_deref(), session: own, mode: briefing.mode };
    let Some(lines) = agent.returning(asked).await? else { return Ok(None) };
    let group = |(title, lines): (&'static str, Vec<HandoffLine>)| LineGroup {
        title,
        lines: lines.iter().map(handoff_line).collect(),
    };
    let groups: Vec<LineGroup> = lines.sections.into_iter().map(group).collect();
    let block = LineBlock { about: lines.heading, groups, most: Some(HANDOFF_TOKENS) };
    Ok((!block.groups.is_empty()).then_some(Block::Lines(block)))
}

impl BriefPage<'_> {
    /// Writes down the last exchanges of a session, the last ones first to be sure of their place.
    pub(in crate::read::prompt) fn add_resume(&mut self, resume: ResumeLines) {
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
}

/// A line of a handoff, its ref first as everywhere in a brief.
fn handoff_line(line: &HandoffLine) -> ContextLine {
    let short = line.refs.first().and_then(|reference| reference.parse::<Ref>().ok());
    let short = short.map_or_else(String::new, |reference| format!("{} ", reference.short()));
    ContextLine::new(line.refs.clone(), format!("{short}{}", line.text()))
}
