//! Packed files, bounded: ZIP, gzip, zstd and tar. Nothing is unpacked to the disk; a member is read into memory up to a
//! limit, and its name is a name, never a path.

use crate::error::{ImporterError, Result};
use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};
use zip::ZipArchive;

/// Bytes of one member, or of one file read whole.
const MAX_MEMBER_BYTES: u64 = 1 << 30;
/// Members of one archive.
const MAX_MEMBERS: usize = 100_000;

/// A ZIP archive, open.
pub(crate) struct PackedArchive {
    zip: ZipArchive<BufReader<File>>,
    path: std::path::PathBuf,
}

impl PackedArchive {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(ImporterError::file(path))?;
        let zip = ZipArchive::new(BufReader::new(file))
            .map_err(|error| ImporterError::malformed(path, format!("is no ZIP archive: {error}")))?;
        if zip.len() > MAX_MEMBERS {
            return Err(ImporterError::malformed(path, format!("has more than {MAX_MEMBERS} members")));
        }
        Ok(Self { zip, path: path.to_owned() })
    }

    /// The names of its members, in order of name.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.zip.file_names().flatten().map(Cow::into_owned).collect();
        names.sort();
        names
    }

    /// A member, read whole.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<u8>> {
        let path = self.path.clone();
        let member = self.zip.by_name(name);
        let member =
            member.map_err(|error| ImporterError::malformed(&path, format!("has no `{name}`: {error}")))?;
        read_bounded(member, &path)
    }

    /// The beginning of a member.
    pub(crate) fn head(&mut self, name: &str, bytes: u64) -> Vec<u8> {
        let mut head = Vec::new();
        if let Ok(member) = self.zip.by_name(name) {
            // A member that cannot be read has no beginning that anybody would know.
            let _ = member.take(bytes).read_to_end(&mut head);
        }
        head
    }
}

/// Reads everything, up to the limit of a member.
pub(crate) fn read_bounded(input: impl Read, path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_MEMBER_BYTES + 1).read_to_end(&mut bytes).map_err(ImporterError::file(path))?;
    if bytes.len() as u64 > MAX_MEMBER_BYTES {
        return Err(ImporterError::malformed(
            path,
            format!("unpacks to more than {} MiB", MAX_MEMBER_BYTES >> 20),
        ));
    }
    Ok(bytes)
}

/// A file's contents as a stream, unpacked if gzip or zstd packed it.
pub(crate) fn open_unpacked(path: &Path) -> Result<Box<dyn Read>> {
    let failed = ImporterError::file(path);
    let mut file = File::open(path).map_err(&failed)?;
    let mut magic = [0; 4];
    let mut known = 0;
    while known < 4 {
        match file.read(&mut magic[known..]).map_err(&failed)? {
            0 => break,
            read => known += read,
        }
    }
    let whole = io::Cursor::new(magic[..known].to_vec()).chain(file);
    let whole = BufReader::new(whole);
    if magic.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(flate2::read::MultiGzDecoder::new(whole)));
    }
    if magic == [0x28, 0xb5, 0x2f, 0xfd] {
        let decoder = ruzstd::decoding::StreamingDecoder::new(whole)
            .map_err(|error| ImporterError::malformed(path, format!("is no zstd file: {error}")))?;
        return Ok(Box::new(decoder));
    }
    Ok(Box::new(whole))
}

/// The members of a tar archive, gzipped or not, by the last part of their name.
pub(crate) fn tar_members(path: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let failed = ImporterError::file(path);
    let mut archive = tar::Archive::new(open_unpacked(path)?);
    let mut members = Vec::new();
    for entry in archive.entries().map_err(&failed)?.take(MAX_MEMBERS) {
        let entry = entry.map_err(&failed)?;
        let name =
            entry.path().map_err(&failed)?.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if entry.header().entry_type().is_file() {
            members.push((name, read_bounded(entry, path)?));
        }
    }
    Ok(members)
}
