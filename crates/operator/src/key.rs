//! The operator's key: 256 random bits, sealed with a passphrase. Whoever can open it has signed in.
//!
//! What seals it is made of the passphrase by Argon2id, slowly and with much memory, so that a copy of the file does not let
//! anybody try many. The key itself leaves this module only as its name.

use crate::{Grant, OperatorError, Result};
use aes_gcm::{
    Aes256Gcm, KeyInit,
    aead::{Aead, Payload},
};
use argon2::{Algorithm, Argon2, Params, Version};
use cairn_domain::{Invalid, Scope};
use cairn_engine::{Home, Keys};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Letters of a passphrase, at least.
const PASSPHRASE_CHARS: usize = 8;
/// What Argon2id may use: memory in KiB, passes, lanes.
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);
/// The most that a file may ask for: a changed file must not use up the machine.
const MOST_COST: (u32, u32, u32) = (1024 * 1024, 16, 8);
const NONCE_BYTES: usize = 12;

/// The key of an operator, as it lies in a home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorKey {
    /// Its name, which says nothing about it.
    pub id: String,
    salt: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    sealed: String,
}

impl OperatorKey {
    /// Where it lies: in the home, outside every agent's folder and every copy of one.
    pub fn path(home: &Home) -> PathBuf {
        home.path().join("keys").join("operator.json")
    }

    /// Makes the key of a home's operator and seals it. One that is there stays, and that is refused.
    pub fn make(home: &Home, passphrase: &str) -> Result<Self> {
        check_passphrase(passphrase)?;
        let path = Self::path(home);
        let key = Self::sealed(&by_chance::<32>()?, passphrase, COST)?;
        write_new(&path, &serde_json::to_vec_pretty(&key).unwrap_or_default())?;
        Ok(key)
    }

    /// The key of a home's operator; none if nobody has made one.
    pub fn read(home: &Home) -> Result<Option<Self>> {
        let path = Self::path(home);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(OperatorError::file("read", path)(error)),
        };
        let key = serde_json::from_slice(&bytes).map_err(|error| OperatorError::Refused {
            problem: format!("{} is no operator's key: {error}", path.display()),
            hint: "bring the file back from a copy, or move it away and make a new key".to_owned(),
        })?;
        Ok(Some(key))
    }

    fn sealed(key: &[u8; 32], passphrase: &str, cost: (u32, u32, u32)) -> Result<Self> {
        let (salt, nonce) = (by_chance::<16>()?, by_chance::<NONCE_BYTES>()?);
        let id = name_of(key);
        let cipher = cipher(passphrase, &salt, cost)?;
        let sealed = cipher.encrypt(&nonce.into(), Payload { msg: key, aad: id.as_bytes() });
        let sealed = sealed.map_err(|_| Invalid::new("this cannot be sealed", "try again"))?;
        let (memory_kib, passes, lanes) = cost;
        let sealed = hex(&[nonce.as_slice(), &sealed].concat());
        Ok(Self { id, salt: hex(&salt), memory_kib, passes, lanes, sealed })
    }

    /// Whether this passphrase opens it.
    fn opens(&self, passphrase: &str) -> Result<bool> {
        let cost = (self.memory_kib, self.passes, self.lanes);
        let bounded = cost.0 <= MOST_COST.0 && cost.1 <= MOST_COST.1 && cost.2 <= MOST_COST.2;
        let parts = unhex(&self.salt).zip(unhex(&self.sealed)).filter(|_| bounded);
        let Some((salt, sealed)) = parts else { return Err(damaged()) };
        let Some((nonce, sealed)) = sealed.split_first_chunk::<NONCE_BYTES>() else { return Err(damaged()) };
        let payload = Payload { msg: sealed, aad: self.id.as_bytes() };
        let opened = cipher(passphrase, &salt, cost)?.decrypt(&(*nonce).into(), payload).ok();
        Ok(opened.and_then(|key| <[u8; 32]>::try_from(key).ok()).is_some_and(|key| name_of(&key) == self.id))
    }
}

/// Lets the operator of a home in who knows the passphrase.
pub fn sign_in(home: &Home, passphrase: &str) -> Result<Grant> {
    let key = OperatorKey::read(home)?.ok_or(OperatorError::NoKey)?;
    if !key.opens(passphrase)? {
        return Err(OperatorError::NotLetIn("this passphrase does not open the operator's key"));
    }
    Ok(Grant { authority: format!("operator:{}", key.id), declared: false })
}

