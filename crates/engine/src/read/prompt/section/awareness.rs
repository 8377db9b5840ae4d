//! Time and gap: what time it is, how long ago the last words were said and how long this session has been going on; and, once in
//! a session, that it is late or has been a long stretch.

use crate::{
    Result,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        situation::Situation,
    },
};
use cairn_cognition::wellbeing::{Strain, new_strain};
use cairn_domain::{MILLIS_PER_DAY, MILLIS_PER_HOUR, MILLIS_PER_MINUTE, Role, Time};
use cairn_store::MessageRecord;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "time and gap",
    priority: 10,
    header: SectionHeader { first_person: "[YOUR WORKING MEMORY]", system: "[CONTINUITY CONTEXT]" },
    share: SectionShare::thirtieths(6, 6),
    build,
};

/// In a running session the time is told after a pause of this length.
const TOLD_AFTER_MS: i64 = 4 * MILLIS_PER_HOUR;
/// Messages of the running session that are looked at.
const MAX_MESSAGES: u32 = 400;
/// The prompt that is being answered was said at most so long ago.
const NOW_MS: i64 = 5_000;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(awareness(situation))
}

async fn awareness<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    if situation.is_restart() {
        return Ok(None);
    }
    let running = running_session(situation).await?;
    let last = match running.first() {
        Some(last) => Some(last.message.at),
        None => {
            situation.agent.last_message(situation.briefing.thread.as_deref()).await?.map(|it| it.message.at)
        }
    };
    let Some(last) = last else { return Ok(None) };
    let gap_ms = situation.now.millis() - last.millis();
    let mut told: Vec<String> = Vec::new();
    if situation.is_start() || gap_ms >= TOLD_AFTER_MS && !running.is_empty() {
        told.push(format!("It is {}.", situation.local_time()));
        told.push(format!("The last words before this were said {}.", gap_in_words(gap_ms)));
    }
    told.extend(situation.is_start().then(|| session_so_far(&running)).flatten());
    told.extend(strain(situation, &running));
    Ok((!told.is_empty()).then(|| Block::of_header(told.join(" "))))
}

/// The messages of the running session before the prompt that is being answered, the newest first.
async fn running_session(situation: &Situation<'_>) -> Result<Vec<MessageRecord>> {
    let Some(session) = &situation.briefing.session else { return Ok(Vec::new()) };
    let mut said = situation.agent.store.read(|view| view.of_session(session, None, MAX_MESSAGES)).await?;
    let is_now = |at: Time| situation.is_asked() && situation.now.millis() - at.millis() < NOW_MS;
    said.retain(|record| !is_now(record.message.at));
    Ok(said)
}

fn session_so_far(running: &[MessageRecord]) -> Option<String> {
    let (last, first) = (running.first()?, running.last()?);
    let ms = last.message.at.millis() - first.message.at.millis();
    let exchanges = last.exchange_index + 1;
    Some(format!("This session has {exchanges} exchange(s) so far, over {}.", length_in_words(ms)))
}

fn strain(situation: &Situation<'_>, running: &[MessageRecord]) -> Option<String> {
    let users = running.iter().rev().filter(|record| record.message.role == Role::User);
    let said: Vec<Time> = users.map(|record| record.message.at).collect();
    let local = |at: Time| situation.local_hour(at);
    match new_strain(&said, situation.now, &local).filter(|_| !said.is_empty())? {
        Strain::LateHour => Some("It is late where the user is; a pause may be due.".to_owned()),
        Strain::LongStretch { hours } => Some(format!(
            "The user has been at this for {hours} hours without a longer pause; one may be due."
        )),
    }
}

/// `just now`, `40 minutes ago`, `3 days ago`.
fn gap_in_words(ms: i64) -> String {
    if ms < MILLIS_PER_MINUTE { "just now".to_owned() } else { format!("{} ago", length_in_words(ms)) }
}

/// `40 minutes`, `1 hour`, `3 weeks`.
fn length_in_words(ms: i64) -> String {
    let count = |number: i64, unit: &str| format!("{number} {unit}{}", if number == 1 { "" } else { "s" });
    match ms {
        ms if ms < MILLIS_PER_HOUR => count((ms / MILLIS_PER_MINUTE).max(1), "minute"),
        ms if ms < 2 * MILLIS_PER_DAY => count(ms / MILLIS_PER_HOUR, "hour"),
        ms if ms < 21 * MILLIS_PER_DAY => count(ms / MILLIS_PER_DAY, "day"),
        ms if ms < 70 * MILLIS_PER_DAY => count(ms / (7 * MILLIS_PER_DAY), "week"),
        ms => count(ms / (30 * MILLIS_PER_DAY), "month"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_told_in_the_unit_that_fits() {
        for (ms, told) in [
            (1_000, "just now"),
            (40 * MILLIS_PER_MINUTE, "40 minutes ago"),
            (MILLIS_PER_HOUR, "1 hour ago"),
            (3 * MILLIS_PER_DAY, "3 days ago"),
            (22 * MILLIS_PER_DAY, "3 weeks ago"),
            (90 * MILLIS_PER_DAY, "3 months ago"),
        ] {
            assert_eq!(gap_in_words(ms), told);
        }
    }
}
