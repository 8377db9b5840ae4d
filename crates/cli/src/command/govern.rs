//! `cairn govern`: asks the governor, and shows decisions, leases and outcomes. It answers and records, and never acts.

use super::invocation::{Invocation, sorted_json};
use crate::{
    args::{GovernCommand, GovernDecideArgs, GovernOutcomesArgs, GovernSharingArgs},
    failure::Failure,
    show,
};
use cairn_domain::{CONSUMER_CONTRACTS, Friction, GovernorDecision, Invalid};
use cairn_engine::{
    ActionDraft, DraftPath, GovernRequest, GovernRules, Missing, ObservedOutcome, PathAccess,
    RecordedDecision, RecordedOutcome, StandingLease,
};
use cairn_wire as wire;
use show::{BOLD, DIM, GREEN, RED};
use std::path::PathBuf;

pub(crate) async fn govern(invocation: &Invocation, what: GovernCommand) -> Result<(), Failure> {
    match what {
        GovernCommand::Consumers => {
            consumers(invocation);
            Ok(())
        }
        GovernCommand::Decide(args) => decide(invocation, args).await,
        GovernCommand::Explain { receipt: Some(receipt), .. } => explain(invocation, receipt).await,
        GovernCommand::Explain { receipt: None, limit } => decisions(invocation, limit.limit as u32).await,
        GovernCommand::Leases => leases(invocation).await,
        GovernCommand::Sharing(GovernSharingArgs { from: Some(owner), limit }) => {
            super::sharing::shared_by(invocation, &owner, limit.limit as u32).await
        }
        GovernCommand::Sharing(_) => super::sharing::sharing(invocation).await,
        GovernCommand::Trust { reference, verdict } => {
            super::sharing::trust(invocation, reference, verdict).await
        }
        GovernCommand::Record { reference, limit } => {
            super::state_record::records(invocation, reference, limit.limit as u32).await
        }
        GovernCommand::Candidates(limit) => {
            super::state_record::candidates(invocation, limit.limit as u32).await
        }
        GovernCommand::Schemas => {
            schemas(invocation);
            Ok(())
        }
        GovernCommand::Outcomes(args) => outcomes(invocation, args).await,
    }
}

/// For programs either way; people get it over several lines.
fn schemas(invocation: &Invocation) {
    let schemas = wire::PacketSchemas::all();
    invocation.answer(|| &schemas, || out!("{:#}", sorted_json(&schemas)));
}

fn consumers(invocation: &Invocation) {
    invocation.answer(wire::Consumers::table, || {
        for contract in &CONSUMER_CONTRACTS {
            let words = |all: Vec<&str>| if all.is_empty() { "nothing".to_owned() } else { all.join(", ") };
            out!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", contract.consumer, contract.how);
            out!("  takes   {}", words(contract.may_consume.iter().map(|it| it.as_str()).collect()));
            out!("  checks  {}", words(contract.must_check.iter().map(|it| it.as_str()).collect()));
            out!("  never   {}", words(contract.never_accepts.iter().map(|it| it.as_str()).collect()));
        }
    });
}

async fn decide(invocation: &Invocation, args: GovernDecideArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let user_home = std::env::home_dir();
    let rules = GovernRules::read(invocation.home.path(), user_home.as_deref())?.unwrap_or_default();
    let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let paths = args.path.into_iter().map(|text| DraftPath { text, access: PathAccess::Write });
    let action = ActionDraft {
        tool: args.tool.unwrap_or_else(|| "Bash".to_owned()),
        command: args.command,
        paths: paths.collect(),
        folder: args.folder.unwrap_or_else(here),
        user_home,
    };
    let request = GovernRequest { action, authority: args.authority, ..GovernRequest::default() };
    let governed = agent.govern(&rules, &request).await?;
    invocation.answer(
        || wire::NumberedDecision::from(governed.clone()),
        || print_decision(governed.receipt, &governed.decision),
    );
    Ok(())
}

