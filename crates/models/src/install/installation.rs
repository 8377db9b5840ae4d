//! Installs the local model: fetched from the first source that has it, checked against its hash, renamed into its folder.

use super::{
    fetch,
    files::{FILES, MODEL_ID, check_hashes, check_sizes},
    source::{InstallProgress, ModelSource},
};
use crate::error::{InstallAttempt, ModelError, Result};
use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

/// Holds downloaded files until they are checked.
const STAGING_FOLDER: &str = ".installing";
/// Locked by the process that installs.
const LOCK_FILE: &str = ".lock";
/// How often the lock is tried while another process installs: 15 minutes in all.
const LOCK_ATTEMPTS: u32 = 9_000;
const LOCK_RETRY_AFTER: Duration = Duration::from_millis(100);

/// The state of the folder of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelStatus {
    /// Nothing.
    Missing,
    /// Files of the wrong size.
    Damaged {
        /// The damage, for people.
        problem: String,
    },
    /// The model, judging by its size.
    Installed,
}

/// Whether the local model is installed in this folder. Reads only file sizes.
pub fn installed(models_folder: &Path) -> ModelStatus {
    match check_sizes(&models_folder.join(MODEL_ID)) {
        Ok(()) => ModelStatus::Installed,
        Err(ModelError::NotInstalled { .. }) => ModelStatus::Missing,
        Err(error) => ModelStatus::Damaged { problem: error.to_string() },
    }
}

/// Installs the local model from the first source that has it; does nothing if it is installed and intact.
pub async fn install(
    models_folder: &Path,
    sources: &[ModelSource],
    on_progress: &(dyn Fn(InstallProgress) + Send + Sync),
) -> Result<()> {
    fs::create_dir_all(models_folder).map_err(ModelError::file("make", models_folder))?;
    let _lock = lock(models_folder, on_progress).await?;
    let (home, staging) = (models_folder.join(MODEL_ID), models_folder.join(STAGING_FOLDER));
    let here = home.clone();
    if run_blocking(move || check_hashes(&here)).await.is_ok() {
        on_progress(InstallProgress::Done);
        return Ok(());
    }
    let mut tried = Vec::new();
    for source in sources {
        let what = fetch::source_description(source);
        on_progress(InstallProgress::Trying { what: what.clone() });
        // A killed installation or the last source may have left files.
        let _ = fs::remove_dir_all(&staging);
        fs::create_dir(&staging).map_err(ModelError::file("make", &staging))?;
        let problem = match fetch::fetch_files(source, &staging, on_progress).await {
            Ok(()) => {
                on_progress(InstallProgress::Checking);
                let (from, to) = (staging.clone(), home.clone());
                match run_blocking(move || check_hashes(&from).and_then(|()| put_in_place(&from, &to))).await
                {
                    Ok(()) => {
                        on_progress(InstallProgress::Done);
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
        tried.push(InstallAttempt { what, problem });
    }
    let _ = fs::remove_dir_all(&staging);
    Err(ModelError::Install { id: MODEL_ID.to_owned(), tried })
}

/// Runs blocking work off the async threads.
async fn run_blocking(work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let failed = |error: tokio::task::JoinError| ModelError::Failed {
        id: MODEL_ID.to_owned(),
        problem: error.to_string(),
    };
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

/// Waits until no other process installs. Dropping the returned file releases the lock.
async fn lock(models_folder: &Path, on_progress: &(dyn Fn(InstallProgress) + Send + Sync)) -> Result<File> {
    let path = models_folder.join(LOCK_FILE);
    let failed = |error| ModelError::file("lock", &path)(error);
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    for round in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Every file is renamed whole into its place, so a disk without locks costs a download at worst.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if round == 0 {
            on_progress(InstallProgress::Trying {
                what: "waiting for another process that installs it".to_owned(),
            });
        }
        tokio::time::sleep(LOCK_RETRY_AFTER).await;
    }
    Err(failed(io::Error::new(io::ErrorKind::TimedOut, "another process has held it for 15 minutes")))
}

/// Syncs the checked files and renames them into their folder.
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
