//! Intentions: what somebody means to do later, told in talk. "Remind me on Friday", "next time we touch billing", an agent's
//! promise to come back to something. Each has a trigger: a day, a person, a file, a topic, or none. Plans and appointments
//! are none: nobody asked to be told of them.

mod asked;
mod day;
mod grammar;
mod moment;
mod occasion;
mod trigger;

use crate::{
    keywords::{content_words, plain_words},
    lexicon::IntentionsClass,
    pattern::PatternMatch,
    sentence::sentence_ranges,
    settled::is_same_word,
    temporal::told_ahead,
};
use asked::AskingSentence;
use cairn_domain::{Day, IntentionTrigger, Role, Time};
use day::due_day_of;
use grammar::{CUES, is_word, respelled, unquoted};
use occasion::occasion_of;
use trigger::trigger_of;

#[cfg(test)]
mod tests;

/// An intention as it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldIntention {
    /// The sentence, verbatim.
    pub words: String,
    /// The thing that makes it due.
    pub trigger: IntentionTrigger,
}

/// The intentions that a message tells, in its order; `said_at` is the time on the speaker's clock, so that days are theirs.
pub fn told_intentions(text: &str, role: Role, said_at: Time) -> Vec<ToldIntention> {
    let own = unquoted(text);
    let ranges = sentence_ranges(text);
    let mut told: Vec<ToldIntention> = Vec::new();
    for (place, range) in ranges.iter().enumerate() {
        let earlier = place.checked_sub(1).map(|before| ranges[before].clone());
        let before = earlier.clone().map(|range| respelled(&text[range]));
        let (earlier_words, read) = (before.as_deref(), respelled(&own[range.clone()]));
        let telling = AskingSentence { text: &read, earlier: earlier_words, said_at };
        let Some(intent) = telling.intent(role) else { continue };
        // "Can we look at it on Friday? Remind me.": what is asked for stands before.
        let is_bare = || role == Role::User && content_words(&errand(&read, said_at)) == 0;
        let whole = earlier.filter(|_| named_day(&read, said_at).is_none() && is_bare());
        let whole = whole.map_or_else(
            || range.clone(),
            |earlier| {
                let day = place.checked_sub(2).map(|at| &ranges[at]);
                let day =
                    day.filter(|day| only_dates(&text[(*day).clone()], &text[earlier.clone()], said_at));
                day.unwrap_or(&earlier).start..range.end
            },
        );
        let sentence = respelled(&text[whole.clone()]);
        let trigger = trigger_of(&sentence, earlier_words, said_at, intent);
        told.push(ToldIntention { words: text[whole].trim().to_owned(), trigger });
    }
    told
}

/// Whether a sentence is only the day of the next, which names none: "Monday. Insulin pickup. Remind me."
fn only_dates(sentence: &str, next: &str, said_at: Time) -> bool {
    let (sentence, next) = (respelled(sentence), respelled(next));
    named_day(&next, said_at).is_none()
        && named_day(&sentence, said_at).is_some()
        && content_words(&errand(&sentence, said_at)) == 0
}

/// The day that some words name, where nothing else is to be read in them.
pub fn named_day(words: &str, said_at: Time) -> Option<Day> {
    due_day_of(words, said_at)
}

/// Whether some words speak of a person or a topic: the words of the subject are there, with another ending if they are long
/// enough; of three or more all but a third.
pub fn speaks_of(said: &str, subject: &str) -> bool {
    let (said, wanted) = (plain_words(said), plain_words(subject));
    let is_said = |word: &&String| said.iter().any(|other| is_same_word(word, other));
    !wanted.is_empty() && wanted.iter().filter(is_said).count() * 3 >= wanted.len() * 2
}

/// The words of an intention that say what is to be done: neither the request nor the occasion or the day.
pub fn errand(words: &str, said_at: Time) -> String {
    let cues: Vec<_> = CUES.find(words).collect();
    let is_request = |class| matches!(class, IntentionsClass::Asked | IntentionsClass::AskedThen);
    let request = cues.iter().find(|it| is_request(it.class));
    // "Remind me when Ece is spoken of: tell her", as it is set.
    let set = request.and_then(|it| words[it.range.end..].split_once(": "));
    let occasion = occasion_of(words, None).filter(|it| it.trigger.is_some());
    let mut kept = match (set, occasion) {
        (Some((_, behind)), _) => behind.to_owned(),
        (None, Some(occasion)) => {
            let behind = words[occasion.range.end..].trim_start_matches([',', ':', ' ']);
            format!("{} {behind}", &words[..occasion.range.start])
        }
        (None, None) => words.to_owned(),
    };
    // "Ask me" is no part of it; "check back" and "raise it" are.
    let is_of_asker = |it: &&PatternMatch<IntentionsClass>| {
        it.class == IntentionsClass::Asked
            || plain_words(&words[it.range.clone()]).iter().any(|word| is_word("asker", word))
    };
    for cue in cues.iter().filter(|it| is_request(it.class)).filter(is_of_asker) {
        kept = kept.replace(&words[cue.range.clone()], " ");
    }
    for time in told_ahead(&kept, said_at) {
        kept = kept.replace(&time.words, " ");
    }
    kept
}
