//! Where memory is kept: one schema, one text per statement, the archive files beside it and the indexes
//! derived from both. Only this crate knows SQL or the layout of an agent's folder.
//!
//! In reading order: [`Store`] is the handle; `database` is the small layer between statements and a
//! database driver; `record` holds the statements, one file a noun; `archive` is the append-only ground
//! truth and its repair; `append` is the one way in; `keyword` and `vector` are the derived indexes; `formation` writes what a
//! message becomes, `believing` what is held true; `worker` and `readers`
//! say on which thread and connection all of it runs, so that callers only ever await.
//!
//! What it must never do: decide what is worth keeping, or how hits are ranked.

mod append;
mod archive;
mod backup;
mod believing;
mod database;
mod disk;
mod distribute;
mod error;
mod examine;
mod formation;
mod keys;
mod keyword;
mod ledger;
mod map;
mod memo;
mod portable;
pub mod protected;
mod readers;
mod rebuild;
mod reclaim;
mod record;
mod search;
mod store;
mod tending;
mod vector;
mod verify;
mod words;
mod worker;

pub use append::Appended;
pub use believing::{Becomes, BeliefChange, Believing};
pub use database::Server;
pub use disk::{Disk, DiskFile, LocalDisk, free_bytes};
pub use distribute::distribution_plan;
pub use error::StoreError;
pub use examine::{ServerReport, examine};
pub use formation::{Bound, Committed, End, Formation, Link, NewMemory, Revised, Strengthened, Superseded};
pub use keys::{keys_on, put_key_on};
pub use keyword::{Document, KeywordIndex};
pub use portable::{DecidedThere, PortableRow, TakenRows};
pub use rebuild::Rebuilt;
pub use record::{
    After, Before, BeliefFilter, BeliefLink, BeliefRecord, ChangeRecord, Claimed, ClusterRecord, Counts,
    DigestRecord, Embeddable, EmbedderRecord, EmbedderState, EntityRecord, EntryRecord, Job, LOW_RISK,
    LinkEnd, MemoryFilter, MemoryRecord, MessageRecord, NewMention, NewVector, Outline, PROVENANCE_MODE,
    RefinementState, RelationRecord, ReviewRecord, RevisionRecord, RhythmRecord, RowBytes, RunRecord,
    SessionMessage, SessionRecord, StatementRecord, StepRecord, SynapticTag, ThreadRecord, Warm,
    WorkingRecord,
};
pub use search::{Filter, Near, Search, Wanted};
pub use store::{Options, Place, Store, View, agents_on, is_on};
pub use tending::{Batch, Begun, Effect, Occasion, Tended, Turn, What};
pub use vector::VectorIndex;
pub use verify::{Finding, Verification};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;
