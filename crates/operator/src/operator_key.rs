//! The operator's key: 256 random bits, encrypted with a passphrase. Opening it is signing in.
//!
//! Argon2id derives the encryption key from the passphrase, slowly and with much memory, so that a copy of the file does not
//! allow trying many passphrases. The key itself never leaves this module, only its id does.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
    operator_secret::{OperatorSecret, damaged, random_bytes},
};
use aes_gcm::{Aes256Gcm, KeyInit};
use argon2::{Algorithm, Argon2, Params, Version};
use cairn_domain::{Invalid, Scope, from_hex, to_hex};
use cairn_engine::{EngineError, Home, Keys};
use cairn_store::{DatabaseServer, insert_access_key, list_access_keys};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The row of a database server that holds it, among the API keys that all its homes share.
const SERVER_ROW: &str = "operator";
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

    /// Its place, for people: a file of the home or, where a database server keeps the agents, a row of it. Homes that share a
    /// memory share its operator: nobody becomes one by beginning a home of their own.
    pub fn place(home: &Home) -> String {
        match home.server() {
            Some(_) => format!("the row `{SERVER_ROW}` of the table access_key"),
            None => Self::path(home).display().to_string(),
        }
    }

    /// Creates and encrypts the operator's key. Fails if there is one already.
    pub async fn create(home: &Home, passphrase: &str) -> Result<Self> {
        check_passphrase(passphrase)?;
        let key = Self::encrypted(&OperatorSecret::random()?, passphrase, ARGON2_COST)?;
        match home.server() {
            // A key that an earlier version left in a file counts.
            Some(_) if Self::read(home).await?.is_some() => return Err(already_there(home)),
            Some(server) => {
                if key.stored_on(server).await? != key {
                    return Err(already_there(home));
                }
            }
            None => write_new(home, &key.json(home)?)?,
        }
        Ok(key)
    }

    /// The operator's key, if there is one. One that an earlier version left in a home's file is taken over by its database,
    /// unless that has one.
    pub async fn read(home: &Home) -> Result<Option<Self>> {
        let Some(server) = home.server() else { return Self::read_file(home) };
        if let Some(found) = Self::read_row(server).await? {
            return Ok(Some(found));
        }
        match Self::read_file(home)? {
            Some(found) => Ok(Some(found.stored_on(server).await?)),
            None => Ok(None),
        }
    }

    async fn read_row(server: &Arc<DatabaseServer>) -> Result<Option<Self>> {
        let rows = list_access_keys(Arc::clone(server)).await.map_err(EngineError::from)?;
        let row = rows.iter().find(|(id, _)| id == SERVER_ROW);
        row.map(|(_, text)| serde_json::from_str(text).map_err(|_| damaged())).transpose()
    }

    /// Stores it on a server that has none; the one that is there then. Whoever is first decides.
    async fn stored_on(&self, server: &Arc<DatabaseServer>) -> Result<Self> {
        let text = serde_json::to_string(self).map_err(|_| damaged())?;
        insert_access_key(Arc::clone(server), SERVER_ROW.to_owned(), text)
            .await
            .map_err(EngineError::from)?;
        Self::read_row(server).await?.ok_or_else(damaged)
    }

    fn json(&self, home: &Home) -> Result<Vec<u8>> {
        let json = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        json.map_err(OperatorError::file("write", Self::path(home)))
    }

    fn read_file(home: &Home) -> Result<Option<Self>> {
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
        Ok(Self { id, salt: to_hex(&salt), memory_kib, passes, lanes, sealed })
    }

    /// The key in clear, if this passphrase opens it.
    fn opened(&self, passphrase: &str) -> Result<Option<OperatorSecret>> {
        let cost = Argon2Cost { memory_kib: self.memory_kib, passes: self.passes, lanes: self.lanes };
        let bounded = cost.memory_kib <= MAX_ARGON2_COST.memory_kib
            && cost.passes <= MAX_ARGON2_COST.passes
            && cost.lanes <= MAX_ARGON2_COST.lanes;
        let salt = from_hex(&self.salt).filter(|_| bounded).ok_or_else(damaged)?;
        let cipher = cipher(passphrase, &salt, cost)?;
        let secret = OperatorSecret::unsealed(&self.sealed, &cipher, self.id.as_bytes())?;
        Ok(secret.filter(|secret| secret.id() == self.id))
    }
}

/// Signs in with the passphrase of a home's operator key.
pub async fn sign_in(home: &Home, passphrase: &str) -> Result<Grant> {
    let key = OperatorKey::read(home).await?.ok_or(OperatorError::NoKey)?;
    let secret = key.opened(passphrase)?;
    let secret =
        secret.ok_or(OperatorError::SignInFailed("this passphrase does not open the operator's key"))?;
    Ok(Grant::signed_in(&key.id, secret, None))
}

/// Signs in with a server's API key, if it is an operator's, not revoked, and this memory's operator made it: it then holds
/// the operator's own key.
pub async fn sign_in_with_key(home: &Home, keys: &Keys, presented: &str) -> Result<Grant> {
    let key = keys.check(presented).await?.filter(|key| key.scope == Scope::Operator);
    let key = key.ok_or(OperatorError::SignInFailed("this is not an operator's key"))?;
    let own = OperatorKey::read(home).await?;
    let is_own = |secret: &OperatorSecret| own.as_ref().is_some_and(|own| own.id == secret.id());
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
fn write_new(home: &Home, bytes: &[u8]) -> Result<()> {
    let path = &OperatorKey::path(home);
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
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(already_there(home)),
        Err(error) => Err(failed(error.error)),
    }
}

fn already_there(home: &Home) -> OperatorError {
    let owner = if home.server().is_some() { "this database" } else { "this home" };
    OperatorError::Refused {
        problem: format!("{owner} already has an operator"),
        hint: format!(
            "sign in with its passphrase; if it is lost, move {} away first",
            OperatorKey::place(home)
        ),
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
        assert!(!to_hex(&[7; 32]).contains(&key.id), "its name says nothing about it");
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
