//! `cairn hook`: answers a hook of a coding agent. Whatever goes wrong, the session goes on: one line on standard error, and
//! exit code 0.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show};
use cairn_domain::{Invalid, Time};
use cairn_engine::{Check, Health, Missing};
use cairn_hook::{Ask, Event, Host, Input, Reply, Timing, ToolQuestion, host_answer};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    path::Path,
    process,
    sync::{Mutex, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

const MAX_INPUT_BYTES: u64 = 32 << 20;

/// A server gets this fraction of the time; the rest is for doing the work without it.
const SERVER_TIME_DIVISOR: u32 = 2;

/// How long is waited for the host's words when the time is over, in so many steps.
const INPUT_WAIT: Duration = Duration::from_millis(5);
const MAX_WAITS_FOR_INPUT: u32 = 40;

/// Held by whichever thread prints the answer or the timeout, so that only one of them does before the process exits. It holds the
/// answer for the case that there is no time for a better one: what an operator's rules forbid stays forbidden.
static OUTPUT_LOCK: Mutex<Option<Value>> = Mutex::new(None);

/// The words of the host, for the case that there is no time to keep it.
static TOLD: OnceLock<Vec<u8>> = OnceLock::new();

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
    let at = invocation.home.now();
    let event: Event = args.event.as_deref().unwrap_or_default().parse()?;
    let host: Host = args.host.parse()?;
    let folder = invocation.home.folder(&invocation.agent);
    thread::spawn(move || give_up_after(within, &folder, (host, event), at));
    let told = read_input()?;
    let _ = TOLD.set(told.clone());
    let input = Input::parse(&told)?;
    if event == Event::PreToolUse && !stands_in_the_way(invocation, &input, at) {
        cairn_hook::note(&invocation.home.folder(&invocation.agent), event, begun.elapsed());
        process::exit(0);
    }
    let answered = match server_reply(invocation, (host, event), at, &told, within / SERVER_TIME_DIVISOR) {
        Some(Reply::Answer(answer)) => Ok(answer),
        Some(Reply::Refused(_)) | None => answer_alone(invocation, (host, event), &input, at).await,
    };
    let fallback = OUTPUT_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = match (answered, &*fallback) {
        (Ok(answer), _) => answer,
        (Err(_), Some(fallback)) => Some(fallback.clone()),
        (Err(failure), None) => return Err(failure),
    };
    if let Some(answer) = answer {
        print_answer(&answer);
    }
    cairn_hook::note(&invocation.home.folder(&invocation.agent), event, begun.elapsed());
    process::exit(0);
}

/// Ends the process when the time is over. What was told is left for the next hook.
fn give_up_after(within: Duration, agent: &Path, occasion: (Host, Event), at: Time) {
    thread::sleep(within);
    let fallback = OUTPUT_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    match &*fallback {
        Some(answer) => print_answer(answer),
        None => eprintln!(
            "cairn hook: no answer within {} ms; the session continues without it",
            within.as_millis()
        ),
    }
    // A very short time may be over before the host has written.
    for _ in 0..MAX_WAITS_FOR_INPUT {
        if TOLD.get().is_none() {
            thread::sleep(INPUT_WAIT);
        }
    }
    let told = TOLD.get().and_then(|told| std::str::from_utf8(told).ok()).unwrap_or_default();
    if let Err(error) = cairn_hook::spool(agent, occasion, at, told) {
        eprintln!("cairn hook: what was said could not be left for later: {error}");
    }
    process::exit(0);
}

async fn answer_alone(
    invocation: &Invocation,
    occasion: (Host, Event),
    input: &Input,
    at: Time,
) -> Result<Option<Value>, Failure> {
    let agent = invocation.open(Missing::Create).await?;
    Ok(cairn_hook::answer(&agent, occasion, input, at).await?)
}

