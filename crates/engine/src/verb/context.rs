//! `context`: what is put before a model.

use super::audience::Effects;
use crate::{
    Agent, Result,
    belief::SupposedDecision,
    limits::check_context_tokens,
    read::{Brief, Briefing},
    write::stored_name,
};

impl Agent {
    /// The brief that a model is shown before it answers, within a budget of tokens.
    pub async fn context(&self, briefing: &Briefing, effects: Effects) -> Result<Brief> {
        let briefing = &checked_briefing(briefing)?;
        let brief = self.brief(briefing, None).await?;
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

    /// The brief as it would be after a decision about a belief. It is for whoever decides: nobody is told, and nothing is
    /// strengthened.
    pub async fn context_if(&self, briefing: &Briefing, supposed: &SupposedDecision) -> Result<Brief> {
        self.brief(&checked_briefing(briefing)?, Some(supposed)).await
    }
}

/// A request within bounds, its names as they are stored.
fn checked_briefing(briefing: &Briefing) -> Result<Briefing> {
    check_context_tokens(briefing.tokens)?;
    let stored = |name: &Option<String>| name.as_deref().map(stored_name);
    let (session, thread) = (stored(&briefing.session), stored(&briefing.thread));
    Ok(Briefing { thread, session, ..briefing.clone() })
}
