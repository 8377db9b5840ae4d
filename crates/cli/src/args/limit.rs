//! How many records a command shows.

use cairn_domain::Invalid;
use cairn_engine::limits::{check_hit_count, invalid_hit_count};
use clap::Args;

#[derive(Args)]
pub(crate) struct LimitArgs {
    /// Maximum number of records
    #[arg(long, default_value_t = 50, value_parser = at_least_one)]
    pub(crate) limit: usize,
}

fn at_least_one(number: &str) -> Result<usize, String> {
    match number.parse::<u32>() {
        Ok(0) => Err("the limit must be at least 1".to_owned()),
        Ok(number) => Ok(number as usize),
        Err(error) => Err(error.to_string()),
    }
}

/// The value of `-k`.
pub(crate) fn hits(text: &str) -> Result<usize, Invalid> {
    let hits = text.parse().map_err(|_| invalid_hit_count(text))?;
    check_hit_count(hits)?;
    Ok(hits)
}
