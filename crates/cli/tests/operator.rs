//! The operator's commands, as people and scripts use them.

use crate::support::{Cairn, Ran};

const PASSPHRASE: &str = "a quiet harbour";

/// Runs a command line with a passphrase in the environment.
fn with(cairn: &Cairn, passphrase: &str, line: &str) -> Ran {
    let mut command = cairn.command(line);
    command.env("CAIRN_OPERATOR_PASSPHRASE", passphrase);
    cairn.finish(command, b"")
}

/// covers: I3, W-168
#[test]
fn a_home_gets_one_operator_whose_key_lies_sealed() {
    let cairn = Cairn::new();
    assert_eq!(cairn.json("operator status")["operator"], serde_json::Value::Null);
    let nobody = cairn.run("operator init");
    assert_eq!(nobody.code, 1);
    assert!(nobody.stderr.contains("CAIRN_OPERATOR_PASSPHRASE"), "{}", nobody.stderr);
    let short = with(&cairn, "harbour", "operator init");
    assert_eq!(short.code, 2);
    assert!(short.stderr.contains("at least 8 characters"), "{}", short.stderr);
    assert!(!cairn.path("home/keys/operator.json").exists());

    let made = with(&cairn, PASSPHRASE, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
    let id = cairn.json("operator status")["operator"].as_str().expect("an operator").to_owned();
    assert!(made.stdout.contains(&id), "{}", made.stdout);
    let kept = cairn.read("home/keys/operator.json");
    assert!(!kept.contains(PASSPHRASE), "{kept}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let rights =
            std::fs::metadata(cairn.path("home/keys/operator.json")).expect("there").permissions().mode();
        assert_eq!(rights & 0o077, 0, "nobody else may read it");
    }
    let again = with(&cairn, "another passphrase", "operator init");
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("already has an operator"), "{}", again.stderr);
    assert_eq!(cairn.read("home/keys/operator.json"), kept, "the first one stays");
}

/// covers: I3, W-168
#[test]
fn a_protected_file_that_was_changed_by_hand_is_told_of() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("init --no-model");
    assert_eq!(with(&cairn, PASSPHRASE, "operator init").code, 0);
    cairn.write("SOUL.md", "I am a careful librarian.\n");
    cairn.write("new.toml", "[embedder]\nkind = \"none\"\n[serve]\nrequests_per_second = 9\n");
    for line in ["--identity SOUL.md", "--config new.toml"] {
        let applied = with(&cairn, PASSPHRASE, &format!("operator apply {line} --reason so --yes"));
        assert_eq!(applied.code, 0, "{line}: {}", applied.stderr);
    }
    let told = |healthy: bool| {
        let doctor = cairn.run("doctor");
        assert_eq!(doctor.code == 0, healthy, "{}", doctor.stdout);
        doctor.stdout.lines().filter(|line| line.contains("protected:")).count()
    };
    assert_eq!(told(true), 0, "what an operator did is no news");
    // The configuration is every agent's: another agent's ledger tells of it, too.
    cairn.done("--agent other remember 'I moved to Lisbon.'");
    cairn.write("newer.toml", "[embedder]\nkind = \"none\"\n[serve]\nrequests_per_second = 8\n");
    let applied =
        with(&cairn, PASSPHRASE, "--agent other operator apply --config newer.toml --reason so --yes");
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(told(true), 0, "the newest receipt counts");
    cairn.tamper("home/config.toml", "= 8", "= 7");
    assert_eq!(told(true), 1, "a changed configuration wants a look");
    cairn.tamper("home/config.toml", "= 7", "= 8");
    cairn.tamper("home/agents/main/identity/SOUL.md", "careful librarian", "careless pirate");
    assert_eq!(told(false), 1, "a changed identity is broken");
    std::fs::remove_file(cairn.path("home/agents/main/identity/SOUL.md")).expect("removed");
    assert_eq!(told(false), 1, "and so is one that is gone");
}
