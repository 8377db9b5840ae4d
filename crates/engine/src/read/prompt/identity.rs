//! Identity: the files that say who the agent is. They are read here and written by nobody but their operator.

use crate::{Agent, EngineError, Result, limits::MAX_IDENTITY_FILE_BYTES};
use cairn_domain::Invalid;
use std::fs;

impl Agent {
    /// The names of the files, in order.
    pub fn identity_files(&self) -> Result<Vec<String>> {
        let folder = self.folder.join("identity");
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(EngineError::file("list", folder)(error)),
        };
        let name = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            (entry.path().extension()? == "md" && entry.file_type().ok()?.is_file()).then_some(name)
        };
        let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
        names.sort();
        Ok(names)
    }

    /// The text of one of them.
    pub fn identity_file(&self, name: &str) -> Result<String> {
        let names = self.identity_files()?;
        // Only what is listed: no path leads out of the folder.
        if !names.iter().any(|known| known == name) {
            let hint = if names.is_empty() {
                "there are none; `cairn init` makes templates".to_owned()
            } else {
                format!("these are there: {}", names.join(", "))
            };
            return Err(Invalid::new(format!("there is no identity file `{name}`"), hint).into());
        }
        let path = self.folder.join("identity").join(name);
        let file = fs::File::open(&path).map_err(EngineError::file("open", &path))?;
        let mut text = String::new();
        let read =
            std::io::Read::read_to_string(&mut std::io::Read::take(file, MAX_IDENTITY_FILE_BYTES), &mut text);
        read.map_err(EngineError::file("read", &path))?;
        Ok(text)
    }
}
