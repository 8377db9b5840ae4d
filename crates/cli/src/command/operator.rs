//! `cairn operator`, and signing in as one.

use super::invocation::{Invocation, set_variable, sorted_json};
use crate::{
    args::{LeaseArgs, OperatorCommand, ProtectedChangeArgs, ShareArgs, TrainingArgs},
    failure::Failure,
    show,
};
use cairn_domain::{MemoryShare, ResponsibilityLease, SharedSource, WriteGrant};
use cairn_engine::{GateReceipt, LeftOut, Missing, TrainingDecision, stored_name};
use cairn_operator::{
    AppliedChange, ChangePlan, Grant, OperatorError, OperatorKey, SharingChange, SharingState, WantedChange,
    sign_in,
};
use cairn_wire as wire;
use serde_json::{Value, json};
use show::{BOLD, CYAN, DIM, GREEN, RED};
use similar::{ChangeTag, TextDiff};
use std::{borrow::Cow, io::IsTerminal};

/// The variable that scripts sign in with.
const PASSPHRASE_VARIABLE: &str = "CAIRN_OPERATOR_PASSPHRASE";

pub(crate) async fn operator(invocation: &Invocation, what: OperatorCommand) -> Result<(), Failure> {
    let (home, agent) = (&invocation.home, &invocation.agent);
    match what {
        OperatorCommand::Init => init(invocation).await,
        OperatorCommand::Status => status(invocation).await,
        OperatorCommand::Plan { change } => {
            let plan = cairn_operator::plan(home, agent, &wanted_change(change)).await?;
            invocation.answer(|| plan_json(&plan), || print_plan(&plan));
            err!("nothing was changed; run `cairn operator apply … --yes` to apply it");
            Ok(())
        }
        OperatorCommand::Apply { change, reason, yes } => {
            require_yes(yes)?;
            let grant = sign_in_operator(invocation).await?;
            let applied = cairn_operator::apply(&grant, home, agent, &wanted_change(change), &reason).await?;
            print_applied(invocation, &applied);
            Ok(())
        }
        OperatorCommand::Rollback { receipt, reason, yes } => {
            require_yes(yes)?;
            let applied =
                cairn_operator::undo(&sign_in_operator(invocation).await?, home, agent, receipt, &reason)
                    .await?;
            print_applied(invocation, &applied);
            Ok(())
        }
        OperatorCommand::Lease(args) => lease(invocation, args).await,
        OperatorCommand::Share(args) => share(invocation, args).await,
        OperatorCommand::Training(args) => training(invocation, args).await,
        OperatorCommand::Log(limit) => print_ledger(invocation, limit.limit as u32).await,
    }
}

/// Gives a lease or ends one; without `--yes`, shows what would change.
async fn lease(invocation: &Invocation, args: LeaseArgs) -> Result<(), Failure> {
    let agent = &invocation.agent;
    let given = args.until.filter(|_| !args.end).map(|expires_at| ResponsibilityLease {
        owner: agent.to_string(),
        objective: args.objective.unwrap_or_default(),
        commands: args.command,
        tools: args.tool,
        expires_at,
        max_actions: args.actions,
        stop_conditions: args.stop,
        notify: args.notify,
    });
    change(invocation, &WantedChange::Lease(args.name, given), args.reason.filter(|_| args.yes)).await
}

/// Decides about a shard; without `--yes`, shows what would change.
async fn training(invocation: &Invocation, args: TrainingArgs) -> Result<(), Failure> {
    let decision = match (args.approve, args.exclude) {
        (true, _) => Some(TrainingDecision::Approved),
        (false, true) => Some(TrainingDecision::Excluded),
        (false, false) => None,
    };
    change(invocation, &WantedChange::Training(args.shard, decision), args.reason.filter(|_| args.yes)).await
}

/// Makes a change for a reason; without one, shows what would change.
async fn change(
    invocation: &Invocation,
    wanted: &WantedChange,
    reason: Option<String>,
) -> Result<(), Failure> {
    let (home, agent) = (&invocation.home, &invocation.agent);
    let Some(reason) = reason else {
        let plan = cairn_operator::plan(home, agent, wanted).await?;
        invocation.answer(|| plan_json(&plan), || print_plan(&plan));
        err!("nothing was changed; add --reason … --yes to apply it");
        return Ok(());
    };
    let grant = sign_in_operator(invocation).await?;
    let applied = cairn_operator::apply(&grant, home, agent, wanted, &reason).await?;
    print_applied(invocation, &applied);
    Ok(())
}

