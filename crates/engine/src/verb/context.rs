//! `context`: what is put before a model.

use super::audience::Effects;
use crate::{
    Agent, Result,
    limits::check_context_tokens,
    read::{Brief, Briefing},
    write::stored_name,
};

impl Agent {
    /// The brief that a model is shown before it answers, within a budget of tokens.
    pub async fn context(&self, briefing: &Briefing, effects: Effects) -> Result<Brief> {
        check_context_tokens(briefing.tokens)?;
        let stored = |name: &Option<String>| name.as_deref().map(stored_name);
        let (session, thread) = (stored(&briefing.session), stored(&briefing.thread));
        let briefing = &Briefing { thread, session, ..briefing.clone() };
        let brief = self.brief(briefing).await?;
        match effects {
            Effects::Strengthen => {
                self.strengthen_brief(&brief, briefing.session.as_deref()).await?;
                let told = brief.told_intentions();
                self.note_told_intentions(told, briefing.session.as_deref()).await?;
            }
            Effects::None => {}
        }
        Ok(brief)
    }
}
