//! Measurements that anyone can repeat.
//!
//! - `harness`: clocks, scratch folders, percentiles, a server process, and the workload that the measurements share.
//! - `corpus`: invented lives, speakers and vectors from a seed, and data sets read from files.
//! - `speed`: how long writing, asking, forming, dreaming, hooks, the proxy, many clients and many agents at once take.
//! - `quality`: how much of the evidence is found, reaches a prompt, or becomes a memory, and how many secrets are masked.
//! - `simulation`: months of conversation under a clock that jumps, and a page that shows what became of the memories.

mod corpus;
mod harness;
pub mod judges;
mod quality;
mod simulation;
mod speed;

pub use corpus::{dataset, labeled, synthetic_life, tool_work};
pub use quality::{
    capture, compaction, coverage, dynamics_learning, entropy_validity, figures, forming_quality,
    growth_answers, growth_cost, growth_year, handoffs, intentions, life, planted_friction, plot, poisoning,
    retrieval, runs, secret_masking, skills, standing_independence, updates,
};
pub use simulation::simulate;
pub use speed::{dreaming, fleet, forming, hooks, load, perf, proxy};
