//! `context`: what is put before a model.

use super::audience::Effects;
use crate::{
    Agent, Result,
    belief::SupposedDecision,
    continuity::SeenIntention,
    limits::check_context_tokens,
    quote::INTENTIONS_HEADER,
    read::{Brief, Briefing},
    write::stored_name,
};
use cairn_domain::MessageId;

impl Agent {
    /// The brief that a model is shown before it answers, within a budget of tokens.
    pub async fn context(&self, briefing: &Briefing, effects: Effects) -> Result<Brief> {
        let mut briefing = checked_briefing(briefing)?;
        briefing.told_in = match effects {
            // A brief without a session belongs to its day, as a question does.
            Effects::Strengthen => briefing.session.clone().or_else(|| Some(self.now().day().to_string())),
            Effects::None => briefing.session.clone(),
        };
        let brief = self.brief(&briefing, None).await?;
        match effects {
            Effects::Strengthen => {
                self.strengthen_brief(&brief, briefing.session.as_deref()).await?;
                let told = brief.told_intentions();
                self.note_told_intentions(told, briefing.told_in.as_deref()).await?;
            }
            Effects::None => {}
        }
        Ok(brief)
    }

    /// The intentions that wait for one of the files a tool touches now, as a model is told of them; empty if nothing waits. A
    /// session is told once.
    pub async fn context_of_files(&self, files: &[String], session: &str) -> Result<Brief> {
        let session = stored_name(session);
        let due = self.intentions_of_files(files, &session).await?;
        if due.is_empty() {
            return Ok(Brief::default());
        }
        let messages: Vec<MessageId> = due.iter().map(|it| it.record.message).collect();
        let refs = messages.iter().map(MessageId::to_string).collect();
        self.note_told_intentions(messages, Some(&session)).await?;
        let header = std::iter::once(INTENTIONS_HEADER.to_owned());
        Ok(Brief {
            lines: header.chain(due.iter().map(SeenIntention::line)).collect(),
            refs,
            ..Brief::default()
        })
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
