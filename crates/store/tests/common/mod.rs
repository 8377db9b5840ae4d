//! Helpers shared by the tests of the store.

use cairn_domain::Time;
use cairn_store::{LocalDisk, Store, StoreLocation, StoreOptions};
use std::{path::Path, sync::Arc};

/// The present of every test.
pub(crate) fn now() -> Time {
    Time::from_millis(1_794_736_800_000)
}

/// Runs a future to its end.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

/// Opens a folder as the agent `main`.
pub(crate) async fn open(folder: &Path) -> Store {
    let options = StoreOptions {
        place: StoreLocation::Folder { path: folder.to_owned(), disk: Arc::new(LocalDisk) },
        agent: "main".parse().expect("a name"),
        now: now(),
    };
    Store::open(options).await.expect("a store")
}