fn print_decision(receipt: Option<u64>, decision: &GovernorDecision) {
    let color = match decision.mode {
        Friction::Proceed | Friction::Verify => GREEN,
        Friction::Ask | Friction::Defer => BOLD,
        Friction::Approve | Friction::Refuse | Friction::Pause => RED,
    };
    let number = receipt.map(|number| format!("  receipt {number}")).unwrap_or_default();
    out!("{color}{}{color:#}  {}{DIM}{number}{DIM:#}", decision.mode, decision.action);
    for reason in &decision.reasons {
        let lease = reason.lease.as_ref().map(|lease| format!(", lowered by {lease}")).unwrap_or_default();
        out!("  {} {DIM}{}{lease}{DIM:#}  {}", reason.minimum, reason.reference, reason.reason);
    }
    for standing in &decision.authority {
        let counts = if standing.authorizes { "counts" } else { "does not count" };
        out!("  {} {counts}: {DIM}{}{DIM:#}", standing.reference, standing.why);
    }
    for check in &decision.required_checks {
        out!("  {DIM}{check}{DIM:#}");
    }
    if let Some(instead) = &decision.instead {
        out!("  instead: {instead}");
    }
    if let Some(rollback) = &decision.rollback_plan {
        out!("  to take it back: {rollback}");
    }
}

async fn explain(invocation: &Invocation, receipt: u64) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let found = agent.decision(receipt).await?.ok_or_else(|| {
        Invalid::new(
            format!("receipt {receipt} is not a decision"),
            "`cairn govern explain` lists the decisions",
        )
    })?;
    invocation.answer(
        || wire::NumberedDecision::from(found.clone()),
        || match &found.decision {
            Some(decision) => print_decision(Some(found.receipt), decision),
            None => out!("receipt {receipt}: its words were erased"),
        },
    );
    Ok(())
}

async fn decisions(invocation: &Invocation, limit: u32) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let found = agent.decisions(limit).await?;
    invocation.answer(
        || found.iter().cloned().collect::<wire::GovernorDecisions>(),
        || {
            if found.is_empty() {
                err!("nothing was decided yet; `cairn govern decide --command …` asks");
            }
            for RecordedDecision { receipt, decision } in &found {
                match decision {
                    Some(it) => {
                        out!("{receipt:>5} {} {}  {DIM}{}{DIM:#}", it.at.minute(), it.mode, it.action);
                    }
                    None => out!("{receipt:>5} {DIM}erased{DIM:#}"),
                }
            }
        },
    );
    Ok(())
}

async fn leases(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let found = agent.leases().await?;
    invocation.answer(
        || found.iter().cloned().collect::<wire::Leases>(),
        || {
            if found.is_empty() {
                err!("there are none; an operator gives one with `cairn operator lease`");
            }
            for StandingLease { name, terms, ended, .. } in &found {
                let (used, most) = (terms.used, terms.lease.max_actions);
                let until = || format!("until {}", terms.lease.expires_at.minute());
                let stands = ended.as_ref().map_or_else(until, |end| end.why.clone());
                out!(
                    "{BOLD}{name}{BOLD:#}  {used} of {most}, {stands}  {DIM}{}{DIM:#}",
                    terms.lease.objective
                );
            }
        },
    );
    Ok(())
}

async fn outcomes(invocation: &Invocation, args: GovernOutcomesArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    if let Some(decision) = args.record {
        let observed = ObservedOutcome {
            decision,
            effect: args.effect.unwrap_or_default(),
            verification: args.verification,
            failure_class: args.failure,
            residual_risk: args.risk,
        };
        let receipt = agent.record_outcome(&observed).await?;
        invocation.answer(|| wire::OutcomeReceipt { receipt }, || out!("{GREEN}receipt {receipt}{GREEN:#}"));
        return Ok(());
    }
    let found = agent.outcomes(args.limit.limit as u32).await?;
    invocation.answer(
        || found.iter().cloned().collect::<wire::Outcomes>(),
        || {
            if found.is_empty() {
                err!("nothing was observed yet");
            }
            for RecordedOutcome { receipt, outcome } in &found {
                match outcome {
                    Some(it) => out!(
                        "{receipt:>5} {} {}  {}  {DIM}{}{DIM:#}",
                        it.at.minute(),
                        it.verification,
                        it.intent,
                        it.observed_effect
                    ),
                    None => out!("{receipt:>5} {DIM}erased{DIM:#}"),
                }
            }
        },
    );
    Ok(())
}
