//! The real embedding model for tests, installed once and shared by all of them.

use cairn_engine::models::{ModelSource, ModelStatus, install, installed};
use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// A folder of models with the real one in it: `CAIRN_TEST_MODELS`, or installed once through the package client.
/// Without it a test says so and proves nothing.
pub(crate) fn test_models() -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        if let Some(folder) = env::var_os("CAIRN_TEST_MODELS").map(PathBuf::from) {
            assert_eq!(installed(&folder), ModelStatus::Installed, "CAIRN_TEST_MODELS={}", folder.display());
            return Some(folder);
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("test-models");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        match runtime.block_on(install(&folder, &ModelSource::defaults()[..1], &|_| ())) {
            Ok(()) => Some(folder),
            Err(error) => {
                println!("{error}");
                None
            }
        }
    };
    let folder = FOLDER.get_or_init(find).clone();
    if folder.is_none() {
        println!(
            "SKIPPED: the model is not here; set CAIRN_TEST_MODELS to a folder that `cairn init` has filled"
        );
    }
    folder
}
