//! The statements, one file a noun. Every statement names its agent. The columns of a record stand in one list
//! (`columns`), which inserting, selecting and reading follow.
//!
//! In reading order:
//! - `columns`, `ordering`: how rows become records.
//! - `agent`, `message`, `tool_message`, `session`, `reply`: what was said, by whom, and what was answered to a write.
//! - `memory`, `memory_writer`, `formed`, `hot_memory`: memories, how they are written, and which are at hand.
//! - `evidence`, `origin`, `graph`, `recalled`, `short_ref`: what memories rest on, what ties them, and how they are addressed.
//! - `embedder`, `embedding`, `derived_vector`, `indexable`: vectors, and messages as the keyword index wants them.
//! - `job`, `refinement`, `rhythm`, `tending`: work in the background, and what it reads and writes.
//! - `belief`, `belief_words`, `governed`, `receipt`, `sharing`: what is held true, what an operator set, and the ledger.
//! - `digest`, `handoff`, `attachment`, `intention`: what is condensed, handed over, shown and meant for later.
//! - `coherence`, `dynamics`, `inquiry`, `proposal`, `standing`: growth.
//! - `diary`: what is sealed. `extent`: how much there is.

mod agent;
mod attachment;
mod belief;
mod belief_words;
mod coherence;
mod columns;
mod derived_vector;
mod diary;
mod digest;
mod dynamics;
mod embedder;
mod embedding;
mod evidence;
mod extent;
mod formed;
mod governed;
mod graph;
mod handoff;
mod hot_memory;
mod indexable;
mod inquiry;
mod intention;
mod job;
mod memory;
mod memory_writer;
mod message;
mod ordering;
mod origin;
mod proposal;
mod recalled;
mod receipt;
mod refinement;
mod reply;
mod rhythm;
mod session;
mod sharing;
mod short_ref;
mod standing;
mod tending;
mod tool_message;

pub(crate) use agent::{agent_id, agent_names, bump_epoch, ensure_agent, epoch};
pub use attachment::{AttachmentFilter, AttachmentPartRecord, NewAttachment};
pub(crate) use attachment::{
    ErasedTurns, all_attachments, attachments_left_without_turns, delete_attachment, delete_turns,
    note_attachment_terms, part_numbers,
};
pub use belief::{BeliefFilter, BeliefLink, BeliefRecord, LinkEnd};
pub(crate) use belief::{considered, insert_belief, link_belief, move_belief, next_belief, reconsider};
pub(crate) use belief_words::note_belief_terms;
pub use coherence::CoherenceFilter;
pub(crate) use coherence::{delete_entropy, set_entropy};
pub(crate) use columns::parse_word;
pub use derived_vector::DerivedRecord;
pub(crate) use derived_vector::add_derived_vectors;
pub use diary::EntryRecord;
pub use digest::{DigestRecord, Outline};
pub(crate) use digest::{insert_digest, set_entity_parents};
pub use dynamics::{DynamicsChange, DynamicsLearner, DynamicsTurn, TurnNumbers};
pub(crate) use dynamics::{delete_dynamics, is_learned_elsewhere, write_dynamics};
pub use embedder::{Embeddable, EmbedderRecord, EmbedderState, PreviousMessage};
pub(crate) use embedder::{
    StoredEmbedder, activate_embedder, active_embedder, embedders, ensure_embedder, known_embedder,
};
pub use embedding::NewVector;
pub(crate) use embedding::{
    Item, Whole, add_revision_vectors, add_vectors, drop_vectors, for_each_vector, keep_whole_vectors,
    renumber_vectors, require_whole_vectors, revision_vectors, whole_vectors,
};
pub(crate) use evidence::{MEMORY, cite, insert_evidence};
pub use extent::{Counts, RowBytes};
pub use formed::{TagRecord, WorkingRecord};
pub(crate) use formed::{capture_tags, end_session, insert_formed, insert_tag, set_working, touch_working};
pub use governed::{
    LEASE_PREFIX, LOW_RISK, PROVENANCE_MODE, SHARE_PREFIX, SOURCE_PREFIX, TRAINING_PREFIX, WRITER_PREFIX,
    is_protected_setting,
};
pub(crate) use governed::{protected_row, protected_setting};
pub use graph::{
    EntityRecord, FollowedPattern, NewMention, RelationPruning, RelationRecord, StatementRecord,
};
pub(crate) use graph::{
    RelationKey, RelationOrigin, count_patterns, insert_mentions, insert_relation, insert_statements,
    prune_relations,
};
pub use handoff::HandoffRecord;
pub(crate) use handoff::clear_handoffs;
pub use hot_memory::HotThresholds;
pub(crate) use indexable::{Indexable, indexable_from};
pub use inquiry::{
    Crystallized, GrowthBatch, InquiryRecord, InquirySeen, MadePass, PassRecord, VectorRecord,
};
pub(crate) use inquiry::{delete_inquiries, grow};
pub use intention::IntentionRecord;
pub(crate) use intention::{close_intentions, delete_intentions, insert_intentions};
pub use job::Job;
pub(crate) use job::{advance, claim, release, release_all};
pub use memory::{MemoryFilter, MemoryRecord, MemoryScope, RevisionRecord};
pub(crate) use memory::{close_memory, move_memory, pin_memory, reopen_memory, strengthen, unpin_memory};
pub(crate) use memory_writer::{
    MemoryInsert, MemoryWriter, TargetMemory, bump_memory_version, insert_revision_terms, memory_state,
    term_hashes,
};
pub use message::MessageRecord;
pub(crate) use message::{
    ArchivePlace, NewMessage, SessionEnd, duplicate_in_window, fnv1a, ids_at, insert_messages, last_place,
    message_at, messages_of_day, next_seq, seq_of, seqs_of, session_end,
};
pub(crate) use ordering::{in_order, pair};
pub use proposal::{ProposalRecord, ProposalTaken, UnfinishedDecision};
pub(crate) use proposal::{delete_proposals, move_proposal, note_unfinished};
pub(crate) use receipt::{StoredReceipt, insert_receipt, insert_stored_receipt, ledger_end};
pub use refinement::{RefinementRecord, RefinementState, RefinementUpdate};
pub(crate) use refinement::{queue_refinement, release_withheld, try_refinement, update_refinement};
pub use reply::Claimed;
pub(crate) use rhythm::{
    Advance, RhythmLease, add_to_step, advance_run, advance_schedule, insert_changes, insert_run, keep_lease,
    know_rhythm, lease_of, note_run, run_stands, set_paused, set_watermark, take_lease, unfinished_run,
};
pub use rhythm::{ChangeRecord, RhythmRecord, RunRecord, StepRecord};
pub use session::{After, SessionMessage, SessionRecord, ThreadRecord};
pub(crate) use session::{SessionTitle, insert_session, known_session, set_title, thread_id};
pub use standing::StandingDays;
pub(crate) use standing::{
    STANDING, delete_all_standing, delete_standing_of, insert_scores, insert_standing,
};
pub use tending::{ClusterRecord, ReviewRecord};
pub(crate) use tending::{
    NumberColumn, WordColumn, delete_relation, delete_tag, insert_rehearsal, memory_id, set_clusters,
    set_confidence, set_memory_numbers, set_memory_word, set_review,
};
pub use tool_message::{ToolMessageQuery, ToolMessageRecord};
