//! `cairn intentions`: what was asked to be told later, or promised, and how it stands.

use super::invocation::Invocation;
use crate::{args::IntentionsArgs, failure::Failure, show};
use cairn_domain::IntentionState;
use cairn_engine::{IntentionTrigger, Missing, SeenIntention};
use cairn_wire as wire;

pub(crate) async fn intentions(invocation: &Invocation, args: IntentionsArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let mut seen = agent.intentions(args.limit.limit).await?;
    seen.retain(|it| !args.due || it.state == IntentionState::Due);
    if args.calendar {
        out!("{}", calendar(&seen));
        return Ok(());
    }
    invocation.answer(|| seen.iter().collect::<wire::Intentions>(), || print_list(&seen));
    Ok(())
}

fn print_list(seen: &[SeenIntention]) {
    if seen.is_empty() {
        err!("nothing is intended; say \"remind me on Friday to …\" and it is listed here");
        return;
    }
    let mut table = show::table(&["ref", "state", "when", "said", "words"]);
    for it in seen {
        let when = match &it.trigger {
            IntentionTrigger::Day { day, minute: None } => day.to_string(),
            IntentionTrigger::Day { day, minute: Some(minute) } => {
                format!("{day} {:02}:{:02}", minute / 60, minute % 60)
            }
            IntentionTrigger::Person(name) => format!("with {name}"),
            IntentionTrigger::File(path) => path.clone(),
            IntentionTrigger::Topic(terms) => terms.join(" "),
            IntentionTrigger::Anytime => "next occasion".to_owned(),
        };
        let cells = [it.message.to_string(), it.state.to_string(), when, it.at.minute(), it.words.clone()];
        table.add_row(cells);
    }
    out!("{table}");
}

/// The open intentions for a day as an iCalendar file (RFC 5545), lines ended by CR LF.
fn calendar(seen: &[SeenIntention]) -> String {
    let mut lines = vec!["BEGIN:VCALENDAR".to_owned(), "VERSION:2.0".to_owned(), "PRODID:-//Cairn//Intentions//EN".to_owned()];
    let open = |it: &&SeenIntention| matches!(it.state, IntentionState::Pending | IntentionState::Due);
    for it in seen.iter().filter(open) {
        let IntentionTrigger::Day { day, minute } = &it.trigger else { continue };
        let day = day.to_string().replace('-', "");
        let start = match minute {
            Some(minute) => format!("DTSTART:{day}T{:02}{:02}00", minute / 60, minute % 60),
            None => format!("DTSTART;VALUE=DATE:{day}"),
        };
        let stamp = it.at.to_string().replace(['-', ':'], "");
        let stamp = stamp.split('.').next().unwrap_or_default().trim_end_matches('Z').to_owned();
        lines.extend([
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}@cairn", it.message),
            format!("DTSTAMP:{stamp}Z"),
            start,
            format!("SUMMARY:{}", escaped(&it.words)),
            "END:VEVENT".to_owned(),
        ]);
    }
    lines.push("END:VCALENDAR".to_owned());
    lines.iter().map(|line| folded(line)).collect::<Vec<_>>().join("\r\n")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace(['\n', '\r'], " ")
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
