//! Coming back: a handoff for whoever opens a thread again, seen from now. What a line quotes may have been replaced, forgotten
//! or erased since it was written, and days have passed: only what still holds is told, with what has changed and what is due.

use super::{
    handoff::{
        StoredHandoff,
        compose::{change_line, is_open},
        markdown,
        prose::worded_lines,
    },
    material::{OutdatedWords, changes_by, outdated},
};
use crate::{Agent, Result, quote};
use cairn_domain::{
    Day, Handoff, HandoffHealth, HandoffLine, HandoffPart, HandoffReason, HandoffScope, HandoffSection,
    MILLIS_PER_DAY, Memory, MemoryId, Message, MessageId, Mode, Status, Time,
};
use cairn_store::{MemoryFilter, MemoryScope, MessageRecord, View};
use std::collections::HashSet;

/// Newest memories among which changes are looked for.
const MAX_MEMORIES_SEARCHED: u32 = 200;
/// Maximum changes that are told.
const MAX_CHANGES: usize = 5;

/// Who comes back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReturnQuery<'a> {
    /// To this thread, or after the last session.
    pub(crate) thread: Option<&'a str>,
    /// In this session: its own words are before the model anyway.
    pub(crate) session: Option<&'a str>,
    /// In this posture: only what was said in one that shares with it is told.
    pub(crate) mode: Option<Mode>,
}

/// The lines for whoever comes back, each section under its heading, the most important first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ReturnLines {
    /// Behind the header: what this is about, and how long ago it was.
    pub(crate) heading: String,
    pub(crate) sections: Vec<(&'static str, Vec<HandoffLine>)>,
}

/// The parts of a handoff that still hold.
struct StillHeld {
    /// Messages that are still there.
    messages: Vec<MessageRecord>,
    memories: HashSet<MemoryId>,
    outdated: OutdatedWords,
    /// Values that were replaced since.
    changes: Vec<HandoffLine>,
}

impl Agent {
    /// The lines that a session in this thread, or after the last one, is to know; none if there is nothing. A handoff
    /// that is missing, cannot be read or was written before the last words is made anew. What the running `session` said itself
    /// is before the model anyway.
    pub(crate) async fn returning(&self, briefing: ReturnQuery<'_>) -> Result<Option<ReturnLines>> {
        let ReturnQuery { thread, session, mode } = briefing;
        let Some(last) = self.last_message(thread).await?.map(|last| last.message) else { return Ok(None) };
        let stored = self.handoff(thread).await?.filter(|stored| stored.written_at >= last.recorded_at);
        let (handoff, prose) = match stored {
            Some(StoredHandoff { health: HandoffHealth::Consumed, .. }) => (None, None),
            Some(StoredHandoff { handoff: Some(handoff), prose, .. }) => (Some(handoff), prose),
            Some(StoredHandoff { handoff: None, .. }) | None => {
                (self.unwritten_handoff(thread, &last).await?, None)
            }
        };
        let Some(handoff) = handoff.filter(|handoff| Some(handoff.session.as_str()) != session) else {
            return Ok(None);
        };
        let held = self.still_held(&handoff, mode).await?;
        Ok(Some(seen_from(&handoff, prose.as_deref(), &held, last.at, self.now())))
    }

    /// The handoff of a thread as Markdown, without the lines that no longer hold; none if there is none that can be read.
    pub async fn handoff_text(&self, thread: &str) -> Result<Option<String>> {
        let Some(handoff) = self.handoff(Some(thread)).await?.and_then(|stored| stored.handoff) else {
            return Ok(None);
        };
        let held = self.still_held(&handoff, None).await?;
        let sections = handoff.sections.iter().map(|section| HandoffSection {
            part: section.part,
            lines: section.lines.iter().filter(|line| held.holds(line)).cloned().collect(),
        });
        let sections = sections.filter(|section| !section.lines.is_empty()).collect();
        Ok(Some(markdown::render(&Handoff { sections, ..handoff })))
    }

    /// The handoff that nobody has written yet; it is as old as the last words.
    async fn unwritten_handoff(&self, thread: Option<&str>, last: &Message) -> Result<Option<Handoff>> {
        let scope = thread.map_or(HandoffScope::Session, |thread| HandoffScope::Thread(thread.to_owned()));
        let composed = self.composed(scope, &last.session, HandoffReason::Gap, 0).await?;
        Ok(composed.map(|(_, handoff)| Handoff { written_at: last.at, ..handoff }))
    }

