//! The `cairn` command: parse, wire, print. It decides nothing; the engine does.

/// Prints a line on standard output. A reader that went away has seen enough: the command ends without a word.
macro_rules! out {
    ($($words:tt)*) => { crate::show::print(format_args!($($words)*)) };
}

mod args;
mod clock;
mod command;
mod failure;
mod show;

use args::Cli;
use clap::Parser;
use std::{process::ExitCode, time::Duration};

/// Reading a text leaves hundreds of small pieces behind; forming memories of it takes an eighth longer with the system's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Threads of a command that stays with one client; a server has one for each processor.
const WORKERS: usize = 2;
/// How long the process stays, once its answer is out, for what still runs.
const LAST_MOMENT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let is_hook = matches!(cli.command, args::Command::Hook(args::Hook { report: false, .. }));
    let mut runtime = if cli.command.stays() {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    if !matches!(cli.command, args::Command::Serve(_)) {
        runtime.worker_threads(WORKERS);
    }
    let runtime = runtime.enable_all().build();
    let done = match runtime {
        Ok(runtime) => {
            let done = runtime.block_on(command::run(cli));
            // What tidies up ends by itself; nobody waits for a vector that comes too late.
            runtime.shutdown_timeout(LAST_MOMENT);
            done
        }
        Err(error) => Err(failure::Failure::new(format!("cannot start: {error}"), "try again")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if is_hook => {
            // Whatever it is, the session goes on.
            eprintln!("cairn hook: {}", failure.in_a_line());
            ExitCode::SUCCESS
        }
        Err(failure) => failure.report(),
    }
}
