//! The conformance suite for memories on both stores.

use cairn_domain::Time;
use cairn_store::{LocalDisk, Options, Place, Server, Store};
use cairn_testkit::{conformance::memories, postgres};
use std::sync::Arc;

async fn open(place: Place) -> Store {
    let now = Time::from_millis(1_794_736_800_000);
    let options = Options { place, agent: "main".parse().expect("a name"), now };
    Store::open(options).await.expect("a store")
}

/// covers: C-117, C-118, C-119, C-120, C-122, W-09, W-10, W-17, W-18, W-20, W-21, X-B4
#[test]
fn the_embedded_store_passes() {
    let place = || tempfile::tempdir().expect("a folder");
    cairn_testkit::run(memories::all(place, async |folder: &tempfile::TempDir| {
        open(Place::Folder { path: folder.path().to_owned(), disk: Arc::new(LocalDisk) }).await
    }));
}

/// covers: K-109, C-117, W-17
#[test]
fn postgres_passes() {
    if postgres::url().is_none() {
        return;
    }
    let place = || postgres::scratch(None).expect("a server");
    cairn_testkit::run(memories::all(place, async |server: &Arc<Server>| {
        open(Place::Server(Arc::clone(server))).await
    }));
}
