//! `cairn review`: what waits for an operator, what speaks for it, and what is decided about it.

use super::{Setting, beliefs::belief_id, operator::grant};
use crate::{
    args::{Decide, ReviewCommand},
    failure::Failure,
    show,
};
use cairn_domain::BeliefStatus;
use cairn_engine::{Missing, Resolved, Review};
use cairn_operator::{Outcome, Verdict};
use cairn_store::BeliefRecord;
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM, GREEN, RED, YELLOW};

pub(crate) async fn review(setting: &Setting, what: ReviewCommand) -> Result<(), Failure> {
    match what {
        ReviewCommand::List { all, limit } => list(setting, all, limit.limit as u32).await,
        ReviewCommand::Show { reference } => shown(setting, &reference).await,
        ReviewCommand::Decide(args) => decide(setting, args).await,
        ReviewCommand::Rollback { receipt, reason, yes } => {
            if !yes {
                return Err(Failure::usage(
                    "this undoes a decision",
                    "add --yes to do it; nothing was changed",
                ));
            }
            let (home, agent) = (&setting.home, &setting.agent);
            let outcome = cairn_operator::roll_back(&grant(setting)?, home, agent, receipt, &reason).await?;
            answer(setting, &outcome);
            Ok(())
        }
    }
}

/// What waits, by what its evidence looks like; refs before groups, and nothing is concluded.
pub(super) async fn list(setting: &Setting, all: bool, limit: u32) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let waiting = agent.to_review(all, limit).await?;
    let mode = agent.provenance_mode().await?;
    setting.answer(
        || wire::ReviewQueue::new(mode, &waiting),
        || {
            let columns = ["ref", "sources", "confidence", "freshness", "evidence", "belief", "status"];
            let mut table = show::table(&columns);
            for (BeliefRecord { belief, .. }, shape) in &waiting {
                let sources =
                    format!("{} of {} kinds", belief.parts.source_count, belief.parts.source_diversity);
                table.add_row([
                    belief.id.to_string(),
                    sources,
                    format!("{:.2}", belief.confidence),
                    format!("{:.2}", belief.freshness),
                    shape.as_str().replace('_', " "),
                    belief.summary.clone(),
                    format!("{} {}", belief.lane, belief.status),
                ]);
            }
            out!("{table}");
            if waiting.is_empty() {
                anstream::eprintln!("nothing waits; `cairn rhythms run beliefs` makes beliefs of memories");
            }
        },
    );
    Ok(())
}

pub(super) async fn shown(setting: &Setting, reference: &str) -> Result<(), Failure> {
    let id = belief_id(reference)?;
    let agent = setting.open(Missing::Refuse).await?;
    let review = agent.review(id).await?;
    setting.answer(|| wire::ReviewPage::from(&review), || tell(&review));
    Ok(())
}

fn tell(review: &Review) {
    let belief = &review.why.record.belief;
    let colour = match belief.status {
        BeliefStatus::Active => GREEN,
        BeliefStatus::Stale => YELLOW,
        BeliefStatus::Superseded | BeliefStatus::Invalidated | BeliefStatus::Retracted => RED,
    };
    out!("{BOLD}{}{BOLD:#}", belief.summary);
    out!("  {} {colour}{} {}{colour:#} {DIM}{}{DIM:#}", belief.kind, belief.lane, belief.status, belief.id);
    out!("  {}", review.why.in_words);
    if let Some(until) = review.deferred_until {
        out!("  put off until {}", until.minute());
    }
    out!("{BOLD}what its sources say now{BOLD:#}");
    for Resolved { source, quoted, says, verification } in &review.sources {
        let share = verification.coverage * 100.0;
        out!("  {CYAN}{}{CYAN:#} {share:.0} %  {DIM}{source}{DIM:#}", verification.state);
        out!("    it was quoted: “{quoted}”");
        match says {
            Some(says) => out!("    it says now:   “{says}”"),
            None => out!("    it is not there any more"),
        }
    }
    let (recommended, because) = &review.recommended;
    out!("{BOLD}recommended{BOLD:#}  {}: {because}", recommended.as_str());
    out!("{BOLD}confirms{BOLD:#}     {}  {DIM}the text, and what its sources say{DIM:#}", review.confirms);
    if belief.status.stands() {
        anstream::eprintln!("nothing was changed; decide with `cairn review decide {} …`", belief.id);
    }
}

async fn decide(setting: &Setting, args: Decide) -> Result<(), Failure> {
    let Decide { reference, decision, reason, confirm, until, consumers } = args;
    let verdict = Verdict { belief: belief_id(&reference)?, decision, reason, confirm, until, consumers };
    let outcome = cairn_operator::decide(&grant(setting)?, &setting.home, &setting.agent, verdict).await?;
    answer(setting, &outcome);
    Ok(())
}

fn answer(setting: &Setting, outcome: &Outcome) {
    let receipt = &outcome.receipt;
    setting.answer(
        || wire::Decided {
            receipt: receipt.into(),
            belief: outcome.belief,
            confirms: outcome.confirms.clone(),
        },
        || {
            out!("{GREEN}{}{GREEN:#}  {}", receipt.action, outcome.belief);
            out!("  was     {}", receipt.told.was);
            out!("  becomes {}", receipt.told.becomes);
            out!("  receipt {} by {}: {}", receipt.number, receipt.actor, receipt.told.reason);
            if receipt.told.undo.starts_with("cairn") {
                out!("  undo    {DIM}{}{DIM:#}", receipt.told.undo);
            }
        },
    );
}
