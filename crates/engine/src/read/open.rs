//! Open: records in full.

use crate::{Agent, EngineError, Result};
use cairn_domain::Ref;
use cairn_store::MessageRecord;

impl Agent {
    /// The messages behind a ref: one for a message, those of its turn for an exchange.
    pub async fn open_ref(&self, reference: Ref) -> Result<Vec<MessageRecord>> {
        let messages = self
            .store
            .read(move |view| match reference {
                Ref::Message(id) => Ok(view.message(id)?.into_iter().collect()),
                Ref::Exchange(id) => view.exchange(id),
                Ref::Memory(_) | Ref::Belief(_) => Ok(Vec::new()),
            })
            .await?;
        if messages.is_empty() { Err(EngineError::NotFound(reference.to_string())) } else { Ok(messages) }
    }
}
