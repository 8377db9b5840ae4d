//! `cairn export`, `import`, `backup` and `archive export`.

use super::{invocation::Invocation, operator::sign_in_operator};
use crate::{
    args::{ExportArgs, ImportArgs},
    failure::Failure,
    show,
};
use cairn_engine::{Disclosure, ImportReport, Missing, check_bundle};
use cairn_store::DecidedThere;
use serde_json::json;
use std::{
    fs::File,
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

/// Exports to a file, which must be new unless it is to be replaced by `force`.
pub(crate) async fn export(invocation: &Invocation, args: ExportArgs) -> Result<(), Failure> {
    let ExportArgs { file, redact, force } = args;
    let (file, disclosure) = (file.as_path(), if redact { Disclosure::Redacted } else { Disclosure::Whole });
    let agent = invocation.open(Missing::Refuse).await?;
    if file.as_os_str() == "-" {
        agent.export(&mut BufWriter::new(io::stdout()), file, disclosure).await?;
        return Ok(());
    }
    if !force && file.symlink_metadata().is_ok() {
        let problem = format!("{} already exists", file.display());
        return Err(Failure::new(
            problem,
            "name a new file, or add --force to replace it; nothing was written",
        ));
    }
    // Written aside and renamed, so that an interrupted export leaves no file that looks complete.
    let unfinished = PathBuf::from(format!("{}.{}.part", file.display(), std::process::id()));
    let failed = |error: io::Error| {
        Failure::new(format!("cannot write {}: {error}", file.display()), "check the path and the disk")
    };
    // New, so that no link is followed.
    let mut out = BufWriter::new(File::create_new(&unfinished).map_err(failed)?);
    let exported = agent.export(&mut out, &unfinished, disclosure).await.map_err(Failure::from);
    let renamed = exported.and_then(|messages| {
        std::fs::rename(&unfinished, file).map_err(failed)?;
        Ok(messages)
    });
    if renamed.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    let messages = renamed?;
    invocation.answer(
        || json!({"file": file, "messages": messages}),
        || out!("{messages} messages written to {}", file.display()),
    );
    Ok(())
}

/// Imports a bundle; with a reason, an operator signs in and its decisions are imported as well.
pub(crate) async fn import(invocation: &Invocation, args: ImportArgs) -> Result<(), Failure> {
    let ImportArgs { file, as_operator, reason } = args;
    let (file, reason) = (file.as_path(), reason.filter(|_| as_operator));
    if !file.exists() {
        let problem = format!("there is no file {}", file.display());
        return Err(Failure::new(problem, "name a bundle written by `cairn export`"));
    }
    check_bundle(file)?;
    let operator = match reason {
        Some(reason) => Some((sign_in_operator(invocation).await?, reason)),
        None => None,
    };
    let agent = invocation.open(Missing::Create).await?;
    let report = match operator {
        Some((grant, reason)) => {
            cairn_operator::import(&grant, &invocation.home, &agent, file, &reason).await?
        }
        None => agent.import(file).await?,
    };
    show::notes(&agent.take_notes());
    invocation.answer(
        || cairn_wire::Import::from(&report),
        || {
            let (added, duplicates, from) = (report.added, report.duplicates, &report.from);
            out!("{added} messages of agent {from} added, {duplicates} already stored");
            if report.erased > 0 {
                out!("{} left out: an operator has erased them", report.erased);
            }
            if report.memories {
                out!("its memories were imported as well");
            } else if report.rows > 0 {
                out!("its memories were not imported, because this agent already has memories, receipts or tombstones; `cairn form` forms memories from the new messages");
            }
            print_decisions(&report);
        },
    );
    Ok(())
}

/// Prints whether an operator's decisions were imported.
fn print_decisions(report: &ImportReport) {
    let DecidedThere { verified, settings, put_off, proposals, .. } = &report.decided.decided;
    let (verified, receipt) = (verified.len(), report.decided.receipt.unwrap_or_default());
    if report.decided.receipt.is_none() {
        return;
    }
    if report.taken_over {
        out!(
            "{verified} verified beliefs, {settings} settings, {put_off} postponed reviews and {proposals} decided proposals were imported: receipt {receipt}"
        );
    } else {
        out!(
            "{verified} beliefs verified there are candidates here; {settings} settings, {put_off} postponed reviews and {proposals} decided proposals were left out: receipt {receipt}"
        );
        err!("to keep them, import into a new agent with `cairn import FILE --as-operator --reason …`");
    }
}

pub(crate) async fn export_archive(invocation: &Invocation, folder: &Path) -> Result<(), Failure> {
    let files = invocation.open(Missing::Refuse).await?.export_archive(folder).await?;
    invocation.answer(
        || json!({"folder": folder, "files": files}),
        || out!("{files} archive file(s) written to {}", folder.display()),
    );
    Ok(())
}

pub(crate) async fn backup(invocation: &Invocation, to: Option<PathBuf>) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let folder = agent.backup(to).await?;
    invocation.answer(
        || json!({"folder": folder}),
        || {
            out!("backed up to {}", folder.display());
            if agent.is_on_server() {
                out!("restore it with `cairn import --as-operator`");
            } else {
                out!("to restore it, replace the agent's folder with it");
            }
        },
    );
    Ok(())
}
