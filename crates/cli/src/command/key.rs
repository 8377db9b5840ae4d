//! `cairn key`: what programs show a server to be let in.

use super::Setting;
use crate::{args::KeyCommand, failure::Failure, show};
use cairn_domain::{AccessKey, Scope};
use cairn_wire as wire;

pub(crate) async fn key(setting: &Setting, what: KeyCommand) -> Result<(), Failure> {
    let keys = setting.home.keys();
    match what {
        KeyCommand::Add { name, agents, operator } => {
            let scope = if operator { Scope::Operator } else { Scope::Agent };
            let agents = Some(agents).filter(|agents| !agents.is_empty());
            let (key, secret) = keys.add(&name, scope, agents, &who()).await?;
            setting.answer(
                || wire::NewKey { key: (&key).into(), secret: secret.clone() },
                || {
                    out!("{secret}");
                    let (dim, id) = (show::DIM, &key.id);
                    anstream::eprintln!("{dim}{id}, {}; it is not shown again{dim:#}", allows(&key));
                    anstream::eprintln!("{dim}send it as `Authorization: Bearer …`{dim:#}");
                },
            );
        }
        KeyCommand::List => {
            let keys = keys.list().await?;
            setting.answer(
                || keys.iter().collect::<wire::Keys>(),
                || {
                    let mut table = show::table(&["key", "name", "allows", "added", "last used", ""]);
                    for key in &keys {
                        let used = key.used_at.map_or_else(|| "never".to_owned(), |at| at.minute());
                        let revoked = key.revoked_at.map(|at| format!("revoked {}", at.minute()));
                        table.add_row([
                            key.id.clone(),
                            key.name.clone(),
                            allows(key),
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
            let revoked = keys.revoke(&key, &who()).await?;
            setting.answer(
                || wire::Key::from(&revoked),
                || out!("{}  {} opens nothing any more", revoked.id, revoked.name),
            );
        }
    }
    Ok(())
}

fn allows(key: &AccessKey) -> String {
    let agents = key.agents.as_ref().map_or_else(
        || "every agent".to_owned(),
        |agents| agents.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    );
    format!("{} for {agents}", key.scope)
}

/// Who runs this, as far as the environment says.
fn who() -> String {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    user.ok().filter(|user| !user.is_empty()).unwrap_or_else(|| "the command line".to_owned())
}
