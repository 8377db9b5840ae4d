//! `cairn operator`, and signing in: what is protected is changed by nobody else.

use super::{Setting, set_variable};
use crate::{args::OperatorCommand, failure::Failure, show};
use cairn_operator::{Grant, OperatorError, OperatorKey, sign_in};
use serde_json::json;
use std::io::IsTerminal;

/// The variable that scripts sign in with.
const PASSPHRASE: &str = "CAIRN_OPERATOR_PASSPHRASE";

pub(crate) fn operator(setting: &Setting, what: OperatorCommand) -> Result<(), Failure> {
    match what {
        OperatorCommand::Init => init(setting),
        OperatorCommand::Status => status(setting),
    }
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

fn status(setting: &Setting) -> Result<(), Failure> {
    let key = OperatorKey::read(&setting.home)?;
    let id = key.map(|key| key.id);
    setting.answer(
        || json!({"operator": id}),
        || match &id {
            Some(id) => out!("operator {id}"),
            None => out!("this home has no operator; `cairn operator init` makes one"),
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
