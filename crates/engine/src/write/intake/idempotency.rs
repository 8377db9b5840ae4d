//! Writes that come with a key of the caller's own are done once.

use crate::{agent::Agent, error::Result};
use cairn_store::Claimed;

impl Agent {
    /// Claims the caller's key `name` for what has the hash `asked`.
    pub async fn claim_reply(&self, name: &str, asked: [u8; 32]) -> Result<Claimed> {
        Ok(self.store.claim_reply(name.to_owned(), asked, self.now()).await?)
    }

    /// Keeps what was answered under a claimed key.
    pub async fn answer_reply(&self, name: &str, answer: &str) -> Result<()> {
        Ok(self.store.answer_reply(name.to_owned(), answer.to_owned()).await?)
    }

    /// Lets go of a claimed key under which nothing was done.
    pub async fn drop_reply(&self, name: &str) -> Result<()> {
        Ok(self.store.drop_reply(name.to_owned()).await?)
    }
}
