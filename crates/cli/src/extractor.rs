//! Text out of documents in a process of its own: the same program, started with a hidden command, gets the bytes on standard
//! input and answers with one line of JSON. It is ended when it takes too long and cannot take more memory than it may, so a
//! file that makes a parser loop, panic or swallow memory costs a receipt its text and nothing else.

use cairn_domain::{DocumentFormat, Extraction};
use cairn_engine::TextExtractor;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::{
    io::{self, Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitCode, ExitStatus, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

/// The hidden command.
pub(crate) const EXTRACT_COMMAND: &str = "extract-text";
/// How long one document may take.
const EXTRACT_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of address space that a parser may have.
const MAX_MEMORY_BYTES: u64 = 1 << 30;
/// Bytes that are read of its answer: text may be escaped to six times its length.
const MAX_ANSWER_BYTES: u64 = 8 * cairn_extract::MAX_TEXT_BYTES as u64;
/// How often it is looked whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Runs parsers in processes of this program, one at a time.
pub(crate) struct ChildExtractor {
    program: PathBuf,
    running: Mutex<()>,
}

impl ChildExtractor {
    /// With this program; none if it cannot be told where that is.
    pub(crate) fn of_this_program() -> io::Result<Self> {
        Ok(Self { program: std::env::current_exe()?, running: Mutex::new(()) })
    }
}

impl TextExtractor for ChildExtractor {
    fn extract(&self, format: DocumentFormat, bytes: &[u8]) -> Result<Extraction, String> {
        // Whoever panicked while holding it has left nothing behind.
        let _one_at_a_time = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let started = Command::new(&self.program)
            .args([EXTRACT_COMMAND, format.as_str()])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = started.map_err(|error| format!("its parser cannot be started: {error}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        thread::scope(|scope| {
            scope.spawn(move || {
                // A parser that does not read to the end has failed, and says so itself.
                let _ = input.map(|mut input| input.write_all(bytes));
            });
            let answer = scope.spawn(move || {
                let mut answer = Vec::new();
                let read = output.map(|output| output.take(MAX_ANSWER_BYTES).read_to_end(&mut answer));
                read.is_some_and(|read| read.is_ok()).then_some(answer)
            });
            let ended = wait_or_kill(&mut child);
            let answer = answer.join().ok().flatten().unwrap_or_default();
            match ended {
                Some(status) if status.success() => read_answer(&answer),
                Some(status) => Err(format!("its parser failed ({status})")),
                None => Err(format!("its parser took more than {} s", EXTRACT_TIMEOUT.as_secs())),
            }
        })
    }
}

/// How a process ended; none if it had to be ended.
fn wait_or_kill(child: &mut Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < EXTRACT_TIMEOUT {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => thread::sleep(POLL_INTERVAL),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// The answer of a parser: the last line, for parsers may print, too.
fn read_answer(answer: &[u8]) -> Result<Extraction, String> {
    let last = answer.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Result<Extraction, String>>(last)
        .unwrap_or_else(|_| Err("its parser gave no answer".to_owned()))
}

/// The process that runs a parser: bytes on standard input, an answer on standard output.
pub(crate) fn run_parser(format: DocumentFormat) -> ExitCode {
    let limit = |bound: u64| Rlimit { current: Some(bound), maximum: Some(bound) };
    let bounded = setrlimit(Resource::As, limit(MAX_MEMORY_BYTES))
        .and_then(|()| setrlimit(Resource::Cpu, limit(EXTRACT_TIMEOUT.as_secs() + 1)))
        .and_then(|()| setrlimit(Resource::Core, limit(0)));
    let mut bytes = Vec::new();
    let read = io::stdin().take(cairn_engine::limits::MAX_ATTACHMENT_BYTES).read_to_end(&mut bytes);
    if bounded.is_err() || read.is_err() {
        return ExitCode::FAILURE;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let found = std::panic::catch_unwind(|| cairn_extract::extract(format, &bytes));
    let found = found.unwrap_or_else(|_| Err("its parser failed".to_owned()));
    let Ok(answer) = serde_json::to_string(&found) else { return ExitCode::FAILURE };
    let written = io::stdout().write_all(format!("\n{answer}\n").as_bytes());
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
