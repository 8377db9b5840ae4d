//! Who gets a grant.

use cairn_domain::{AgentName, Scope};
use cairn_engine::Home;
use cairn_operator::{OperatorError, OperatorKey, add_key, list_keys, revoke_key, sign_in, sign_in_with_key};
use cairn_testkit::{SimulatedClock, run};

/// covers: I3, W-155, W-168
#[test]
fn the_passphrase_or_an_operators_key_gets_a_grant_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path(), SimulatedClock::at("2026-11-15T10:00:00Z")).expect("a home");
    assert!(matches!(run(sign_in(&home, "a quiet harbour")), Err(OperatorError::NoKey)));
    let made = run(OperatorKey::create(&home, "a quiet harbour")).expect("a key");
    let grant = run(sign_in(&home, "a quiet harbour")).expect("let in");
    assert_eq!(grant.authority(), format!("operator:{}", made.id));
    assert!(matches!(run(sign_in(&home, "a loud harbour")), Err(OperatorError::SignInFailed(_))));
    run(async {
        let keys = home.keys();
        let (operator, shown) = add_key(&grant, &keys, "me", Scope::Operator, None).await.expect("a key");
        let (_, agents) = keys.add("laptop", None, "test").await.expect("a key");
        let grant = sign_in_with_key(&home, &keys, &shown).await.expect("let in");
        assert_eq!(grant.authority(), format!("operator:{}", operator.id));
        for wrong in [agents.as_str(), "", "cairn_0123"] {
            let refused = sign_in_with_key(&home, &keys, wrong).await;
            assert!(matches!(refused, Err(OperatorError::SignInFailed(_))), "{wrong}");
        }
        assert!(keys.revoke("me", "test").await.is_err(), "an operator's key is an operator's to revoke");
        revoke_key(&grant, &keys, "me").await.expect("revoked");
        let refused = sign_in_with_key(&home, &keys, &shown).await;
        assert!(refused.is_err(), "a revoked key lets nobody in");
    });
}

/// Whoever can write the file of keys makes no operator's key of an agent's, and takes no limit off one.
///
/// covers: I3, W-155
#[test]
fn a_key_that_was_changed_in_its_file_is_no_operators() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path(), SimulatedClock::at("2026-11-15T10:00:00Z")).expect("a home");
    run(OperatorKey::create(&home, "a quiet harbour")).expect("a key");
    let grant = run(sign_in(&home, "a quiet harbour")).expect("let in");
    run(async {
        let (keys, one) = (home.keys(), Some(vec!["one".parse().expect("a name")]));
        let (_, agents) = keys.add("laptop", None, "test").await.expect("a key");
        let (_, limited) = add_key(&grant, &keys, "one", Scope::Operator, one).await.expect("a key");
        assert!(sign_in_with_key(&home, &home.keys(), &limited).await.is_ok());
        let path = folder.path().join("keys.json");
        let written = std::fs::read_to_string(&path).expect("the keys");
        let changed = written.replace("\"scope\": \"agent\"", "\"scope\": \"operator\"");
        let changed = changed.replace("\"one\"\n", "\"two\"\n");
        assert_ne!(written, changed);
        std::fs::write(&path, changed).expect("changed");
        for shown in [&agents, &limited] {
            let refused = sign_in_with_key(&home, &home.keys(), shown).await;
            assert!(matches!(refused, Err(OperatorError::SignInFailed(_))), "{refused:?}");
        }
        // Nor does a key outlive its operator.
        std::fs::write(&path, written).expect("as it was");
        std::fs::remove_file(OperatorKey::path(&home)).expect("moved away");
        OperatorKey::create(&home, "a loud harbour").await.expect("another");
        assert!(sign_in_with_key(&home, &home.keys(), &limited).await.is_err());
    });
}

/// covers: I3, I10
#[test]
fn a_limited_key_gives_sees_and_revokes_nothing_beyond_its_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path(), SimulatedClock::at("2026-11-15T10:00:00Z")).expect("a home");
    run(OperatorKey::create(&home, "a quiet harbour")).expect("a key");
    let all = run(sign_in(&home, "a quiet harbour")).expect("let in");
    let names = |written: &str| -> Option<Vec<AgentName>> {
        (written != "all").then(|| written.split(' ').map(|name| name.parse().expect("a name")).collect())
    };
    run(async {
        let keys = home.keys();
        let (_, shown) =
            add_key(&all, &keys, "limited", Scope::Operator, names("one two")).await.expect("a key");
        let limited = sign_in_with_key(&home, &keys, &shown).await.expect("let in");
        for (scope, agents, may) in [
            (Scope::Operator, "one", true),
            (Scope::Operator, "two one", true),
            (Scope::Agent, "one", true),
            (Scope::Operator, "all", false),
            (Scope::Agent, "all", false),
            (Scope::Operator, "three", false),
            (Scope::Agent, "one three", false),
        ] {
            let name = format!("{scope} for {agents}");
            let made = add_key(&limited, &keys, &name, scope, names(agents)).await;
            assert_eq!(made.is_ok(), may, "{name}");
            assert!(may || matches!(made, Err(OperatorError::BeyondLimit)), "{name}");
            let beyond = format!("beyond {name}");
            add_key(&all, &keys, &beyond, scope, names(agents)).await.expect("without a limit");
            let seen = list_keys(&limited, &keys).await.expect("listed");
            assert_eq!(seen.iter().any(|key| key.name == beyond), may, "{beyond}");
            assert_eq!(revoke_key(&limited, &keys, &beyond).await.is_ok(), may, "{beyond}");
        }
        // What it made is limited as it is.
        let (_, given) =
            add_key(&limited, &keys, "given on", Scope::Operator, names("one")).await.expect("a key");
        let given = sign_in_with_key(&home, &keys, &given).await.expect("let in");
        assert!(add_key(&given, &keys, "wider", Scope::Agent, names("two")).await.is_err());
    });
}
