//! An open store as work on it needs it: which agent it is for, where that is stored, and the files beside the database.

mod files;
mod notes;
mod store_context;
mod view;

pub(crate) use files::AgentFiles;
pub(crate) use notes::RepairNotes;
pub(crate) use store_context::{Storage, StoreContext};
pub use view::View;