/// Whether an operator's rules stand in the way of a use of a tool, if nobody permitted it. If they do, that is the answer unless
/// the memory tells in time that somebody did.
fn stands_in_the_way(invocation: &Invocation, input: &Input, at: Time) -> bool {
    let folder = invocation.home.folder(&invocation.agent);
    let Some(question) = ToolQuestion::of(invocation.home.path(), &folder, input) else { return false };
    let answer = host_answer(&question.decide_without_authority(at));
    if answer.is_none() {
        question.note(&folder, &input.session_id);
        return false;
    }
    *OUTPUT_LOCK.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    true
}

fn print_answer(answer: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
}

/// The answer of this home's server, if there is one. With `CAIRN_NOW` set, the server's clock would be wrong.
fn server_reply(
    invocation: &Invocation,
    occasion: (Host, Event),
    at: Time,
    told: &[u8],
    within: Duration,
) -> Option<Reply> {
    if super::invocation::set_variable("CAIRN_NOW").is_some() {
        return None;
    }
    let database = invocation.home.server().map(ToString::to_string);
    let told = std::str::from_utf8(told).ok()?;
    let ask = Ask::new(env!("CARGO_PKG_VERSION"), database, invocation.agent.clone(), occasion, at, told)?;
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
    let sections = cairn_hook::section_timings(agent.folder());
    let value = |kind: &str, timing: &Timing| {
        json!({kind: timing.name, "count": timing.count, "p50_ms": timing.p50_ms,
               "p95_ms": timing.p95_ms, "max_ms": timing.max_ms, "budget_ms": timing.budget_ms,
               "within_budget": timing.p95_ms <= timing.budget_ms})
    };
    let values = |kind: &str, timings: &[Timing]| timings.iter().map(|it| value(kind, it)).collect::<Value>();
    invocation.answer(
        || json!({"hooks": values("event", &timings), "sections": values("section", &sections)}),
        || {
            if timings.is_empty() {
                err!("no hook has been called yet; `cairn setup` installs them (claude-code, codex, gemini, opencode, cursor)");
                return;
            }
            for (kind, timings) in [("event", &timings), ("section", &sections)] {
                if !timings.is_empty() {
                    out!("{}", timing_table(kind, timings));
                }
            }
        },
    );
    Ok(())
}

fn timing_table(kind: &str, timings: &[Timing]) -> impl std::fmt::Display {
    let mut table = show::table(&[kind, "calls", "p50 ms", "p95 ms", "max ms", "budget ms"]);
    for Timing { name, count, p50_ms, p95_ms, max_ms, budget_ms } in timings {
        let ms = |ms: &f64| format!("{ms:.1}");
        table.add_row([name.clone(), count.to_string(), ms(p50_ms), ms(p95_ms), ms(max_ms), ms(budget_ms)]);
    }
    table
}

/// Checks of how long hooks and their sections took against their budgets; none if no hook was called yet.
pub(crate) fn timing_checks(folder: &Path) -> Vec<Check> {
    let check = |(name, kind, timings): (&'static str, &str, Vec<Timing>)| {
        let late: Vec<&Timing> = timings.iter().filter(|it| it.p95_ms > it.budget_ms).collect();
        let slowest = timings.iter().max_by(|a, b| a.p95_ms.total_cmp(&b.p95_ms))?;
        let figure = |it: &Timing| {
            format!("{} p95 {:.0} ms, max {:.0} ms of {:.0} ms", it.name, it.p95_ms, it.max_ms, it.budget_ms)
        };
        let (health, detail) = if late.is_empty() {
            let detail =
                format!("{} {kind}(s) within their budgets; the slowest: {}", timings.len(), figure(slowest));
            (Health::Good, detail)
        } else {
            (Health::Warning, late.into_iter().map(figure).collect::<Vec<_>>().join("; "))
        };
        let fix = (health == Health::Warning).then(|| {
            "`cairn serve` (or `cairn service install`) answers hooks without opening the memory each time"
                .to_owned()
        });
        Some(Check { name, health, detail, fix })
    };
    [
        ("hooks", "event", cairn_hook::timings(folder)),
        ("sections", "section", cairn_hook::section_timings(folder)),
    ]
    .into_iter()
    .filter_map(check)
    .collect()
}
