//! Settled promises: those of which the talk plainly says later that they were kept.

use crate::{
    keywords::{plain_words, query_terms},
    language::is_stop_word,
    lexicon::{PastFormsClass, classed_entries},
    remark_cue::{RemarkCue, remark_cues},
    sentence::sentences,
};
use cairn_domain::{Message, Role, Time};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Words that a promise and what settles it have in common, at least …
const MIN_SHARED_TERMS: usize = 2;
/// … and which part of the shorter of the two they are.
const MIN_SHARED_PART: f64 = 0.6;
/// A word of so many letters is the same with another ending.
const MIN_STEM_CHARS: usize = 4;
/// Letters that are left of a verb without its past ending, at least.
const MIN_VERB_CHARS: usize = 3;

/// Irregular past forms, each with its verb.
static IRREGULAR: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let verbs = entries(PastFormsClass::Irregular).filter_map(|entry| entry.split_once(' '));
    verbs.flat_map(|(verb, forms)| forms.split(' ').map(move |form| (form, verb))).collect()
});

/// Endings of words that deny the past, and of those that tell it.
static NEGATIVE_ENDINGS: LazyLock<Vec<&str>> = LazyLock::new(|| entries(PastFormsClass::Negative).collect());
static PAST_ENDINGS: LazyLock<Vec<&str>> = LazyLock::new(|| entries(PastFormsClass::Ending).collect());

/// The sentences of a talk that say that something is done.
#[derive(Debug)]
pub struct SettledTalk {
    done: Vec<DoneSentence>,
}

/// A sentence that says that something is done.
#[derive(Debug)]
struct DoneSentence {
    at: Time,
    terms: HashSet<String>,
    /// Whether its words say so whatever it is; else it says so by the past form of what was to be done.
    plainly: bool,
    past: Vec<PastForm>,
}

/// A word that tells the past, the verb without its ending, and the word that it is said of: the next one, or the one before.
#[derive(Debug)]
struct PastForm {
    word: String,
    verb: String,
    object: String,
}

impl SettledTalk {
    /// The sentences of people that say so.
    pub fn of<'m>(messages: impl Iterator<Item = &'m Message>) -> Self {
        let people = messages.filter(|message| matches!(message.role, Role::User | Role::Assistant));
        let done = people.flat_map(|message| {
            sentences(&message.text).into_iter().filter_map(|sentence| DoneSentence::of(sentence, message.at))
        });
        Self { done: done.collect() }
    }

    /// Whether what was promised at a time was said to be done later.
    pub fn is_kept(&self, promise: &str, at: Time) -> bool {
        let (promised, words) = (term_set(promise), plain_words(promise));
        self.done.iter().filter(|done| done.at >= at).any(|done| done.settles(&promised, &words))
    }
}

impl DoneSentence {
    /// A sentence that may say so: no promise, no question, nothing that takes it back.
    fn of(sentence: &str, at: Time) -> Option<Self> {
        let cues = remark_cues(sentence);
        let open = [RemarkCue::Promise, RemarkCue::Commitment, RemarkCue::Undone];
        if open.iter().any(|cue| cues.contains(cue)) || is_question(sentence) {
            return None;
        }
        let (plainly, past) = (cues.contains(&RemarkCue::Done), past_forms(sentence));
        (plainly || !past.is_empty()).then(|| Self { at, terms: term_set(sentence), plainly, past })
    }

    /// Whether it settles a promise, by its terms and its words: it says that it is done and shares enough with it, or it tells
    /// the past of the verb of the promise, of the same thing.
    fn settles(&self, promised: &HashSet<String>, words: &[String]) -> bool {
        let shared = promised.intersection(&self.terms).count();
        let shorter = promised.len().min(self.terms.len()) as f64;
        let is_said =
            self.plainly && shared >= MIN_SHARED_TERMS && shared as f64 >= shorter * MIN_SHARED_PART;
        let has = |is_wanted: &dyn Fn(&str) -> bool| words.iter().any(|word| is_wanted(word));
        let is_kept = |form: &PastForm| {
            has(&|word| form.is_past_of(word)) && has(&|word| is_same_word(word, &form.object))
        };
        is_said || self.past.iter().any(is_kept)
    }
}

