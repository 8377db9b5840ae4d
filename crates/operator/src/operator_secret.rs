//! The operator's own key: 256 random bits that exist in clear only while somebody is signed in. At rest it is encrypted, with
//! a passphrase or with what an operator's API key opens with.

use crate::error::{OperatorError, Result};
use aes_gcm::{
    Aes256Gcm, KeyInit,
    aead::{Aead, Payload},
};
use cairn_domain::{AccessKey, Invalid, from_hex, to_hex};
use std::fmt;

const NONCE_BYTES: usize = 12;

/// The operator's own key, in clear.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OperatorSecret([u8; 32]);

impl fmt::Debug for OperatorSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "OperatorSecret({})", self.id())
    }
}

impl OperatorSecret {
    pub(crate) fn random() -> Result<Self> {
        random_bytes().map(Self)
    }

    #[cfg(test)]
    pub(crate) fn of(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its id: a one-way function of it.
    pub(crate) fn id(&self) -> String {
        let name = blake3::derive_key("cairn 2026-11-15 name of an operator's key", &self.0);
        blake3::Hash::from_bytes(name).to_hex()[..12].to_owned()
    }

    /// Encrypts it, bound to `bound_to`, in hexadecimal digits.
    pub(crate) fn sealed(&self, cipher: &Aes256Gcm, bound_to: &[u8]) -> Result<String> {
        let nonce = random_bytes::<NONCE_BYTES>()?;
        let sealed = cipher.encrypt(&nonce.into(), Payload { msg: &self.0, aad: bound_to });
        let sealed = sealed.map_err(|_| Invalid::new("the key cannot be encrypted", "try again"))?;
        Ok(to_hex(&[nonce.as_slice(), &sealed].concat()))
    }

    /// Decrypts it; `None` if the cipher or what it is bound to is another. An error if it is not whole.
    pub(crate) fn unsealed(sealed: &str, cipher: &Aes256Gcm, bound_to: &[u8]) -> Result<Option<Self>> {
        let sealed = from_hex(sealed).ok_or_else(damaged)?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or_else(damaged)?;
        let opened = cipher.decrypt(&(*nonce).into(), Payload { msg: sealed, aad: bound_to }).ok();
        Ok(opened.and_then(|bytes| bytes.try_into().ok()).map(Self))
    }

    /// Encrypts it with what an operator's API key opens with.
    pub(crate) fn sealed_for(&self, key: &AccessKey, shown: &str) -> Result<String> {
        self.sealed(&api_key_cipher(shown), &bound_fields(key))
    }

    /// Decrypts it with what an operator's API key opens with. `None` if no operator made that key, or not with this limit.
    pub(crate) fn unsealed_by(key: &AccessKey, shown: &str) -> Option<Self> {
        Self::unsealed(key.sealed.as_deref()?, &api_key_cipher(shown), &bound_fields(key)).ok().flatten()
    }
}

/// The shown key is 256 random bits, so that a quick hash is enough.
fn api_key_cipher(shown: &str) -> Aes256Gcm {
    Aes256Gcm::new(&blake3::derive_key("cairn 2026-11-17 operator's API key", shown.as_bytes()).into())
}

/// The fields of a key that nobody can change without the operator: whose it is, and which agents it is limited to.
fn bound_fields(key: &AccessKey) -> Vec<u8> {
    let names = key.agents.as_ref().map(|agents| agents.iter().map(|name| name.as_str()).collect::<Vec<_>>());
    let limit = names.map_or_else(|| "*".to_owned(), |names| names.join(" "));
    format!("{} {} {limit}", key.id, key.scope).into_bytes()
}

pub(crate) fn damaged() -> OperatorError {
    OperatorError::Refused {
        problem: "the operator's key file was changed after it was written".to_owned(),
        hint: "restore keys/operator.json from a copy, or move it away and create a new key".to_owned(),
    }
}

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Invalid::new(format!("the system provides no random numbers: {error}"), "try again")
    })?;
    Ok(bytes)
}
