//! The governor: how an action that an agent proposes goes on, decided by rules that an operator wrote. Pure functions.
//!
//! In reading order: `lexer` splits a command line into words as a shell does, `shell` finds the commands that it runs, `touched`
//! the paths they touch; `action` puts the two together; `pattern` says whether a rule is about an action, `governor` decides.
//!
//! Nothing here runs a command or looks at a file. Where a command line hides what it runs, the answer is "perhaps".

pub mod action;
pub mod governor;
mod lexer;
pub mod pattern;
pub mod shell;
pub mod touched;
