//! `cairn hook`: what a coding agent's host tells us and is told. Whatever goes wrong, the session goes on: one line on
//! standard error, and success.

use super::Setting;
use crate::{args, failure::Failure, show};
use cairn_domain::Invalid;
use cairn_engine::Missing;
use cairn_hook::{Ask, Event, Input, Reply, Timing};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    process,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The most that is read of what the host says.
const INPUT_BYTES: u64 = 32 << 20;

/// A server is waited for this part of the time; the rest is for doing the work alone.
const PATIENCE: u32 = 2;

/// Whoever holds it may still speak; after that the process is gone.
static LAST_WORD: Mutex<()> = Mutex::new(());

/// Answers the host, in time or not at all. Never returns: nothing is waited for once the answer is out.
pub(crate) async fn hook(setting: &Setting, args: args::Hook) -> Result<(), Failure> {
    if args.report {
        return report(setting).await;
    }
    let (begun, within) = (Instant::now(), Duration::from_millis(args.within_ms));
    thread::spawn(move || {
        thread::sleep(within);
        let _word = LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner);
        eprintln!("cairn hook: no answer within {} ms; the session goes on without it", within.as_millis());
        process::exit(0);
    });
    let event: Event = args.event.as_deref().unwrap_or_default().parse()?;
    let told = read_input()?;
    let input = Input::parse(&told)?;
    let answer = match served(setting, event, &told, within / PATIENCE) {
        Some(Reply::Answer(answer)) => answer,
        Some(Reply::Refused(_)) | None => {
            let agent = setting.open(Missing::Create).await?;
            cairn_hook::answer(&agent, event, &input).await?
        }
    };
    let _word = LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = answer {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
    cairn_hook::note(&setting.home.folder(&setting.agent), event, begun.elapsed());
    process::exit(0);
}

/// What a server of this home answers, if there is one that does. Whoever lives at another time asks nobody.
fn served(setting: &Setting, event: Event, told: &[u8], within: Duration) -> Option<Reply> {
    if super::set_variable("CAIRN_NOW").is_some() {
        return None;
    }
    let database = setting.home.server().map(ToString::to_string);
    let told = std::str::from_utf8(told).ok()?;
    let ask = Ask::new(env!("CARGO_PKG_VERSION"), database, setting.agent.clone(), event, told)?;
    cairn_hook::ask(setting.home.path(), &ask, within)
}

fn read_input() -> Result<Vec<u8>, Invalid> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(INPUT_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| {
        Invalid::new(format!("cannot read standard input: {error}"), "pipe the hook's JSON in")
    })?;
    Ok(bytes)
}

async fn report(setting: &Setting) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let timings = cairn_hook::timings(agent.folder());
    let value = |timing: &Timing| {
        json!({"event": timing.event.as_str(), "count": timing.count, "p50_ms": timing.p50_ms,
               "p95_ms": timing.p95_ms, "max_ms": timing.max_ms, "budget_ms": timing.budget_ms,
               "within_budget": timing.p95_ms <= timing.budget_ms})
    };
    setting.answer(
        || json!({"hooks": timings.iter().map(value).collect::<Value>()}),
        || {
            if timings.is_empty() {
                anstream::eprintln!("no hook has been called yet; `cairn setup claude-code` installs them");
                return;
            }
            let mut table = show::table(&["event", "calls", "p50 ms", "p95 ms", "max ms", "budget ms"]);
            for Timing { event, count, p50_ms, p95_ms, max_ms, budget_ms } in &timings {
                let ms = |ms: &f64| format!("{ms:.0}");
                let row =
                    [event.to_string(), count.to_string(), ms(p50_ms), ms(p95_ms), ms(max_ms), ms(budget_ms)];
                table.add_row(row);
            }
            out!("{table}");
        },
    );
    Ok(())
}
