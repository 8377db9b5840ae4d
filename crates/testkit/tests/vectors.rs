//! The conformance suite for vectors on the embedded store.

use cairn_domain::Time;
use cairn_store::{LocalDisk, Options, Store};
use cairn_testkit::conformance::vectors;
use std::{path::Path, sync::Arc};

async fn open(folder: &Path) -> Store {
    let options = Options {
        folder: folder.to_owned(),
        agent: "main".parse().expect("a name"),
        disk: Arc::new(LocalDisk),
        now: Time::from_millis(1_794_736_800_000),
    };
    Store::open(options).await.expect("a store")
}

/// covers: X-W21, X-B3, W-09, W-12, W-16
#[test]
fn the_embedded_store_passes() {
    let place = || tempfile::tempdir().expect("a folder");
    cairn_testkit::run(vectors::all(place, async |folder: &tempfile::TempDir| open(folder.path()).await));
}
