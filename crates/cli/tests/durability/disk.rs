//! Disks that refuse: full ones and folders that may not be written. Linux only; what cannot be arranged here is
//! skipped with a word.

use crate::durability::home::{Home, Said, acknowledged, answer, ids, life};
use fastrand::Rng;
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn succeeds(program: &str, args: &[&str]) -> bool {
    let status = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A small file system of its own, taken away again at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn new(at: &Path, size: &str) -> Option<Self> {
        fs::create_dir_all(at).expect("a folder can be made");
        let path = at.to_str()?;
        let mounted = succeeds("mount", &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs", path]);
        mounted.then(|| Self(at.to_owned()))
    }

    fn grow(&self, size: &str) {
        let path = self.0.to_str().expect("test paths are text");
        assert!(succeeds("mount", &["-o", &format!("remount,size={size}"), path]), "the disk grows");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Ingests until the disk is full; what was acknowledged, and everything that was said.
fn fill(home: &Home, seed: u64) -> (BTreeSet<String>, Vec<Said>) {
    let mut rng = Rng::with_seed(seed);
    let (mut promised, mut said) = (BTreeSet::new(), Vec::new());
    for batch in 0..200 {
        let more = life(&mut rng, &format!("b{batch}"), 40);
        let ingest = home.ingest(1, &more);
        said.extend(more);
        promised.extend(acknowledged(&ingest.stdout));
        if !ingest.status.success() {
            ingest.refuses(
                "",
                "full: free some space and run the command again; nothing acknowledged was lost",
            );
            return (promised, said);
        }
    }
    panic!("8,000 messages did not fill the disk");
}

/// Tries to remember more than there is room for. It is refused; should its line have reached the archive all the same,
/// it may be there later.
fn too_long(home: &Home) -> Said {
    let text = "never kept ".repeat(100_000);
    let (id, session) = ("long".to_owned(), "long-session".to_owned());
    let said = Said { id, session, role: "user", text: text.trim().to_owned() };
    let args = ["remember", "-", "--id", &said.id, "--session", &said.session];
    answer(home.command(1, &args), &said.text).refuses("", "free some space");
    said
}

/// Nothing acknowledged is lost when the disk fills up (design, invariant 4), and with room again all goes on.
///
/// covers: W-24
#[test]
fn a_full_disk_is_said_and_costs_nothing_that_was_acknowledged() {
    for (seed, size) in [(41, "2m"), (42, "2500k"), (43, "3m")] {
        let home = Home::new();
        let Some(disk) = SmallDisk::new(home.path(), size) else {
            eprintln!("skipped: a small disk cannot be mounted here");
            return;
        };
        let (promised, mut said) = fill(&home, seed);
        assert!(promised.len() > 40, "{size} hold more than one transcript");
        said.push(too_long(&home));
        let asked = ["recall", "lantern", "--read-only"];
        assert!(!home.run(1, &asked).good().stdout.is_empty(), "a full disk silences nothing");
        disk.grow("16m");
        home.check_whole(1, &promised, &said);
        let more = life(&mut Rng::with_seed(seed), "more", 20);
        home.ingest(1, &more).good();
        said.extend(more.clone());
        let promised: BTreeSet<String> = promised.into_iter().chain(ids(&more)).collect();
        home.check_whole(1, &promised, &said);
    }
}

/// Takes the right to write from everything below `path`, or gives it back.
fn set_writable(path: &Path, writable: bool) {
    let (folder, file) = if writable { (0o755, 0o644) } else { (0o555, 0o444) };
    let mode = if path.is_dir() { folder } else { file };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    for entry in fs::read_dir(path).into_iter().flatten() {
        set_writable(&entry.expect("the folder can be listed").path(), writable);
    }
}

/// Root may write anywhere, so the command runs as nobody.
fn as_nobody(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_cairn")]);
    home.prepare(&mut command, 1);
    command.args(args);
    command
}

/// Questions are answered where nothing can be written.
///
/// covers: W-24
#[test]
fn a_folder_that_may_not_be_written_is_said_and_left_alone() {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(44), "kept", 30);
    home.ingest(1, &said).good();
    let above = home.path().parent().expect("a home is in a folder");
    fs::set_permissions(above, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let is_root = fs::write(above.join("probe"), "").is_ok() && succeeds("test", &["-O", "/"]);
    let reachable = !is_root || answer(as_nobody(&home, &["--version"]), "").status.success();
    if !reachable {
        eprintln!("skipped: root may write anywhere, and no command can be run as nobody here");
        return;
    }
    set_writable(home.path(), false);
    let run =
        |args: &[&str]| answer(if is_root { as_nobody(&home, args) } else { home.command(1, args) }, "");
    for args in [&["remember", "new words"][..], &["rebuild"]] {
        run(args).refuses("", "give this user write access to the folder");
    }
    for args in [&["recall", "lantern", "--read-only"][..], &["recall", "lantern"], &["stats"], &["timeline"]]
    {
        assert!(!run(args).good().stdout.is_empty(), "{args:?} reads what is there");
    }
    set_writable(home.path(), true);
    home.check_whole(1, &ids(&said), &said);
}
