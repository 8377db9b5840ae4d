//! `cairn operator`, and signing in: what is protected is changed by nobody else.

use super::{Setting, set_variable};
use crate::{
    args::{Change, OperatorCommand},
    failure::Failure,
    show,
};
use cairn_engine::{GateReceipt, LeftOut, Missing};
use cairn_operator::{Applied, Grant, OperatorError, OperatorKey, Plan, Wanted, sign_in};
use cairn_wire as wire;
use serde_json::{Value, json};
use show::{BOLD, CYAN, DIM, GREEN, RED};
use similar::{ChangeTag, TextDiff};
use std::io::IsTerminal;

/// The variable that scripts sign in with.
const PASSPHRASE: &str = "CAIRN_OPERATOR_PASSPHRASE";

pub(crate) async fn operator(setting: &Setting, what: OperatorCommand) -> Result<(), Failure> {
    let (home, agent) = (&setting.home, &setting.agent);
    match what {
        OperatorCommand::Init => init(setting),
        OperatorCommand::Status => status(setting).await,
        OperatorCommand::Plan { change } => {
            let plan = cairn_operator::plan(home, agent, &wanted(change)).await?;
            setting.answer(|| told(&plan), || shown(&plan));
            anstream::eprintln!("nothing was changed; `cairn operator apply … --yes` does it");
            Ok(())
        }
        OperatorCommand::Apply { change, reason, yes } => {
            sure(yes)?;
            let grant = grant(setting)?;
            let applied = cairn_operator::apply(&grant, home, agent, &wanted(change), &reason).await?;
            answer(setting, &applied);
            Ok(())
        }
        OperatorCommand::Rollback { receipt, reason, yes } => {
            sure(yes)?;
            let applied = cairn_operator::undo(&grant(setting)?, home, agent, receipt, &reason).await?;
            answer(setting, &applied);
            Ok(())
        }
        OperatorCommand::Log(limit) => log(setting, limit.limit as u32).await,
    }
}

fn sure(yes: bool) -> Result<(), Failure> {
    let hint = "look at it with `cairn operator plan`, then add --yes; nothing was changed";
    if yes { Ok(()) } else { Err(Failure::usage("this changes something that is protected", hint)) }
}

fn wanted(change: Change) -> Wanted {
    match change {
        Change { mode: Some(mode), .. } => Wanted::Mode(mode),
        Change { low_risk: Some(kinds), .. } => Wanted::LowRisk(kinds),
        Change { config: Some(file), .. } => Wanted::Config(file),
        Change { identity, .. } => Wanted::Identity(identity.unwrap_or_default()),
    }
}

fn counters(gate: &GateReceipt) -> Value {
    let left_out: serde_json::Map<String, Value> = gate
        .left_out
        .iter()
        .map(|(why, count)| (LeftOut::as_str(*why).to_owned(), (*count).into()))
        .collect();
    json!({"promotions": 0, "retractions": 0, "injections": 0, "mode": gate.mode, "looked_at": gate.looked_at,
        "trusted": gate.let_through, "would_be_trusted": gate.would_let_through, "left_out": left_out})
}

fn told(plan: &Plan) -> Value {
    json!({"what": plan.what, "was": plan.was, "becomes": plan.becomes, "boundary": plan.boundary,
        "counters": counters(&plan.gate)})
}

fn shown(plan: &Plan) {
    out!("{BOLD}{}{BOLD:#}", plan.what);
    for change in TextDiff::from_lines(&plan.was, &plan.becomes).iter_all_changes() {
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

fn answer(setting: &Setting, applied: &Applied) {
    setting.answer(
        || {
            let mut value = told(&applied.plan);
            value["backup"] = json!(applied.backup);
            value["receipt"] = applied.receipt.into();
            value
        },
        || {
            shown(&applied.plan);
            out!(
                "{GREEN}receipt {}{GREEN:#}  a copy from before is {}",
                applied.receipt,
                applied.backup.display()
            );
            out!("  undo {DIM}cairn operator rollback {} --reason … --yes{DIM:#}", applied.receipt);
        },
    );
}

async fn log(setting: &Setting, limit: u32) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let receipts = agent.receipts(limit).await?;
    setting.answer(
        || {
            let one = |receipt: &cairn_domain::Receipt| {
                let mut value = serde_json::to_value(wire::Receipt::from(receipt)).unwrap_or_default();
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

fn init(setting: &Setting) -> Result<(), Failure> {
    let path = OperatorKey::path(&setting.home);
    if OperatorKey::read(&setting.home)?.is_some() {
        let hint = format!("sign in with its passphrase; if it is lost, move {} away first", path.display());
        return Err(Failure::new("this home has an operator already", hint));
    }
    let key = OperatorKey::make(&setting.home, &new_passphrase()?)?;
    setting.answer(
        || json!({"operator": key.id, "key": path}),
        || {
            let green = show::GREEN;
            out!("{green}ready{green:#}  operator {}", key.id);
            anstream::eprintln!(
                "its key is {}; only the passphrase opens it, and nothing else does",
                path.display()
            );
        },
    );
    Ok(())
}

async fn status(setting: &Setting) -> Result<(), Failure> {
    let id = OperatorKey::read(&setting.home)?.map(|key| key.id);
    // An agent that is not there yet is trusted as every new one is.
    let mode = match setting.home.agent(&setting.agent, Missing::Refuse).await {
        Ok(agent) => agent.provenance_mode().await?,
        Err(_) => cairn_domain::ProvenanceMode::default(),
    };
    setting.answer(
        || json!({"operator": id, "mode": mode}),
        || {
            match &id {
                Some(id) => out!("operator {id}"),
                None => out!("this home has no operator; `cairn operator init` makes one"),
            }
            out!("provenance mode {mode}");
        },
    );
    Ok(())
}

/// Signs the operator in: with the variable if it is set, else asking on the terminal.
pub(crate) fn grant(setting: &Setting) -> Result<Grant, Failure> {
    if OperatorKey::read(&setting.home)?.is_none() {
        return Err(OperatorError::NoKey.into());
    }
    let passphrase = match given()? {
        Some(passphrase) => passphrase,
        None => asked("passphrase of the operator: ")?,
    };
    Ok(sign_in(&setting.home, &passphrase)?)
}

/// The passphrase of a new key; on a terminal it is asked for twice.
fn new_passphrase() -> Result<String, Failure> {
    if let Some(passphrase) = given()? {
        return Ok(passphrase);
    }
    let first = asked("a passphrase for the operator: ")?;
    if asked("the same again: ")? != first {
        return Err(Failure::usage("these are two passphrases", "type the same one twice; nothing was made"));
    }
    Ok(first)
}

fn given() -> Result<Option<String>, Failure> {
    let text = set_variable(PASSPHRASE).map(|text| text.into_string());
    text.transpose()
        .map_err(|_| Failure::usage(format!("{PASSPHRASE} is not text"), "write the passphrase in it"))
}

fn asked(question: &str) -> Result<String, Failure> {
    let nobody = || {
        let hint =
            format!("run it on a terminal, or put the passphrase in {PASSPHRASE}; nothing was changed");
        Failure::new("an operator has to sign in, and there is nobody to ask", hint)
    };
    if !std::io::stdin().is_terminal() {
        return Err(nobody());
    }
    rpassword::prompt_password(question).map_err(|_| nobody())
}
