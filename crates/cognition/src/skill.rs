//! Skills: what was tried with which tool, how often it worked, how long it took, how failure looked and what fixed it.
//! `command` reads what a command line does, `step` pairs calls with their results, `tally` counts. Nothing here is stored: it
//! follows from the messages of tools.

mod command;
mod step;
mod tally;

pub use step::{ToolMessage, ToolOutcome, ToolStep, failure_line, tool_steps};
pub use tally::{ToolFailure, ToolSkill, tool_skills};

#[cfg(test)]
mod tests;
