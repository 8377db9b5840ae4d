//! The `cairn` command: parse, wire, print. It decides nothing; the engine does.

mod args;
mod clock;
mod command;
mod failure;
mod json;
mod show;

use args::Cli;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(command::run(cli)),
        Err(error) => Err(failure::Failure::new(format!("cannot start: {error}"), "try again")),
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
