//! How many records a command shows.

use cairn_domain::Invalid;
use cairn_engine::limits::MAX_HITS;
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
    if let Ok(k @ 1..=MAX_HITS) = text.parse() {
        return Ok(k);
    }
    let hint = format!("give a number from 1 to {MAX_HITS}");
    Err(Invalid::new(format!("`{text}` is not a valid number of hits"), hint))
}
