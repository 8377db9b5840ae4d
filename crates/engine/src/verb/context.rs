//! `context`: what is put before a model.

use super::audience::Effects;
use crate::{
    Agent, Result,
    limits::check_context_tokens,
    read::{Brief, Briefing},
};

impl Agent {
    /// The brief that a model is shown before it answers, within a budget of tokens.
    pub async fn context(&self, briefing: &Briefing, effects: Effects) -> Result<Brief> {
        check_context_tokens(briefing.tokens)?;
        let brief = self.brief(briefing).await?;
        match effects {
            Effects::Strengthen => self.strengthen_brief(&brief, briefing.session.as_deref()).await?,
            Effects::None => {}
        }
        Ok(brief)
    }
}
