//! Framing: whose the blocks of a context are, and the configuration of contexts.

use super::identity_file::IdentityFile;
use crate::config_range::check_range;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The hosts that the configuration does not name get the files of this one.
const ANY_HOST: &str = "default";
/// Maximum tokens of all identity files together.
const MAX_IDENTITY_TOKENS: usize = 20_000;

/// Whose the blocks of a context are: the model's own, or the system's. What they say, and the safety frame, is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// `[YOUR WORKING MEMORY]`.
    #[default]
    FirstPerson,
    /// `[CONTINUITY CONTEXT]`.
    System,
}

/// How contexts are worded, and who is given which files of the identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextConfig {
    /// Whose the blocks are: `first_person` or `system`.
    pub framing: Framing,
    /// Maximum tokens of identity files where a session begins, besides the budget of the context.
    pub identity_tokens: usize,
    /// The identity files that each host is given, in order; `default` for those not named. A host that reads its own AGENTS.md
    /// needs no second one.
    #[serde(deserialize_with = "with_default_hosts")]
    pub identity: BTreeMap<String, Vec<IdentityFile>>,
}

/// The hosts that somebody named, and the others as they are by default.
fn with_default_hosts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Vec<IdentityFile>>, D::Error> {
    let mut hosts = ContextConfig::default().identity;
    hosts.extend(BTreeMap::deserialize(deserializer)?);
    Ok(hosts)
}

impl Default for ContextConfig {
    fn default() -> Self {
        let without_agents = || IdentityFile::ALL.into_iter().filter(|file| *file != IdentityFile::Agents);
        let identity = BTreeMap::from([
            (ANY_HOST.to_owned(), IdentityFile::ALL.to_vec()),
            ("claude-code".to_owned(), without_agents().collect()),
        ]);
        Self { framing: Framing::default(), identity_tokens: 1_500, identity }
    }
}

impl ContextConfig {
    /// The files that a host is given.
    pub(crate) fn identity_of(&self, host: &str) -> &[IdentityFile] {
        self.identity.get(host).or_else(|| self.identity.get(ANY_HOST)).map_or(&[], Vec::as_slice)
    }

    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), String> {
        check_range("context.identity_tokens", self.identity_tokens as f64, 0.0, MAX_IDENTITY_TOKENS as f64)
    }
}
