//! `cairn ingest`: imports transcripts, with progress and acknowledgements; `--watch` follows a folder.

use super::{
    invocation::Invocation,
    move_in::{Move, surveyed},
    taken_in::{catch_up, print_report},
};
use crate::{args, failure::Failure, show};
use cairn_engine::{Agent, Following, IngestEvent, IngestReport, Missing, transcript::Format};
use cairn_importer::Form;
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Malformed lines shown; the rest are only counted.
const MAX_SHOWN_PROBLEMS: u64 = 20;
/// How often a followed folder is checked.
const POLL_EVERY: Duration = Duration::from_millis(500);

pub(crate) async fn ingest(invocation: &Invocation, args: args::IngestArgs) -> Result<(), Failure> {
    if args.path.as_os_str() != "-" && !args.path.exists() {
        let problem = format!("there is nothing at {}", args.path.display());
        return Err(Failure::new(
            problem,
            "name a transcript, a folder of transcripts, or - for standard input",
        ));
    }
    let is_guessed = args.format.0.is_none() && !args.feed && !args.knowledge && !args.watch;
    let mut transcripts = None;
    if is_guessed && args.path.as_os_str() != "-" {
        let sources = surveyed(&args.path)?;
        if sources.iter().any(|source| source.form != Form::Transcript) {
            let moving = Move::new(sources, args.taking)?;
            return moving.ingest(invocation).await;
        }
        transcripts = Some(sources.into_iter().map(|source| source.path).collect());
    }
    let agent = invocation.open(Missing::Create).await?;
    if args.knowledge {
        return ingest_knowledge(invocation, &agent, &args.path, args.thread.as_deref()).await;
    }
    let format = if args.feed { Some(Format::Feed) } else { args.format.0 };
    let begun = Instant::now();
    let mut progress = IngestProgress::new(args.ack, &args.path);
    let report = if args.watch {
        watch(&agent, &args.path, &mut progress).await?
    } else if args.path.as_os_str() == "-" {
        let input = Box::new(io::stdin());
        agent.ingest(input, "stdin", &args.path, format, &mut |event| progress.on_event(&event)).await?
    } else {
        let transcripts = transcripts.map_or_else(|| Agent::transcripts(&args.path), Ok)?;
        files(&agent, &args.path, &transcripts, format, &mut progress).await?
    };
    progress.finish();
    if args.taking.wait {
        catch_up(&agent).await?;
    }
    show::notes(&agent.take_notes());
    let seconds = begun.elapsed().as_secs_f64();
    invocation.answer(|| cairn_wire::Ingest::new(&report, seconds), || print_report(&report, seconds));
    Ok(())
}

async fn files(
    agent: &Agent,
    path: &Path,
    files: &[PathBuf],
    format: Option<Format>,
    progress: &mut IngestProgress,
) -> Result<IngestReport, Failure> {
    if files.is_empty() {
        let problem = format!("there is no transcript in {}", path.display());
        return Err(Failure::new(problem, "transcripts end in .jsonl or .json, gzipped or not (.gz)"));
    }
    let mut total = IngestReport::default();
    for file in files {
        progress.begin(file, files.len() > 1);
        total += agent.ingest_file(file, format, &mut |event| progress.on_event(&event)).await?;
    }
    Ok(total)
}

/// Reads files as knowledge.
async fn ingest_knowledge(
    invocation: &Invocation,
    agent: &Agent,
    path: &Path,
    thread: Option<&str>,
) -> Result<(), Failure> {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(100));
    let learnt = agent.learn(path, thread, &mut |file| bar.set_message(file.display().to_string())).await;
    bar.finish_and_clear();
    let report = learnt?;
    show::notes(&report.notes());
    invocation.answer(
        || cairn_wire::Knowledge::from(&report),
        || {
            let green = show::GREEN;
            out!(
                "{green}{} added{green:#}, {} there already, {} replaced or removed, from {} file(s)",
                report.added,
                report.unchanged,
                report.superseded,
                report.files
            );
        },
    );
    Ok(())
}

/// Follows a folder until the command is interrupted. Embedding, forming and refining run in separate tasks, so that a slow
/// or missing model never delays storing a message.
async fn watch(agent: &Agent, folder: &Path, progress: &mut IngestProgress) -> Result<IngestReport, Failure> {
    let mut following = Following::default();
    let mut total = IngestReport::default();
    let (mut behind, mut unrefined, mut embedding) = (false, false, tokio::spawn(async {}));
    let mut refining = tokio::spawn(async {});
    err!("following {}; stop with Ctrl-C", folder.display());
    loop {
        let gained = agent.follow(folder, &mut following, &mut |event| progress.on_event(&event)).await?;
        total += gained;
        if gained.added > 0 {
            err!("{} added, {} in total", gained.added, total.added);
            behind = true;
        }
        if behind && embedding.is_finished() {
            behind = false;
            let agent = agent.clone();
            embedding = tokio::spawn(async move {
                let _ = agent.embed(&mut |_| {}).await;
                let _ = agent.form(&mut |_| {}).await;
            });
            unrefined = true;
        }
        if unrefined && embedding.is_finished() && refining.is_finished() {
            unrefined = false;
            let agent = agent.clone();
            refining = tokio::spawn(async move { drop(agent.refine(&mut |_| {}).await) });
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_EVERY) => {}
            _ = tokio::signal::ctrl_c() => return Ok(total),
        }
    }
}

/// Shows progress and problems and prints acknowledgements.
struct IngestProgress {
    ack: bool,
    bar: ProgressBar,
    name: Option<String>,
    shown: u64,
    hidden: u64,
}

impl IngestProgress {
    fn new(ack: bool, path: &Path) -> Self {
        let bar = ProgressBar::no_length();
        let style = "{spinner} {bytes} {msg} {elapsed}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        let name = (path.as_os_str() != "-").then(|| path.display().to_string());
        Self { ack, bar, name, shown: 0, hidden: 0 }
    }

    fn begin(&mut self, file: &Path, name_it: bool) {
        let style = "{bar:30} {percent}% {msg} {eta} left";
        self.bar
            .set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_length(file.metadata().map_or(0, |metadata| metadata.len()));
        self.bar.reset();
        self.name = name_it.then(|| file.display().to_string());
    }

    fn on_event(&mut self, event: &IngestEvent<'_>) {
        match event {
            IngestEvent::Durable { ids, report, bytes } => {
                if self.ack {
                    print_acknowledgements(ids);
                }
                let rate = report.read as f64 / self.bar.elapsed().as_secs_f64().max(1e-3);
                self.bar.set_message(format!("{} messages, {rate:.0}/s", report.read));
                self.bar.set_position(*bytes);
            }
            IngestEvent::Malformed { line, problem } if self.shown < MAX_SHOWN_PROBLEMS => {
                self.shown += 1;
                let place = self.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
                let yellow = show::YELLOW;
                self.bar.suspend(|| {
                    err!("{yellow}skipped:{yellow:#} {place}line {line}: {problem}");
                });
            }
            IngestEvent::Malformed { .. } => self.hidden += 1,
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
        if self.hidden > 0 {
            err!("… and {} more malformed lines", self.hidden);
        }
    }
}

/// Prints one line per message and flushes it at once.
fn print_acknowledgements(ids: &[String]) {
    let mut out = io::stdout().lock();
    let written = ids.iter().try_for_each(|id| writeln!(out, "{}", serde_json::json!({"ack": id})));
    // If the reader has closed the pipe, the messages are stored all the same.
    let _ = written.and_then(|()| out.flush());
}