/// Changes what agents share; without `--yes`, shows what would change.
async fn share(invocation: &Invocation, args: ShareArgs) -> Result<(), Failure> {
    let home = &invocation.home;
    let ShareArgs { owner, to: other, until, reason, yes, .. } = args;
    let becomes = match (args.write, args.end) {
        (true, true) => SharingState::MayNotWrite,
        (true, false) => SharingState::MayWrite(WriteGrant { until }),
        (false, true) => SharingState::Ended,
        (false, false) => SharingState::Shared(
            MemoryShare {
                everything: args.all,
                threads: args.thread.iter().map(|name| stored_name(name)).collect(),
                categories: args.category,
                entities: args.entity,
                until,
            },
            SharedSource { trust_at_most: args.trust_at_most },
        ),
    };
    let change = SharingChange { owner, other, becomes };
    if !yes {
        let plans = cairn_operator::plan_sharing(home, &change).await?;
        invocation.answer(
            || json!({"changes": plans.iter().map(plan_json).collect::<Vec<Value>>()}),
            || plans.iter().for_each(print_plan),
        );
        err!("nothing was changed; add --reason … --yes to apply it");
        return Ok(());
    }
    let grant = sign_in_operator(invocation).await?;
    let applied = cairn_operator::apply_sharing(&grant, home, &change, &reason.unwrap_or_default()).await?;
    invocation.answer(
        || json!({"changes": applied.iter().map(applied_json).collect::<Vec<Value>>()}),
        || applied.iter().for_each(print_applied_change),
    );
    Ok(())
}

fn require_yes(yes: bool) -> Result<(), Failure> {
    let hint = "check it with `cairn operator plan`, then add --yes; nothing was changed";
    if yes { Ok(()) } else { Err(Failure::usage("this changes something protected", hint)) }
}

fn wanted_change(change: ProtectedChangeArgs) -> WantedChange {
    match change {
        ProtectedChangeArgs { mode: Some(mode), .. } => WantedChange::Mode(mode),
        ProtectedChangeArgs { low_risk: Some(kinds), .. } => WantedChange::LowRisk(kinds),
        ProtectedChangeArgs { config: Some(file), .. } => WantedChange::Config(file),
        ProtectedChangeArgs { govern: Some(file), .. } => WantedChange::Govern(file),
        ProtectedChangeArgs { identity, .. } => WantedChange::Identity(identity.unwrap_or_default()),
    }
}

fn gate_counters(gate: &GateReceipt) -> Value {
    let left_out: serde_json::Map<String, Value> = gate
        .left_out
        .iter()
        .map(|(why, count)| (LeftOut::as_str(*why).to_owned(), (*count).into()))
        .collect();
    json!({"promotions": 0, "retractions": 0, "injections": 0, "mode": gate.mode, "looked_at": gate.looked_at,
        "trusted": gate.let_through, "would_be_trusted": gate.would_let_through, "left_out": left_out})
}

fn plan_json(plan: &ChangePlan) -> Value {
    json!({"what": plan.what, "was": plan.was, "becomes": plan.becomes, "boundary": plan.boundary,
        "counters": gate_counters(&plan.gate)})
}

fn print_plan(plan: &ChangePlan) {
    out!("{BOLD}{}{BOLD:#}", plan.what);
    let (was, becomes) = (setting_in_lines(&plan.was), setting_in_lines(&plan.becomes));
    for change in TextDiff::from_lines(&was, &becomes).iter_all_changes() {
        let line = change.value().trim_end_matches('\n');
        match change.tag() {
            ChangeTag::Delete => out!("{RED}- {line}{RED:#}"),
            ChangeTag::Insert => out!("{GREEN}+ {line}{GREEN:#}"),
            ChangeTag::Equal => {}
        }
    }
    for said in &plan.boundary {
        out!("  {DIM}{said}{DIM:#}");
    }
}

/// A setting that is kept as JSON, a line for each field that says something; any other text as it is.
fn setting_in_lines(text: &str) -> Cow<'_, str> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else { return text.into() };
    let words = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => {
            let plain = |one: &Value| one.as_str().map_or_else(|| one.to_string(), str::to_owned);
            all.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let told = fields.iter().map(|(name, value)| (name.replace('_', " "), words(value)));
    let told: Vec<String> = told
        .filter(|(_, words)| !words.is_empty())
        .map(|(name, words)| format!("{name}: {words}\n"))
        .collect();
    if told.is_empty() { "permitted\n".into() } else { told.concat().into() }
}

fn applied_json(applied: &AppliedChange) -> Value {
    let mut value = plan_json(&applied.plan);
    value["backup"] = json!(applied.backup);
    value["receipt"] = applied.receipt.into();
    value
}

