//! The writer's state between writes: a second connection, and which upkeep is due.

use super::connection::WriterConnection;
use crate::context::StoreContext;
use cairn_domain::{Day, Time};

/// Groups committed between two checks whether upkeep is due.
const CHECK_UPKEEP_EVERY_GROUPS: u64 = 8;
/// A server analyzes its tables again after this many more messages, if there are also half as many again.
const ANALYZE_AFTER_MESSAGES: i64 = 500;

/// Owned by whoever writes at this moment.
#[derive(Default)]
pub(super) struct WriterState {
    /// Where to write while the main connection is being read on. On a server it is used for all writes, and is open only
    /// while somebody writes: other agents may need it.
    pub(super) fallback: WriterConnection,
    groups_committed: u64,
    /// The number of messages when a server last analyzed its tables.
    analyzed_messages: i64,
    /// The newest day written to, with a moment of it.
    newest_day: Option<(Time, Day)>,
    /// Whether days before it may not be sealed yet.
    may_be_unsealed: bool,
}

impl WriterState {
    /// Notes a committed group; whether upkeep is due. `checkpoint_is_due` is asked only once in a while.
    pub(super) fn note_group(
        &mut self,
        context: &StoreContext,
        now: Time,
        checkpoint_is_due: impl FnOnce() -> bool,
    ) -> bool {
        self.groups_committed += 1;
        let new_day = self.newest_day.is_none_or(|(_, day)| day != now.day());
        if new_day {
            self.newest_day = Some((now, now.day()));
        }
        self.may_be_unsealed |= new_day;
        self.may_be_unsealed
            || (self.groups_committed.is_multiple_of(CHECK_UPKEEP_EVERY_GROUPS)
                && (checkpoint_is_due() || self.needs_analyze(context)))
    }

    /// A moment of the newest day, once, if days before it may have to be sealed.
    pub(super) fn take_sealing_moment(&mut self) -> Option<Time> {
        self.newest_day.filter(|_| std::mem::take(&mut self.may_be_unsealed)).map(|(now, _)| now)
    }

    /// Whether a server should analyze its tables again.
    pub(super) fn needs_analyze(&self, context: &StoreContext) -> bool {
        let messages = self.fallback.memo.messages();
        let analyzed = self.analyzed_messages;
        context.files().is_none() && messages > (analyzed + ANALYZE_AFTER_MESSAGES).max(analyzed * 3 / 2)
    }

    /// Asks a server to analyze its tables. One that refuses does so by itself, only later.
    pub(super) fn analyze(&mut self, context: &StoreContext) {
        self.analyzed_messages = self.fallback.memo.messages();
        if let Some(postgres) = self.fallback.get(context).ok().and_then(|connection| connection.postgres()) {
            let _ = postgres.analyze_if_grown(self.analyzed_messages);
        }
    }

    /// Returns a server's connection to the pool.
    pub(super) fn release_server_connection(&mut self, context: &StoreContext) {
        if context.files().is_none() {
            self.fallback.connection = None;
        }
    }
}
