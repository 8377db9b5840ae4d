//! How a memory is kept: pinned or not, awake or at rest. Nothing of what it says changes.

use super::undo::awake_tier;
use crate::{agent::Agent, error::Result};
use cairn_domain::{Invalid, MemoryId, Tier};
use cairn_store::MemoryRecord;

impl Agent {
    /// Pins a memory, so that no rhythm lets it go, or unpins it.
    pub async fn pin_memory(&self, id: MemoryId, pinned: bool) -> Result<MemoryRecord> {
        let record = self.memory(id).await?;
        if pinned {
            self.store.pin(record.number).await?;
        } else {
            self.store.unpin(record.number).await?;
        }
        self.memory(id).await
    }

    /// Puts a memory to rest, or wakes it. Nothing is lost.
    pub async fn rest_memory(&self, id: MemoryId, rest: bool) -> Result<MemoryRecord> {
        let record = self.memory(id).await?;
        let known = &record.memory;
        if rest && (known.immutable || known.pinned) {
            let (what, hint) = if known.immutable {
                ("immutable", "what is immutable is never put to rest; choose another memory".to_owned())
            } else {
                ("pinned", format!("`cairn memories unpin {id}` first, if that is what you want"))
            };
            return Err(Invalid::new(format!("{id} is {what} and cannot become dormant"), hint).into());
        }
        let tier = if rest { Tier::Dormant } else { awake_tier(known) };
        if known.tier == tier || (!rest && known.tier != Tier::Dormant) {
            return Ok(record);
        }
        self.store.set_tier(record.number, tier).await?;
        self.memory(id).await
    }
}