fn print_applied(invocation: &Invocation, applied: &AppliedChange) {
    invocation.answer(|| applied_json(applied), || print_applied_change(applied));
}

fn print_applied_change(applied: &AppliedChange) {
    print_plan(&applied.plan);
    out!(
        "{GREEN}receipt {}{GREEN:#}  the previous version is backed up in {}",
        applied.receipt,
        applied.backup.display()
    );
    out!("  undo {DIM}cairn operator rollback {} --reason … --yes{DIM:#}", applied.receipt);
}

async fn print_ledger(invocation: &Invocation, limit: u32) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let receipts = agent.receipts(limit).await?;
    invocation.answer(
        || {
            let one = |receipt: &cairn_domain::Receipt| {
                let mut value = sorted_json(wire::Receipt::from(receipt));
                value["subject"] = receipt.subject.clone().into();
                value
            };
            json!({"receipts": receipts.iter().map(one).collect::<Vec<Value>>()})
        },
        || {
            for receipt in &receipts {
                let (at, told) = (receipt.at.minute(), &receipt.told);
                out!(
                    "{:>5} {at} {CYAN}{}{CYAN:#} {} by {}",
                    receipt.number,
                    receipt.action,
                    receipt.subject,
                    receipt.actor
                );
                out!("      {} → {}  {DIM}{}{DIM:#}", told.was, told.becomes, told.reason);
            }
        },
    );
    Ok(())
}

async fn init(invocation: &Invocation) -> Result<(), Failure> {
    let place = OperatorKey::place(&invocation.home);
    if OperatorKey::read(&invocation.home).await?.is_some() {
        let hint = format!("sign in with its passphrase; if it is lost, move {place} away first");
        let owner = if invocation.home.server().is_some() { "this database" } else { "this home" };
        return Err(Failure::new(format!("{owner} already has an operator"), hint));
    }
    let key = OperatorKey::create(&invocation.home, &new_passphrase()?).await?;
    invocation.answer(
        || json!({"operator": key.id, "key": place}),
        || {
            let green = show::GREEN;
            out!("{green}ready{green:#}  operator {}", key.id);
            err!("the key is {place}; only the passphrase opens it");
        },
    );
    Ok(())
}

async fn status(invocation: &Invocation) -> Result<(), Failure> {
    let id = OperatorKey::read(&invocation.home).await?.map(|key| key.id);
    // An agent that does not exist yet has the default mode.
    let mode = match invocation.home.agent(&invocation.agent, Missing::Refuse).await {
        Ok(agent) => agent.provenance_mode().await?,
        Err(_) => cairn_domain::ProvenanceMode::default(),
    };
    invocation.answer(
        || json!({"operator": id, "mode": mode}),
        || {
            match &id {
                Some(id) => out!("operator {id}"),
                None => out!("this home has no operator; `cairn operator init` creates one"),
            }
            out!("provenance mode {mode}");
        },
    );
    Ok(())
}

/// Signs the operator in with the passphrase from the environment or the terminal.
pub(crate) async fn sign_in_operator(invocation: &Invocation) -> Result<Grant, Failure> {
    if OperatorKey::read(&invocation.home).await?.is_none() {
        return Err(OperatorError::NoKey.into());
    }
    let passphrase = match passphrase_from_environment()? {
        Some(passphrase) => passphrase,
        None => prompt_passphrase("operator passphrase: ")?,
    };
    Ok(sign_in(&invocation.home, &passphrase).await?)
}

/// The passphrase of a new key; on a terminal it is asked for twice.
fn new_passphrase() -> Result<String, Failure> {
    if let Some(passphrase) = passphrase_from_environment()? {
        return Ok(passphrase);
    }
    let first = prompt_passphrase("new operator passphrase: ")?;
    if prompt_passphrase("repeat it: ")? != first {
        return Err(Failure::usage("the passphrases differ", "type the same one twice; no key was created"));
    }
    Ok(first)
}

fn passphrase_from_environment() -> Result<Option<String>, Failure> {
    let text = set_variable(PASSPHRASE_VARIABLE).map(|text| text.into_string());
    text.transpose()
        .map_err(|_| Failure::usage(format!("{PASSPHRASE_VARIABLE} is not text"), "set it to the passphrase"))
}

fn prompt_passphrase(question: &str) -> Result<String, Failure> {
    let nobody = || {
        let hint = format!(
            "run it in a terminal, or set {PASSPHRASE_VARIABLE} to the passphrase; nothing was changed"
        );
        Failure::new("an operator must sign in, and there is no terminal to ask on", hint)
    };
    if !std::io::stdin().is_terminal() {
        return Err(nobody());
    }
    rpassword::prompt_password(question).map_err(|_| nobody())
}
