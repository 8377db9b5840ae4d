//! A program that most people have already and that can word memories: the coding agent, or a runner of local models.

use super::edit::Edit;
use crate::failure::Failure;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The programs, and how each is asked. The one that is named first is taken first.
const PROGRAMS: [(&str, &[&str]); 3] =
    [("claude", &["claude", "-p"]), ("codex", &["codex", "exec", "-"]), ("llm", &["llm"])];
/// Runs a model of this machine, which has to be named.
const OLLAMA: &str = "ollama";

/// The section about the first program that is installed. To take it out again, none has to be.
pub(super) fn language_edit(remove: bool) -> Result<Edit, Failure> {
    match installed_program() {
        Err(_) if remove => Ok(Edit::Language { command: Vec::new(), local: false }),
        found => found,
    }
}

fn installed_program() -> Result<Edit, Failure> {
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let is_installed = |name: &str| folders.iter().any(|folder| is_executable(&folder.join(name)));
    let installed = PROGRAMS.iter().find(|(name, _)| is_installed(name));
    if let Some((_, command)) = installed {
        return Ok(Edit::Language {
            command: command.iter().map(ToString::to_string).collect(),
            local: false,
        });
    }
    let model = if is_installed(OLLAMA) { first_local_model() } else { None };
    let Some(model) = model else {
        return Err(Failure::new(
            "no program that can word memories was found: claude, codex, llm, or ollama with a model",
            "install one, or name a server under [[language_model]] in config.toml (docs/language-models.md)",
        ));
    };
    Ok(Edit::Language { command: [OLLAMA, "run", &model].map(str::to_owned).to_vec(), local: true })
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.with_extension("exe").is_file()
}

/// The first model that `ollama list` names; its first line is a heading.
fn first_local_model() -> Option<String> {
    let listed = Command::new(OLLAMA).arg("list").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let lines = String::from_utf8(listed.stdout).ok()?;
    Some(lines.lines().nth(1)?.split_whitespace().next()?.to_owned())
}
