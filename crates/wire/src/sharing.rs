//! Sharing between agents.

use cairn_domain::{AgentName, MemoryShare, Time, TrustVerdict, WriteGrant};
use cairn_engine::{PeerReport, SharedMemory, SharingReport, SourceReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Memories that an agent shares, and that are shared with it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Sharing {
    /// The memories that other agents may read.
    pub shares: Vec<SharedWith>,
    /// The agents that may write into this memory.
    pub writers: Vec<PermittedWriter>,
    /// The agents whose memories this one looks at.
    pub sources: Vec<SharingSource>,
    /// The homes elsewhere that are asked, too.
    pub peers: Vec<SharingPeer>,
}

/// A home elsewhere that is asked, too.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SharingPeer {
    /// Its name here.
    pub name: AgentName,
    /// The address of its server.
    pub url: String,
    /// How far it is trusted, 0 to 1; below 0.3 it is not asked.
    pub trust: f64,
    /// Highest trust that the configuration lets it have.
    pub trust_at_most: f64,
}

/// Memories that another agent may read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SharedWith {
    /// The agent that may read them.
    pub reader: AgentName,
    /// Which memories.
    pub share: MemoryShare,
}

/// An agent that may write into a memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PermittedWriter {
    /// The agent.
    pub writer: AgentName,
    /// Until when.
    #[serde(flatten)]
    pub grant: WriteGrant,
}

/// An agent whose memories another looks at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SharingSource {
    /// The owner of the memories.
    pub owner: AgentName,
    /// `shared`, `not_shared`, `quarantined` or `away`.
    pub state: &'static str,
    /// How far it is trusted, 0 to 1.
    pub trust: f64,
    /// Highest trust that an operator lets it have.
    pub trust_at_most: f64,
    /// The memories that it shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<MemoryShare>,
}

impl From<SharingReport> for Sharing {
    fn from(SharingReport { shares, writers, sources, peers }: SharingReport) -> Self {
        Self {
            shares: shares.into_iter().map(|(reader, share)| SharedWith { reader, share }).collect(),
            writers: writers.into_iter().map(|(writer, grant)| PermittedWriter { writer, grant }).collect(),
            sources: sources.into_iter().map(SharingSource::from).collect(),
            peers: peers.into_iter().map(SharingPeer::from).collect(),
        }
    }
}

impl From<PeerReport> for SharingPeer {
    fn from(PeerReport { name, url, trust, trust_at_most }: PeerReport) -> Self {
        Self { name, url, trust, trust_at_most }
    }
}

impl From<SourceReport> for SharingSource {
    fn from(SourceReport { owner, trust, trust_at_most, state }: SourceReport) -> Self {
        Self { owner, state: state.as_str(), trust, trust_at_most, share: state.share().cloned() }
    }
}

/// A verdict on a memory that another agent shares.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustRequest {
    /// The memory, as `recall` gives it: `scout/mem_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// How it turned out. With an agent's key only `contradicted` counts.
    pub verdict: TrustVerdict,
}

/// How far an agent is trusted after a verdict.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceTrust {
    /// The owner of the memories.
    pub owner: AgentName,
    /// How far it is trusted, 0 to 1.
    pub trust: f64,
}

/// Memories that another agent shares, for review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SharedMemories {
    /// The memories, the newest first.
    pub memories: Vec<ReviewedMemory>,
}

/// A memory that another agent shares, for review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewedMemory {
    /// Its ref with its owner: `scout/mem_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The words.
    pub text: String,
    /// Since when it holds.
    pub at: Time,
}

impl FromIterator<SharedMemory> for SharedMemories {
    fn from_iter<I: IntoIterator<Item = SharedMemory>>(shared: I) -> Self {
        let reviewed = |SharedMemory { owner, record, .. }: SharedMemory| ReviewedMemory {
            reference: format!("{owner}/{}", record.memory.id),
            text: record.memory.text,
            at: record.memory.valid_from,
        };
        Self { memories: shared.into_iter().map(reviewed).collect() }
    }
}
