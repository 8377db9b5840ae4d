//! The conformance suites for vectors and for memories on both stores.

use cairn_domain::Time;
use cairn_store::{DatabaseServer, LocalDisk, Store, StoreLocation, StoreOptions};
use cairn_testkit::{
    conformance::{memories, vectors},
    postgres,
};
use std::sync::Arc;
use tempfile::TempDir;

async fn open(place: StoreLocation) -> Store {
    let now = Time::from_millis(1_794_736_800_000);
    let options = StoreOptions { place, agent: "main".parse().expect("a name"), now };
    Store::open(options).await.expect("a store")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

async fn in_folder(folder: &TempDir) -> Store {
    open(StoreLocation::Folder { path: folder.path().to_owned(), disk: Arc::new(LocalDisk) }).await
}

fn schema() -> Arc<DatabaseServer> {
    postgres::scratch(None).expect("a server")
}

async fn on_server(server: &Arc<DatabaseServer>) -> Store {
    open(StoreLocation::Server(Arc::clone(server))).await
}

/// covers: X-W21, X-B3, W-09, W-12, W-16
#[test]
fn vectors_in_a_folder() {
    cairn_testkit::run(vectors::all(folder, in_folder));
}

/// covers: X-W21, X-B3, W-09, W-12, W-16, K-109
#[test]
fn vectors_on_a_server() {
    if postgres::url().is_some() {
        cairn_testkit::run(vectors::all(schema, on_server));
    }
}

/// covers: C-117, C-118, C-119, C-120, C-122, W-09, W-10, W-17, W-18, W-20, W-21, W-22, X-B4
#[test]
fn memories_in_a_folder() {
    cairn_testkit::run(memories::all(folder, in_folder));
}

/// covers: K-109, C-117, W-17
#[test]
fn memories_on_a_server() {
    if postgres::url().is_some() {
        cairn_testkit::run(memories::all(schema, on_server));
    }
}
