//! Keys of a home: 256 random bits each, shown once. What is kept is a keyed hash, so that neither the file nor a copy of
//! it lets anybody in; 256 bits cannot be guessed, so that a quick hash is enough and every request can be checked.
//!
//! In a folder they are a file that only its owner may read, replaced as a whole; on a database server a table that all
//! servers share.

use crate::{
    clock::Clock,
    error::{EngineError, Result},
    home::Home,
    limits::{MAX_KEY_NAME_CHARS, MAX_KEYS},
    replaced_file::{ReplaceAccess, ReplaceSync, replace_file},
    stored_json::to_stored_json,
};
use cairn_domain::{AccessKey, AgentName, Invalid, Scope, Time, to_hex};
use cairn_store::{DatabaseServer, insert_access_key, list_access_keys, put_access_key};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};
use subtle::{Choice, ConstantTimeEq};

/// How a key begins, so that people and scanners know one when they see it.
const KEY_PREFIX: &str = "cairn_";
/// How long what a server keeps is believed without asking again.
const SERVER_CACHE_TIME: Duration = Duration::from_secs(2);
/// When a key was last used is written down this often at most.
const RECORD_USE_EVERY_MS: i64 = 60_000;
/// The row of a server's table that holds what hashes are keyed with.
const HASH_KEY_ROW: &str = "hash_key";

/// The keys of a home.
pub struct Keys {
    place: KeyPlace,
    clock: Arc<dyn Clock>,
    known: Mutex<Option<CachedKeys>>,
}

enum KeyPlace {
    File { path: PathBuf },
    Server(Arc<DatabaseServer>),
}

/// The key file as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct StoredKeys {
    /// The secret that hashes are keyed with, in hexadecimal digits.
    hash_key: String,
    keys: Vec<AccessKey>,
}

/// The keys that were read last, with the file's stamp to notice when they are out of date.
struct CachedKeys {
    kept: Arc<StoredKeys>,
    read: Instant,
    stamp: Option<(SystemTime, u64)>,
}

impl Home {
    /// The keys of this home.
    pub fn keys(&self) -> Keys {
        let place = match self.server() {
            Some(server) => KeyPlace::Server(Arc::clone(server)),
            None => KeyPlace::File { path: self.path().join("keys.json") },
        };
        Keys { place, clock: self.clock(), known: Mutex::default() }
    }
}

impl Keys {
    /// Makes an agent's key, for these agents or for all; the key, and what it opens with, which is kept nowhere.
    pub async fn add(
        &self,
        name: &str,
        agents: Option<Vec<AgentName>>,
        by: &str,
    ) -> Result<(AccessKey, String)> {
        self.add_key(name, Scope::Agent, agents, by, |_, _| Ok(None)).await
    }

    /// Makes a key for a program that captures conversations: it may also hand in what the user said.
    pub async fn add_capture_key(
        &self,
        name: &str,
        agents: Option<Vec<AgentName>>,
        by: &str,
    ) -> Result<(AccessKey, String)> {
        self.add_key(name, Scope::Capture, agents, by, |_, _| Ok(None)).await
    }

    /// Makes an operator's key. `seal` encrypts the operator's own key with what the new one opens with, so that only
    /// somebody who has an operator's power can give it on. The house rules let only the operator's crate ask for this.
    pub async fn add_operators_key<E: From<EngineError>>(
        &self,
        name: &str,
        agents: Option<Vec<AgentName>>,
        by: &str,
        seal: impl FnOnce(&AccessKey, &str) -> std::result::Result<String, E>,
    ) -> std::result::Result<(AccessKey, String), E> {
        self.add_key(name, Scope::Operator, agents, by, |key, secret| seal(key, secret).map(Some)).await
    }

    async fn add_key<E: From<EngineError>>(
        &self,
        name: &str,
        scope: Scope,
        agents: Option<Vec<AgentName>>,
        by: &str,
        seal: impl FnOnce(&AccessKey, &str) -> std::result::Result<Option<String>, E>,
    ) -> std::result::Result<(AccessKey, String), E> {
        let (name, kept) = (name.trim(), self.read_keys().await?);
        check_new_key(name, &kept.keys).map_err(EngineError::from)?;
        let secret = format!("{KEY_PREFIX}{}", to_hex(&random_bytes()?));
        let hash = keyed_hash(&kept.hash_key, &secret);
        let key = AccessKey {
            id: format!("key_{}", &hash[..12]),
            name: name.to_owned(),
            scope,
            agents,
            hash,
            sealed: None,
            added_at: self.clock.now(),
            added_by: by.to_owned(),
            used_at: None,
            revoked_at: None,
            revoked_by: None,
        };
        let key = AccessKey { sealed: seal(&key, &secret)?, ..key };
        self.write_key(key.clone()).await?;
        Ok((key, secret))
    }

    /// Every key, the newest first, revoked ones too.
    pub async fn list(&self) -> Result<Vec<AccessKey>> {
        let mut keys = self.read_keys().await?.keys.clone();
        keys.sort_by(|a, b| b.added_at.cmp(&a.added_at).then_with(|| a.id.cmp(&b.id)));
        Ok(keys)
    }

