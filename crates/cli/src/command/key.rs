//! `cairn key`: the API keys of a server.

use super::{invocation::Invocation, operator::sign_in_operator};
use crate::{args::KeyCommand, failure::Failure, show};
use cairn_domain::{AccessKey, Scope};
use cairn_operator::{add_key, revoke_key};
use cairn_wire as wire;

pub(crate) async fn key(invocation: &Invocation, what: KeyCommand) -> Result<(), Failure> {
    let keys = invocation.home.keys();
    match what {
        KeyCommand::Add { name, agents, capture, operator } => {
            let agents = Some(agents).filter(|agents| !agents.is_empty());
            let (key, secret) = if operator {
                add_key(&sign_in_operator(invocation).await?, &keys, &name, Scope::Operator, agents).await?
            } else if capture {
                keys.add_capture_key(&name, agents, &current_user()).await?
            } else {
                keys.add(&name, agents, &current_user()).await?
            };
            invocation.answer(
                || wire::NewKey { key: (&key).into(), secret: secret.clone() },
                || {
                    out!("{secret}");
                    let (dim, id) = (show::DIM, &key.id);
                    err!("{dim}{id}, {}; it will not be shown again{dim:#}", allowed_access(&key));
                    err!("{dim}send it as `Authorization: Bearer …`{dim:#}");
                },
            );
        }
        KeyCommand::List => {
            let keys = keys.list().await?;
            invocation.answer(
                || keys.iter().collect::<wire::Keys>(),
                || {
                    let mut table = show::table(&["key", "name", "allows", "added", "last used", ""]);
                    for key in &keys {
                        let used = key.used_at.map_or_else(|| "never".to_owned(), |at| at.minute());
                        let revoked = key.revoked_at.map(|at| format!("revoked {}", at.minute()));
                        table.add_row([
                            key.id.clone(),
                            key.name.clone(),
                            allowed_access(key),
                            format!("{} by {}", key.added_at.minute(), key.added_by),
                            used,
                            revoked.unwrap_or_default(),
                        ]);
                    }
                    out!("{table}");
                },
            );
        }
        KeyCommand::Revoke { key } => {
            let revoked = match keys.find(&key).await?.scope {
                Scope::Agent | Scope::Capture => keys.revoke(&key, &current_user()).await?,
                Scope::Operator => revoke_key(&sign_in_operator(invocation).await?, &keys, &key).await?,
            };
            invocation
                .answer(|| wire::Key::from(&revoked), || out!("{}  {} is revoked", revoked.id, revoked.name));
        }
    }
    Ok(())
}

fn allowed_access(key: &AccessKey) -> String {
    let agents = key.agents.as_ref().map_or_else(
        || "every agent".to_owned(),
        |agents| agents.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    );
    format!("{} for {agents}", key.scope)
}

/// The user running this, according to the environment.
fn current_user() -> String {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    user.ok().filter(|user| !user.is_empty()).unwrap_or_else(|| "the command line".to_owned())
}
