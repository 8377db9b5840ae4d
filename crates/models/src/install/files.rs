//! The files of the local model, known to the byte.

use crate::error::{ModelError, Result};
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Names the local model and its folder.
pub(crate) const MODEL_ID: &str = "all-minilm-l6-v2-int8";

/// A file with its size and hash.
#[derive(Debug)]
pub(crate) struct PinnedFile {
    pub(crate) name: &'static str,
    pub(crate) size: u64,
    sha256: &'static str,
    /// Its path inside the package and on the hub.
    pub(crate) path: &'static str,
}

/// The weights.
pub(crate) const MODEL: PinnedFile = PinnedFile {
    name: "model_quantized.onnx",
    size: 22_972_370,
    sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    path: "onnx/model_quantized.onnx",
};

/// The vocabulary.
pub(crate) const TOKENIZER: PinnedFile = PinnedFile {
    name: "tokenizer.json",
    size: 711_582,
    sha256: "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef",
    path: "tokenizer.json",
};

pub(crate) const FILES: [&PinnedFile; 2] = [&TOKENIZER, &MODEL];

/// Checks that both files exist and have the right size.
pub(crate) fn check_sizes(folder: &Path) -> Result<()> {
    let size = |file: &PinnedFile| fs::metadata(folder.join(file.name)).map(|metadata| metadata.len());
    let gone = |file: &&PinnedFile| size(file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if FILES.iter().all(gone) {
        return Err(ModelError::NotInstalled { id: MODEL_ID.to_owned(), folder: folder.to_owned() });
    }
    for file in FILES {
        let damaged = |problem| ModelError::Damaged { path: folder.join(file.name), problem };
        let found = size(file).map_err(|error| damaged(error.to_string()))?;
        if found != file.size {
            return Err(damaged(format!("it has {found} bytes instead of {}", file.size)));
        }
    }
    Ok(())
}

/// Checks that both files have the right content.
pub(crate) fn check_hashes(folder: &Path) -> Result<()> {
    check_sizes(folder)?;
    for file in FILES {
        let path = folder.join(file.name);
        let found = sha256(&path).map_err(ModelError::file("read", &path))?;
        if found != file.sha256 {
            let (expected, found) = (&file.sha256[..12], &found[..12]);
            let problem = format!("its SHA-256 begins with {found} instead of {expected}");
            return Err(ModelError::Damaged { path, problem });
        }
    }
    Ok(())
}

fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut piece) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece)? {
            0 => break,
            count => hash.update(&piece[..count]),
        }
    }
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    Ok(hash.finalize().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}
