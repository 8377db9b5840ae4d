//! The work behind the requests. `events` is the channel that listeners subscribe to, `worker` does the background work
//! of one agent, and `open_agents` keeps agents open, each with its worker.

pub(crate) mod events;
pub(crate) mod open_agents;
pub(crate) mod worker;
