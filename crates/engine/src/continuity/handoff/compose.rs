//! Compose: a handoff out of its material. Every line is a quotation with its ref; nothing that has been replaced stands in it
//! as if it held, and what was promised for a day that is over is told for two weeks.

use crate::{
    continuity::{
        material::{HandoffMaterial, ValueChange},
        mood::mood_lines,
        remark::{Remark, RemarkKind, SpokenMessage, open_question, remarks, spoken},
    },
    quote,
};
use cairn_cognition::{file_name::file_names, settled::SettledTalk, title::session_title};
use cairn_domain::{
    Category, Day, Handoff, HandoffLine, HandoffPart, HandoffReason, HandoffSection, MILLIS_PER_DAY, Memory,
    Role, Time,
};
use std::collections::{BTreeMap, HashSet};

/// A promise is told as overdue for so many days.
pub(crate) const MAX_OVERDUE_DAYS: i64 = 14;
/// Maximum lines of each of the first sections.
const MAX_LINES: usize = 20;
const MAX_TOPICS: usize = 6;
const MAX_FILES: usize = 10;
/// Messages that name something for it to be a topic.
const MIN_TOPIC_MESSAGES: usize = 2;

/// The head of a handoff.
pub(crate) struct HandoffHeading {
    pub(crate) agent: String,
    pub(crate) thread: Option<String>,
    pub(crate) session: String,
    pub(crate) reason: HandoffReason,
    pub(crate) compactions: u32,
    pub(crate) now: Time,
    /// Lines about other threads that are worked on.
    pub(crate) projects: Vec<HandoffLine>,
}

/// The handoff; none if nothing was said.
pub(crate) fn compose(material: &HandoffMaterial, heading: HandoffHeading) -> Option<Handoff> {
    let last = material.messages.last()?;
    let exchanges = last.exchange_index + 1;
    let mut spoken = spoken(&material.messages);
    spoken.retain(|it| !material.outdated.contains_whole(it.message.id));
    let remarks = held_remarks(&spoken, material);
    let HandoffHeading { agent, thread, session, reason, compactions, now, projects } = heading;
    let parts = HandoffPart::ALL.map(|part| {
        let lines = match part {
            HandoffPart::WhereWeAre => where_we_are(&remarks, &material.changes),
            HandoffPart::KeyTopics => topics(&spoken),
            HandoffPart::OpenThreads => open_threads(&remarks, &spoken, material, &projects, now),
            HandoffPart::Dates => dates(&remarks, &spoken, now),
            HandoffPart::Files => files(&spoken),
            HandoffPart::RelationalState => mood_lines(&spoken, exchanges),
        };
        HandoffSection { part, lines }
    });
    let sections = parts.into_iter().filter(|section| !section.lines.is_empty()).collect();
    Some(Handoff { agent, thread, session, written_at: now, reason, exchanges, compactions, sections })
}

