//! Friction: what makes work with tools hard again and again, read out of calls, their results and what the user says after them.
//! Nothing is decided here but what was seen; a person decides what comes of it.
//!
//! In reading order: `signal` is what the user says about the work, `signature` by what the same failure is known again, `work`
//! what the detectors read; `kind` names what they find, `failing`, `retried` and `told` are the ten detectors, `find` asks them all; `advice` is the passage that a kind of friction
//! asks for; `process` scores one stretch of work.

mod advice;
mod failing;
mod find;
mod kind;
mod process;
mod retried;
mod signal;
mod signature;
mod told;
mod work;

pub use advice::{Advice, advice};
pub use find::frictions;
pub use kind::{Friction, FrictionKind, WorkRef};
pub use process::{ProcessScore, Relabel, process_score};
pub use signal::{WorkSignal, work_signal};
pub use signature::failure_signature;
pub use work::{Work, WorkRequest};

#[cfg(test)]
mod tests;
