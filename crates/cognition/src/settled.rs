//! Settled promises: those of which the talk plainly says later that they were kept.

use crate::{
    keywords::query_terms,
    remark_cue::{RemarkCue, remark_cues},
    sentence::sentences,
};
use cairn_domain::{Message, Role, Time};
use std::collections::HashSet;

/// Words that a promise and what settles it have in common, at least …
const MIN_SHARED_TERMS: usize = 2;
/// … and which part of the shorter of the two they are.
const MIN_SHARED_PART: f64 = 0.6;

/// The sentences of a talk that say that something is done.
#[derive(Debug)]
pub struct SettledTalk {
    done: Vec<DoneSentence>,
}

#[derive(Debug)]
struct DoneSentence {
    at: Time,
    terms: HashSet<String>,
}

impl SettledTalk {
    /// The sentences of people that say so.
    pub fn of<'m>(messages: impl Iterator<Item = &'m Message>) -> Self {
        let people = messages.filter(|message| matches!(message.role, Role::User | Role::Assistant));
        let done = people.flat_map(|message| {
            let said = sentences(&message.text).into_iter().filter(|sentence| says_done(sentence));
            said.map(|sentence| DoneSentence { at: message.at, terms: term_set(sentence) })
        });
        Self { done: done.collect() }
    }

    /// Whether nothing is said to be done.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Whether what was promised at a time was said to be done later.
    pub fn is_kept(&self, promise: &str, at: Time) -> bool {
        let promised = term_set(promise);
        self.done.iter().filter(|done| done.at >= at).any(|done| {
            let shared = promised.intersection(&done.terms).count();
            let shorter = promised.len().min(done.terms.len()) as f64;
            shared >= MIN_SHARED_TERMS && shared as f64 >= shorter * MIN_SHARED_PART
        })
    }
}

/// Whether a sentence plainly says that something is done: no promise, no question, nothing that takes it back.
fn says_done(sentence: &str) -> bool {
    let cues = remark_cues(sentence);
    let open = [RemarkCue::Promise, RemarkCue::Commitment, RemarkCue::Undone];
    cues.contains(&RemarkCue::Done) && !open.iter().any(|cue| cues.contains(cue)) && !is_question(sentence)
}

/// Whether a sentence is a question.
pub fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['"', '”', ')', ' ']).ends_with(['?', '？'])
}

fn term_set(text: &str) -> HashSet<String> {
    query_terms(text).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(promise: &str, later: &str) -> bool {
        let (at, terms) = (Time::from_millis(0), term_set(later));
        let done = if says_done(later) { vec![DoneSentence { at, terms }] } else { Vec::new() };
        SettledTalk { done }.is_kept(promise, at)
    }

    #[test]
    fn a_promise_is_kept_where_the_talk_plainly_says_so() {
        for (promise, later, kept) in [
            ("I will send the invoice to Leonor by Friday.", "I sent the invoice to Leonor.", true),
            ("I will prepare the summary table.", "The summary table is done as well.", true),
            ("I'll write the import script tonight.", "The import script is written now.", true),
            ("Faturayı Leonor'a gönderirim.", "Faturayı Leonor'a gönderdim.", true),
            ("I will send the invoice to Leonor.", "I have not sent the invoice to Leonor yet.", false),
            ("I will send the invoice to Leonor.", "I sent the postcard to Leonor.", false),
            ("I will send the invoice to Leonor.", "Is the invoice to Leonor sent?", false),
            (
                "I will send the invoice to Leonor.",
                "Once the invoice to Leonor is sent, we celebrate.",
                false,
            ),
            ("I will prepare the summary table.", "The table in the kitchen is done.", false),
        ] {
            assert_eq!(keeps(promise, later), kept, "{promise} / {later}");
        }
    }
}
