//! JSON that is stored. A value that cannot be written as JSON, or stored JSON that cannot be read, is an error: neither
//! ever becomes an empty text.

use cairn_store::{Result, StoreError};
use serde::{Serialize, de::DeserializeOwned};

/// The JSON of a value that is about to be stored; `what` names it in the error.
pub(crate) fn to_stored_json(what: &str, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused {
        problem: format!("{what} cannot be written as JSON: {error}"),
        hint: "nothing was stored; report this with the command that led to it".to_owned(),
    })
}

/// A value that was stored as JSON; `what` names it in the error.
pub(crate) fn from_stored_json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::Damaged {
        problem: format!("{what} cannot be read as JSON: {error}"),
        hint: "run `cairn doctor`; what was said is in the archive either way".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_cannot_be_written_or_read_is_an_error_and_never_empty() {
        // The keys of a JSON object are texts.
        let unwritable = BTreeMap::from([([1, 2], "a list as a key")]);
        let refused = to_stored_json("the reasons", &unwritable).expect_err("refused");
        assert!(refused.to_string().starts_with("the reasons cannot be written as JSON"), "{refused}");
        let damaged = from_stored_json::<Vec<u32>>("the decisions", "[1, 2").expect_err("damaged");
        assert!(damaged.to_string().starts_with("the decisions cannot be read as JSON"), "{damaged}");
        assert!(damaged.hint().contains("cairn doctor"));
    }
}