    async fn still_held(&self, handoff: &Handoff, mode: Option<Mode>) -> Result<StillHeld> {
        let messages: Vec<MessageId> = handoff.refs().iter().filter_map(|it| it.parse().ok()).collect();
        let memories: Vec<MemoryId> = handoff.refs().iter().filter_map(|it| it.parse().ok()).collect();
        let held = self.store.read(|view| {
            let mut messages = view.messages_named(&messages)?;
            messages.retain(|record| mode.is_none_or(|mode| record.message.mode.shares_with(mode)));
            let (outdated, _) = outdated(view, &messages)?;
            let holds = |memory: &Memory| {
                let shares = mode.is_none_or(|mode| memory.mode.shares_with(mode));
                shares && memory.status != Status::Superseded && !memory.is_forgotten()
            };
            let memories = view.memories_named(&memories)?.into_iter().map(|record| record.memory);
            let memories = memories.filter(holds).map(|memory| memory.id).collect();
            let changes = changes_since(view, handoff, mode)?;
            Ok(StillHeld { messages, memories, outdated, changes })
        });
        Ok(held.await?)
    }
}

/// Values that were replaced since a handoff was written, of what was said in its thread or is quoted in it.
fn changes_since(
    view: &mut View<'_>,
    handoff: &Handoff,
    mode: Option<Mode>,
) -> cairn_store::Result<Vec<HandoffLine>> {
    let filter = MemoryFilter { scope: MemoryScope::All, ..MemoryFilter::default() };
    let newest = view.memories(filter, u32::MAX, MAX_MEMORIES_SEARCHED)?;
    let later = newest.iter().filter(|record| record.memory.recorded_at > handoff.written_at);
    let numbers: Vec<u32> = later.map(|record| record.number).collect();
    let refs = handoff.refs();
    let mut changes = changes_by(view, &numbers)?;
    changes.retain(|change| {
        let earlier = &change.earlier.memory;
        let shares = mode.is_none_or(|mode| change.later.memory.mode.shares_with(mode));
        shares && (earlier.thread == handoff.thread || refs.contains(&earlier.id.to_string().as_str()))
    });
    changes.drain(..changes.len().saturating_sub(MAX_CHANGES));
    Ok(changes.iter().rev().map(change_line).collect())
}

impl StillHeld {
    /// Whether a line still says what holds.
    fn holds(&self, line: &HandoffLine) -> bool {
        let said = quotation(line.text());
        line.refs.iter().all(|reference| {
            if let Ok(id) = reference.parse::<MessageId>() {
                self.messages.iter().any(|record| record.message.id == id)
                    && !self.outdated.contains(id, said)
            } else if let Ok(id) = reference.parse::<MemoryId>() {
                self.memories.contains(&id)
            } else {
                true
            }
        })
    }
}

/// The first words in quotation marks that are not a name, as far as they are quoted.
fn quotation(text: &str) -> &str {
    let words = text.split_once(": “").map_or(text, |(_, words)| words);
    words.split('”').next().unwrap_or(words).trim_end_matches('…').trim_end()
}

/// A paragraph in place of the lines it was made of, if every one of them still holds.
fn paragraph(handoff: &Handoff, prose: &str, held: &StillHeld, told: &[HandoffLine]) -> Option<HandoffLine> {
    let lines = worded_lines(handoff);
    let is_told = |reference: &&String| told.iter().any(|line| line.refs.contains(reference));
    let refs = lines.iter().flat_map(|line| &line.refs).filter(|it| !is_told(it)).cloned().collect();
    let text = format!("(in a model's words) {}", quote::quoted(prose));
    lines.iter().all(|line| held.holds(line)).then(|| HandoffLine::new(&text, None, refs))
}

