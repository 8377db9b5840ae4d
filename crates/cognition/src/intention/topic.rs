//! The topic of an occasion: what comes up again, without the verb that says that it does.

use super::cues::CUES;
use crate::{keywords::plain_words, language::is_stop_word, lexicon::IntentionsClass, pattern::PatternMatch};

/// The topic of the occasions of a sentence, as its words; none if nothing is named.
pub(super) fn topic_of(sentence: &str, events: &[PatternMatch<IntentionsClass>]) -> Option<String> {
    let start = events.iter().map(|event| event.range.start).min()?;
    let behind = events.iter().map(|event| event.range.end).max()?;
    let end = match sentence[start..].find([',', '.', ';']) {
        Some(at) if sentence[start..].find(',') == Some(at) => start + at,
        // In Turkish the verb ends the occasion: what follows is to be done.
        _ if events.iter().any(|event| event.language == "tr") => behind,
        at => {
            let is_order = |it: &PatternMatch<IntentionsClass>| {
                it.class == IntentionsClass::Order && it.range.start >= behind
            };
            let order = CUES.find(sentence).filter(is_order).map(|it| it.range.start).min();
            order.unwrap_or_else(|| at.map_or(sentence.len(), |at| start + at))
        }
    };
    let words = plain_words(&sentence[start..end.max(start)]);
    let verbs: Vec<String> = events.iter().flat_map(|event| verbs_of(sentence, event)).collect();
    let told: Vec<&String> = words.iter().filter(|word| !is_stop_word(word)).collect();
    let topic: Vec<&String> = told.iter().filter(|word| !verbs.contains(word)).copied().collect();
    let topic = if topic.is_empty() { told } else { topic };
    let topic: Vec<&str> = topic.into_iter().map(String::as_str).collect();
    (!topic.is_empty()).then(|| topic.join(" "))
}

/// The words of an occasion that only say that it is one. In Turkish its topic stands in the cue, before the verb.
fn verbs_of(sentence: &str, event: &PatternMatch<IntentionsClass>) -> Vec<String> {
    let cue = plain_words(&sentence[event.range.clone()]);
    let is_all = event.language != "tr" || cue.first().is_some_and(|word| word == "bir");
    let last = if cue.last().is_some_and(|word| word == "önce") { 2 } else { 1 };
    let from = if is_all { 0 } else { cue.len().saturating_sub(last) };
    let again = |word: &&String| matches!(word.as_str(), "bir" | "daha" | "tekrar" | "yeniden");
    cue[..from].iter().filter(again).chain(&cue[from..]).cloned().collect()
}
