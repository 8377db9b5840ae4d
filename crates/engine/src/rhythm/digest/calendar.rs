//! What a day, a week and a month were about, for the agent and for each thread: the weightiest memories that began then. A
//! week stands on its days, a month on its weeks. Only what is over is condensed, a week also once six of its days are.

use super::{LINES, PER_BATCH, fingerprint, line};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::utility::worth;
use cairn_domain::{Digest, DigestId, DigestKind, Privacy, Time};
use cairn_store::{Batch, Outline, Result, View};
use jiff::{Timestamp, ToSpan, civil, tz::TimeZone};
use std::collections::{BTreeMap, BTreeSet};

/// A week is condensed early when so many of its days are over.
const EARLY_DAYS: usize = 6;
/// Sources that a digest names at most.
const MOST_SOURCES: usize = 500;

pub(in crate::rhythm) fn decide(
    view: &mut View<'_>,
    context: &Context<'_>,
    kind: DigestKind,
) -> Result<Decided> {
    let mut outlines = view.outlines()?;
    outlines.retain(|outline| outline.told && outline.privacy != Privacy::Private);
    let looked_at = outlines.len() as u32;
    let mut spans: BTreeMap<(String, Time), Vec<&Outline>> = BTreeMap::new();
    for outline in &outlines {
        let (from, _) = span(kind, outline.valid_from);
        spans.entry((String::new(), from)).or_default().push(outline);
        if let Some(thread) = &outline.thread {
            spans.entry((format!("thread:{thread}"), from)).or_default().push(outline);
        }
    }
    let known: BTreeMap<(String, Time), String> =
        view.digest_inputs(kind)?.into_iter().map(|(scope, from, inputs)| ((scope, from), inputs)).collect();
    let mut batch = Batch { looked_at, ..Batch::default() };
    let mut more = false;
    for (key, members) in spans {
        let inputs = fingerprint(members.iter().map(|member| (member.number, member.revision)));
        let same = known.get(&key).is_some_and(|known| *known == inputs);
        if same || !is_over(kind, key.1, &members, context.now) {
            continue;
        }
        if batch.digests.len() == PER_BATCH {
            more = true;
            break;
        }
        batch.digests.push(digest(view, kind, key, &members, inputs)?);
    }
    Ok(Decided { batch, next: more.then_some(context.place + 1) })
}

fn digest(
    view: &mut View<'_>,
    kind: DigestKind,
    (scope, from): (String, Time),
    members: &[&Outline],
    inputs: String,
) -> Result<Digest> {
    let mut chosen: Vec<&&Outline> = members.iter().collect();
    let weight = |outline: &Outline| worth(0.0, outline.utility, outline.importance);
    chosen.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.number.cmp(&b.number)));
    chosen.truncate(LINES);
    chosen.sort_by_key(|outline| (outline.valid_from, outline.number));
    let numbers: Vec<u32> = chosen.iter().map(|outline| outline.number).collect();
    let records = view.memories_at(&numbers)?;
    let lines: Vec<String> = records.iter().map(|record| line(record, kind != DigestKind::Day)).collect();
    let sources = match kind {
        DigestKind::Week => parts(DigestKind::Day, &scope, members),
        DigestKind::Month => parts(DigestKind::Week, &scope, members),
        _ => {
            let all: Vec<u32> = members.iter().take(MOST_SOURCES).map(|member| member.number).collect();
            view.memories_at(&all)?.iter().map(|record| record.memory.id.to_string()).collect()
        }
    };
    let until = span(kind, from).1;
    Ok(Digest {
        kind,
        scope,
        from,
        until,
        text: lines.join("\n"),
        sources,
        inputs,
        made_by: "rules".to_owned(),
    })
}

/// The digests of the shorter spans that memories began in.
fn parts(kind: DigestKind, scope: &str, members: &[&Outline]) -> Vec<String> {
    let begins: BTreeSet<Time> = members.iter().map(|member| span(kind, member.valid_from).0).collect();
    begins.into_iter().map(|from| DigestId::of(kind.as_str(), scope, from).to_string()).collect()
}

fn is_over(kind: DigestKind, from: Time, members: &[&Outline], now: Time) -> bool {
    if span(kind, from).1 <= now {
        return true;
    }
    let over = members.iter().filter(|member| span(DigestKind::Day, member.valid_from).1 <= now);
    let days: BTreeSet<Time> = over.map(|member| span(DigestKind::Day, member.valid_from).0).collect();
    kind == DigestKind::Week && days.len() >= EARLY_DAYS
}

/// The day, week or month, in UTC, that a moment lies in.
fn span(kind: DigestKind, at: Time) -> (Time, Time) {
    let moment = Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    let day = moment.to_zoned(TimeZone::UTC).date();
    let (from, length) = match kind {
        DigestKind::Week => {
            (day.saturating_sub(i64::from(day.weekday().to_monday_zero_offset()).days()), 1.week())
        }
        DigestKind::Month => (day.first_of_month(), 1.month()),
        _ => (day, 1.day()),
    };
    let time = |day: civil::Date| {
        let midnight = day.to_zoned(TimeZone::UTC).map(|day| day.timestamp().as_millisecond());
        Time::from_millis(midnight.unwrap_or(at.millis()))
    };
    (time(from), time(from.saturating_add(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-11, X-W1
    #[test]
    fn spans_are_those_of_the_calendar() {
        let at: Time = "2026-11-15T10:00:00Z".parse().expect("a time");
        for (kind, from, until) in [
            (DigestKind::Day, "2026-11-15", "2026-11-16"),
            (DigestKind::Week, "2026-11-09", "2026-11-16"),
            (DigestKind::Month, "2026-11-01", "2026-12-01"),
        ] {
            let expected = (from.parse().expect("a time"), until.parse().expect("a time"));
            assert_eq!(span(kind, at), expected, "{kind}");
        }
    }
}
