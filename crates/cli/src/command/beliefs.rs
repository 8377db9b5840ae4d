//! `cairn beliefs`, and `cairn why blf_…`: what is held true, and what speaks for and against it. Read-only.

use super::{Setting, review};
use crate::{
    args::{Beliefs, BeliefsCommand, BeliefsFilter},
    failure::Failure,
    show,
};
use cairn_domain::{BeliefId, BeliefStatus, Consumer, Invalid, Ref, Stance};
use cairn_engine::{Agent, BeliefEvidence, Missing, WhyBelief};
use cairn_store::{BeliefFilter, BeliefRecord};
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM, GREEN, RED, YELLOW};

pub(crate) async fn beliefs(setting: &Setting, args: Beliefs) -> Result<(), Failure> {
    match args.what {
        Some(BeliefsCommand::Show { reference }) => {
            let agent = setting.open(Missing::Refuse).await?;
            why(setting, &agent, belief_id(&reference)?, false).await
        }
        Some(BeliefsCommand::Diagnose { reference: Some(reference), .. }) => {
            review::shown(setting, &reference).await
        }
        Some(BeliefsCommand::Diagnose { reference: None, limit }) => {
            review::list(setting, true, limit.limit as u32).await
        }
        Some(BeliefsCommand::List(filter)) => list(setting, filter).await,
        None => list(setting, args.filter).await,
    }
}

pub(super) fn belief_id(reference: &str) -> Result<BeliefId, Failure> {
    match reference.parse()? {
        Ref::Belief(id) => Ok(id),
        other => {
            Err(Invalid::new(format!("{other} is no belief"), "name one that `cairn beliefs` prints").into())
        }
    }
}

async fn list(setting: &Setting, filter: BeliefsFilter) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let BeliefsFilter { kind, subject, status, due, all, limit } = filter;
    let due_by = due.then(|| setting.home.now());
    let filter = BeliefFilter { kind, subject, status, due_by, all };
    let found = agent.beliefs(filter, limit.limit as u32).await?;
    setting.answer(|| found.iter().collect::<wire::Beliefs>(), || table(&found));
    Ok(())
}

pub(super) fn table(found: &[BeliefRecord]) {
    let mut table = show::table(&["belief", "kind", "confidence", "freshness", "status", "ref"]);
    for BeliefRecord { belief, .. } in found {
        table.add_row([
            belief.summary.clone(),
            belief.kind.to_string(),
            plain_bar(belief.confidence),
            plain_bar(belief.freshness),
            format!("{} {}", belief.lane, belief.status),
            belief.id.to_string(),
        ]);
    }
    out!("{table}");
    if found.is_empty() {
        anstream::eprintln!("nothing is held yet; `cairn rhythms run beliefs` makes beliefs of memories");
    }
}

/// A bar without colour: a table counts every sign.
fn plain_bar(share: f64) -> String {
    const WIDTH: usize = 10;
    let full = ((share.clamp(0.0, 1.0) * WIDTH as f64).round() as usize).min(WIDTH);
    format!("{}{} {share:.2}", "█".repeat(full), "░".repeat(WIDTH - full))
}

/// What a belief rests on, and what would change it.
pub(crate) async fn why(setting: &Setting, agent: &Agent, id: BeliefId, verify: bool) -> Result<(), Failure> {
    let why = agent.why_belief(id).await?;
    setting.answer(|| wire::WhyBelief::from(&why), || shown(&why));
    let holds = why.evidence.iter().all(|one| one.sources.iter().all(|source| source.holds));
    if verify && !holds {
        return Err(Failure::new(
            "a source no longer says the same",
            "`cairn verify` shows all that does not fit",
        ));
    }
    Ok(())
}

fn shown(why: &WhyBelief) {
    let belief = &why.record.belief;
    out!("{BOLD}{}{BOLD:#}", belief.summary);
    let colour = match belief.status {
        BeliefStatus::Active => GREEN,
        BeliefStatus::Stale => YELLOW,
        BeliefStatus::Superseded | BeliefStatus::Invalidated | BeliefStatus::Retracted => RED,
    };
    out!("  {} {colour}{} {}{colour:#} {DIM}{}{DIM:#}", belief.kind, belief.lane, belief.status, belief.id);
    out!("  {DIM}{}{DIM:#}", belief.key);
    out!("  confidence {}  {}", show::bar(belief.confidence), why.in_words);
    out!("  freshness  {}  due {}", show::bar(why.freshness), belief.due_at.minute());
    if belief.allowed_consumers.len() < Consumer::ALL.len() {
        let allowed: Vec<&str> = belief.allowed_consumers.iter().map(|one| one.as_str()).collect();
        out!("  for        {} only", allowed.join(", "));
    }
    for (stance, title) in
        [(Stance::Support, "for it"), (Stance::Contradict, "against it"), (Stance::Context, "beside it")]
    {
        let of: Vec<&BeliefEvidence> =
            why.evidence.iter().filter(|one| one.link.evidence.stance == stance).collect();
        if !of.is_empty() {
            out!("{BOLD}{title}{BOLD:#}");
        }
        for one in of {
            evidence(one);
        }
    }
    if !why.before.is_empty() || why.after.is_some() {
        out!("{BOLD}held under this key{BOLD:#}");
        let chain = why.after.iter().chain([&why.record]).chain(&why.before);
        for record in chain {
            let mark = if record.number == why.record.number { "→" } else { " " };
            let BeliefRecord { belief, .. } = record;
            let since = belief.created_at.minute();
            out!("  {mark} {since} {} {}  {DIM}{}{DIM:#}", belief.status, belief.summary, belief.id);
        }
    }
    out!("{BOLD}what was done{BOLD:#}");
    for receipt in &why.receipts {
        let (at, told) = (receipt.at.minute(), &receipt.told);
        out!("  {at} {CYAN}{}{CYAN:#} by {}: {}", receipt.action, receipt.actor, told.reason);
    }
    out!("{BOLD}what would change it{BOLD:#}");
    for would in &why.would_change {
        out!("  {would}");
    }
}

fn evidence(one: &BeliefEvidence) {
    let link = &one.link;
    let (when, evidence) = (link.said_at.minute(), &link.evidence);
    out!("  {when} {} {DIM}weight {:.1}, {}{DIM:#}", evidence.role, evidence.weight, evidence.source);
    if let Some(record) = &one.memory {
        out!("    {}", record.memory.text);
    }
    for source in &one.sources {
        let (colour, verdict) =
            if source.holds { (GREEN, "still says so") } else { (RED, "says something else now") };
        out!(
            "      “{}”  {DIM}{}{DIM:#} {colour}{verdict}{colour:#}",
            evidence.excerpt.trim(),
            source.evidence.source
        );
    }
}
