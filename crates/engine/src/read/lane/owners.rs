//! Asking those agents that share something with this one.

use super::{
    dense::QuestionVector,
    shared::{SharedCandidate, SharedSearch, TRUST_FLOOR, asks_for_shared},
};
use crate::{
    Agent, Result,
    meter::fallback,
    read::question::{Question, UnderstoodQuestion},
};
use cairn_domain::{AgentName, Time};

/// Owners that one question is put to, at most.
pub(crate) const MAX_SHARED_SOURCES: usize = 32;

/// The memories that others share, and who could not be asked.
#[derive(Default)]
pub(crate) struct SharedFindings {
    pub(crate) shared: Vec<SharedCandidate>,
    pub(crate) away: Vec<AgentName>,
}

impl Agent {
    /// Memories of other agents that may answer. An owner that cannot be asked is named, and the answer is given without it.
    pub(in crate::read) async fn search_shared(
        &self,
        question: &Question,
        asked: &UnderstoodQuestion,
        meaning: Option<&QuestionVector>,
        now: Time,
    ) -> Result<SharedFindings> {
        let mut findings = SharedFindings::default();
        if !asks_for_shared(question) {
            return Ok(findings);
        }
        let sources = self.store.read(|view| view.shared_sources()).await?;
        if sources.is_empty() {
            return Ok(findings);
        }
        let terms: Vec<String> = asked.searched_terms(&question.profile).into_iter().flatten().collect();
        for (owner, source) in sources.into_iter().take(MAX_SHARED_SOURCES) {
            let trust = source.trust_at_most;
            if trust < TRUST_FLOOR {
                continue;
            }
            let (reader, terms) = (&self.name, terms.as_slice());
            let search = SharedSearch { reader, owner: &owner, trust, question, meaning, terms, now };
            if let Ok(found) = self.search_owner(&search).await {
                findings.shared.extend(found);
            } else {
                fallback("shared_away");
                findings.away.push(owner);
            }
        }
        Ok(findings)
    }

    async fn search_owner(&self, search: &SharedSearch<'_>) -> Result<Vec<SharedCandidate>> {
        match self.owners.store(search.owner, search.now).await? {
            Some(store) => Ok(store.read(|view| search.candidates(view)).await?),
            None => Ok(Vec::new()),
        }
    }
}