    /// The key with this id, or the live one with this name.
    pub async fn find(&self, key: &str) -> Result<AccessKey> {
        let mut keys = self.list().await?;
        let found = keys.iter().position(|known| known.id == key);
        let found = found.or_else(|| keys.iter().position(|known| known.is_live() && known.name == key));
        found.map(|at| keys.swap_remove(at)).ok_or_else(|| EngineError::NotFound(format!("key {key}")))
    }

    /// Lets an agent's key open nothing any more. An operator's is refused.
    pub async fn revoke(&self, key: &str, by: &str) -> Result<AccessKey> {
        let found = self.find(key).await?;
        if found.scope == Scope::Operator {
            let hint = "an operator revokes it: `cairn key revoke` asks for the passphrase";
            return Err(Invalid::new(format!("{} is an operator's key", found.id), hint).into());
        }
        self.revoke_key(found, by).await
    }

    /// Lets a key open nothing any more, an operator's as well. The house rules let only the operator's crate ask for this.
    pub async fn revoke_operators_key(&self, key: AccessKey, by: &str) -> Result<AccessKey> {
        self.revoke_key(key, by).await
    }

    async fn revoke_key(&self, mut key: AccessKey, by: &str) -> Result<AccessKey> {
        if key.is_live() {
            (key.revoked_at, key.revoked_by) = (Some(self.clock.now()), Some(by.to_owned()));
            self.write_key(key.clone()).await?;
        }
        Ok(key)
    }

    /// Whether there is a key that opens something.
    pub async fn any_live(&self) -> Result<bool> {
        Ok(self.read_keys().await?.keys.iter().any(AccessKey::is_live))
    }

    /// Whether there is a key or was one. Revoking the last does not open the home to callers without a key.
    pub async fn any(&self) -> Result<bool> {
        Ok(!self.read_keys().await?.keys.is_empty())
    }

    /// Whether the key with this id still opens something.
    pub async fn is_live(&self, id: &str) -> Result<bool> {
        Ok(self.read_keys().await?.keys.iter().any(|key| key.id == id && key.is_live()))
    }

    /// The key that `shown` opens as. How long this takes depends neither on what is shown nor on which key it is.
    pub async fn check(&self, shown: &str) -> Result<Option<AccessKey>> {
        let kept = self.read_keys().await?;
        let hash = keyed_hash(&kept.hash_key, shown);
        let mut found: Option<&AccessKey> = None;
        for key in &kept.keys {
            let same: Choice = key.hash.as_bytes().ct_eq(hash.as_bytes());
            if bool::from(same) && key.is_live() {
                found = Some(key);
            }
        }
        let Some(key) = found.cloned() else { return Ok(None) };
        let now = self.clock.now();
        if key.used_at.is_none_or(|used| now.millis() - used.millis() >= RECORD_USE_EVERY_MS) {
            // That it was used is worth knowing and nothing to fail for.
            let _ = self.record_use(&key, now).await;
        }
        Ok(Some(key))
    }

    async fn read_keys(&self) -> Result<Arc<StoredKeys>> {
        match &self.place {
            KeyPlace::File { path } => self.read_file(path),
            KeyPlace::Server(server) => self.read_server(server).await,
        }
    }

    fn read_file(&self, path: &Path) -> Result<Arc<StoredKeys>> {
        let stamp = file_stamp(path);
        if let Some(known) = &*self.lock()
            && known.stamp == stamp
        {
            return Ok(Arc::clone(&known.kept));
        }
        let kept = Arc::new(match fs::read(path) {
            Ok(bytes) => parse_keys(path, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                StoredKeys { hash_key: to_hex(&random_bytes()?), keys: Vec::new() }
            }
            Err(error) => return Err(EngineError::file("read", path)(error)),
        });
        *self.lock() = Some(CachedKeys { kept: Arc::clone(&kept), read: Instant::now(), stamp });
        Ok(kept)
    }

    async fn read_server(&self, server: &Arc<DatabaseServer>) -> Result<Arc<StoredKeys>> {
        if let Some(known) = self.lock().as_ref().filter(|known| known.read.elapsed() < SERVER_CACHE_TIME) {
            return Ok(Arc::clone(&known.kept));
        }
        let mut rows = list_access_keys(Arc::clone(server)).await?;
        if !rows.iter().any(|(id, _)| id == HASH_KEY_ROW) {
            // Whoever is first decides.
            insert_access_key(Arc::clone(server), HASH_KEY_ROW.to_owned(), to_hex(&random_bytes()?)).await?;
            rows = list_access_keys(Arc::clone(server)).await?;
        }
        let hash_key = rows.iter().find(|(id, _)| id == HASH_KEY_ROW).map(|(_, kept)| kept.clone());
        let used = |key: &AccessKey| {
            let row = rows.iter().find(|(id, _)| *id == last_used_row(key))?;
            row.1.parse().ok()
        };
        let key = |kept: &str| {
            let key: AccessKey = serde_json::from_str(kept).ok()?;
            Some(AccessKey { used_at: used(&key), ..key })
        };
        let keys = rows.iter().filter_map(|(_, kept)| key(kept)).collect();
        let kept = Arc::new(StoredKeys { hash_key: hash_key.unwrap_or_default(), keys });
        *self.lock() = Some(CachedKeys { kept: Arc::clone(&kept), read: Instant::now(), stamp: None });
        Ok(kept)
    }

