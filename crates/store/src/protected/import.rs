//! Taking over a bundle with what was decided where it comes from.

use super::Authority;
use crate::{PortableRow, Result, Store, TakenRows, portable::take_decided};
use cairn_domain::Time;

/// Takes in all rows of a bundle, lanes and settings included, with a receipt if there are any. None, and nothing is taken in,
/// if there are memories or receipts already.
pub async fn take_rows(
    store: &Store,
    rows: Vec<PortableRow>,
    by: Authority,
    now: Time,
) -> Result<Option<TakenRows>> {
    take_decided(store, rows, by.actor, by.reason, now).await
}
