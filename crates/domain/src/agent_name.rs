//! The name of an agent, which is also the name of its folder: what it may contain is a safety rule.

use crate::Invalid;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// 1–64 of `a-z 0-9 - _ .`, beginning with a letter or digit. Nothing else can name a folder.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[schemars(!try_from, !into, with = "String", extend("pattern" = "^[a-z0-9][a-z0-9._-]{0,63}$"))]
#[serde(try_from = "String", into = "String")]
pub struct AgentName(String);

impl AgentName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentName {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Invalid> {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if name.len() <= 64 && name.starts_with(first) && name.chars().all(inner) {
            return Ok(Self(name.to_owned()));
        }
        Err(Invalid::new(
            format!("`{}` is not a valid agent name", name.escape_debug()),
            "use 1 to 64 of a-z 0-9 - _ . beginning with a letter or a digit, for example `main` or `support-bot`",
        ))
    }
}

impl TryFrom<String> for AgentName {
    type Error = Invalid;
    fn try_from(name: String) -> Result<Self, Invalid> {
        name.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> Self {
        name.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_safe_as_a_folder_are_taken() {
        for good in ["main", "a", "0day", "support-bot_2.eu", &"x".repeat(64)] {
            assert!(good.parse::<AgentName>().is_ok(), "{good}");
        }
        for bad in
            ["", ".", "..", "../x", "-a", "_a", ".hidden", "Main", "a b", "a/b", "ü", "a\0", &"x".repeat(65)]
        {
            assert!(bad.parse::<AgentName>().is_err(), "{bad:?}");
        }
    }
}
