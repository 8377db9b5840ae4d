//! `cairn hook`: answers a hook of a coding agent. Whatever goes wrong, the session goes on: one line on standard error, and
//! exit code 0.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show};
use cairn_domain::{Invalid, Time};
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

const MAX_INPUT_BYTES: u64 = 32 << 20;

/// A server gets this fraction of the time; the rest is for doing the work without it.
const SERVER_TIME_DIVISOR: u32 = 2;

/// Held by whichever thread prints the answer or the timeout, so that only one of them does before the process exits.
static OUTPUT_LOCK: Mutex<()> = Mutex::new(());

/// Answers the host in time or not at all. Exits the process, so that nothing is waited for once the answer is printed.
pub(crate) async fn hook(invocation: &Invocation, args: args::HookArgs) -> Result<(), Failure> {
    if args.report {
        return report(invocation).await;
    }
    // Cairn runs this very program as its language model: what it is asked then is no conversation.
    if std::env::var_os(cairn_engine::ASKING_VARIABLE).is_some() {
        return Ok(());
    }
    let (begun, within) = (Instant::now(), Duration::from_millis(args.within_ms));
    thread::spawn(move || {
        thread::sleep(within);
        let _lock = OUTPUT_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        eprintln!("cairn hook: no answer within {} ms; the session continues without it", within.as_millis());
        process::exit(0);
    });
    let at = invocation.home.now();
    let event: Event = args.event.as_deref().unwrap_or_default().parse()?;
    let told = read_input()?;
    let input = Input::parse(&told)?;
    let answer = match server_reply(invocation, event, at, &told, within / SERVER_TIME_DIVISOR) {
        Some(Reply::Answer(answer)) => answer,
        Some(Reply::Refused(_)) | None => {
            let agent = invocation.open(Missing::Create).await?;
            cairn_hook::answer(&agent, event, &input, at).await?
        }
    };
    let _lock = OUTPUT_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = answer {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
    cairn_hook::note(&invocation.home.folder(&invocation.agent), event, begun.elapsed());
    process::exit(0);
}

/// The answer of this home's server, if there is one. With `CAIRN_NOW` set, the server's clock would be wrong.
fn server_reply(
    invocation: &Invocation,
    event: Event,
    at: Time,
    told: &[u8],
    within: Duration,
) -> Option<Reply> {
    if super::invocation::set_variable("CAIRN_NOW").is_some() {
        return None;
    }
    let database = invocation.home.server().map(ToString::to_string);
    let told = std::str::from_utf8(told).ok()?;
    let ask = Ask::new(env!("CARGO_PKG_VERSION"), database, invocation.agent.clone(), event, at, told)?;
    cairn_hook::ask(invocation.home.path(), &ask, within)
}

fn read_input() -> Result<Vec<u8>, Invalid> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| {
        Invalid::new(format!("cannot read standard input: {error}"), "pipe the hook's JSON in")
    })?;
    Ok(bytes)
}

async fn report(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let timings = cairn_hook::timings(agent.folder());
    let value = |timing: &Timing| {
        json!({"event": timing.event.as_str(), "count": timing.count, "p50_ms": timing.p50_ms,
               "p95_ms": timing.p95_ms, "max_ms": timing.max_ms, "budget_ms": timing.budget_ms,
               "within_budget": timing.p95_ms <= timing.budget_ms})
    };
    invocation.answer(
        || json!({"hooks": timings.iter().map(value).collect::<Value>()}),
        || {
            if timings.is_empty() {
                err!("no hook has been called yet; `cairn setup claude-code` installs them");
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
