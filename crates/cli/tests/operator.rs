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
