//! The stored form of what an operator sets.

use crate::error::{OperatorError, Result};
use serde::Serialize;

/// The stored form of a setting; empty if it is ended.
pub(crate) fn setting_value(value: Option<&impl Serialize>) -> Result<String> {
    let text = value.map(serde_json::to_string).transpose();
    let text = text.map_err(|error| OperatorError::Refused {
        problem: format!("the setting cannot be written as JSON: {error}"),
        hint: "nothing was changed; report this with the command that led to it".to_owned(),
    })?;
    Ok(text.unwrap_or_default())
}
