//! The situation that a model is in when it is shown the memory: who asks what, when, in which project and session.

use super::{briefing::Briefing, framing::Framing};
use crate::{
    Agent, Result,
    belief::{SupposedDecision, Trusted},
    continuity::ContextOccasion,
    read::question::Recall,
};
use cairn_cognition::subject::asks_where_it_was_left;
use cairn_domain::{Memory, Status, Time};
use cairn_store::{MemoryRecord, MemoryScope};
use jiff::{Timestamp, Zoned, tz::TimeZone};
use std::{cmp::Reverse, sync::OnceLock};
use tokio::sync::OnceCell;

/// Maximum memories considered where nothing is asked.
const MAX_NEWEST_MEMORIES: u32 = 60;
/// The zone of a home that was told none: where its user is, nobody knows.
const UNKNOWN_ZONE: &str = "UTC";

/// The situation that a section speaks into.
pub(crate) struct Situation<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) briefing: &'a Briefing,
    pub(crate) now: Time,
    pub(crate) framing: Framing,
    /// The decision that an operator looks at before making it; in all other contexts there is none.
    pub(crate) supposed: Option<&'a SupposedDecision>,
    recall: OnceLock<Recall>,
    gate: OnceLock<Trusted>,
    newest: OnceCell<Vec<MemoryRecord>>,
}

impl<'a> Situation<'a> {
    pub(crate) fn new(
        agent: &'a Agent,
        briefing: &'a Briefing,
        supposed: Option<&'a SupposedDecision>,
    ) -> Self {
        let framing = briefing.framing.unwrap_or(agent.config.context.framing);
        let (recall, gate, newest) = Default::default();
        Self { agent, briefing, now: agent.now(), framing, supposed, recall, gate, newest }
    }

    /// Whether something is asked.
    pub(crate) fn is_asked(&self) -> bool {
        self.briefing.query.is_some()
    }

    /// Whether a thread is to be begun anew, with its handoff alone.
    pub(crate) fn is_restart(&self) -> bool {
        !self.is_asked() && self.briefing.occasion == ContextOccasion::Restart
    }

    /// Whether a session begins or goes on, or somebody looks, and nothing is asked.
    pub(crate) fn is_start(&self) -> bool {
        !self.is_asked() && !self.is_restart()
    }

    /// Whether it is asked where the talk was left.
    pub(crate) fn asks_where_it_was_left(&self) -> bool {
        self.briefing.query.as_deref().is_some_and(asks_where_it_was_left)
    }

    /// Whether a memory holds and may be shown in this project and this posture.
    pub(crate) fn may_show(&self, memory: &Memory) -> bool {
        let briefing = self.briefing;
        let stands = memory.status != Status::Superseded && !memory.is_forgotten();
        let holds = stands && memory.valid_until.is_none_or(|until| until > self.now);
        let project =
            memory.thread.is_none() || briefing.thread.is_none() || memory.thread == briefing.thread;
        holds && project && briefing.mode.is_none_or(|mode| memory.mode.shares_with(mode))
    }

    /// The newest memories that may be shown where nothing is asked, those of the project first.
    pub(crate) async fn newest_memories(&self) -> Result<&[MemoryRecord]> {
        if !self.is_start() {
            return Ok(&[]);
        }
        let newest = self.newest.get_or_try_init(|| async {
            let mut memories = self.agent.memories(None, MemoryScope::Active, MAX_NEWEST_MEMORIES).await?;
            memories.retain(|record| self.may_show(&record.memory));
            memories.sort_by_key(|record| {
                let elsewhere = self.briefing.thread.is_some() && record.memory.thread.is_none();
                (elsewhere, Reverse((record.memory.valid_from, record.number)))
            });
            Ok::<_, crate::EngineError>(memories)
        });
        Ok(newest.await?)
    }

    /// Keeps what was recalled for as long as it is quoted.
    pub(crate) fn keep_recall(&self, recall: Recall) -> &Recall {
        self.recall.get_or_init(|| recall)
    }

    /// Keeps what the gate said.
    pub(crate) fn keep_gate(&self, trusted: Trusted) {
        let _ = self.gate.set(trusted);
    }

    pub(crate) fn into_gate(self) -> Option<Trusted> {
        self.gate.into_inner()
    }

    /// The time where the user is, as far as the configuration says: `Sunday 2026-11-15 10:00 UTC`.
    pub(crate) fn local_time(&self) -> String {
        self.zoned(self.now).strftime("%A %Y-%m-%d %H:%M %Z").to_string()
    }

    /// The hour of the day where the user is; none if nobody knows where that is.
    pub(crate) fn local_hour(&self, at: Time) -> Option<i8> {
        let zone = &self.agent.config.rhythms.time_zone;
        (zone != UNKNOWN_ZONE).then(|| self.zoned(at).hour())
    }

    fn zoned(&self, at: Time) -> Zoned {
        let zone = TimeZone::get(&self.agent.config.rhythms.time_zone).unwrap_or(TimeZone::UTC);
        Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(zone)
    }
}
