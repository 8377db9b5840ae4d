//! The end of a session: what it had in mind is let go, and what was used in it or matters is kept better for that.

use super::strengthen::recalled;
use crate::{
    agent::Agent,
    error::Result,
    write::{form::working_memory::working_entry, intake::validation::stored_name},
};
use cairn_cognition::promotion::quiet_since;
use cairn_store::{MemoryRecord, WorkingRecord};

impl Agent {
    /// Forgets what belongs to a session that has ended: the questions cached for it and what it had in mind. What it used
    /// twice, or what matters, is strengthened as if it had come to mind once more.
    pub async fn end_session(&self, session: &str) -> Result<()> {
        let name = stored_name(session);
        self.embedders.end_session(&name);
        let now = self.now();
        let mind = self.store.read(|view| {
            let items = view.working(&name)?;
            let records = view.memories_at(&items.iter().map(|item| item.number).collect::<Vec<_>>())?;
            let record = |item: &WorkingRecord| records.iter().find(|record| record.number == item.number);
            let mind = items.iter().filter_map(|item| Some((item.clone(), record(item)?.clone())));
            Ok(mind.collect::<Vec<(WorkingRecord, MemoryRecord)>>())
        });
        let mind = mind.await?;
        let worth_keeping = |(item, record): &&(WorkingRecord, MemoryRecord)| {
            let WorkingRecord { accesses, added_at, accessed_at, .. } = *item;
            working_entry(&record.memory, accesses, added_at, accessed_at).is_promotion_candidate()
        };
        let kept = mind.iter().filter(worth_keeping);
        let kept = kept.map(|(item, record)| (item.number, recalled(&record.memory, now))).collect();
        Ok(self.store.end_session(name, kept, now).await?)
    }

    /// Ends every session that has been quiet for two hours, because not every host says when one is over; their names.
    pub(crate) async fn end_quiet_sessions(&self) -> Result<Vec<String>> {
        let since = quiet_since(self.now());
        let quiet = self.store.read(|view| view.quiet_sessions(since)).await?;
        for session in &quiet {
            self.end_session(session).await?;
        }
        Ok(quiet)
    }
}
