//! The operator's key: 256 random bits, encrypted with a passphrase. Opening it is signing in.
//!
//! Argon2id derives the encryption key from the passphrase, slowly and with much memory, so that a copy of the file does not
//! allow trying many passphrases. The key itself never leaves this module, only its id does.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
    operator_secret::{OperatorSecret, damaged, hex, random_bytes, unhex},
};
use aes_gcm::{Aes256Gcm, KeyInit};
use argon2::{Algorithm, Argon2, Params, Version};
use cairn_domain::{Invalid, Scope};
use cairn_engine::{Home, Keys};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

const MIN_PASSPHRASE_CHARS: usize = 8;
const ARGON2_COST: Argon2Cost = Argon2Cost { memory_kib: 19 * 1024, passes: 2, lanes: 1 };
/// Upper limit for a key file: a tampered file must not exhaust the machine.
const MAX_ARGON2_COST: Argon2Cost = Argon2Cost { memory_kib: 1024 * 1024, passes: 16, lanes: 8 };

/// The resources that Argon2id may use.
#[derive(Clone, Copy)]
struct Argon2Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

/// The operator's key as it is stored in a home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorKey {
    /// Its id, which reveals nothing about it.
    pub id: String,
    salt: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    sealed: String,
}

impl OperatorKey {
    /// Its path: in the home, outside every agent's folder and so outside every backup of one.
    pub fn path(home: &Home) -> PathBuf {
        home.path().join("keys").join("operator.json")
    }

    /// Creates and encrypts the key of a home's operator. Fails if there is one already.
    pub fn create(home: &Home, passphrase: &str) -> Result<Self> {
        check_passphrase(passphrase)?;
        let path = Self::path(home);
        let key = Self::encrypted(&OperatorSecret::random()?, passphrase, ARGON2_COST)?;
        let json = serde_json::to_vec_pretty(&key).map_err(io::Error::from);
        write_new(&path, &json.map_err(OperatorError::file("write", path.clone()))?)?;
        Ok(key)
    }

    /// The key of a home's operator, if there is one.
    pub fn read(home: &Home) -> Result<Option<Self>> {
        let path = Self::path(home);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(OperatorError::file("read", path)(error)),
        };
        let key = serde_json::from_slice(&bytes).map_err(|error| OperatorError::Refused {
            problem: format!("{} is not an operator's key: {error}", path.display()),
            hint: "restore the file from a copy, or move it away and create a new key".to_owned(),
        })?;
        Ok(Some(key))
    }

    fn encrypted(secret: &OperatorSecret, passphrase: &str, cost: Argon2Cost) -> Result<Self> {
        let salt = random_bytes::<16>()?;
        let id = secret.id();
        let sealed = secret.sealed(&cipher(passphrase, &salt, cost)?, id.as_bytes())?;
        let Argon2Cost { memory_kib, passes, lanes } = cost;
        Ok(Self { id, salt: hex(&salt), memory_kib, passes, lanes, sealed })
    }

    /// The key in clear, if this passphrase opens it.
    fn opened(&self, passphrase: &str) -> Result<Option<OperatorSecret>> {
        let cost = Argon2Cost { memory_kib: self.memory_kib, passes: self.passes, lanes: self.lanes };
        let bounded = cost.memory_kib <= MAX_ARGON2_COST.memory_kib
            && cost.passes <= MAX_ARGON2_COST.passes
            && cost.lanes <= MAX_ARGON2_COST.lanes;
        let salt = unhex(&self.salt).filter(|_| bounded).ok_or_else(damaged)?;
        let cipher = cipher(passphrase, &salt, cost)?;
        let secret = OperatorSecret::unsealed(&self.sealed, &cipher, self.id.as_bytes())?;
        Ok(secret.filter(|secret| secret.id() == self.id))
    }
}

/// Signs in with the passphrase of a home's operator key.
pub fn sign_in(home: &Home, passphrase: &str) -> Result<Grant> {
    let key = OperatorKey::read(home)?.ok_or(OperatorError::NoKey)?;
    let secret = key.opened(passphrase)?;
    let secret =
        secret.ok_or(OperatorError::SignInFailed("this passphrase does not open the operator's key"))?;
    Ok(Grant::signed_in(&key.id, secret, None))
}

