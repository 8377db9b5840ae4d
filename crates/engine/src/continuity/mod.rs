//! Continuity: an agent that picks up where it was. Everything here is derived from messages and memories and may be deleted.
//!
//! In reading order:
//! - `config`: how often, and how far.
//! - `remark`: what of a talk somebody has to know later: decisions, commitments, appointments, questions left open; pure.
//! - `intention`: what was asked to be told later, or promised.
//! - `project_skills`: how work with tools went in a project, and the procedures that worked; pure. `skill` reads what they follow from, and
//!   `skill_cache` keeps the last of them.
//! - `mood`: how the talk went; pure.
//! - `material`: the messages of a session or a thread, and what of them no longer holds.
//! - `handoff`: a handoff out of that, its text and files, and when it is written.
//! - `returning`: a handoff for whoever comes back: what has changed, what is due, what is open.
//! - `checkpoint`: the last exchanges of a session, for a host that has lost them.
//! - `start`: what a session begins with.
//! - `attachment`: files that are shown to an agent: receipts, their text, and how the files stand now.
//!
//! Nothing here decides what is true: a line that a later statement has replaced is left out, never reworded.

mod attachment;
mod checkpoint;
mod config;
mod handoff;
mod intention;
mod material;
mod mood;
mod project_skills;
mod remark;
mod returning;
mod skill;
mod skill_cache;
mod start;

pub use attachment::{
    AttachOutcome, AttachedFile, AttachmentTarget, AttachmentUpload, SeenAttachment, TextExtractor,
};
pub(crate) use attachment::{NoExtractor, StateCheck};
pub(crate) use checkpoint::ResumeLines;
pub use config::ContinuityConfig;
pub use handoff::StoredHandoff;
pub use intention::{IntentionDraft, IntentionScope, SeenIntention};
pub(crate) use material::outdated;
pub use project_skills::{FixStep, ProjectSkills, SeenFailure, SeenProcedure, SeenSkill};
pub(crate) use project_skills::{apply_outcomes, as_read};
pub(crate) use returning::ReturnQuery;
pub(crate) use skill::checked_outcomes;
pub(crate) use skill_cache::SkillCache;
pub use start::{ContextOccasion, StartSource};
