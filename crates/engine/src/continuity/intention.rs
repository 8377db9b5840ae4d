//! Intentions: what was asked to be told later, or promised, as the talk tells it. They are read out of the messages whenever
//! somebody looks; nothing of them is stored, so what is erased is no intention either.

use super::settled::SettledTalk;
use crate::{Agent, Result};
use cairn_cognition::{
    intention::{IntentionTrigger, intention_terms, told_intentions},
    keywords::query_terms,
};
use cairn_domain::{Day, IntentionState, MILLIS_PER_DAY, Message, MessageId, Time};
use cairn_store::{IndexQuery, MessageRecord, View};
use jiff::{Timestamp, tz::TimeZone};
use std::cmp::Reverse;

/// Messages that are looked at, the newest that hold a word by which intentions are told.
const MAX_MESSAGES_READ: usize = 400;
/// Messages after an intention in which it may be said to be done.
const MAX_MESSAGES_AFTER: u32 = 300;
/// A day that is over for so long is not told any more.
const EXPIRES_AFTER_DAYS: i64 = 30;

/// An intention as it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenIntention {
    /// The message that tells it.
    pub message: MessageId,
    /// When it was told.
    pub at: Time,
    /// Who told it, as a model is shown it.
    pub who: String,
    /// The words, verbatim.
    pub words: String,
    /// What makes it due.
    pub trigger: IntentionTrigger,
    /// How it stands.
    pub state: IntentionState,
    /// The project it was told in.
    pub thread: Option<String>,
}

impl SeenIntention {
    /// The day it is for, if it is for one.
    pub fn due_day(&self) -> Option<Day> {
        match self.trigger {
            IntentionTrigger::Day { day, .. } => Some(day),
            IntentionTrigger::Person(_)
            | IntentionTrigger::File(_)
            | IntentionTrigger::Topic(_)
            | IntentionTrigger::Anytime => None,
        }
    }

    /// Whether what is spoken of now is its occasion.
    pub(crate) fn is_occasion(&self, said: &str) -> bool {
        let terms = query_terms(said);
        let speaks_of = |words: &str| {
            let wanted = query_terms(words);
            !wanted.is_empty() && wanted.iter().all(|term| terms.contains(term))
        };
        match &self.trigger {
            IntentionTrigger::Person(name) => speaks_of(name),
            IntentionTrigger::File(path) => said.contains(path.rsplit('/').next().unwrap_or(path)),
            IntentionTrigger::Topic(topic) => !topic.is_empty() && topic.iter().all(|term| terms.contains(term)),
            IntentionTrigger::Day { .. } | IntentionTrigger::Anytime => false,
        }
    }
}

impl Agent {
    /// The intentions that the talk tells: those that are due first, then by their day, then the newest.
    pub async fn intentions(&self, limit: usize) -> Result<Vec<SeenIntention>> {
        let zone = TimeZone::get(&self.config.rhythms.time_zone).unwrap_or(TimeZone::UTC);
        let now = local(self.now(), &zone);
        let mut seen = self.store.read(|view| told_in(view, &zone, now)).await?;
        seen.sort_by_key(|it| (it.state, it.due_day().is_none(), it.due_day(), Reverse(it.at)));
        seen.sort_by_key(|it| it.state != IntentionState::Due);
        seen.truncate(limit);
        Ok(seen)
    }
}

fn told_in(view: &mut View<'_>, zone: &TimeZone, now: Time) -> cairn_store::Result<Vec<SeenIntention>> {
    let mut seen = Vec::new();
    for record in messages_with_cues(view)? {
        let message = &record.message;
        let told = told_intentions(&message.text, message.role, local(message.at, zone));
        if told.is_empty() {
            continue;
        }
        let later = view.messages_from(record.seq + 1, MAX_MESSAGES_AFTER)?;
        let settled = SettledTalk::of(later.iter().map(|record| &record.message));
        for it in told {
            let done = settled.is_kept(&it.words, message.at);
            let state = if done { IntentionState::Done } else { state_of(&it.trigger, message, now) };
            seen.push(SeenIntention {
                message: message.id,
                at: message.at,
                who: crate::quote::speaker(message),
                words: it.words,
                trigger: it.trigger,
                state,
                thread: message.thread.clone(),
            });
        }
    }
    Ok(seen)
}

/// The newest messages that hold a word by which intentions are told, the newest first.
fn messages_with_cues(view: &mut View<'_>) -> cairn_store::Result<Vec<MessageRecord>> {
    let terms = intention_terms();
    let search = view.search(&IndexQuery::said_by(terms))?;
    let index = search.keywords();
    let mut seqs = Vec::new();
    for term in terms {
        index.for_each(term, |place, _| seqs.push(index.documents()[place as usize].seq));
    }
    drop(search);
    seqs.sort_unstable_by_key(|seq| Reverse(*seq));
    seqs.dedup();
    seqs.truncate(MAX_MESSAGES_READ);
    view.messages_at(&seqs)
}

fn state_of(trigger: &IntentionTrigger, message: &Message, now: Time) -> IntentionState {
    match trigger {
        IntentionTrigger::Day { day, minute } => {
            let minute_now = now.millis().rem_euclid(MILLIS_PER_DAY) / 60_000;
            let waits = *day == now.day() && minute.is_some_and(|minute| i64::from(minute) > minute_now);
            let long_over = Time::from_millis(now.millis() - EXPIRES_AFTER_DAYS * MILLIS_PER_DAY).day();
            match () {
                () if *day > now.day() || waits => IntentionState::Pending,
                () if *day < long_over => IntentionState::Expired,
                () => IntentionState::Due,
            }
        }
        // What has no day comes up on the next day it can.
        IntentionTrigger::Anytime if message.at.day() < now.day() => IntentionState::Due,
        IntentionTrigger::Anytime
        | IntentionTrigger::Person(_)
        | IntentionTrigger::File(_)
        | IntentionTrigger::Topic(_) => IntentionState::Pending,
    }
}

/// A time as the clock on the wall shows it: its day is the day there.
fn local(at: Time, zone: &TimeZone) -> Time {
    let instant = Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    Time::from_millis(at.millis() + i64::from(zone.to_offset(instant).seconds()) * 1_000)
}