/// Signs in with a server's API key, if it is an operator's, not revoked, and this home's operator made it: it then holds
/// the operator's own key. Several servers share the keys in a database; one whose home has no operator relies on those.
pub async fn sign_in_with_key(home: &Home, keys: &Keys, presented: &str) -> Result<Grant> {
    let key = keys.check(presented).await?.filter(|key| key.scope == Scope::Operator);
    let key = key.ok_or(OperatorError::SignInFailed("this is not an operator's key"))?;
    let own = OperatorKey::read(home)?;
    let is_own = |secret: &OperatorSecret| match &own {
        Some(own) => own.id == secret.id(),
        None => home.server().is_some(),
    };
    let secret = OperatorSecret::unsealed_by(&key, presented).filter(is_own);
    let secret = secret.ok_or(OperatorError::SignInFailed(
        "this home's operator did not make this key: it opens only what an agent's opens",
    ))?;
    Ok(Grant::signed_in(&key.id, secret, key.agents))
}

fn check_passphrase(passphrase: &str) -> Result<()> {
    if passphrase.chars().count() < MIN_PASSPHRASE_CHARS {
        let hint =
            format!("use at least {MIN_PASSPHRASE_CHARS} characters; several words are easy to remember");
        return Err(Invalid::new("this passphrase is too short", hint).into());
    }
    Ok(())
}

fn cipher(passphrase: &str, salt: &[u8], cost: Argon2Cost) -> Result<Aes256Gcm> {
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(|_| damaged())?;
    let mut key = [0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), salt, &mut key)
        .map_err(|_| damaged())?;
    Ok(Aes256Gcm::new(&key.into()))
}

/// Writes a new file that only its owner may read.
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
            problem: "this home already has an operator".to_owned(),
            hint: format!("sign in with its passphrase; if it is lost, move {} away first", path.display()),
        }),
        Err(error) => Err(failed(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Argon2Cost = Argon2Cost { memory_kib: 64, passes: 1, lanes: 1 };

    /// covers: I3
    #[test]
    fn only_the_passphrase_opens_the_key() {
        let key =
            OperatorKey::encrypted(&OperatorSecret::of([7; 32]), "a quiet harbour", QUICK).expect("sealed");
        assert!(key.opened("a quiet harbour").expect("asked").is_some());
        for wrong in ["", "a quiet harbou", "a quiet harbour ", "A quiet harbour"] {
            assert!(key.opened(wrong).expect("asked").is_none(), "{wrong:?}");
        }
        let other =
            OperatorKey::encrypted(&OperatorSecret::of([7; 32]), "a quiet harbour", QUICK).expect("sealed");
        assert_ne!((&key.salt, &key.sealed), (&other.salt, &other.sealed), "no two are sealed alike");
        assert_eq!(key.id, other.id);
        assert!(!hex(&[7; 32]).contains(&key.id), "its name says nothing about it");
    }

    /// covers: I3
    #[test]
    fn a_changed_key_opens_for_nobody() {
        let key =
            OperatorKey::encrypted(&OperatorSecret::of([7; 32]), "a quiet harbour", QUICK).expect("sealed");
        let other =
            OperatorKey::encrypted(&OperatorSecret::of([8; 32]), "a quiet harbour", QUICK).expect("sealed");
        let renamed = OperatorKey { id: other.id.clone(), ..key.clone() };
        assert!(renamed.opened("a quiet harbour").expect("asked").is_none());
        let salted = OperatorKey { salt: other.salt, ..key.clone() };
        assert!(salted.opened("a quiet harbour").expect("asked").is_none());
        for broken in [
            OperatorKey { sealed: "zz".to_owned(), ..key.clone() },
            OperatorKey { sealed: String::new(), ..key.clone() },
            OperatorKey { memory_kib: u32::MAX, ..key.clone() },
        ] {
            assert!(broken.opened("a quiet harbour").is_err());
        }
    }
}
