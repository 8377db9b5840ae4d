//! A home's content is its owner's alone.

use crate::support::Cairn;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

/// The same command line where everybody may read what is made.
fn openly(cairn: &Cairn, line: &str) {
    let command = cairn.command(line);
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg("umask 000; exec \"$0\" \"$@\"").arg(command.get_program()).args(command.get_args());
    shell.current_dir(cairn.path(".")).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = cairn.finish(shell, b"");
    assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
}

/// Everything that somebody else may open.
fn open_to_others(path: &Path) -> Vec<PathBuf> {
    let mode = path.symlink_metadata().expect("it is there").permissions().mode();
    let mut open: Vec<PathBuf> = Some(path.to_owned()).filter(|_| mode & 0o077 != 0).into_iter().collect();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        open.extend(open_to_others(&entry.path()));
    }
    open
}

/// covers: I10
#[test]
fn folders_are_700_and_files_600_whatever_the_umask() {
    let cairn = Cairn::new();
    for line in [
        "init --no-model",
        "remember 'The bees are in the chimney.'",
        "form",
        "dream",
        "diary write 'a quiet day'",
        "backup",
        "backup --to elsewhere",
        "export bees.cairn",
        "archive export days",
        "rebuild",
    ] {
        openly(&cairn, line);
    }
    for place in ["home", "elsewhere", "bees.cairn", "days"] {
        assert_eq!(open_to_others(&cairn.path(place)), Vec::<PathBuf>::new(), "{place}");
    }
}

/// covers: I10
#[test]
fn an_open_home_is_reported_and_mended() {
    let cairn = Cairn::new();
    cairn.done("init --no-model");
    cairn.done("remember 'The bees are in the chimney.'");
    assert!(!cairn.done("doctor").stdout.contains("privacy"));
    let (home, database) = (cairn.path("home"), cairn.path("home/agents/main/memory.db"));
    fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).expect("it is ours");
    fs::set_permissions(&database, fs::Permissions::from_mode(0o644)).expect("it is ours");
    let found = cairn.done("doctor").stdout;
    assert!(found.contains("privacy") && found.contains("2 file(s) or folder(s)"), "{found}");
    assert_eq!(open_to_others(&home), [home.clone(), database], "looking changes nothing");
    assert!(cairn.done("doctor --fix").stdout.contains("privacy"));
    assert_eq!(open_to_others(&home), Vec::<PathBuf>::new());
}

/// covers: I10
#[test]
fn an_export_replaces_nothing_and_follows_no_link_unasked() {
    let cairn = Cairn::new();
    cairn.done("remember 'The bees are in the chimney.'");
    cairn.write("precious.txt", "mine");
    symlink(cairn.path("precious.txt"), cairn.path("link.cairn")).expect("linked");
    for name in ["precious.txt", "link.cairn"] {
        let refused = cairn.run(&format!("export {name}"));
        assert_eq!(refused.code, 1, "{name}");
        assert!(
            refused.stderr.contains("already exists") && refused.stderr.contains("--force"),
            "{}",
            refused.stderr
        );
    }
    cairn.done("export --force link.cairn");
    assert_eq!(cairn.read("precious.txt"), "mine", "the link is replaced, not what it leads to");
    assert!(cairn.read("link.cairn").contains("chimney"));
    cairn.write("serve.txt", "mine");
    symlink(cairn.path("serve.txt"), cairn.path("home/serve.lock")).expect("linked");
    assert_eq!(cairn.run("serve --port 0").code, 1);
    assert_eq!(cairn.read("serve.txt"), "mine");
}

/// A session's name that is a secret is stored masked, and found by whoever has it.
///
/// covers: X-P9
#[test]
fn a_name_that_is_a_secret_finds_its_session_and_is_shown_nowhere() {
    const TOKEN: &str = "ghp_wK3vTq8ZrXs1LmYp0NaUe7HdCf5JgB9iO2Qx";
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done(&format!("remember 'The boat is red.' --session {TOKEN} --thread {TOKEN}"));
    for (line, expected) in [
        ("recall boat --session TOKEN", "The boat is red."),
        ("recall boat --thread TOKEN --within-thread", "The boat is red."),
        ("memories list --session TOKEN", "The boat is red."),
        ("context --query boat --thread TOKEN", "The boat is red."),
        ("context --session TOKEN --resume", "boat"),
        ("handoff write --thread TOKEN", "[secret"),
        ("handoff show --thread TOKEN", "boat"),
        ("erase --session TOKEN", "1 messages"),
    ] {
        let ran = cairn.run(&line.replace("TOKEN", TOKEN));
        assert!(ran.code == 0 && ran.stdout.contains(expected), "{line}: {} {}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains(TOKEN) && !ran.stderr.contains(TOKEN), "{line}: {}", ran.stdout);
    }
    let clear: Vec<PathBuf> = crate::support::files(&cairn.path("home"))
        .into_iter()
        .filter(|(_, bytes)| bytes.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes()))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(clear, Vec::<PathBuf>::new(), "it stands in clear there");
}
