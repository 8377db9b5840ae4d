//! Sharing as one agent sees it: its own memories that others read, and theirs that it reads.

use crate::{agent::Agent, error::Result};
use cairn_cognition::source_trust::{TRUST_FLOOR, source_trust};
use cairn_domain::{AgentName, MemoryShare, Time, WriteGrant};

/// How sharing stands for one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingReport {
    /// The memories that others may read, by reader.
    pub shares: Vec<(AgentName, MemoryShare)>,
    /// The agents that may write into this memory.
    pub writers: Vec<(AgentName, WriteGrant)>,
    /// The agents whose memories this one looks at.
    pub sources: Vec<SourceReport>,
    /// The homes elsewhere that are asked, too.
    pub peers: Vec<PeerReport>,
}

/// A home elsewhere that is asked, too.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerReport {
    /// Its name.
    pub name: AgentName,
    /// The address of its server.
    pub url: String,
    /// How far it is trusted, 0 to 1; below a floor it is not asked.
    pub trust: f64,
    /// Highest trust that the configuration lets it have.
    pub trust_at_most: f64,
}

/// An agent whose memories another looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceReport {
    /// The owner.
    pub owner: AgentName,
    /// How far it is trusted, 0 to 1.
    pub trust: f64,
    /// Highest trust that an operator lets it have.
    pub trust_at_most: f64,
    /// The memories that may be found.
    pub state: SourceAccess,
}

/// The memories of another agent that may be found.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceAccess {
    /// These memories.
    Shared(MemoryShare),
    /// Nothing: its owner shares nothing now.
    NotShared,
    /// Nothing: too little of it is trusted.
    Quarantined(MemoryShare),
    /// Nothing now: its store cannot be opened.
    Away,
}

impl SourceAccess {
    /// In a word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Shared(_) => "shared",
            Self::NotShared => "not_shared",
            Self::Quarantined(_) => "quarantined",
            Self::Away => "away",
        }
    }

    /// The memories that its owner shares.
    pub fn share(&self) -> Option<&MemoryShare> {
        match self {
            Self::Shared(share) | Self::Quarantined(share) => Some(share),
            Self::NotShared | Self::Away => None,
        }
    }
}

impl Agent {
    /// The memories that this agent shares, and those that are shared with it.
    pub async fn sharing(&self) -> Result<SharingReport> {
        let now = self.now();
        let (shares, writers, sources) =
            self.store.read(|view| Ok((view.shares()?, view.writers()?, view.shared_sources()?))).await?;
        let mut reports = Vec::with_capacity(sources.len());
        for (owner, source) in sources {
            let judgments = self.store.read(|view| view.trust_judgments(&owner)).await?;
            let trust_at_most = source.trust_at_most;
            let trust = source_trust(&judgments, trust_at_most);
            let state = match self.shared_by(&owner, now).await {
                Ok(Some(share)) if trust < TRUST_FLOOR => SourceAccess::Quarantined(share),
                Ok(Some(share)) => SourceAccess::Shared(share),
                Ok(None) => SourceAccess::NotShared,
                Err(_) => SourceAccess::Away,
            };
            reports.push(SourceReport { owner, trust, trust_at_most, state });
        }
        let mut peers = Vec::new();
        for peer in self.peers.iter().filter(|peer| peer.is_asked_by(&self.name)) {
            let (config, trust) = (&peer.config, self.trust_in_peer(&peer.config).await?);
            let (name, url, trust_at_most) = (config.name.clone(), config.url.clone(), config.trust_at_most);
            peers.push(PeerReport { name, url, trust, trust_at_most });
        }
        Ok(SharingReport { shares, writers, sources: reports, peers })
    }

    /// The memories that an owner shares with this agent.
    async fn shared_by(&self, owner: &AgentName, now: Time) -> Result<Option<MemoryShare>> {
        match self.owners.store(owner, now).await? {
            Some(store) => Ok(store.read(|view| view.share_with(&self.name, now)).await?),
            None => Ok(None),
        }
    }
}
