//! Asking those agents that share something with this one.

use super::{
    dense::QuestionVector,
    shared::{SharedCandidate, SharedSearch, asks_for_shared},
};
use crate::{
    Agent, Result,
    meter::fallback,
    read::question::{Question, UnderstoodQuestion},
};
use cairn_cognition::source_trust::{TRUST_FLOOR, source_trust};
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
        let sources = self.trusted_sources().await?;
        if sources.is_empty() {
            return Ok(findings);
        }
        let terms: Vec<String> = asked.searched_terms(&question.profile).into_iter().flatten().collect();
        for (owner, trust) in sources {
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

    /// The owners whose memories are quoted, with how far each is trusted. Those below the floor are left out.
    async fn trusted_sources(&self) -> Result<Vec<(AgentName, f64)>> {
        let sources = self.store.read(|view| {
            let mut found = Vec::new();
            for (owner, source) in view.shared_sources()?.into_iter().take(MAX_SHARED_SOURCES) {
                let judgments = view.trust_judgments(&owner)?;
                found.push((owner, source_trust(&judgments, source.trust_at_most)));
            }
            Ok(found)
        });
        Ok(sources.await?.into_iter().filter(|(_, trust)| *trust >= TRUST_FLOOR).collect())
    }

    async fn search_owner(&self, search: &SharedSearch<'_>) -> Result<Vec<SharedCandidate>> {
        match self.owners.store(search.owner, search.now).await? {
            Some(store) => Ok(store.read(|view| search.candidates(view)).await?),
            None => Ok(Vec::new()),
        }
    }
}
