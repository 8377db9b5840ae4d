//! The `cairn` command: parse, wire, print. It decides nothing; the engine does.

/// Prints a line on standard output. If the reader has closed the pipe, the command ends silently.
macro_rules! out {
    ($($words:tt)*) => { crate::show::print(format_args!($($words)*)) };
}

/// The same for standard error.
macro_rules! err {
    ($($words:tt)*) => { crate::show::print_error(format_args!($($words)*)) };
}

mod args;
mod clock;
mod command;
mod extractor;
mod failure;
mod show;
mod show_evidence;
mod show_recall;

use args::Cli;
use clap::Parser;
use std::{process::ExitCode, time::Duration};

/// Analyzing a text makes hundreds of small allocations; with the system allocator, forming memories takes an eighth longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Worker threads of a command with one client; a server has one per core.
const WORKER_THREADS: usize = 2;
/// How long the process waits for background tasks after its answer is printed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Everything this process makes is its user's alone: folders 700, files 600, whatever the shell's own mask allows.
const UMASK: u32 = 0o077;

fn main() -> ExitCode {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(UMASK));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::report_usage(&error),
    };
    if let args::Command::ExtractText { format } = cli.command {
        return extractor::run_parser(format);
    }
    let is_hook = matches!(cli.command, args::Command::Hook(args::HookArgs { report: false, .. }));
    let mut runtime = if cli.command.runs_until_stopped() {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    if !matches!(cli.command, args::Command::Serve(_) | args::Command::Proxy(_)) {
        runtime.worker_threads(WORKER_THREADS);
    }
    let runtime = runtime.enable_all().build();
    let done = match runtime {
        Ok(runtime) => {
            let _file_size = runtime.block_on(async { told_of_full_files() });
            let done = runtime.block_on(command::run(cli));
            // Nobody waits for a vector that comes too late.
            runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
            done
        }
        Err(error) => Err(failure::Failure::new(format!("cannot start: {error}"), "try again")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if is_hook => {
            // Whatever went wrong, the session must go on.
            eprintln!("cairn hook: {}", failure.one_line());
            ExitCode::SUCCESS
        }
        Err(failure) => failure.report(),
    }
}

/// Lets a write that would make a file larger than the shell allows fail, so that it is told and what it began is removed.
/// Otherwise the system ends the process.
fn told_of_full_files() -> Option<tokio::signal::unix::Signal> {
    /// SIGXFSZ on every Unix that Cairn is built for.
    const FILE_TOO_LARGE: i32 = 25;
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(FILE_TOO_LARGE)).ok()
}
