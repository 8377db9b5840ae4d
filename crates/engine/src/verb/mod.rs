//! The verbs of an agent, each implemented once for every surface: the command line, REST, MCP and hooks call these and only
//! render what comes back. Here limits are checked, answers strengthen what they gave, and the gate decides who may see a
//! belief; `read` and `write` below do the work.

mod answer;
mod audience;
mod context;
mod correct;
mod explain;
mod open;
mod reflect;
mod remember;
mod timeline;

pub use audience::{Audience, Effects};
pub use correct::{CorrectedBy, CorrectionDraft};
pub use explain::{ExplainedMessage, ExplainedRecord};
pub use open::OpenedRecord;
pub use reflect::ReflectionDraft;
pub use remember::{FormMemories, RememberedMessage};
pub use timeline::{TimelineQuery, TimelineSubject};
