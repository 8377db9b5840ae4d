//! `cairn export`, `import` and `backup`: an agent on its way somewhere else.

use super::{Setting, operator::grant};
use crate::{failure::Failure, show};
use cairn_engine::{Disclosure, ImportReport, Missing, check_bundle};
use cairn_store::DecidedThere;
use serde_json::json;
use std::{
    fs::File,
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

pub(crate) async fn export(setting: &Setting, file: &Path, redact: bool) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let disclosure = if redact { Disclosure::Redacted } else { Disclosure::Whole };
    if file.as_os_str() == "-" {
        agent.export(&mut BufWriter::new(io::stdout()), file, disclosure).await?;
        return Ok(());
    }
    // Whole or not there: an interrupted export leaves no file that looks finished.
    let unfinished = PathBuf::from(format!("{}.{}.part", file.display(), std::process::id()));
    let failed = |error: io::Error| {
        Failure::new(format!("cannot write {}: {error}", file.display()), "check the path and the disk")
    };
    let mut out = BufWriter::new(File::create(&unfinished).map_err(failed)?);
    let messages = agent.export(&mut out, &unfinished, disclosure).await?;
    std::fs::rename(&unfinished, file).map_err(failed)?;
    setting.answer(
        || json!({"file": file, "messages": messages}),
        || out!("{messages} messages written to {}", file.display()),
    );
    Ok(())
}

/// Takes in a bundle; with what was decided there if a reason is told and an operator signs in.
pub(crate) async fn import(setting: &Setting, file: &Path, reason: Option<String>) -> Result<(), Failure> {
    if !file.exists() {
        let problem = format!("there is no file {}", file.display());
        return Err(Failure::new(problem, "name a bundle that `cairn export` wrote"));
    }
    check_bundle(file)?;
    let answers_for_it = reason.map(|reason| Ok::<_, Failure>((grant(setting)?, reason))).transpose()?;
    let agent = setting.open(Missing::Create).await?;
    let report = match answers_for_it {
        Some((grant, reason)) => cairn_operator::import(&grant, &setting.home, &agent, file, &reason).await?,
        None => agent.import(file).await?,
    };
    show::notes(&agent.take_notes());
    setting.answer(
        || cairn_wire::Import::from(&report),
        || {
            let (added, duplicates, from) = (report.added, report.duplicates, &report.from);
            out!("{added} messages of agent {from} added, {duplicates} were there already");
            if report.memories {
                out!("its memories came with them");
            } else if report.rows > 0 {
                out!("its memories stayed behind, for there are some here already, or receipts; `cairn form` looks at what is new");
            }
            decided(&report);
        },
    );
    Ok(())
}

/// What became of what was decided where a bundle comes from.
fn decided(report: &ImportReport) {
    let DecidedThere { verified, settings, put_off, .. } = &report.decided.decided;
    let (verified, receipt) = (verified.len(), report.decided.receipt.unwrap_or_default());
    if report.decided.receipt.is_none() {
        return;
    }
    if report.taken_over {
        out!("{verified} verified, {settings} set and {put_off} put off came with them: receipt {receipt}");
    } else {
        out!(
            "{verified} verified there are candidates here; {settings} set and {put_off} put off stayed behind: receipt {receipt}"
        );
        anstream::eprintln!(
            "an operator takes them over in a new agent with `cairn import FILE --as-operator --reason …`"
        );
    }
}

pub(crate) async fn export_archive(setting: &Setting, folder: &Path) -> Result<(), Failure> {
    let files = setting.open(Missing::Refuse).await?.export_archive(folder).await?;
    setting.answer(
        || json!({"folder": folder, "files": files}),
        || out!("{files} archive file(s) written to {}", folder.display()),
    );
    Ok(())
}

pub(crate) async fn backup(setting: &Setting, to: Option<PathBuf>) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let folder = agent.backup(to).await?;
    setting.answer(
        || json!({"folder": folder}),
        || {
            out!("copied to {}", folder.display());
            if agent.is_on_server() {
                out!("`cairn import --as-operator` takes the bundle in it");
            } else {
                out!("put it in the agent's place to go back to it");
            }
        },
    );
    Ok(())
}