/// The remarks that still hold; of the same words said twice the later.
fn held_remarks(spoken: &[SpokenMessage<'_>], material: &HandoffMaterial) -> Vec<Remark> {
    let mut seen = HashSet::new();
    let mut held: Vec<Remark> = remarks(spoken)
        .into_iter()
        .rev()
        .filter(|remark| !material.outdated.contains(remark.message, &remark.said))
        .filter(|remark| seen.insert(remark.said.to_lowercase()))
        .collect();
    held.reverse();
    held
}

fn remark_line(remark: &Remark) -> HandoffLine {
    let text = format!("{} {}: {}", remark.at.day(), remark.who, quote::line(&remark.said));
    HandoffLine::new(&text, remark.due, vec![remark.message.to_string()])
}

/// The last of some lines, as many as there is room for.
fn newest(mut lines: Vec<HandoffLine>, most: usize) -> Vec<HandoffLine> {
    lines.drain(..lines.len().saturating_sub(most));
    lines
}

/// Decisions and changed values, the newest last.
fn where_we_are(remarks: &[Remark], changes: &[ValueChange]) -> Vec<HandoffLine> {
    let told: HashSet<_> =
        changes.iter().filter_map(|change| change.told.as_ref().map(|(id, _)| *id)).collect();
    let decided = remarks.iter().filter(|it| it.kind == RemarkKind::Decision && !told.contains(&it.message));
    let mut lines: Vec<(Time, HandoffLine)> =
        decided.map(|remark| (remark.at, remark_line(remark))).collect();
    lines.extend(changes.iter().map(|change| (change.later.memory.valid_from, change_line(change))));
    lines.sort_by_key(|(at, _)| *at);
    newest(lines.into_iter().map(|(_, line)| line).collect(), MAX_LINES)
}

/// A changed value with what it was before.
pub(crate) fn change_line(change: &ValueChange) -> HandoffLine {
    let (later, earlier) = (&change.later.memory, &change.earlier.memory);
    let says = change.told.as_ref().map_or(later.text.as_str(), |(_, said)| said);
    let text =
        format!("{} {}, before: {}", later.valid_from.day(), quote::line(says), quote::line(&earlier.text));
    let message = change.told.as_ref().map(|(id, _)| id.to_string());
    let refs = std::iter::once(later.id.to_string()).chain(message).collect();
    HandoffLine::new(&text, None, refs)
}

/// Commitments that are neither kept nor long overdue, the question that nobody answered, and other projects.
fn open_threads(
    remarks: &[Remark],
    spoken: &[SpokenMessage<'_>],
    material: &HandoffMaterial,
    projects: &[HandoffLine],
    now: Time,
) -> Vec<HandoffLine> {
    let settled = SettledTalk::of(spoken.iter().map(|it| it.message));
    let older = material.older.iter().filter(|record| {
        let Memory { category, text, valid_from, valid_until, .. } = &record.memory;
        let due = valid_until.map(Time::day);
        *category == Category::Plan && is_open(due, now) && !settled.is_kept(text, *valid_from)
    });
    let older = older.map(|record| {
        let memory = &record.memory;
        let text = format!("{} {}", memory.valid_from.day(), quote::line(&memory.text));
        HandoffLine::new(&text, None, vec![memory.id.to_string()])
    });
    let open = remarks.iter().filter(|it| {
        it.kind == RemarkKind::Commitment && is_open(it.due, now) && !settled.is_kept(&it.said, it.at)
    });
    let mut lines = newest(older.chain(open.map(remark_line)).collect(), MAX_LINES);
    if let Some((message, asked)) = open_question(&material.messages) {
        let text = format!("{} {} asked: {}", message.at.day(), quote::speaker(message), quote::line(asked));
        lines.push(HandoffLine::new(&text, None, vec![message.id.to_string()]));
    }
    lines.extend(projects.iter().cloned());
    lines
}

/// Whether something that is due then, or on no day, may still be done or asked about.
pub(crate) fn is_open(due: Option<Day>, now: Time) -> bool {
    due.is_none_or(|due| due >= Time::from_millis(now.millis() - MAX_OVERDUE_DAYS * MILLIS_PER_DAY).day())
}

/// Lines that are due, the first to come first. Of days that are over only promises are told.
fn dates(remarks: &[Remark], spoken: &[SpokenMessage<'_>], now: Time) -> Vec<HandoffLine> {
    let settled = SettledTalk::of(spoken.iter().map(|it| it.message));
    let is_told = |remark: &&Remark| match remark.kind {
        RemarkKind::Commitment => {
            remark.due.is_some() && is_open(remark.due, now) && !settled.is_kept(&remark.said, remark.at)
        }
        RemarkKind::Decision | RemarkKind::Appointment => remark.due.is_some_and(|due| due >= now.day()),
    };
    let mut lines: Vec<HandoffLine> = remarks.iter().filter(is_told).map(remark_line).collect();
    lines.sort_by_key(|line| line.due);
    lines.truncate(MAX_LINES);
    lines
}

/// The names that were spoken of most.
fn topics(spoken: &[SpokenMessage<'_>]) -> Vec<HandoffLine> {
    let mut named: BTreeMap<&str, (&str, Vec<String>)> = BTreeMap::new();
    for it in spoken {
        let id = it.message.id.to_string();
        for mention in it.statements.iter().flat_map(|statement| &statement.entities) {
            let (_, messages) = named.entry(&mention.slug).or_insert((&mention.name, Vec::new()));
            if messages.last() != Some(&id) {
                messages.push(id.clone());
            }
        }
    }
    let mut named: Vec<(&str, Vec<String>)> =
        named.into_values().filter(|(_, messages)| messages.len() >= MIN_TOPIC_MESSAGES).collect();
    named.sort_by_key(|(name, messages)| (std::cmp::Reverse(messages.len()), *name));
    named.truncate(MAX_TOPICS);
    let line = |(name, messages): (&str, Vec<String>)| {
        let text = format!("{} in {} messages", quote::name(name), messages.len());
        HandoffLine::new(&text, None, messages.last().cloned().into_iter().collect())
    };
    let lines: Vec<HandoffLine> = named.into_iter().map(line).collect();
    if lines.is_empty() { title_line(spoken).into_iter().collect() } else { lines }
}

/// The title of a talk that names nothing twice.
fn title_line(spoken: &[SpokenMessage<'_>]) -> Option<HandoffLine> {
    let users = spoken.iter().filter(|it| it.message.role == Role::User);
    let (title, message) = users.rev().find_map(|it| Some((session_title(&it.message.text)?, it.message)))?;
    Some(HandoffLine::new(&quote::line(&title), None, vec![message.id.to_string()]))
}

/// The files that were named, those named last first.
fn files(spoken: &[SpokenMessage<'_>]) -> Vec<HandoffLine> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut lines = Vec::new();
    for it in spoken.iter().rev() {
        for file in file_names(&it.message.text).into_iter().filter(|file| seen.insert(file)) {
            let text =
                format!("{} {}: {}", it.message.at.day(), quote::speaker(it.message), quote::line(file));
            lines.push(HandoffLine::new(&text, None, vec![it.message.id.to_string()]));
        }
    }
    lines.truncate(MAX_FILES);
    lines
}
