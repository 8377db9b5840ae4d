//! No characters make a question or a title panic, and a text is found by its own words.
#![no_main]

use cairn_cognition::{keywords, title};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let message = keywords::terms(text);
    let question = keywords::query_terms(text);
    let held = |term: &String| message.counts.iter().any(|(held, _)| held == term);
    assert!(question.is_empty() || question.iter().any(held));
    let _ = title::session_title(text);
});
