//! Configuration: one TOML file per home. Everything has a default; what is not known or makes no sense is
//! refused at start-up, never discovered later.

use crate::{EngineError, Profile, Result};
use cairn_domain::Limits;
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

/// The configuration of a home.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How large a message may be.
    pub capture: Limits,
    /// How hits are ranked.
    pub recall: Profile,
    /// Copies kept.
    pub backup: Backups,
}

/// How many backups are kept in an agent's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backups {
    /// The newest this many stay.
    pub keep: usize,
}

impl Default for Backups {
    fn default() -> Self {
        Self { keep: 7 }
    }
}

impl Config {
    /// Reads `path`; a missing file means the defaults.
    pub fn read(path: &Path) -> Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(EngineError::file("read", path)(error)),
        };
        Self::parse(&text).map_err(|problem| EngineError::Config { path: path.to_owned(), problem })
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        config.check()?;
        Ok(config)
    }

    /// The file that says the same.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_default()
    }

    fn check(&self) -> std::result::Result<(), String> {
        let Limits { text_bytes, metadata_bytes, name_bytes } = self.capture;
        let Profile { bm25, neighbour, second_neighbour, thread_boost } = self.recall;
        let number = |name: &str, value: f64, least: f64, most: f64| {
            let fits = value.is_finite() && (least..=most).contains(&value);
            if fits {
                Ok(())
            } else {
                Err(format!("{name} = {value}, and it must lie between {least} and {most}"))
            }
        };
        number("capture.text_bytes", text_bytes as f64, 1.0, f64::from(1 << 30))?;
        number("capture.metadata_bytes", metadata_bytes as f64, 2.0, f64::from(1 << 24))?;
        number("capture.name_bytes", name_bytes as f64, 16.0, 4096.0)?;
        number("recall.bm25.k1", bm25.k1, 0.0, 10.0)?;
        number("recall.bm25.b", bm25.b, 0.0, 1.0)?;
        number("recall.neighbour", neighbour, 0.0, 1.0)?;
        number("recall.second_neighbour", second_neighbour, 0.0, 1.0)?;
        number("recall.thread_boost", thread_boost, 1.0, 10.0)?;
        number("backup.keep", self.backup.keep as f64, 1.0, 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-156
    #[test]
    fn the_configuration_is_checked_when_it_is_read() {
        for (text, complaint) in [
            ("", None),
            ("[recall.bm25]\nb = 0.4", None),
            ("[recal]", Some("recal")),
            ("[recall.bm25]\nb = 1.4", Some("recall.bm25.b = 1.4")),
            ("[recall.bm25]\nk1 = nan", Some("recall.bm25.k1")),
            ("[recall]\nthread_boost = 0.5", Some("recall.thread_boost")),
            ("[capture]\ntext_bytes = 0", Some("capture.text_bytes")),
            ("[capture]\ntext_bytes = \"many\"", Some("text_bytes")),
            ("[backup]\nkeep = 0", Some("backup.keep")),
            ("not toml", Some("=")),
        ] {
            match (Config::parse(text), complaint) {
                (Ok(_), None) => {}
                (Err(problem), Some(complaint)) => assert!(problem.contains(complaint), "{text}: {problem}"),
                (parsed, _) => panic!("{text}: {parsed:?}"),
            }
        }
    }

    #[test]
    fn what_is_shown_can_be_read_back() {
        assert_eq!(Config::parse(&Config::default().to_toml()), Ok(Config::default()));
    }
}
