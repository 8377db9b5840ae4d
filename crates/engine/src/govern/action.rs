//! Actions as they would be done here: the commands of a command line, and where its paths lead. Nothing is run; the disk is only
//! asked where links go.

use cairn_cognition::govern::{
    action::{ActionPath, ProposedAction},
    shell::{ShellWord, commands},
    touched::{PathAccess, touched_paths},
};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// An action as somebody proposes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActionDraft {
    /// The tool.
    pub tool: String,
    /// The command line, if it runs one.
    pub command: Option<String>,
    /// The paths that it names.
    pub paths: Vec<DraftPath>,
    /// The folder that it works in.
    pub folder: PathBuf,
    /// The user's home folder: what `~` stands for.
    pub user_home: Option<PathBuf>,
}

/// A path that an action names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftPath {
    /// As it was written.
    pub text: String,
    /// How it is touched.
    pub access: PathAccess,
}

impl ActionDraft {
    /// The action with everything that can be known before it is done.
    pub fn resolve(&self) -> ProposedAction {
        let commands = self.command.as_deref().map(commands).unwrap_or_default();
        let named = self.paths.iter().map(|path| ActionPath {
            places: self.places(&path.text, &[]),
            access: path.access,
            is_deep: false,
            hidden: false,
        });
        let touched = commands.iter().flat_map(touched_paths).map(|path| ActionPath {
            hidden: path.hidden || path.folders.iter().any(|folder| folder.hidden),
            places: self.places(&path.text, &path.folders),
            access: path.access,
            is_deep: path.is_deep,
        });
        let paths = named.chain(touched).collect();
        let first_path = || self.paths.first().map(|path| path.text.clone());
        let words = self.command.clone().or_else(first_path).unwrap_or_default();
        ProposedAction { tool: self.tool.clone(), words, commands, paths }
    }

    /// Where a path is: as it was written, and where links lead.
    fn places(&self, text: &str, folders: &[ShellWord]) -> Vec<String> {
        let mut folder = self.folder.clone();
        for to in folders {
            folder = folder.join(self.expanded(&to.text));
        }
        let whole = folder.join(self.expanded(text));
        let mut places = vec![flattened(&whole), followed(&whole)];
        places.dedup();
        places.iter().map(|place| place.to_string_lossy().into_owned()).collect()
    }

    fn expanded(&self, text: &str) -> PathBuf {
        match (text.strip_prefix('~'), &self.user_home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => PathBuf::from(text),
        }
    }
}

/// The path with `.` and `..` taken away, as it is written.
fn flattened(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => flat.push(part),
        }
    }
    flat
}

/// The path with its links followed, as far as it exists.
fn followed(path: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = path.components().collect();
    for known in (1..=parts.len()).rev() {
        let beginning: PathBuf = parts[..known].iter().collect();
        if let Ok(real) = fs::canonicalize(&beginning) {
            let rest: PathBuf = parts[known..].iter().collect();
            return flattened(&real.join(rest));
        }
        // A link that leads to what is not there yet: where it leads is written to.
        if let Ok(target) = fs::read_link(&beginning) {
            let folder = beginning.parent().unwrap_or(Path::new("/"));
            let rest: PathBuf = parts[known..].iter().collect();
            return flattened(&folder.join(target).join(rest));
        }
    }
    flattened(path)
}
