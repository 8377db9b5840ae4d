//! The conformance suite for vectors on both stores.

use cairn_domain::Time;
use cairn_store::{LocalDisk, Options, Place, Server, Store};
use cairn_testkit::{conformance::vectors, postgres};
use std::sync::Arc;

async fn open(place: Place) -> Store {
    let now = Time::from_millis(1_794_736_800_000);
    let options = Options { place, agent: "main".parse().expect("a name"), now };
    Store::open(options).await.expect("a store")
}

/// covers: X-W21, X-B3, W-09, W-12, W-16
#[test]
fn the_embedded_store_passes() {
    let place = || tempfile::tempdir().expect("a folder");
    cairn_testkit::run(vectors::all(place, async |folder: &tempfile::TempDir| {
        open(Place::Folder { path: folder.path().to_owned(), disk: Arc::new(LocalDisk) }).await
    }));
}

/// covers: X-W21, X-B3, W-09, W-12, W-16, K-109
#[test]
fn postgres_passes() {
    if postgres::url().is_none() {
        return;
    }
    let place = || postgres::scratch(None).expect("a server");
    cairn_testkit::run(vectors::all(place, async |server: &Arc<Server>| {
        open(Place::Server(Arc::clone(server))).await
    }));
}
