//! How a memory is kept: pinned or not, awake or forgotten. Nothing of what it says changes.

use super::undo::awake_tier;
use crate::{agent::Agent, error::Result};
use cairn_domain::{FORGOTTEN_LAYER, Invalid, MemoryId, SHORT_TERM_LAYER, Tier};
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

    /// Forgets a memory: nothing shows it, nor the message it rests on, until it is woken. Nothing is lost.
    pub async fn forget_memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        let record = self.memory(id).await?;
        let known = &record.memory;
        let refused = if known.immutable {
            Some(("immutable", "what is immutable is never forgotten; choose another memory".to_owned()))
        } else if known.pinned {
            Some(("pinned", format!("`cairn memories unpin {id}` first, if that is what you want")))
        } else {
            None
        };
        if let Some((what, hint)) = refused {
            return Err(Invalid::new(format!("{id} is {what} and cannot be forgotten"), hint).into());
        }
        if known.is_forgotten() {
            return Ok(record);
        }
        self.store.move_memory(record.number, FORGOTTEN_LAYER.to_owned(), Tier::Dormant).await?;
        self.reset_hot_memories();
        self.memory(id).await
    }

    /// Wakes a memory that was forgotten or is dormant.
    pub async fn wake_memory(&self, id: MemoryId) -> Result<MemoryRecord> {
        let record = self.memory(id).await?;
        let known = &record.memory;
        if known.tier != Tier::Dormant {
            return Ok(record);
        }
        let layer = if known.is_forgotten() { SHORT_TERM_LAYER.to_owned() } else { known.layer.clone() };
        self.store.move_memory(record.number, layer, awake_tier(known)).await?;
        self.reset_hot_memories();
        self.memory(id).await
    }
}
