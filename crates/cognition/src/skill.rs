//! Skills: what was tried with which tool, how often it worked, how long it took, how failure looked and what fixed it;
//! and procedures, the orders of steps that worked again and again. `command` reads what a command line does, `step` pairs calls with
//! their results, `tally` counts, `procedure` mines. Nothing here is stored: it follows from the messages of tools.

mod command;
mod procedure;
mod shape;
mod step;
mod tally;

pub use procedure::{Procedure, ProcedureStep, mined_procedures, procedure_confidence};
pub use shape::argument_shape;
pub use step::{
    ToolFailureClass, ToolMessage, ToolOutcome, ToolStep, failure_class, failure_line, tool_steps,
};
pub use tally::{ToolFailure, ToolSkill, tool_skills};

#[cfg(test)]
mod tests;
