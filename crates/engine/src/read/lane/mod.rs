//! The lanes, each named for what it searches: `keyword` the words of messages, `dense` their meaning, `session` whole
//! conversations, `memory` what was remembered, `graph` where names and relations lead, `relation` where one memory leads, `belief` what is held true, `digest`
//! what was condensed, `attachment` what stands in files, `shared` what other agents share, `owners` who of them
//! is asked and `peers` which homes elsewhere; `measure` scores
//! what is no message beside messages.

mod attachment;
mod belief;
mod dense;
mod digest;
mod graph;
mod keyword;
mod measure;
mod memory;
mod owners;
mod peers;
mod relation;
mod session;
mod shared;

pub(super) use attachment::{AttachmentMatch, AttachmentSearch};
pub(super) use belief::{BeliefMatch, BeliefSearch};
pub(super) use dense::{DenseFindings, QuestionVector, nearest_wanted};
pub(super) use digest::{DigestMatch, DigestSearch, max_digest_hits};
pub(super) use keyword::{KeywordFindings, Neighbors, QueryWord};
pub(super) use measure::{GOOD_BEST_LIKENESS, RecordScorer};
pub(super) use memory::{FoundMemory, MemoryFindings, NearestMemories, forgotten_messages};
pub(super) use owners::SharedFindings;
pub(super) use peers::PeerFindings;
pub(super) use relation::{RelationWalk, way_name};
pub(super) use session::SessionFindings;
pub(super) use shared::{SharedCandidate, SharedMatch, shared_matches};
