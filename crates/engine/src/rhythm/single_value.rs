//! Memories that must not be condensed into others.

use cairn_store::{Result, View};

/// Whether a memory holds a value of which there is one at a time: such a memory is replaced when that changes, and what
/// was made of it would go on telling the old value.
pub(super) fn holds_single_value(view: &mut View<'_>, number: u32) -> Result<bool> {
    Ok(view.statements(number)?.iter().any(|statement| statement.single))
}
