//! Support: whether any record holds what an agent claims to remember.

use cairn_cognition::entropy::{ClaimedRecollection, supported_share};
use cairn_store::{IndexQuery, Result, View};
use std::collections::HashMap;

/// A record supports a claim if it holds this share of its terms.
const MIN_SUPPORTED_SHARE: f64 = 0.5;
/// Memories that are looked at.
const MAX_MEMORIES: u32 = 8;

/// Whether a memory, or a message before the one at `seq`, supports a claim.
pub(super) fn is_supported(view: &mut View<'_>, claim: &ClaimedRecollection, seq: u32) -> Result<bool> {
    let terms: Vec<&str> = claim.terms.iter().map(String::as_str).collect();
    let numbers = view.memories_holding(&terms, MAX_MEMORIES)?;
    let memories = view.memories_at(&numbers)?;
    if memories.iter().any(|record| supported_share(claim, &record.memory.text) >= MIN_SUPPORTED_SHARE) {
        return Ok(true);
    }
    let words: Vec<Vec<String>> = claim.terms.iter().map(|term| vec![term.clone()]).collect();
    let search = view.search(&IndexQuery { words: &words, ..IndexQuery::said_by(&[]) })?;
    let index = search.keywords();
    let mut held: HashMap<u32, usize> = HashMap::new();
    for term in &claim.terms {
        index.for_each(term, |place, _| *held.entry(place).or_default() += 1);
    }
    let needed = MIN_SUPPORTED_SHARE * claim.terms.len() as f64;
    let documents = index.documents();
    let before = |place: &u32| documents.get(*place as usize).is_some_and(|document| document.seq < seq);
    Ok(held.iter().any(|(place, terms)| *terms as f64 >= needed && before(place)))
}
