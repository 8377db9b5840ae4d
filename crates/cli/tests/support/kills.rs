//! How often a test kills: seldom in an ordinary run, and as often as one likes beside it.

/// Rounds of a test that kills; `CAIRN_CRASH_ROUNDS=500` makes a long check of it.
pub(crate) fn crash_rounds() -> u64 {
    number_of("CAIRN_CRASH_ROUNDS", 20)
}

/// The number in an environment variable, or `default`.
pub(crate) fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
