//! The write path, from words to memories. A message is durable before anything is decided about it; everything after
//! the acknowledgement can be done again from the archive.
//!
//! In reading order:
//! - `reasons`: the explanation that every step leaves with a memory (data only).
//! - `metadata`: the fields of a message's metadata that mean something here.
//! - `intake`: validates and appends messages and whole transcripts.
//! - `prepare`: turns a message into statements that stand alone; pure.
//! - `decide`: reads what is known around a statement and lets the gate decide.
//! - `form`: puts the decisions about a message together and commits them.
//! - `embed`: gives messages and memories their vectors afterwards.
//! - `index_maintenance`: writes index files, one process at a time.
//! - `amend`: corrections, feedback, strengthening and pinning.
//! - `knowledge`: files of the workspace become memories that cite their lines.
//! - `refine`: lets a language model, where there is one, reword what rules have formed.

mod amend;
mod decide;
mod embed;
mod form;
mod index_maintenance;
mod intake;
mod knowledge;
mod metadata;
mod prepare;
mod reasons;
mod refine;

pub use amend::correct::Correction;
pub use amend::reflect::Reflection;
pub(crate) use decide::neighborhood::{Neighborhood, NeighborhoodQuery};
pub use embed::worker::{EmbedderChange, Embedding};
pub(crate) use form::intention::SetTrigger;
pub(crate) use form::memory::MERGED_TEXT_SEPARATOR;
pub use form::outcome::{Formed, Forming};
pub use intake::capture::Remembered;
pub use intake::follow::Following;
pub use intake::ingest::{IngestEvent, IngestReport};
pub use intake::validation::stored_name;
pub use knowledge::import::KnowledgeReport;
pub use metadata::ASKED;
pub(crate) use metadata::CORRECTS;
pub use metadata::DATA_SOURCE;
pub(crate) use metadata::{INTENTION, TOLD_FOR_USER};
pub(crate) use prepare::analysis_cache::AnalysisCache;
pub use prepare::diary_entry::PrivateMemory;
pub(crate) use prepare::diary_entry::private_statements;
pub(crate) use prepare::message::{Proposition, every_statement};
pub(crate) use prepare::observe::MessageOrigin;
pub use reasons::{
    Classed, Contradicted, Counted, Decision, Felt, Filtered, Foreseen, NearestMemory, Reasons, Said, Weighed,
};
pub(crate) use refine::accept::{unfit_as_prose, unfit_for};
pub(crate) use refine::question::{merge_question, prose_question};
pub use refine::worker::Refining;