impl PastForm {
    /// Whether it is the past of a word that stands in a promise.
    fn is_past_of(&self, word: &str) -> bool {
        if *word == self.word {
            return false;
        }
        let verb = self.verb.as_str();
        // "submit" and "submitted", "carry" and "carried", "save" and "saved"; "sulamayı" and "suladım".
        let doubled = verb.chars().rev().nth(1) == verb.chars().last();
        let shorter = if doubled { &verb[..verb.len() - last_len(verb)] } else { verb };
        let changed = verb.strip_suffix('i').is_some_and(|begin| word == format!("{begin}y"));
        let is_long = verb.chars().count() >= MIN_VERB_CHARS;
        word == verb || word == shorter || changed || is_long && word.starts_with(verb)
    }
}

fn last_len(text: &str) -> usize {
    text.chars().last().map_or(0, char::len_utf8)
}

/// The words of a sentence that tell the past of something.
fn past_forms(sentence: &str) -> Vec<PastForm> {
    let words: Vec<String> = plain_words(sentence).into_iter().filter(|word| !is_stop_word(word)).collect();
    let form = |(place, word): (usize, &String)| {
        let verb = verb_of(word)?;
        let object = words.get(place + 1).or_else(|| words.get(place.checked_sub(1)?))?;
        Some(PastForm { word: word.clone(), verb, object: object.clone() })
    };
    words.iter().enumerate().filter_map(form).collect()
}

/// The verb of a word that tells the past.
fn verb_of(word: &str) -> Option<String> {
    if let Some(verb) = IRREGULAR.get(word) {
        return Some((*verb).to_owned());
    }
    if NEGATIVE_ENDINGS.iter().any(|ending| word.ends_with(ending)) {
        return None;
    }
    let verb = PAST_ENDINGS.iter().find_map(|ending| word.strip_suffix(ending))?;
    (verb.chars().count() >= 2).then(|| verb.to_owned())
}

/// Whether two words are the same, with another ending if they are long enough; what follows an apostrophe is one.
pub(crate) fn is_same_word(one: &str, other: &str) -> bool {
    let stem = |word: &str| word.split(['\'', '’']).next().unwrap_or_default().to_owned();
    let (one, other) = (stem(one), stem(other));
    let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    shorter == longer || shorter.chars().count() >= MIN_STEM_CHARS && longer.starts_with(&shorter)
}

fn entries(class: PastFormsClass) -> impl Iterator<Item = &'static str> {
    classed_entries::<PastFormsClass>().filter(move |entry| entry.class == class).map(|entry| entry.text)
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
        let at = Time::from_millis(0);
        SettledTalk { done: DoneSentence::of(later, at).into_iter().collect() }.is_kept(promise, at)
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
            ("Remind me to water the plants.", "I watered the plants.", true),
            (
                "Remind me on Friday to water the plants.",
                "I've already watered the plants this morning.",
                true,
            ),
            ("Don't let me forget to submit the tax form.", "The tax form is submitted.", true),
            ("Remind me to carry the boxes upstairs.", "We carried the boxes upstairs.", true),
            ("Remind me to tell Ece about the lease.", "I told Ece about the lease.", true),
            ("Remind me to take the bins out.", "Took the bins out.", true),
            ("Bana bitkileri sulamayı hatırlat.", "Bitkileri suladım.", true),
            ("Yarın Ece'yi aramayı unutturma.", "Ece'yi aradım.", true),
            ("Remind me to water the plants.", "I didn't water the plants.", false),
            ("Remind me to water the plants.", "I repotted the plants.", false),
            ("Remind me to water the plants.", "The plants like water.", false),
            ("Remind me to water the plants.", "When I watered the plants, one was dry.", false),
            ("Remind me to water the plants.", "Should I have watered the plants?", false),
            ("Bana bitkileri sulamayı hatırlat.", "Bitkileri sulamadım.", false),
            ("Remind me to call Ana.", "I called the bank.", false),
            ("Remind me to mail the invoice to Leonor.", "I mailed the postcard to Leonor.", false),
        ] {
            assert_eq!(keeps(promise, later), kept, "{promise} / {later}");
        }
    }
}
