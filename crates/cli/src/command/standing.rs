//! `cairn standing`: where the user stands, day by day, with what moved it.

use super::{invocation::Invocation, operator::sign_in_operator};
use crate::{
    args::StandingArgs,
    failure::Failure,
    show::{BOLD, DIM, GREEN},
};
use cairn_domain::MAX_STANDING;
use cairn_engine::{Missing, StandingReport};
use cairn_wire as wire;
use serde_json::json;

/// Patterns that are shown.
const TRAIL_PATTERNS: u32 = 5;
/// Characters of a full bar.
const BAR_CHARS: f64 = 20.0;

pub(crate) async fn standing(invocation: &Invocation, args: StandingArgs) -> Result<(), Failure> {
    if args.erase { erase(invocation, &args).await } else { show(invocation, args.days).await }
}

async fn show(invocation: &Invocation, days: u32) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    // A message that nobody has looked at yet holds no pattern either.
    agent.form(&mut |_| {}).await?;
    let report = agent.standing(days, TRAIL_PATTERNS).await?;
    let is_on = agent.config().standing.enabled;
    invocation.answer(|| wire::Standing::from(&report), || print_report(&report, is_on));
    Ok(())
}

fn print_report(report: &StandingReport, is_on: bool) {
    if !is_on {
        err!("nothing is noted; config.toml says `enabled = false` under [standing]");
    }
    for it in &report.dimensions {
        let filled = (it.score / MAX_STANDING * BAR_CHARS).round() as usize;
        let bar = format!("{}{}", "█".repeat(filled), "·".repeat(BAR_CHARS as usize - filled.min(20)));
        out!(
            "{BOLD}{:18}{BOLD:#} {GREEN}{bar}{GREEN:#} {:.2}  {DIM}{}{DIM:#}",
            it.dimension,
            it.score,
            it.trajectory
        );
        for day in &it.days {
            out!("  {}  {:+.2} → {:.2}  {DIM}{}{DIM:#}", day.day, day.change, day.score, day.reason);
        }
        for sign in &it.since {
            out!("  {}  {:+.2}  {}  {DIM}{}{DIM:#}", sign.at.minute(), sign.delta(), sign.pattern, sign.saw);
        }
    }
}

async fn erase(invocation: &Invocation, args: &StandingArgs) -> Result<(), Failure> {
    if !args.yes {
        return Err(Failure::new(
            "this deletes every pattern and every score for good",
            "add --yes and --reason; to stop noting new ones, set `enabled = false` under [standing]",
        ));
    }
    let grant = sign_in_operator(invocation).await?;
    let reason = args.reason.as_deref().unwrap_or_default();
    let rows = cairn_operator::erase_standing(&grant, &invocation.home, &invocation.agent, reason).await?;
    invocation.answer(|| json!({"erased": rows}), || out!("{rows} rows erased"));
    Ok(())
}
