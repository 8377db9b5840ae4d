//! The handlers. `verbs` and `lists` are the agent's own, `import` takes messages in bulk, `event_stream` and `websocket`
//! deliver events, `mcp` serves the agent's tools, `govern` answers before it acts, `administration` and `review` are the operator's, and `health` reports on
//! the server itself.

pub(crate) mod administration;
pub(crate) mod attachments;
pub(crate) mod event_stream;
pub(crate) mod govern;
pub(crate) mod growth;
pub(crate) mod health;
pub(crate) mod import;
pub(crate) mod intentions;
pub(crate) mod lists;
pub(crate) mod mcp;
pub(crate) mod proposals;
pub(crate) mod review;
pub(crate) mod rhythms;
pub(crate) mod session;
pub(crate) mod skills;
pub(crate) mod verbs;
pub(crate) mod websocket;
