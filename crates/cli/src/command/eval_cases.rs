//! Labeled cases that `cairn eval` measures on.

use crate::failure::Failure;
use cairn_eval::labeled::read_cases;
use std::path::Path;

/// The cases of a file, one JSON object a line.
pub(super) fn labeled_cases<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>, Failure> {
    read_cases(path).map_err(|error| {
        let problem = format!("cannot read {}: {error}", path.display());
        Failure::new(problem, "name a file of labeled cases, one JSON object a line")
    })
}
