//! How a memory is kept: pinned or not, awake or at rest. Nothing of what it says changes.

use super::undo::awake_tier;
use crate::{agent::Agent, error::Result};
use cairn_domain::{Invalid, MemoryId, Tier};
use cairn_store::MemoryRecord;

impl Agent {
    /// Pins a memory, so that no rhythm lets it go.
    pub async fn pin_memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        self.store.pin(self.memory(id).await?.number).await?;
        self.memory(id).await
    }

    /// Unpins a memory.
    pub async fn unpin_memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        self.store.unpin(self.memory(id).await?.number).await?;
        self.memory(id).await
    }

    /// Makes a memory dormant. Nothing is lost.
    pub async fn rest_memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        let record = self.memory(id).await?;
        let known = &record.memory;
        if known.immutable || known.pinned {
            let (what, hint) = if known.immutable {
                ("immutable", "what is immutable is never put to rest; choose another memory".to_owned())
            } else {
                ("pinned", format!("`cairn memories unpin {id}` first, if that is what you want"))
            };
            return Err(Invalid::new(format!("{id} is {what} and cannot become dormant"), hint).into());
        }
        self.move_to_tier(record, Tier::Dormant).await
    }

    /// Wakes a dormant memory.
    pub async fn wake_memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        let record = self.memory(id).await?;
        let tier = awake_tier(&record.memory);
        self.move_to_tier(record, tier).await
    }

    async fn move_to_tier(&self, record: MemoryRecord, tier: Tier) -> Result<MemoryRecord> {
        if record.memory.tier == tier {
            return Ok(record);
        }
        self.store.set_tier(record.number, tier).await?;
        self.memory(record.memory.id).await
    }
}
