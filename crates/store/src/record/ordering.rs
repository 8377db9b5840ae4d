//! Small helpers for rows that are found by their numbers.

use crate::{database::Row, error::Result};
use std::collections::HashMap;

/// Two numbers that belong together.
pub(crate) fn pair(row: &Row<'_>) -> Result<(u32, u32)> {
    Ok((row.int(0)? as u32, row.int(1)? as u32))
}

/// Puts what was found by its numbers into the order in which they were given.
pub(crate) fn in_order<T>(found: &mut [T], numbers: &[u32], number: impl Fn(&T) -> u32) {
    let places: HashMap<u32, usize> = numbers.iter().enumerate().map(|(i, number)| (*number, i)).collect();
    found.sort_by_key(|one| places.get(&number(one)).copied());
}
