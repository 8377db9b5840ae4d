//! Identity: the files that say who the agent is. They are read here and written by nobody but their operator.

use crate::{Agent, EngineError, Result};
use cairn_domain::Invalid;

impl Agent {
    /// The names of the files, in order.
    pub fn identity_files(&self) -> Result<Vec<String>> {
        let folder = self.folder.join("identity");
        match self.identity.names(&folder) {
            Ok(names) => Ok(names),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(EngineError::file("list", folder)(error)),
        }
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
        Ok(self.identity.text(&path).map_err(EngineError::file("read", &path))?.to_string())
    }
}
