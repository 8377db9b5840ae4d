//! Digests of days, weeks and months, for the agent and for each thread: the weightiest memories that began then. A
//! week is made of its days, a month of its weeks. Only a span that is over is condensed, except that a week also is
//! once six of its days are.

use crate::rhythm::{
    digest::lines::{DIGESTS_PER_BATCH, MAX_DIGEST_LINES, dated_line, inputs_fingerprint, undated_line},
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::utility::weighed_value;
use cairn_domain::{Digest, DigestId, DigestKind, Privacy, Time};
use cairn_store::{Outline, Result, RhythmBatch, View};
use jiff::{Timestamp, ToSpan, civil, tz::TimeZone};
use std::collections::{BTreeMap, BTreeSet};

/// A week is condensed early once this many of its days are over.
const EARLY_DAYS: usize = 6;
/// Sources that a digest names at most.
const MAX_SOURCES: usize = 500;

/// The scope of a calendar digest and the start of its span.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SpanKey {
    /// Empty for the agent, `thread:NAME` for a thread.
    scope: String,
    from: Time,
}

pub(in crate::rhythm) fn decide(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    kind: DigestKind,
) -> Result<StepDecision> {
    let mut outlines = view.outlines()?;
    outlines.retain(|outline| outline.told && outline.privacy != Privacy::Private);
    let looked_at = outlines.len() as u32;
    let mut spans: BTreeMap<SpanKey, Vec<&Outline>> = BTreeMap::new();
    for outline in &outlines {
        let (from, _) = calendar_span(kind, outline.valid_from);
        spans.entry(SpanKey { scope: String::new(), from }).or_default().push(outline);
        if let Some(thread) = &outline.thread {
            spans.entry(SpanKey { scope: format!("thread:{thread}"), from }).or_default().push(outline);
        }
    }
    let known = view.digest_inputs(kind)?.into_iter();
    let known: BTreeMap<SpanKey, String> =
        known.map(|(scope, from, inputs)| (SpanKey { scope, from }, inputs)).collect();
    let mut batch = RhythmBatch { looked_at, ..RhythmBatch::default() };
    let mut more = false;
    for (key, members) in spans {
        let inputs = inputs_fingerprint(members.iter().map(|member| (member.number, member.revision)));
        let same = known.get(&key).is_some_and(|known| *known == inputs);
        if same || !is_over(kind, key.from, &members, context.now) {
            continue;
        }
        if batch.digests.len() == DIGESTS_PER_BATCH {
            more = true;
            break;
        }
        batch.digests.push(span_digest(view, kind, key, &members, inputs)?);
    }
    Ok(StepDecision { batch, next: more.then_some(context.place + 1) })
}

fn span_digest(
    view: &mut View<'_>,
    kind: DigestKind,
    key: SpanKey,
    members: &[&Outline],
    inputs: String,
) -> Result<Digest> {
    let SpanKey { scope, from } = key;
    let mut chosen: Vec<&&Outline> = members.iter().collect();
    let weight = |outline: &Outline| weighed_value(0.0, outline.utility, outline.importance);
    chosen.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.number.cmp(&b.number)));
    chosen.truncate(MAX_DIGEST_LINES);
    chosen.sort_by_key(|outline| (outline.valid_from, outline.number));
    let numbers: Vec<u32> = chosen.iter().map(|outline| outline.number).collect();
    let records = view.memories_at(&numbers)?;
    let lines: Vec<String> = records
        .iter()
        .map(|record| if kind == DigestKind::Day { undated_line(record) } else { dated_line(record) })
        .collect();
    let sources = match kind {
        DigestKind::Week => shorter_digests(DigestKind::Day, &scope, members),
        DigestKind::Month => shorter_digests(DigestKind::Week, &scope, members),
        _ => {
            let all: Vec<u32> = members.iter().take(MAX_SOURCES).map(|member| member.number).collect();
            view.memories_at(&all)?.iter().map(|record| record.memory.id.to_string()).collect()
        }
    };
    let until = calendar_span(kind, from).1;
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
fn shorter_digests(kind: DigestKind, scope: &str, members: &[&Outline]) -> Vec<String> {
    let begins: BTreeSet<Time> =
        members.iter().map(|member| calendar_span(kind, member.valid_from).0).collect();
    begins.into_iter().map(|from| DigestId::of(kind.as_str(), scope, from).to_string()).collect()
}

fn is_over(kind: DigestKind, from: Time, members: &[&Outline], now: Time) -> bool {
    if calendar_span(kind, from).1 <= now {
        return true;
    }
    let over = members.iter().filter(|member| calendar_span(DigestKind::Day, member.valid_from).1 <= now);
    let days: BTreeSet<Time> =
        over.map(|member| calendar_span(DigestKind::Day, member.valid_from).0).collect();
    kind == DigestKind::Week && days.len() >= EARLY_DAYS
}

/// The day, week or month, in UTC, that a moment lies in.
fn calendar_span(kind: DigestKind, at: Time) -> (Time, Time) {
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
            assert_eq!(calendar_span(kind, at), expected, "{kind}");
        }
    }
}