/// A handoff as it is told on this day, after these last words.
fn seen_from(
    handoff: &Handoff,
    prose: Option<&str>,
    held: &StillHeld,
    last_at: Time,
    now: Time,
) -> ReturnLines {
    let lines = |part: HandoffPart| handoff.lines(part).iter().filter(|line| held.holds(line)).cloned();
    let open: Vec<HandoffLine> =
        lines(HandoffPart::OpenThreads).filter(|line| is_open(line.due, now)).collect();
    let due = lines(HandoffPart::Dates).filter_map(|line| {
        let is_promise = open.iter().any(|open| open.text() == line.text());
        let due = line.due.filter(|due| *due >= now.day() || is_promise && is_open(Some(*due), now))?;
        let text = format!("{}: {}", due_in_words(due, now), line.text());
        Some(HandoffLine::new(&text, Some(due), line.refs))
    });
    let due: Vec<HandoffLine> = due.collect();
    let undated = open.into_iter().filter(|line| line.due.is_none()).rev();
    let told: Vec<HandoffLine> = held.changes.iter().chain(&due).cloned().collect();
    let mut sections = vec![("Changed since:", held.changes.clone()), ("Due:", due)];
    let prose = prose.and_then(|prose| paragraph(handoff, prose, held, &told));
    match &prose {
        Some(paragraph) => sections.push(("Where it stood:", vec![paragraph.clone()])),
        None => sections.extend([
            ("Open:", undated.collect()),
            ("Where it stood, the newest first:", lines(HandoffPart::WhereWeAre).rev().collect()),
        ]),
    }
    sections.retain(|(_, lines)| !lines.is_empty());
    // Names, files and a tone alone tell nobody where they are.
    if !sections.is_empty() {
        let topics = lines(HandoffPart::KeyTopics).filter(|_| prose.is_none());
        sections.extend([
            ("Topics:", topics.collect::<Vec<_>>()),
            ("Files:", lines(HandoffPart::Files).collect()),
            ("How it went:", lines(HandoffPart::RelationalState).collect()),
        ]);
        sections.retain(|(_, lines)| !lines.is_empty());
    }
    ReturnLines { heading: heading(handoff, last_at, now), sections }
}

fn heading(handoff: &Handoff, last_at: Time, now: Time) -> String {
    let place = match &handoff.thread {
        Some(thread) => format!("thread {}", quote::name(thread)),
        None => format!("session {}", quote::name(&handoff.session)),
    };
    let ago = ago_in_words(last_at.day().days_until(now.day()));
    let exchanges = handoff.exchanges;
    format!("{place}, {ago} ({}), {exchanges} exchange(s)", last_at.day())
}

/// `3 weeks ago`, `2 days ago`, `today`: so many days on the calendar ago.
fn ago_in_words(days: i64) -> String {
    match days {
        ..=0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days @ 2..=20 => format!("{days} days ago"),
        days @ 21..=69 => format!("{} weeks ago", days / 7),
        days => format!("{} months ago", days / 30),
    }
}

/// `in 3 days (2026-11-20)`, `overdue since 2026-11-10`.
fn due_in_words(due: Day, now: Time) -> String {
    let midnight = |day: Day| day.to_string().parse::<Time>().map_or(now.millis(), Time::millis);
    match (midnight(due) - midnight(now.day())) / MILLIS_PER_DAY {
        ..=-1 => format!("overdue since {due}"),
        0 => format!("today ({due})"),
        1 => format!("tomorrow ({due})"),
        days => format!("in {days} days ({due})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_told_as_seen_from_now() {
        let now: Time = "2026-11-14T23:00:00Z".parse().expect("a time");
        for (due, told) in [
            ("2026-11-20", "in 6 days (2026-11-20)"),
            ("2026-11-15", "tomorrow (2026-11-15)"),
            ("2026-11-14", "today (2026-11-14)"),
            ("2026-11-13", "overdue since 2026-11-13"),
        ] {
            assert_eq!(due_in_words(due.parse().expect("a day"), now), told);
        }
        for (last, told) in
            [("2026-11-09", "3 weeks ago"), ("2026-12-01", "yesterday"), ("2026-11-30", "2 days ago")]
        {
            let last: Day = last.parse().expect("a day");
            assert_eq!(ago_in_words(last.days_until("2026-12-02".parse().expect("a day"))), told);
        }
        for (days, told) in
            [(0, "today"), (1, "yesterday"), (20, "20 days ago"), (22, "3 weeks ago"), (90, "3 months ago")]
        {
            assert_eq!(ago_in_words(days), told);
        }
    }

    #[test]
    fn the_quotation_of_a_line_is_its_words() {
        assert_eq!(quotation("2026-11-14 “Mara”: “We ship…”"), "We ship");
        assert_eq!(quotation("2026-11-14 user: “SQLite first.”"), "SQLite first.");
    }
}
