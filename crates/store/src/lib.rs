//! Where memory is stored: one schema, one text per statement, the archive files beside it and the indexes derived from both.
//! Only this crate knows SQL or the layout of an agent's folder.
//!
//! In reading order, each knowing only those before it:
//!
//! - `error`, `files`, `threads`: failures with their hints, durable and mapped files, where blocking work runs.
//! - `database`: the thin layer between SQL statements and two database drivers. `transaction` is a transaction of one agent.
//! - `record`: the statements, one file per noun.
//! - `archive`: the append-only ground truth, its seals and its repair.
//! - `index`: the derived keyword and vector indexes.
//! - `context`: an open agent as work on it needs it; [`View`] reads it. `search` answers what needs an index.
//! - `append`: the one way in. `writer`: who writes, in which order and group, on which thread.
//! - `handle`: [`Store`], opened and at work.
//! - `commit`: what an engine decided, written. `maintenance`: checking, repairing, rebuilding, backups.
//! - `portable`: rows on their way to another store. `protected`: what only an operator changes.
//!
//! A new statement goes to `record`; a new kind of decision to `commit`; a new check or repair to `maintenance`.
//!
//! This crate must never decide what is worth keeping, or how hits are ranked.

mod append;
mod archive;
mod commit;
mod context;
mod database;
mod error;
mod files;
mod handle;
mod index;
mod maintenance;
mod portable;
pub mod protected;
mod record;
mod search;
mod threads;
mod transaction;
mod writer;

pub use append::Appended;
pub use commit::{
    BatchOutcome, BeginOutcome, BeliefChange, BeliefChanges, BeliefTransition, Committed, Formation,
    LeaseStop, Link, MemoryAttachments, MemoryChange, MemoryEffect, MemoryEnd, NewMemory, Reopened, Revised,
    RhythmBatch, RunLease, RunOccasion, RunProgress, Strengthened, Superseded,
};
pub use context::View;
pub use database::DatabaseServer;
pub use error::{Result, StoreError};
pub use files::{Disk, DiskFile, LocalDisk, free_bytes};
pub use handle::{
    Store, StoreLocation, StoreOptions, agent_exists_on_server, insert_access_key, list_access_keys,
    list_agents_on_server, put_access_key,
};
pub use index::{Document, IndexQuery, KeywordIndex, MessageFilter, NearestQuery, VectorIndex};
pub use maintenance::{
    ClusterReport, DatabaseServerReport, Rebuilt, VerificationFinding, VerificationReport, distribute_tables,
    distribution_plan, inspect_database_server,
};
pub use portable::{DecidedThere, PortableRow, TakenRows};
pub use record::{
    After, AttachmentFilter, AttachmentPartRecord, BeliefFilter, BeliefLink, BeliefRecord, ChangeRecord,
    Claimed, ClusterRecord, CoherenceFilter, Counts, Crystallized, DerivedRecord, DigestRecord,
    DynamicsChange, DynamicsLearner, DynamicsTurn, Embeddable, EmbedderRecord, EmbedderState, EntityRecord,
    EntryRecord, FollowedPattern, GrowthBatch, HandoffRecord, HotThresholds, InquiryRecord, InquirySeen,
    IntentionRecord, Job, LEASE_PREFIX, LOW_RISK, LinkEnd, MadePass, MemoryFilter, MemoryRecord, MemoryScope,
    MessageRecord, NewAttachment, NewMention, NewVector, Outline, PROVENANCE_MODE, PassRecord,
    PreviousMessage, ProposalRecord, ProposalTaken, RefinementRecord, RefinementState, RefinementUpdate,
    RelationPruning, RelationRecord, ReviewRecord, RevisionRecord, RhythmRecord, RowBytes, RunRecord,
    SHARE_PREFIX, SOURCE_PREFIX, SessionMessage, SessionRecord, StandingDays, StatementRecord, StepRecord,
    TRAINING_PREFIX, TagRecord, ThreadRecord, ToolMessageQuery, ToolMessageRecord, TurnNumbers,
    UnfinishedDecision, VectorRecord, WRITER_PREFIX, WorkingRecord, is_protected_setting,
};
pub use search::{DayRecord, IndexSearcher};
pub use transaction::Tx;
