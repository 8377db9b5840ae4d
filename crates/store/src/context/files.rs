//! The files of an agent that lives in a folder.

use crate::{
    archive::Archive,
    index::{
        keyword::LiveKeywordIndex,
        memory_terms::LiveTermIndex,
        vector::{LiveRevisionIndex, LiveVectorIndex},
    },
};
use std::path::PathBuf;

/// An agent's folder: its archive and its indexes, open beside the database.
pub(crate) struct AgentFiles {
    pub(crate) folder: PathBuf,
    pub(crate) archive: Archive,
    pub(crate) keywords: LiveKeywordIndex,
    pub(crate) vectors: LiveVectorIndex,
    pub(crate) revisions: LiveRevisionIndex,
    pub(crate) words: LiveTermIndex,
}
