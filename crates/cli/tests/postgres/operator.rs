//! One memory, one operator: homes that share a database share its operator's key.

use crate::{
    postgres::database::Database,
    support::{
        Cairn,
        erasing::{PASSPHRASE, answered, signed_in},
    },
};

/// covers: I3, W-155, W-168
#[test]
fn nobody_becomes_the_operator_of_a_database_by_beginning_a_home() {
    let Some(database) = Database::new() else { return };
    let (here, there) =
        (Cairn::new().with_database(database.url()), Cairn::new().with_database(database.url()));
    here.done("remember 'I moved to Lisbon.'");
    assert_eq!(signed_in(&here, "operator init").code, 0);
    let operator = here.json("operator status")["operator"].clone();
    assert_eq!(there.json("operator status")["operator"], operator, "both homes know the same operator");
    let mut another = there.command("operator init");
    another.env("CAIRN_OPERATOR_PASSPHRASE", "somebody else's words");
    let refused = there.finish(another, b"");
    assert!(refused.code == 1 && refused.stderr.contains("already has an operator"), "{}", refused.stderr);
    // A key that was put into a home's file opens nothing.
    let elsewhere = Cairn::new();
    let mut another = elsewhere.command("operator init");
    another.env("CAIRN_OPERATOR_PASSPHRASE", "somebody else's words");
    assert_eq!(elsewhere.finish(another, b"").code, 0);
    there.write("home/keys/operator.json", elsewhere.read("home/keys/operator.json"));
    let mut applied = there.command("operator apply --mode enforce --reason so --yes");
    applied.env("CAIRN_OPERATOR_PASSPHRASE", "somebody else's words");
    let refused = there.finish(applied, b"");
    assert!(refused.code == 1 && refused.stderr.contains("passphrase"), "{}", refused.stderr);
    assert_eq!(there.json("operator status")["mode"], "observe");
    // The operator signs in from everywhere.
    answered(&there, "operator apply --mode enforce --reason so --yes");
    assert_eq!(here.json("operator status")["mode"], "enforce");
    assert!(!PASSPHRASE.is_empty() && !here.path("home/keys/operator.json").exists());
}

/// A key that an earlier version left in a home's file.
///
/// covers: I3
#[test]
fn a_database_takes_over_the_key_of_the_home_that_had_it() {
    let Some(database) = Database::new() else { return };
    let folder = Cairn::new();
    assert_eq!(signed_in(&folder, "operator init").code, 0);
    let (here, there) =
        (Cairn::new().with_database(database.url()), Cairn::new().with_database(database.url()));
    here.write("home/keys/operator.json", folder.read("home/keys/operator.json"));
    here.done("remember 'I moved to Lisbon.'");
    answered(&here, "operator apply --mode enforce --reason so --yes");
    answered(&there, "operator apply --mode observe --reason so --yes");
    assert_eq!(here.json("operator status")["operator"], folder.json("operator status")["operator"]);
}
