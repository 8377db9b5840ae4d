//! Verifiers: what can be seen of the machine that the prompt is given on, of what the prompt itself names and of nothing else.
//! Nothing is run and nothing is written; each look is bounded in time and size.

use cairn_domain::Time;
use std::{
    fmt, fs,
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::{Component, Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

/// The longest that one look may take.
const CHECK_TIMEOUT: Duration = Duration::from_millis(60);
/// The longest that a port may take to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(30);
/// Bytes of a file that are hashed; of a larger one only size and time are told.
const MAX_HASHED_BYTES: u64 = 8 << 20;
/// Bytes read of a file of the repository's own.
const MAX_REPOSITORY_BYTES: u64 = 1 << 20;
/// Folders above the working folder in which the repository may begin.
const MAX_FOLDERS_UP: usize = 16;

/// Something that can be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MachineCheck {
    /// Whether a file is there, with its size, its time and its hash.
    Path(String),
    /// Whether a port of this machine takes connections.
    Port(u16),
    /// The branch and the commit of the working folder's repository.
    Repository,
}

/// The result of a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verified {
    /// As it is now.
    Seen(String),
    /// It was not looked at, or not seen in time.
    Unverified,
    /// It is outside of the working folder.
    Outside,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seen(state) => write!(f, "{state} (verified now)"),
            Self::Unverified => f.write_str("unverified"),
            Self::Outside => f.write_str("unverified (outside the working folder)"),
        }
    }
}

impl MachineCheck {
    /// Looks, for a prompt given in this folder.
    pub(super) async fn run(self, folder: &Path) -> Verified {
        let folder = folder.to_owned();
        let looked = tokio::task::spawn_blocking(move || self.look(&folder));
        match tokio::time::timeout(CHECK_TIMEOUT, looked).await {
            Ok(Ok(verified)) => verified,
            Ok(Err(_)) | Err(_) => Verified::Unverified,
        }
    }

    fn look(&self, folder: &Path) -> Verified {
        match self {
            Self::Path(path) => path_state(folder, path),
            Self::Port(port) => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
                let open = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_ok();
                Verified::Seen(if open { "open" } else { "closed" }.to_owned())
            }
            Self::Repository => match repository_state(folder) {
                Ok(state) => Verified::Seen(state),
                Err(_) => Verified::Unverified,
            },
        }
    }
}

fn path_state(folder: &Path, path: &str) -> Verified {
    let named = Path::new(path);
    let climbs = named.components().any(|part| matches!(part, Component::ParentDir));
    let Ok(folder) = folder.canonicalize() else { return Verified::Unverified };
    if climbs || path.starts_with('~') || named.is_absolute() && !named.starts_with(&folder) {
        return Verified::Outside;
    }
    let path = folder.join(named);
    // A link may lead anywhere: only what is really below the folder is looked at.
    match path.symlink_metadata().and_then(|_| path.canonicalize()) {
        Ok(real) if !real.starts_with(&folder) => Verified::Outside,
        Ok(real) => file_state(&real).map_or(Verified::Unverified, Verified::Seen),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Verified::Seen("not there".to_owned()),
        Err(_) => Verified::Unverified,
    }
}

fn file_state(path: &Path) -> io::Result<String> {
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        return Ok("there, a folder".to_owned());
    }
    if !metadata.is_file() {
        return Ok("there, no regular file".to_owned());
    }
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = Time::from_millis(changed.as_millis() as i64).minute();
    let hash = if metadata.len() > MAX_HASHED_BYTES {
        "too large to hash".to_owned()
    } else {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(MAX_HASHED_BYTES).read_to_end(&mut bytes)?;
        format!("blake3 {}", &blake3::hash(&bytes).to_hex()[..16])
    };
    Ok(format!("there, {} bytes, changed {changed}, {hash}", metadata.len()))
}

/// The branch and the commit that a folder's repository is at, out of its own files.
fn repository_state(folder: &Path) -> io::Result<String> {
    let mut above = folder.ancestors().take(MAX_FOLDERS_UP);
    let Some(git) = above.find_map(|it| git_folder(&it.join(".git"))) else {
        return Ok("no repository".to_owned());
    };
    let head = short_file(&git.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return Ok(format!("no branch, at commit {}", short_hash(head.trim())));
    };
    let branch = name.strip_prefix("refs/heads/").unwrap_or(name);
    let common = short_file(&git.join("commondir")).map_or_else(|_| git.clone(), |it| git.join(it.trim()));
    let commit = short_file(&common.join(name)).or_else(|_| packed_commit(&common, name));
    Ok(match commit {
        Ok(commit) => {
            format!("branch {} at commit {}", crate::quote::line(branch), short_hash(commit.trim()))
        }
        Err(_) => format!("branch {} without a commit", crate::quote::line(branch)),
    })
}

/// The repository's folder: `.git` itself, or what it names.
fn git_folder(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    let named = short_file(path).ok()?;
    let named = Path::new(named.trim().strip_prefix("gitdir: ")?);
    Some(path.parent()?.join(named))
}

fn packed_commit(git: &Path, name: &str) -> io::Result<String> {
    let packed = short_file(&git.join("packed-refs"))?;
    let found = packed.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned));
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn short_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_REPOSITORY_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn short_hash(hash: &str) -> &str {
    &hash[..hash.floor_char_boundary(10)]
}
