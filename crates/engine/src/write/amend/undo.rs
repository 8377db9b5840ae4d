//! Undo: a person takes back what was decided about a memory. What was replaced, or whose time was called over, holds again;
//! what was joined with other words says again what it said before. The decision and its undoing both stay among the
//! revisions, and nothing is taken away.

use crate::{agent::Agent, error::Result};
use cairn_domain::{DataSource, Invalid, Memory, MemoryId, RelationKind, Status, Tier};
use cairn_store::{MemoryRecord, Reopened, RevisionRecord};

/// The decision about a memory that can be taken back.
enum DecidedChange {
    /// It was replaced, or its time was called over.
    Closed(Box<MemoryRecord>),
    /// It replaced these.
    Replaced(Vec<MemoryRecord>),
    /// It was joined with other words: the text before.
    Joined(Box<MemoryRecord>, String),
    /// Nothing.
    None,
}

impl Agent {
    /// Takes back the last decision about a memory; the memories that changed.
    pub async fn undo_decision(&self, id: MemoryId) -> Result<Vec<MemoryRecord>> {
        let reopened = match self.decided_change(id).await? {
            DecidedChange::Closed(record) => vec![*record],
            DecidedChange::Replaced(records) => records,
            DecidedChange::Joined(record, text) => {
                let reason = "undone: a person wants back what it said before".to_owned();
                self.store.restore_text(record.number, text, reason, self.now()).await?;
                return Ok(vec![self.memory(id).await?]);
            }
            DecidedChange::None => {
                return Err(Invalid::new(
                    format!("nothing was decided about {id} that could be undone"),
                    format!("`cairn why {id}` shows how it came to be; `cairn memories wake` brings back what rests"),
                )
                .into());
            }
        };
        let mut changed = Vec::with_capacity(reopened.len());
        for record in reopened {
            let reason = "undone: a person says that it still holds".to_owned();
            let (number, replaced_by) = (record.number, record.superseded_by);
            let (tier, text) = (awake_tier(&record.memory), record.memory.text.clone());
            let reopened = Reopened { number, replaced_by, tier, text, reason };
            self.store.reopen(reopened, self.now()).await?;
            changed.push(self.memory(record.memory.id).await?);
        }
        Ok(changed)
    }

    async fn decided_change(&self, id: MemoryId) -> Result<DecidedChange> {
        let record = self.memory(id).await?;
        if record.memory.status == Status::Superseded {
            return Ok(DecidedChange::Closed(Box::new(record)));
        }
        let number = record.number;
        let (replaced, revisions) = self
            .store
            .read(|view| {
                let relations = view.relations(number)?;
                let replaced: Vec<u32> = relations
                    .iter()
                    .filter(|relation| relation.kind == RelationKind::Supersedes && relation.from == number)
                    .map(|relation| relation.to)
                    .collect();
                Ok((view.memories_at(&replaced)?, view.revisions(number)?))
            })
            .await?;
        let replaced: Vec<MemoryRecord> =
            replaced.into_iter().filter(|other| other.superseded_by == Some(number)).collect();
        if !replaced.is_empty() {
            return Ok(DecidedChange::Replaced(replaced));
        }
        let different = |revision: &&RevisionRecord| revision.text != record.memory.text;
        let before = revisions.iter().filter(different).max_by_key(|revision| revision.revision);
        Ok(match before.map(|before| before.text.clone()) {
            Some(text) if !record.memory.immutable => DecidedChange::Joined(Box::new(record), text),
            _ => DecidedChange::None,
        })
    }
}

/// How a memory is kept that is awake.
pub(super) fn awake_tier(memory: &Memory) -> Tier {
    match (memory.tier, memory.data_source) {
        (Tier::Dormant, DataSource::File) => Tier::Semantic,
        (Tier::Dormant, _) => Tier::Episodic,
        (tier, _) => tier,
    }
}
