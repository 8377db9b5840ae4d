//! Sealing: AES-256-GCM under a key that lies in a file of its own, which only its owner may read. What is sealed is bound
//! to its place, so that nothing can be put in the place of anything else.

use crate::{EngineError, Result};
use aes_gcm::{
    Aes256Gcm, KeyInit,
    aead::{Aead, Payload},
};
use cairn_domain::Invalid;
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Bytes of a key, and of the number that makes each sealing different.
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;

/// The key of a diary.
pub(super) struct Key {
    cipher: Aes256Gcm,
    /// Its name, which says nothing about it.
    pub(super) id: String,
}

impl Key {
    fn new(bytes: &[u8; KEY_BYTES]) -> Self {
        let id = blake3::derive_key("cairn 2026-11-15 name of a diary's key", bytes);
        let id = blake3::Hash::from_bytes(id).to_hex()[..16].to_owned();
        Self { cipher: Aes256Gcm::new(&(*bytes).into()), id }
    }

    /// The key in the file at `path`; `None` if there is no such file.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(EngineError::file("read", path)(error)),
        };
        only_for_its_owner(path)?;
        let bytes = unhex(text.trim()).ok_or_else(|| EngineError::Config {
            path: path.to_owned(),
            problem: "not a diary key; expected 64 hexadecimal digits".to_owned(),
        })?;
        Ok(Some(Self::new(&bytes)))
    }

    /// The key in the file at `path`, made by chance if there is none. Of several who make one at once the first does.
    pub(super) fn read_or_make(path: &Path) -> Result<Self> {
        if let Some(key) = Self::read(path)? {
            return Ok(key);
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let failed = |error| EngineError::file("write", path)(error);
        make_folder(folder).map_err(failed)?;
        let bytes: [u8; KEY_BYTES] = by_chance()?;
        // A file of its own until it is whole, readable by nobody else.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let digits = blake3::Hash::from_bytes(bytes).to_hex();
        let written = writeln!(file, "{digits}").and_then(|()| file.as_file().sync_all());
        written.map_err(failed)?;
        match file.persist_noclobber(path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error.error)),
        }
        let made = Self::read(path)?;
        made.ok_or_else(|| EngineError::NotFound(path.display().to_string()))
    }

    /// Seals words for one place.
    pub(super) fn seal(&self, words: &[u8], place: &[u8]) -> Result<Vec<u8>> {
        let nonce: [u8; NONCE_BYTES] = by_chance()?;
        let payload = Payload { msg: words, aad: place };
        let sealed = self.cipher.encrypt(&nonce.into(), payload);
        let sealed =
            sealed.map_err(|_| Invalid::new("this entry cannot be encrypted", "write less at a time"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// The words that were sealed for this place; `None` if they were not, or not with this key.
    pub(super) fn open(&self, sealed: &[u8], place: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        self.cipher.decrypt(&(*nonce).into(), Payload { msg: sealed, aad: place }).ok()
    }
}

/// Random bytes of the system's.
pub(super) fn by_chance<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        let problem = format!("the system has no random numbers: {error}");
        EngineError::from(Invalid::new(problem, "try again"))
    })?;
    Ok(bytes)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Refuses a key that others may read.
fn only_for_its_owner(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = fs::metadata(path).map_err(EngineError::file("read", path))?;
        if metadata.permissions().mode() & 0o077 != 0 {
            let problem = format!("others may read the key of the diary, {}", path.display());
            return Err(Invalid::new(problem, format!("chmod 600 {}", path.display())).into());
        }
    }
    Ok(())
}

fn unhex(text: &str) -> Option<[u8; KEY_BYTES]> {
    blake3::Hash::from_hex(text).ok().map(|hash| *hash.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> Key {
        Key::new(&[seed; KEY_BYTES])
    }

    /// covers: X-L4
    #[test]
    fn what_is_sealed_opens_with_its_key_in_its_place_and_in_no_other_way() {
        let sealed = key(1).seal("a quiet day".as_bytes(), b"one").expect("sealed");
        assert_eq!(key(1).open(&sealed, b"one").as_deref(), Some("a quiet day".as_bytes()));
        assert_eq!(key(1).open(&sealed, b"two"), None, "in another place");
        assert_eq!(key(2).open(&sealed, b"one"), None, "with another key");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(key(1).open(&changed, b"one"), None, "byte {at} was changed");
            assert_eq!(key(1).open(&sealed[..at], b"one"), None, "cut off at {at}");
        }
        let again = key(1).seal("a quiet day".as_bytes(), b"one").expect("sealed");
        assert_ne!(sealed, again, "the same words twice do not look alike");
        assert!(!sealed.windows(5).any(|part| part == b"quiet"));
        assert_ne!(key(1).id, key(2).id);
    }

    /// covers: X-L4
    #[test]
    fn a_key_is_made_once_and_refused_if_others_may_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys/main.diary");
        assert!(Key::read(&path).expect("looked for").is_none());
        let made = Key::read_or_make(&path).expect("made");
        assert_eq!(Key::read_or_make(&path).expect("read").id, made.id);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let rights = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
            assert_eq!((rights(&path), rights(&folder.path().join("keys"))), (0o600, 0o700));
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
            let refused = Key::read(&path).err().expect("refused").hint();
            assert!(refused.starts_with("chmod 600"), "{refused}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
        }
        fs::write(&path, "no key").expect("written");
        assert!(Key::read(&path).err().expect("refused").to_string().contains("64 hexadecimal digits"));
    }
}
