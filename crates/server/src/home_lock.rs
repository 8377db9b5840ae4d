//! One server per home. The operating system holds the lock, so a killed server leaves none behind; the file says who has it.

use crate::ServeError;
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// The lock on a home, released when this is dropped.
pub(crate) struct HomeLock {
    file: File,
}

#[derive(Serialize, Deserialize)]
struct LockOwner {
    pid: u32,
    #[serde(default)]
    address: Option<SocketAddr>,
}

impl HomeLock {
    /// Locks `home`, or says which process has it locked.
    pub(crate) fn acquire(home: &Path) -> Result<Self, ServeError> {
        let path = home.join("serve.lock");
        let failed = |source| ServeError::Lock { path: path.clone(), source };
        std::fs::create_dir_all(home).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        // A link in its place would let somebody choose which file is emptied.
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                return Err(ServeError::AlreadyServed {
                    home: home.to_owned(),
                    server: described_owner(&text),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let lock = Self { file };
        lock.record_address(None).map_err(failed)?;
        Ok(lock)
    }

    /// Writes into the lock file where this server listens.
    pub(crate) fn record_address(&self, address: Option<SocketAddr>) -> std::io::Result<()> {
        let owner = LockOwner { pid: std::process::id(), address };
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&serde_json::to_vec(&owner)?)
    }
}

/// Where the server of a home listens, if one is running.
pub fn serving_address(home: &Path) -> Option<SocketAddr> {
    let mut file = File::open(home.join("serve.lock")).ok()?;
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str::<LockOwner>(&text).ok()?.address
}

impl Drop for HomeLock {
    fn drop(&mut self) {
        // An empty file names nobody; closing it releases the lock.
        let _ = self.file.set_len(0);
    }
}

fn described_owner(text: &str) -> String {
    match serde_json::from_str::<LockOwner>(text) {
        Ok(LockOwner { pid, address: Some(address) }) => format!("process {pid} listens on {address}"),
        Ok(LockOwner { pid, address: None }) => format!("process {pid} is starting or stopping"),
        Err(_) => "a process is starting or stopping".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-178
    #[test]
    fn a_home_is_held_once_and_whoever_comes_second_is_told_by_whom() {
        let home = tempfile::tempdir().expect("a folder");
        let hold = HomeLock::acquire(home.path()).expect("held");
        hold.record_address(Some(([127, 0, 0, 1], 7777).into())).expect("recorded");
        let refused = HomeLock::acquire(home.path()).err().expect("refused").to_string();
        assert!(refused.contains("127.0.0.1:7777"), "{refused}");
        assert!(refused.contains(&std::process::id().to_string()), "{refused}");
        drop(hold);
        HomeLock::acquire(home.path()).expect("free again");
    }
}
