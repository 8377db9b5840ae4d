//! `cairn doctor`, `rebuild` and `verify`: is everything in order, and putting it in order.

use super::Setting;
use crate::{failure::Failure, show};
use cairn_engine::{Health, Missing};
use cairn_wire as wire;
use indicatif::ProgressBar;
use serde_json::json;
use std::time::Duration;

pub(crate) async fn doctor(setting: &Setting, fix: bool) -> Result<(), Failure> {
    let checks = if fix {
        setting.home.mend(&setting.agent).await?
    } else {
        setting.home.examine(&setting.agent).await?
    };
    let healthy = checks.iter().all(|check| check.health != Health::Bad);
    setting.answer(
        || json!({"ok": healthy, "checks": checks.iter().map(wire::Check::from).collect::<Vec<_>>()}),
        || {
            for check in &checks {
                let (colour, word) = match check.health {
                    Health::Good => (show::GREEN, "good"),
                    Health::Mended => (show::CYAN, "mended"),
                    Health::Warning => (show::YELLOW, "note"),
                    Health::Bad => (show::RED, "bad"),
                };
                out!("{colour}{word:>6}{colour:#}  {}: {}", check.name, check.detail);
                if let Some(fix) = &check.fix {
                    out!("        {fix}");
                }
            }
        },
    );
    if healthy {
        Ok(())
    } else {
        Err(Failure::new(
            "not everything is in order",
            "see above; `cairn doctor --fix` mends what can be mended",
        ))
    }
}

pub(crate) async fn rebuild(setting: &Setting) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let spinner = spinner("rebuilding from the archive");
    let rebuilt = agent.rebuild().await?;
    spinner.finish_and_clear();
    show::notes(&rebuilt.notes);
    setting.answer(
        || json!({"messages": rebuilt.messages, "files": rebuilt.files, "notes": rebuilt.notes}),
        || out!("{} messages rebuilt from {} archive file(s)", rebuilt.messages, rebuilt.files),
    );
    Ok(())
}

pub(crate) async fn verify(setting: &Setting) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let spinner = spinner("reading the archive");
    let verification = agent.verify().await?;
    spinner.finish_and_clear();
    setting.answer(
        || wire::Verification::from(&verification),
        || {
            for finding in &verification.findings {
                let (red, cyan) = (show::RED, show::CYAN);
                out!("{red}bad{red:#}  {}\n     {cyan}{}{cyan:#}", finding.problem, finding.hint);
            }
            let (messages, files, seals) = (verification.messages, verification.files, verification.seals);
            let (beliefs, receipts) = (verification.beliefs, verification.receipts);
            out!("{messages} message(s), {files} archive file(s), {seals} seal(s) checked");
            if beliefs + receipts > 0 {
                out!("{beliefs} belief(s), {receipts} receipt(s) of the ledger checked");
            }
        },
    );
    let Some(finding) = verification.findings.first() else { return Ok(()) };
    Err(Failure::new(format!("{} finding(s)", verification.findings.len()), finding.hint))
}

/// Something that moves while a person waits; nothing in a pipe.
fn spinner(what: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}
