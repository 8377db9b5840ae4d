//! One server a home. The lock is the system's, so that one who is gone holds nothing; the file says who it is.

use crate::ServeError;
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    net::SocketAddr,
    path::Path,
};

/// The home, held for as long as this lives.
pub(crate) struct Hold {
    file: File,
}

#[derive(Serialize, Deserialize)]
struct Holder {
    pid: u32,
    #[serde(default)]
    address: Option<SocketAddr>,
}

impl Hold {
    /// Holds `home`, or says who does.
    pub(crate) fn take(home: &Path) -> Result<Self, ServeError> {
        let path = home.join("serve.lock");
        let failed = |source| ServeError::Hold { path: path.clone(), source };
        std::fs::create_dir_all(home).map_err(failed)?;
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                return Err(ServeError::Held { home: home.to_owned(), holder: described(&text) });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let hold = Self { file };
        hold.tell(None).map_err(failed)?;
        Ok(hold)
    }

    /// Tells others where this one listens.
    pub(crate) fn tell(&self, address: Option<SocketAddr>) -> std::io::Result<()> {
        let holder = Holder { pid: std::process::id(), address };
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&serde_json::to_vec(&holder)?)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Nobody is named any more; the lock goes with the file.
        let _ = self.file.set_len(0);
    }
}

fn described(text: &str) -> String {
    match serde_json::from_str::<Holder>(text) {
        Ok(Holder { pid, address: Some(address) }) => format!("process {pid} listens on {address}"),
        Ok(Holder { pid, address: None }) => format!("process {pid} is starting or stopping"),
        Err(_) => "by a process that is starting or stopping".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-178
    #[test]
    fn a_home_is_held_once_and_whoever_comes_second_is_told_by_whom() {
        let home = tempfile::tempdir().expect("a folder");
        let hold = Hold::take(home.path()).expect("held");
        hold.tell(Some(([127, 0, 0, 1], 7777).into())).expect("told");
        let refused = Hold::take(home.path()).err().expect("refused").to_string();
        assert!(refused.contains("127.0.0.1:7777"), "{refused}");
        assert!(refused.contains(&std::process::id().to_string()), "{refused}");
        drop(hold);
        Hold::take(home.path()).expect("free again");
    }
}
