//! Who gets a grant.

use cairn_domain::Scope;
use cairn_engine::Home;
use cairn_operator::{OperatorError, OperatorKey, sign_in, sign_in_with_key};
use cairn_testkit::{SimulatedClock, run};

/// covers: I3, W-155, W-168
#[test]
fn the_passphrase_or_an_operators_key_gets_a_grant_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path(), SimulatedClock::at("2026-11-15T10:00:00Z")).expect("a home");
    assert!(matches!(sign_in(&home, "a quiet harbour"), Err(OperatorError::NoKey)));
    let made = OperatorKey::create(&home, "a quiet harbour").expect("a key");
    let grant = sign_in(&home, "a quiet harbour").expect("let in");
    assert_eq!(grant.authority(), format!("operator:{}", made.id));
    assert!(matches!(sign_in(&home, "a loud harbour"), Err(OperatorError::SignInFailed(_))));
    run(async {
        let keys = home.keys();
        let (operator, shown) = keys.add("me", Scope::Operator, None, "test").await.expect("a key");
        let (_, agents) = keys.add("laptop", Scope::Agent, None, "test").await.expect("a key");
        let grant = sign_in_with_key(&keys, &shown).await.expect("let in");
        assert_eq!(grant.authority(), format!("operator:{}", operator.id));
        for wrong in [agents.as_str(), "", "cairn_0123"] {
            let refused = sign_in_with_key(&keys, wrong).await;
            assert!(matches!(refused, Err(OperatorError::SignInFailed(_))), "{wrong}");
        }
        keys.revoke("me", "test").await.expect("revoked");
        assert!(sign_in_with_key(&keys, &shown).await.is_err(), "a revoked key lets nobody in");
    });
}
