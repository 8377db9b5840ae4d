//! The conformance suite on both stores.

/// covers: W-01, W-02, W-64, W-65, W-66, W-97, W-118, W-119, C-149, X-W22
#[test]
fn the_embedded_store_conforms() {
    cairn_testkit::run(cairn_testkit::conformance::all(cairn_testkit::home));
}

/// covers: W-01, W-02, W-64, W-65, W-66, W-97, W-118, W-119, C-149, X-W22, X-P3
#[test]
fn postgres_conforms() {
    if cairn_testkit::postgres::url().is_some() {
        let home = |clock| cairn_testkit::postgres::home(clock).expect("a server");
        cairn_testkit::run(cairn_testkit::conformance::all(home));
    }
}
