//! `cairn intentions` and `cairn intend`: what was asked to be told later, or promised, and how it stands.

use super::invocation::Invocation;
use crate::{
    args::{IntendArgs, IntentionsArgs, IntentionsCommand, IntentionsFilter},
    failure::Failure,
    show,
};
use cairn_domain::{IntentionDecision, IntentionState, Role, TriggerKind};
use cairn_engine::{IntentionDraft, IntentionScope, Missing, SeenIntention, quote};
use cairn_wire as wire;
use std::io::Write;

pub(crate) async fn intentions(invocation: &Invocation, args: IntentionsArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let decided = match args.what {
        None => return list(invocation, args.filter).await,
        Some(IntentionsCommand::List(filter)) => return list(invocation, filter).await,
        Some(IntentionsCommand::Snooze { reference, until }) => {
            agent.snooze_intention(&reference, &until).await?
        }
        Some(IntentionsCommand::Done { reference }) => {
            agent.close_intention(&reference, IntentionDecision::Done).await?
        }
        Some(IntentionsCommand::Drop { reference }) => {
            agent.close_intention(&reference, IntentionDecision::Dropped).await?
        }
    };
    invocation.answer(|| wire::Intention::from(&decided), || print_one(&decided));
    Ok(())
}

/// Sets an intention.
pub(crate) async fn intend(invocation: &Invocation, args: IntendArgs) -> Result<(), Failure> {
    let IntendArgs { text, on, at, person, file, topic, session, thread } = args;
    let draft =
        IntentionDraft { text, role: Role::User, on, minute: at, person, file, topic, session, thread };
    let set = invocation.open(Missing::Create).await?.intend(draft).await?;
    invocation.answer(|| wire::Intention::from(&set), || print_one(&set));
    Ok(())
}

async fn list(invocation: &Invocation, filter: IntentionsFilter) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    // A message that nobody has looked at yet has told nothing either.
    agent.form(&mut |_| {}).await?;
    let scope = match (filter.due, filter.all) {
        (true, _) => IntentionScope::Due,
        (false, true) => IntentionScope::All,
        (false, false) => IntentionScope::Open,
    };
    let seen = agent.intentions(scope, filter.limit.limit).await?;
    if filter.calendar {
        // Its lines end with CR LF, which is kept from a terminal elsewhere; its words have no other sign of control.
        let written = std::io::stdout().write_all(calendar(&seen).as_bytes());
        return written
            .map_err(|error| Failure::new(format!("cannot write the calendar: {error}"), "try again"));
    }
    invocation.answer(|| seen.iter().collect::<wire::Intentions>(), || print_list(&seen, scope));
    Ok(())
}

fn print_one(seen: &SeenIntention) {
    let words = quote::quoted(&seen.record.words);
    out!("{}  {}  {}  {words}", seen.record.name(), seen.state, when(seen));
}

fn print_list(seen: &[SeenIntention], scope: IntentionScope) {
    if seen.is_empty() {
        match scope {
            IntentionScope::Due => err!("nothing is due; `cairn intentions` lists what waits"),
            IntentionScope::Open | IntentionScope::All => {
                err!("nothing is intended; say \"remind me on Friday to …\", or set it with `cairn intend`");
            }
        }
        return;
    }
    let mut table = show::table(&["ref", "state", "when", "said", "words"]);
    for it in seen {
        let (name, said) = (it.record.name().short(), it.record.said_at.minute());
        table.add_row([name, it.state.to_string(), when(it), said, it.record.words.clone()]);
    }
    out!("{table}");
}

fn when(seen: &SeenIntention) -> String {
    let subject = &seen.record.subject;
    match (seen.due_day(), seen.record.kind) {
        (Some(day), _) => match seen.due_time() {
            Some(time) => format!("{day} {time}"),
            None => day.to_string(),
        },
        (None, TriggerKind::Person) => format!("with {subject}"),
        (None, TriggerKind::File | TriggerKind::Topic) => subject.clone(),
        (None, TriggerKind::Day | TriggerKind::Anytime) => "next occasion".to_owned(),
    }
}

/// The open intentions for a day as an iCalendar file (RFC 5545), lines ended by CR LF.
fn calendar(seen: &[SeenIntention]) -> String {
    let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Cairn//Intentions//EN"];
    let mut lines: Vec<String> = head.map(str::to_owned).to_vec();
    let is_open = |it: &&SeenIntention| matches!(it.state, IntentionState::Pending | IntentionState::Due);
    for it in seen.iter().filter(is_open) {
        let Some(day) = it.due_day() else { continue };
        let day = day.to_string().replace('-', "");
        let start = match it.due_time() {
            Some(time) => format!("DTSTART:{day}T{}00", time.replace(':', "")),
            None => format!("DTSTART;VALUE=DATE:{day}"),
        };
        let stamp = it.record.said_at.to_string().replace(['-', ':'], "");
        let stamp = stamp.split(['.', 'Z']).next().unwrap_or_default().to_owned();
        lines.extend([
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}@cairn", it.record.name()),
            format!("DTSTAMP:{stamp}Z"),
            start,
            format!("SUMMARY:{}", escaped(&it.record.words)),
            "END:VEVENT".to_owned(),
        ]);
    }
    lines.push("END:VCALENDAR".to_owned());
    lines.iter().map(|line| folded(line) + "\r\n").collect()
}

fn escaped(text: &str) -> String {
    let text: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,")
}

/// A line in parts of at most 75 bytes, each but the first begun with a space.
fn folded(line: &str) -> String {
    let (mut parts, mut rest) = (Vec::new(), line);
    while rest.len() > 74 {
        let (head, tail) = rest.split_at(rest.floor_char_boundary(74));
        parts.push(head);
        rest = tail;
    }
    parts.push(rest);
    parts.join("\r\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_a_calendar_is_folded_and_unfolds_to_itself() {
        let line = format!("SUMMARY:{}", "ş".repeat(100));
        let folded = folded(&line);
        assert!(folded.split("\r\n").all(|part| part.len() <= 75), "{folded}");
        assert_eq!(folded.replace("\r\n ", ""), line);
        assert_eq!(escaped("a, b; c\\d\ne"), "a\\, b\\; c\\\\d e");
    }
}
