//! `reflect`: what an agent makes of what is remembered.

use super::audience::Audience;
use crate::{
    Agent, Reflection, Result,
    limits::{MAX_REFLECTION_CHARS, MAX_REFLECTION_REFS},
};
use cairn_domain::{Draft, Invalid, Role};

/// A reflection as a surface hands it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectionDraft {
    /// The thought.
    pub text: String,
    /// Refs of the memories and messages that it looks back on.
    pub on: Vec<String>,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// The project that it belongs to.
    pub thread: Option<String>,
}

impl Agent {
    /// Keeps what the agent makes of some records, as its own word.
    pub async fn reflect(&self, draft: ReflectionDraft, audience: Audience) -> Result<Reflection> {
        let ReflectionDraft { text, on, session, thread } = draft;
        let chars = text.trim().chars().count();
        if !(1..=MAX_REFLECTION_CHARS).contains(&chars) {
            let problem = format!("a reflection has {chars} characters");
            let hint = format!("say it in 1 to {MAX_REFLECTION_CHARS}; nothing was stored");
            return Err(Invalid::new(problem, hint).into());
        }
        if !(1..=MAX_REFLECTION_REFS).contains(&on.len()) {
            let problem = format!("a reflection names {} records", on.len());
            let hint = format!("name 1 to {MAX_REFLECTION_REFS} that it looks back on; nothing was stored");
            return Err(Invalid::new(problem, hint).into());
        }
        let mut refs = Vec::with_capacity(on.len());
        for written in &on {
            let reference = self.resolve(written).await?;
            self.check_audience(reference, audience).await?;
            refs.push(reference);
        }
        let said = Draft { session, thread, ..Draft::new(Role::Assistant, text.trim().to_owned()) };
        self.reflect_on(&refs, said).await
    }
}
