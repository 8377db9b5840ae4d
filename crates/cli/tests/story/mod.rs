//! Both stores do the same: every command of `cairn --help`, with the real embedder, in a folder and on a PostgreSQL server,
//! its answers compared. A command that is missing from the story fails.

mod alike;
mod told;

use crate::{
    postgres::database::Database,
    story::told::{Told, lines, tell},
    support::{Cairn, commands, models::test_models},
};
use std::{collections::BTreeSet, fs, path::Path, thread};

/// covers: X-P3, C-157
#[test]
fn every_command_does_the_same_in_a_folder_and_on_a_server() {
    let (Some(database), Some(models)) = (Database::new(), test_models()) else { return };
    same_story(database.url(), &models);
}

/// Tells the story in a folder and in the database at `url`, side by side.
pub(crate) fn same_story(url: &str, models: &Path) {
    let notes = tempfile::tempdir().expect("a folder");
    fs::write(notes.path().join("kiln.md"), "# Kiln\n\nThe kiln reaches 1240 degrees in nine hours.\n")
        .expect("written");
    let (folder, server): (Vec<Told>, Vec<Told>) = thread::scope(|scope| {
        let folder = scope.spawn(|| tell(&Cairn::new(), models, notes.path()));
        let server = tell(&Cairn::new().with_database(url), models, notes.path());
        (folder.join().expect("the story is told"), server)
    });
    for told in folder.iter().chain(&server).filter(|told| told.seconds > 3.0) {
        println!("{:.1} s for {}", told.seconds, told.line);
    }
    let differences: Vec<String> = folder.iter().zip(&server).filter_map(alike::difference).collect();
    assert!(differences.is_empty(), "{} differ\n\n{}", differences.len(), differences.join("\n\n"));
    let found = folder.iter().find(|told| told.line.starts_with("--json recall")).expect("a question");
    assert!(found.stdout.contains("\"dense\"") && found.stdout.contains("Bergen"), "{}", found.stdout);
}

/// covers: X-P3
#[test]
fn the_story_has_every_command() {
    let listed: BTreeSet<String> = commands(&Cairn::new(), "").into_iter().collect();
    let before = ["--json ", "--agent copy ", "--home plain "];
    let bare = |line: &str| before.iter().fold(line.to_owned(), |line, before| line.replace(before, ""));
    let told: Vec<String> = lines().map(|line| bare(line.command)).collect();
    let is_told = |name: &str| told.iter().any(|line| line == name || line.starts_with(&format!("{name} ")));
    let missing: Vec<&String> = listed.iter().filter(|name| !is_told(name)).collect();
    assert!(missing.is_empty(), "add to crates/cli/tests/story/lines.txt: {missing:?}");
    assert!(listed.len() > 60 && !is_told("foretell"), "a walk that sees nothing proves nothing: {listed:?}");
}