/// Lets in who shows a living operator's key of a server.
pub async fn sign_in_with_key(keys: &Keys, shown: &str) -> Result<Grant> {
    let key = keys.check(shown).await?.filter(|key| key.scope == Scope::Operator);
    let key = key.ok_or(OperatorError::NotLetIn("this is no key of an operator"))?;
    Ok(Grant { authority: format!("operator:{}", key.id), declared: false })
}

fn check_passphrase(passphrase: &str) -> Result<()> {
    if passphrase.chars().count() < PASSPHRASE_CHARS {
        let hint = format!("use at least {PASSPHRASE_CHARS} characters; several words are easy to remember");
        return Err(Invalid::new("this passphrase is too short", hint).into());
    }
    Ok(())
}

fn cipher(passphrase: &str, salt: &[u8], (memory, passes, lanes): (u32, u32, u32)) -> Result<Aes256Gcm> {
    let params = Params::new(memory, passes, lanes, Some(32)).map_err(|_| damaged())?;
    let mut key = [0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), salt, &mut key)
        .map_err(|_| damaged())?;
    Ok(Aes256Gcm::new(&key.into()))
}

/// What a key is called: a function of it that leads nowhere back.
fn name_of(key: &[u8; 32]) -> String {
    let name = blake3::derive_key("cairn 2026-11-15 name of an operator's key", key);
    blake3::Hash::from_bytes(name).to_hex()[..12].to_owned()
}

fn damaged() -> OperatorError {
    OperatorError::Refused {
        problem: "the operator's key was changed after it was sealed".to_owned(),
        hint: "bring keys/operator.json back from a copy, or move it away and make a new key".to_owned(),
    }
}

/// Writes a file that only its owner may read, and that is not there yet.
fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| OperatorError::file("write", path)(error);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(OperatorError::Refused {
            problem: "this home has an operator already".to_owned(),
            hint: format!("sign in with its passphrase; if it is lost, move {} away first", path.display()),
        }),
        Err(error) => Err(failed(error.error)),
    }
}

fn by_chance<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Invalid::new(format!("the system has no random numbers: {error}"), "try again"))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.len().is_multiple_of(2).then(|| text.as_bytes().chunks(2).map(byte).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: (u32, u32, u32) = (64, 1, 1);

    /// covers: I3
    #[test]
    fn only_the_passphrase_opens_the_key() {
        let key = OperatorKey::sealed(&[7; 32], "a quiet harbour", QUICK).expect("sealed");
        assert!(key.opens("a quiet harbour").expect("asked"));
        for wrong in ["", "a quiet harbou", "a quiet harbour ", "A quiet harbour"] {
            assert!(!key.opens(wrong).expect("asked"), "{wrong:?}");
        }
        let other = OperatorKey::sealed(&[7; 32], "a quiet harbour", QUICK).expect("sealed");
        assert_ne!((&key.salt, &key.sealed), (&other.salt, &other.sealed), "no two are sealed alike");
        assert_eq!(key.id, other.id);
        assert!(!hex(&[7; 32]).contains(&key.id), "its name says nothing about it");
    }

    /// covers: I3
    #[test]
    fn a_changed_key_opens_for_nobody() {
        let key = OperatorKey::sealed(&[7; 32], "a quiet harbour", QUICK).expect("sealed");
        let other = OperatorKey::sealed(&[8; 32], "a quiet harbour", QUICK).expect("sealed");
        let renamed = OperatorKey { id: other.id.clone(), ..key.clone() };
        assert!(!renamed.opens("a quiet harbour").expect("asked"));
        let salted = OperatorKey { salt: other.salt, ..key.clone() };
        assert!(!salted.opens("a quiet harbour").expect("asked"));
        for broken in [
            OperatorKey { sealed: "zz".to_owned(), ..key.clone() },
            OperatorKey { sealed: String::new(), ..key.clone() },
            OperatorKey { memory_kib: u32::MAX, ..key.clone() },
        ] {
            assert!(broken.opens("a quiet harbour").is_err());
        }
    }
}
