//! A log in a file: lines of JSON are appended, and a full file is set aside under the day and a number. So many of those are
//! kept. Several processes may append at once: each writes its lines whole, and whoever finds the file full sets it aside.

use cairn_domain::Time;
use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

/// A log and its bounds.
pub(crate) struct RotatedFile {
    /// The file that is written to.
    pub(crate) path: PathBuf,
    /// Bytes after which a new file begins.
    pub(crate) max_bytes: u64,
    /// Earlier files that are kept.
    pub(crate) max_files: usize,
}

impl RotatedFile {
    /// Appends whole lines.
    pub(crate) fn append(&self, now: Time, lines: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = self.open()?;
        if file.metadata()?.len() >= self.max_bytes {
            drop(file);
            self.set_aside(now)?;
            file = self.open()?;
        }
        file.write_all(lines.as_bytes())
    }

    /// Removes the file and those that were set aside.
    pub(crate) fn remove(&self) -> io::Result<()> {
        for path in self.files_aside()?.into_iter().map(|(_, path)| path).chain([self.path.clone()]) {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn open(&self) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).open(&self.path)
    }

    fn stem(&self) -> String {
        self.path.file_stem().and_then(OsStr::to_str).unwrap_or_default().to_owned()
    }

    /// The files that were set aside, with when they were written.
    fn files_aside(&self) -> io::Result<Vec<(std::time::SystemTime, PathBuf)>> {
        let Some(folder) = self.path.parent() else { return Ok(Vec::new()) };
        let begins = format!("{}-", self.stem());
        let aside = |entry: io::Result<fs::DirEntry>| {
            let path = entry.ok()?.path();
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok()?;
            path.file_name()?.to_str()?.starts_with(&begins).then_some((written, path))
        };
        match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            found => Ok(found?.filter_map(aside).collect()),
        }
    }

    /// Renames a full file after the day, `ops-log-2026-11-15.jsonl`, and lets go of the oldest of those set aside.
    fn set_aside(&self, now: Time) -> io::Result<()> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        // Another process may just have done it.
        if fs::metadata(&self.path).map_or(0, |metadata| metadata.len()) < self.max_bytes {
            return Ok(());
        }
        let stem = format!("{}-{}", self.stem(), now.day());
        let mut files = self.files_aside()?;
        // `ops-log-2026-11-15.jsonl`, then `ops-log-2026-11-15.1.jsonl`: never a name that was taken before.
        let number = |path: &PathBuf| {
            let rest = path.file_name()?.to_str()?.strip_prefix(&stem)?.strip_suffix(".jsonl")?;
            if rest.is_empty() { Some(0) } else { rest.strip_prefix('.')?.parse::<u32>().ok() }
        };
        let name = match files.iter().filter_map(|(_, path)| number(path)).max() {
            None => format!("{stem}.jsonl"),
            Some(last) => format!("{stem}.{}.jsonl", last + 1),
        };
        fs::rename(&self.path, folder.join(name))?;
        files.sort();
        let superfluous = (files.len() + 1).saturating_sub(self.max_files);
        files.iter().take(superfluous).for_each(|(_, path)| drop(fs::remove_file(path)));
        Ok(())
    }
}
