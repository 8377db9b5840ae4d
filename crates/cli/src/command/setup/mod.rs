//! `cairn setup`: configures an agent's host to use Cairn, or Cairn to use a language model that is there. Shows the changes first, keeps a backup next to each file, leaves
//! other entries alone, and `--remove` undoes it.

mod edit;
mod language;
mod place;

use super::invocation::Invocation;
use crate::{
    args::{self, SetupHost},
    failure::Failure,
    show,
};
use cairn_engine::{ReplaceAccess, ReplaceSync, replace_file};
use edit::Edit;
use place::{Launch, places};
use serde_json::json;
use similar::TextDiff;
use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};

/// One file of a host, before and after the setup.
struct FileChange {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
}

pub(crate) fn setup(invocation: &Invocation, args: &args::SetupArgs) -> Result<(), Failure> {
    let launch = Launch::of(invocation)?;
    let mut changes = Vec::new();
    for (path, edit) in places(args, &launch)? {
        let before = read(&path)?;
        let after = if args.remove {
            removed(&path, before.as_deref(), &edit)?
        } else {
            put_in(&path, before.as_deref(), &edit)?
        };
        changes.push(FileChange { path, before, after });
    }
    changes.retain(|change| change.before != change.after);
    if !changes.is_empty() && !invocation.json {
        changes.iter().for_each(show_diff);
    }
    if !changes.is_empty() && !args.yes && !confirmed()? {
        return Err(Failure::new("nothing was changed", "answer y, or pass --yes"));
    }
    for change in &changes {
        write(change, args.remove)?;
    }
    print_result(invocation, args, &changes);
    Ok(())
}

fn print_result(invocation: &Invocation, args: &args::SetupArgs, changes: &[FileChange]) {
    let paths: Vec<&Path> = changes.iter().map(|change| change.path.as_path()).collect();
    invocation.answer(
        || json!({"changed": paths, "removed": args.remove}),
        || {
            let green = show::GREEN;
            match (paths.is_empty(), args.remove) {
                (true, true) => out!("{green}nothing to remove{green:#}"),
                (true, false) => out!("{green}already set up{green:#}"),
                (false, true) => out!("{green}removed{green:#}"),
                (false, false) => {
                    out!("{green}set up{green:#}  {}", next_step(args.host));
                }
            }
        },
    );
}

fn next_step(host: SetupHost) -> &'static str {
    match host {
        SetupHost::ClaudeCode | SetupHost::Gemini => "start a new session; `/mcp` and `/hooks` show it",
        SetupHost::ClaudeDesktop => "quit Claude Desktop and start it again",
        SetupHost::Cursor => "in Cursor's settings, under MCP, turn cairn on; the hooks work at once",
        SetupHost::Opencode => "start a new session; `opencode mcp list` shows it",
        SetupHost::Language => "`cairn doctor` asks it one word; spending is bounded by [language_budget]",
        SetupHost::Codex => {
            "start a new session; Codex asks you to trust the hooks once (`/hooks`), and `codex mcp list` shows the tools"
        }
    }
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn unreadable(path: &Path, problem: &str) -> Failure {
    Failure::new(
        format!("cannot read {}: {problem}", path.display()),
        "fix the file, or move it away; nothing was changed",
    )
}

/// The file with our entries.
fn put_in(path: &Path, before: Option<&str>, edit: &Edit) -> Result<Option<String>, Failure> {
    edit.put_in(before.unwrap_or_default()).map(Some).map_err(|problem| unreadable(path, &problem))
}

/// The file without our entries: restored to the byte if nobody has edited it since, else with only our entries removed.
fn removed(path: &Path, before: Option<&str>, edit: &Edit) -> Result<Option<String>, Failure> {
    let Some(text) = before else { return Ok(None) };
    let kept = read(&backup(path))?;
    let untouched = edit.put_in(kept.as_deref().unwrap_or_default()).is_ok_and(|with| with == text);
    // A file of our own goes as a whole; another's of the same name stays.
    let is_ours = |own: &str| own.lines().next().is_some_and(|first| text.starts_with(first));
    match edit {
        _ if untouched => return Ok(kept),
        Edit::Whole(own) if is_ours(own) => return Ok(kept),
        Edit::Whole(_) => return Ok(Some(text.to_owned())),
        Edit::Json(_) | Edit::Toml { .. } | Edit::Language { .. } => {}
    }
    edit.take_out(text).map(Some).map_err(|problem| unreadable(path, &problem))
}

/// Where the original file is kept.
fn backup(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-cairn");
    path.with_file_name(name)
}

fn write(change: &FileChange, remove: bool) -> Result<(), Failure> {
    let FileChange { path, before, after } = change;
    let kept = backup(path);
    let done = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        if !remove
            && let Some(before) = before
            && !kept.exists()
        {
            replace(&kept, before, Some(path))?;
        }
        match after {
            Some(after) => replace(path, after, before.as_ref().map(|_| path.as_path()))?,
            None => fs::remove_file(path)?,
        }
        if remove && kept.exists() {
            fs::remove_file(&kept)?;
        }
        Ok(())
    };
    done().map_err(|error| {
        Failure::new(
            format!("cannot write {}: {error}", path.display()),
            "check the folder and its permissions",
        )
    })
}

/// Replaces a file atomically, with the permissions of `like`.
fn replace(path: &Path, text: &str, like: Option<&Path>) -> io::Result<()> {
    // A symbolic link is followed, not replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let access = like.map_or(ReplaceAccess::Usual, ReplaceAccess::Like);
    replace_file(&path, text.as_bytes(), ReplaceSync::Cached, access)
}

fn show_diff(change: &FileChange) {
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let path = change.path.display();
    let diff = TextDiff::from_lines(before, after);
    let (bold, red, green) = (show::BOLD, show::RED, show::GREEN);
    err!("{bold}{path}{bold:#}");
    for line in diff.unified_diff().context_radius(2).to_string().lines() {
        match line.as_bytes().first() {
            Some(b'+') => err!("{green}{line}{green:#}"),
            Some(b'-') => err!("{red}{line}{red:#}"),
            _ => err!("{line}"),
        }
    }
}

fn confirmed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("there is no terminal to confirm on", "pass --yes to write this"));
    }
    eprint!("write this? [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
