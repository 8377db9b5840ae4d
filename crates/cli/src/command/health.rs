//! `cairn doctor`, `rebuild` and `verify`.

use super::invocation::Invocation;
use crate::{failure::Failure, show};
use cairn_engine::{Health, Missing};
use cairn_wire as wire;
use indicatif::ProgressBar;
use serde_json::json;
use std::time::Duration;

pub(crate) async fn doctor(invocation: &Invocation, fix: bool) -> Result<(), Failure> {
    let mut checks = if fix {
        invocation.home.mend(&invocation.agent).await?
    } else {
        invocation.home.examine(&invocation.agent).await?
    };
    checks.extend(super::hook::timing_checks(&invocation.home.folder(&invocation.agent)));
    let healthy = checks.iter().all(|check| check.health != Health::Bad);
    invocation.answer(
        || json!({"ok": healthy, "checks": checks.iter().map(wire::Check::from).collect::<Vec<_>>()}),
        || {
            for check in &checks {
                let (color, word) = match check.health {
                    Health::Good => (show::GREEN, "good"),
                    Health::Mended => (show::CYAN, "fixed"),
                    Health::Warning => (show::YELLOW, "note"),
                    Health::Bad => (show::RED, "bad"),
                };
                out!("{color}{word:>6}{color:#}  {}: {}", check.name, check.detail);
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
            "some checks failed",
            "see above; `cairn doctor --fix` repairs what can be repaired",
        ))
    }
}

pub(crate) async fn rebuild(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let spinner = spinner("rebuilding from the archive");
    let rebuilt = agent.rebuild().await?;
    spinner.finish_and_clear();
    show::notes(&rebuilt.notes);
    invocation.answer(
        || json!({"messages": rebuilt.messages, "files": rebuilt.files, "notes": rebuilt.notes}),
        || out!("{} messages rebuilt from {} archive file(s)", rebuilt.messages, rebuilt.files),
    );
    Ok(())
}

pub(crate) async fn verify(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let spinner = spinner("reading the archive");
    let verification = agent.verify().await?;
    spinner.finish_and_clear();
    invocation.answer(
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

/// A progress spinner on a terminal; nothing in a pipe.
fn spinner(what: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}