    /// Writes down that a key was used. It cannot bring back one that was revoked meanwhile.
    async fn record_use(&self, key: &AccessKey, now: Time) -> Result<()> {
        match &self.place {
            KeyPlace::File { .. } => self.write_key(AccessKey { used_at: Some(now), ..key.clone() }).await,
            KeyPlace::Server(server) => {
                put_access_key(Arc::clone(server), last_used_row(key), now.to_string()).await?;
                *self.lock() = None;
                Ok(())
            }
        }
    }

    /// Keeps a key in the place of the one with the same id. One that was revoked stays so.
    async fn write_key(&self, key: AccessKey) -> Result<()> {
        match &self.place {
            KeyPlace::File { path } => {
                let kept = self.read_file(path)?;
                let (path, hash_key) = (path.clone(), kept.hash_key.clone());
                replace_key_file(&path, &hash_key, key)?;
            }
            KeyPlace::Server(server) => {
                let text = to_stored_json("a key", &key)?;
                put_access_key(Arc::clone(server), key.id, text).await?;
            }
        }
        *self.lock() = None;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<CachedKeys>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a key of this name may be added to these.
fn check_new_key(name: &str, keys: &[AccessKey]) -> std::result::Result<(), Invalid> {
    if name.is_empty() || name.chars().count() > MAX_KEY_NAME_CHARS || name.contains(char::is_control) {
        let hint = format!("use 1 to {MAX_KEY_NAME_CHARS} printable characters, for example `laptop`");
        return Err(Invalid::new("this is not a valid key name", hint));
    }
    if keys.iter().any(|key| key.is_live() && key.name == name) {
        let hint = "choose another name, or revoke that one first";
        return Err(Invalid::new(format!("there is already a key called `{name}`"), hint));
    }
    if keys.len() >= MAX_KEYS {
        let hint = "remove revoked keys from keys.json";
        return Err(Invalid::new(format!("there are {MAX_KEYS} keys already"), hint));
    }
    Ok(())
}

/// The row of a server's table that says when a key was last used.
fn last_used_row(key: &AccessKey) -> String {
    format!("used {}", key.id)
}

/// Rewrites the file with `key` in it, under a lock.
fn replace_key_file(path: &Path, hash_key: &str, key: AccessKey) -> Result<()> {
    let failed = |doing| EngineError::file(doing, path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed("make the folder of"))?;
    }
    let lock = open_lock_file(&path.with_extension("lock")).map_err(failed("lock"))?;
    lock.lock().map_err(failed("lock"))?;
    let mut kept = match fs::read(path) {
        Ok(bytes) => parse_keys(path, &bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            StoredKeys { hash_key: hash_key.to_owned(), keys: Vec::new() }
        }
        Err(error) => return Err(failed("read")(error)),
    };
    if kept.hash_key != hash_key {
        // Another process made the file first: the hash would fit no more.
        return Err(Invalid::new("another process has just created the key file", "try again").into());
    }
    match kept.keys.iter_mut().find(|known| known.id == key.id) {
        Some(known) => {
            let revoked = (known.revoked_at, known.revoked_by.clone());
            *known = key;
            if revoked.0.is_some() {
                (known.revoked_at, known.revoked_by) = revoked;
            }
        }
        None => kept.keys.push(key),
    }
    let text = serde_json::to_vec_pretty(&kept).map_err(|error| failed("write")(error.into()))?;
    replace_file(path, &text, ReplaceSync::Durable, ReplaceAccess::Private).map_err(failed("write"))
}

/// The file that whoever writes the keys holds; only its owner may read it.
fn open_lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn parse_keys(path: &Path, bytes: &[u8]) -> Result<StoredKeys> {
    serde_json::from_slice(bytes).map_err(|error| EngineError::Config {
        path: path.to_owned(),
        problem: format!("the keys cannot be read: {error}"),
    })
}

/// The time and inode of a file (or its length), which change when it is replaced.
fn file_stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = metadata.len();
    Some((metadata.modified().ok()?, number))
}

fn keyed_hash(hash_key: &str, shown: &str) -> String {
    // Whatever the length of the key in hexadecimal digits, it becomes 32 bytes.
    let key = blake3::derive_key("cairn 2026-11-15 access key", hash_key.as_bytes());
    blake3::keyed_hash(&key, shown.as_bytes()).to_hex().to_string()
}

fn random_bytes() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        let problem = format!("the system has no random numbers: {error}");
        EngineError::from(Invalid::new(problem, "try again"))
    })?;
    Ok(bytes)
}
