//! `cairn coherence`: the line of entropy over time, with what moved it.

use super::invocation::Invocation;
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::{args::CoherenceArgs, failure::Failure};
use cairn_domain::{CoherenceLevel, EntropyPart, ExchangeEntropy, MAX_ENTROPY};
use cairn_engine::{
    Agent, CoherenceConfig, CoherenceState, DynamicsReport, Missing, ReplaceAccess, ReplaceSync, replace_file,
};
use cairn_wire as wire;
use serde_json::json;
use std::path::Path;

/// Characters of a full bar.
const BAR_CHARS: usize = 20;

pub(crate) async fn coherence(invocation: &Invocation, args: CoherenceArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    // A message that nobody has looked at yet was not measured either.
    agent.form(&mut |_| {}).await?;
    if let Some(file) = &args.export {
        return export(invocation, &agent, file).await;
    }
    if args.surprise {
        let report = agent.dynamics(args.limit.limit as u32).await?;
        invocation.answer(|| wire::Dynamics::from(&report), || print_surprise(&report));
        return Ok(());
    }
    let session = args.session.as_deref();
    let exchanges = agent.coherence(session, args.limit.limit as u32).await?;
    let state = match session {
        Some(session) => agent.coherence_state(session).await?,
        None => None,
    };
    let config = &agent.config().coherence;
    invocation.answer(
        || wire::Coherence::new(&exchanges, state.as_ref(), config),
        || print_line(&exchanges, state.as_ref(), config),
    );
    Ok(())
}

fn print_line(exchanges: &[ExchangeEntropy], state: Option<&CoherenceState>, config: &CoherenceConfig) {
    if !config.enabled {
        err!("entropy is not measured; config.toml says `enabled = false` under [coherence]");
    }
    if exchanges.is_empty() {
        err!("no exchange was measured yet");
        return;
    }
    for exchange in exchanges.iter().rev() {
        let ExchangeEntropy { at, entropy, session, .. } = exchange;
        let filled = (entropy / MAX_ENTROPY * BAR_CHARS as f64).round() as usize;
        let bar = format!("{}{}", "█".repeat(filled), "·".repeat(BAR_CHARS.saturating_sub(filled)));
        let color = match entropy {
            entropy if *entropy >= config.warn_from => RED,
            entropy if *entropy > config.anchors_above => YELLOW,
            _ => GREEN,
        };
        out!("{}  {color}{bar} {entropy:.2}{color:#}  {DIM}{session}{DIM:#}", at.minute());
        for part in moved(&exchange.parts, config) {
            let EntropyPart { source, strength, saw, .. } = part;
            let amount = config.weights.of(*source) * strength;
            out!("                  {DIM}+{amount:.2}{DIM:#} {source}  {DIM}{saw}{DIM:#}");
        }
    }
    if let Some(CoherenceState { level, critical_since, .. }) = state {
        let since = critical_since.map_or(String::new(), |since| format!(" since {}", since.minute()));
        let since = if *level == CoherenceLevel::Critical { since } else { String::new() };
        out!("{BOLD}{level}{BOLD:#}{since}");
    }
}

/// The contribution of each source that counts, the greatest first.
fn moved<'a>(parts: &'a [EntropyPart], config: &CoherenceConfig) -> Vec<&'a EntropyPart> {
    let amount = |part: &EntropyPart| config.weights.of(part.source) * part.strength;
    let mut sorted: Vec<&EntropyPart> = parts.iter().collect();
    sorted.sort_by(|a, b| amount(b).total_cmp(&amount(a)));
    let mut counted: Vec<&EntropyPart> = Vec::new();
    for part in sorted {
        if !counted.iter().any(|known| known.source == part.source) {
            counted.push(part);
        }
    }
    counted
}

fn print_surprise(report: &DynamicsReport) {
    if !report.is_enabled {
        err!("turns are not observed; config.toml says `enabled = false` under [dynamics] or [coherence]");
    }
    if report.turns.is_empty() {
        err!("no turn is over yet");
        return;
    }
    let most = report.turns.iter().filter_map(|turn| turn.surprise_learned).fold(f64::MIN_POSITIVE, f64::max);
    for turn in report.turns.iter().rev() {
        let surprise = turn.surprise_learned.unwrap_or_default();
        let filled = (surprise / most * BAR_CHARS as f64).round() as usize;
        let bar = format!("{}{}", "█".repeat(filled), "·".repeat(BAR_CHARS.saturating_sub(filled)));
        let (at, frozen) = (turn.at.minute(), turn.surprise_frozen);
        out!("{at}  {bar} {surprise:.2}  {DIM}unlearned {frozen:.2}  {}{DIM:#}", turn.exchange);
    }
    let usual = report.usual.map_or_else(String::new, |usual| format!(", usually {usual:.2}"));
    out!("{DIM}learned from {} turns{usual}{DIM:#}", report.updates);
}

async fn export(invocation: &Invocation, agent: &Agent, file: &Path) -> Result<(), Failure> {
    let lines = agent.export_dynamics().await?;
    if file.symlink_metadata().is_ok() {
        return Err(Failure::new(
            format!("{} is there already", file.display()),
            "name a new file; nothing was written",
        ));
    }
    let text = lines.join("\n") + "\n";
    replace_file(file, text.as_bytes(), ReplaceSync::Durable, ReplaceAccess::Private).map_err(|error| {
        Failure::new(format!("cannot write {}: {error}", file.display()), "check the path and the disk")
    })?;
    invocation.answer(
        || json!({"file": file, "turns": lines.len()}),
        || out!("{} turn(s) written to {}", lines.len(), file.display()),
    );
    Ok(())
}
