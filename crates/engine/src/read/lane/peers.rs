//! Asking peers: homes elsewhere that are asked over HTTP what they know. They are asked once for a question, all at the same time, each for
//! as long as the configuration lets it take.

use super::{
    dense::QuestionVector,
    owners::MAX_SHARED_SOURCES,
    shared::{SharedCandidate, asks_for_shared},
};
use crate::{
    Agent, Result,
    limits::QUERY_EMBED_TIMEOUT,
    meter::fallback,
    peers::PeerConfig,
    read::question::{Lane, Question, SharedMemory},
};
use cairn_cognition::{
    cosine::cosine,
    source_trust::{TRUST_FLOOR, source_trust},
};
use cairn_domain::{
    AgentName, Category, DataSource, Form, LONG_TERM_LAYER, Memory, MemoryId, Mode, Privacy, RecordKind,
    Status, TemporalType, Tier, Time, WriteSource,
};
use cairn_store::MemoryRecord;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Memories that a peer is asked for.
const PEER_HITS: usize = 8;
/// Characters of a memory of a peer that are read.
const MAX_PEER_TEXT_CHARS: usize = 2_000;

/// Memories of peers, each with its vector if an embedder was there, and the peers that did not answer.
#[derive(Default)]
pub(crate) struct PeerFindings {
    found: Vec<(SharedMemory, Option<Vec<f32>>)>,
    pub(crate) away: Vec<AgentName>,
}

/// The part of a peer's answer that is read.
#[derive(Deserialize)]
struct PeerAnswer {
    hits: Vec<PeerHit>,
}

#[derive(Deserialize)]
struct PeerHit {
    #[serde(rename = "ref")]
    reference: String,
    kind: String,
    text: String,
    at: Time,
    #[serde(default)]
    thread: Option<String>,
    #[serde(default)]
    superseded: bool,
}

impl PeerFindings {
    /// The memories that were found, as they fit one question.
    pub(crate) fn candidates(&self, meaning: Option<&QuestionVector>) -> Vec<SharedCandidate> {
        let mut near: Vec<(usize, f32)> = Vec::new();
        for (place, (_, vector)) in self.found.iter().enumerate() {
            let cosine =
                meaning.zip(vector.as_ref()).map(|(meaning, vector)| cosine(vector, &meaning.vector));
            near.extend(cosine.map(|cosine| (place, cosine)));
        }
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let lane = |place: usize| {
            let rank = near.iter().position(|(near, _)| *near == place)?;
            Some(Lane { rank: rank + 1, score: f64::from(near[rank].1) })
        };
        let candidate = |(place, (shared, _)): (usize, &(SharedMemory, _))| SharedCandidate {
            shared: shared.clone(),
            lane: lane(place),
        };
        self.found.iter().enumerate().map(candidate).collect()
    }
}

impl Agent {
    /// Memories of peers that may answer a question. A peer that does not answer in its time is named.
    pub(crate) async fn ask_peers(&self, question: &Question) -> Result<PeerFindings> {
        let mut findings = PeerFindings::default();
        if self.peers.is_empty() || question.no_peers || !asks_for_shared(question) {
            return Ok(findings);
        }
        let (asked, now) = (Arc::new(as_sent(question)), self.now());
        let mut asking = JoinSet::new();
        for peer in self.peers.iter().filter(|peer| peer.is_asked_by(&self.name)).take(MAX_SHARED_SOURCES) {
            let trust = self.trust_in_peer(&peer.config).await?;
            if trust < TRUST_FLOOR {
                continue;
            }
            let (peer, asked) = (Arc::clone(peer), Arc::clone(&asked));
            asking.spawn(async move { (peer.config.name.clone(), trust, peer.ask(&asked).await) });
        }
        let mut answers = asking.join_all().await;
        answers.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, trust, answer) in answers {
            let answer = answer.and_then(|answer| serde_json::from_value::<PeerAnswer>(answer).ok());
            let Some(answer) = answer else {
                fallback("peer_away");
                findings.away.push(name);
                continue;
            };
            let shared = answer.hits.into_iter().filter_map(|hit| shared_memory(&name, trust, hit, now));
            findings.found.extend(shared.take(PEER_HITS).map(|shared| (shared, None)));
        }
        self.embed_findings(&mut findings).await?;
        Ok(findings)
    }

    /// How far a peer is trusted: what was confirmed and contradicted of it, at most what the configuration says.
    pub(crate) async fn trust_in_peer(&self, peer: &PeerConfig) -> Result<f64> {
        let judgments = self.store.read(|view| view.trust_judgments(&peer.name)).await?;
        Ok(source_trust(&judgments, peer.trust_at_most))
    }

    /// Compares by the same embedder as everything else; without one, by words alone.
    async fn embed_findings(&self, findings: &mut PeerFindings) -> Result<()> {
        let active = if findings.found.is_empty() { None } else { self.active_embedder().await? };
        let Some((embedder, _)) = active.and_then(|active| self.embedders.named(&active.name).ok()) else {
            return Ok(());
        };
        let texts = findings.found.iter().map(|(shared, _)| shared.record.memory.text.clone()).collect();
        if let Ok(Ok(vectors)) = tokio::time::timeout(QUERY_EMBED_TIMEOUT, embedder.embed(texts)).await {
            for ((_, vector), embedded) in findings.found.iter_mut().zip(vectors) {
                *vector = Some(embedded);
            }
        }
        Ok(())
    }
}

/// A question as it leaves this home: its words, and nothing about who asks.
fn as_sent(question: &Question) -> Value {
    let kinds = [RecordKind::Memory.as_str()];
    let mut sent =
        json!({"query": question.text, "k": PEER_HITS, "kinds": kinds, "read_only": true, "no_peers": true});
    if let Some(as_of) = question.as_of {
        sent["as_of"] = as_of.to_string().into();
    }
    sent
}

/// A hit of a peer as a memory that is shared; none if it is no memory that holds.
fn shared_memory(owner: &AgentName, trust: f64, hit: PeerHit, now: Time) -> Option<SharedMemory> {
    if hit.kind != RecordKind::Memory.as_str() || hit.superseded || hit.text.trim().is_empty() {
        return None;
    }
    // What the peer was given by others has their name before it.
    let id: MemoryId = hit.reference.rsplit('/').next()?.parse().ok()?;
    let memory = Memory {
        id,
        text: hit.text.chars().take(MAX_PEER_TEXT_CHARS).collect(),
        form: Form::Fact,
        category: Category::Other,
        status: Status::Current,
        tier: Tier::Semantic,
        layer: LONG_TERM_LAYER.to_owned(),
        session: None,
        thread: hit.thread,
        mode: Mode::default(),
        temporal_type: TemporalType::Persistent,
        valid_from: hit.at,
        valid_until: None,
        recorded_at: now,
        write_source: WriteSource::Observer,
        data_source: DataSource::Federation,
        source_confidence: 1.0,
        source_hash: None,
        privacy: Privacy::Personal,
        pinned: false,
        immutable: false,
        flashbulb: false,
        importance: 0.0,
        utility: 0.5,
        utility_at: now,
        storage: 1.0,
        stability: 1.0,
        accesses: 0,
        accessed_at: now,
        surfaced: 0,
        valence: 0.0,
        arousal: 0.0,
        emotion: None,
    };
    let record = MemoryRecord { number: 0, revision: 0, memory, superseded_by: None, length: 0 };
    Some(SharedMemory { owner: owner.clone(), record, trust })
}
