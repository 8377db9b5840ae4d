//! The reason of a protected write: required, and without secrets, since receipts are kept for good.

use crate::error::Result;
use cairn_cognition::secret::mask;
use cairn_domain::Invalid;

/// The reason as a receipt keeps it. `what` needs it, and `otherwise` says what was not done.
pub(crate) fn required_reason(reason: &str, what: &str, otherwise: &str) -> Result<String> {
    match reason.trim() {
        "" => {
            let hint = format!("give it with --reason; nothing was {otherwise}");
            Err(Invalid::new(format!("{what} needs a reason"), hint).into())
        }
        reason => Ok(mask(reason).text.into_owned()),
    }
}
