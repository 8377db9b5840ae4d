//! Settled promises: those of which the talk plainly says later that they were kept.

use crate::{
    keywords::{plain_words, query_terms},
    language::is_stop_word,
    lexicon::{PastFormsClass, classed_entries},
    remark_cue::{RemarkCue, remark_cues},
    sentence::sentences,
    temporal::told,
};
use cairn_domain::{MILLIS_PER_DAY, Message, Role, Time};
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
/// Letters that are left of a verb without its past ending, at least; of so many, if an infinitive follows.
const MIN_VERB_CHARS: usize = 3;
const SHORT_VERB_CHARS: usize = 2;
/// Words before a verb that it may be said of, where it stands last or was done by nobody named.
const MAX_WORDS_BEFORE: usize = 3;
const MAX_PASSIVE_WORDS: usize = 2;

/// Irregular past forms, each with its verb.
static IRREGULAR: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let verbs = entries(PastFormsClass::Irregular).filter_map(|entry| entry.split_once(' '));
    verbs.flat_map(|(verb, forms)| forms.split(' ').map(move |form| (form, verb))).collect()
});

/// Endings of words that tell the past, and those that deny it.
static ENDINGS: LazyLock<Vec<(PastFormsClass, &str)>> = LazyLock::new(|| {
    let classes = [
        PastFormsClass::Negative,
        PastFormsClass::Ending,
        PastFormsClass::LastEnding,
        PastFormsClass::Passive,
    ];
    classes.into_iter().flat_map(|class| entries(class).map(move |entry| (class, entry))).collect()
});

/// The sentences of a talk that say that something is done.
#[derive(Debug)]
pub struct SettledTalk {
    done: Vec<DoneSentence>,
}

/// A sentence that says that something is done.
#[derive(Debug)]
struct DoneSentence {
    at: Time,
    /// The last day that it tells it of, if it tells one: that is where the day ends.
    until: Option<Time>,
    terms: HashSet<String>,
    /// Whether its words say so whatever it is; else it says so by the past form of what was to be done.
    plainly: bool,
    past: Vec<PastForm>,
}

/// A word that tells the past, the verb without its ending, and the words one of which it is said of.
#[derive(Debug)]
struct PastForm {
    word: String,
    verb: String,
    objects: Vec<String>,
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
        self.settles(promise, at, MIN_SHARED_TERMS)
    }

    /// Whether an errand of that time was said to be done later. One of a single word is done if that word is.
    pub fn is_errand_done(&self, errand: &str, at: Time) -> bool {
        self.settles(errand, at, MIN_SHARED_TERMS.min(term_set(errand).len()).max(1))
    }

    fn settles(&self, promise: &str, at: Time, least: usize) -> bool {
        let (promised, words) = (term_set(promise), plain_words(promise));
        self.done.iter().filter(|done| done.is_after(at)).any(|done| done.settles(&promised, &words, least))
    }
}

impl DoneSentence {
    /// A sentence that may say so: no promise, no question, nothing that takes it back.
    fn of(sentence: &str, at: Time) -> Option<Self> {
        let cues = remark_cues(sentence);
        let open = [RemarkCue::Promise, RemarkCue::Commitment, RemarkCue::Undone];
        let words = plain_words(sentence);
        let by_others = words.first().is_some_and(|word| is_entry(PastFormsClass::Other, word));
        if open.iter().any(|cue| cues.contains(cue)) || is_question(sentence) || by_others {
            return None;
        }
        let (plainly, past) = (cues.contains(&RemarkCue::Done), past_forms(sentence));
        (plainly || !past.is_empty()).then(|| {
            let last = told(sentence, at).iter().map(|time| time.span.to).max();
            let until = last.and_then(|day| format!("{day}T23:59:59Z").parse().ok());
            Self { at, until, terms: term_set(sentence), plainly, past }
        })
    }

    /// Whether it may tell of what was promised at a time: "last month" does not tell of yesterday's promise. Days are counted
    /// on two clocks, so one day makes no difference.
    fn is_after(&self, promised: Time) -> bool {
        let is_over = |until: Time| until.millis() + MILLIS_PER_DAY < promised.millis();
        self.at >= promised && !self.until.is_some_and(is_over)
    }

    /// Whether it settles a promise, by its terms and its words: it says that it is done and shares enough with it, or it tells
    /// the past of the verb of the promise, of the same thing.
    fn settles(&self, promised: &HashSet<String>, words: &[String], least: usize) -> bool {
        let shared = promised.intersection(&self.terms).count();
        let shorter = promised.len().min(self.terms.len()) as f64;
        // That the lease is signed does not tell that somebody was told of it.
        let is_saying = words.iter().any(|word| entries(PastFormsClass::Saying).any(|verb| verb == word));
        let is_said =
            self.plainly && !is_saying && shared >= least && shared as f64 >= shorter * MIN_SHARED_PART;
        let has = |is_wanted: &dyn Fn(&str) -> bool| words.iter().any(|word| is_wanted(word));
        let is_kept = |form: &PastForm| {
            has(&|word| form.is_past_of(word))
                && has(&|word| form.objects.iter().any(|object| is_same_word(word, object)))
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
        let begins = |rest: &str| match verb.chars().count() {
            MIN_VERB_CHARS.. => true,
            // "almayı" is of "al", "alman" is not.
            SHORT_VERB_CHARS => {
                ["may", "mey", "mak", "mek"].iter().any(|infinitive| rest.starts_with(infinitive))
            }
            _ => false,
        };
        word == verb || word == shorter || changed || word.strip_prefix(verb).is_some_and(begins)
    }
}

fn last_len(text: &str) -> usize {
    text.chars().last().map_or(0, char::len_utf8)
}

/// The words of a sentence that tell the past of something.
fn past_forms(sentence: &str) -> Vec<PastForm> {
    let clauses = sentence.split([',', ';', ':', '–', '—']);
    clauses
        .flat_map(|clause| {
            let words = plain_words(clause);
            let form = |place: usize| past_form(&words, place);
            (0..words.len()).filter_map(form).collect::<Vec<_>>()
        })
        .collect()
}

/// The word at a place of a clause, if it tells the past of something that nobody else did.
fn past_form(words: &[String], place: usize) -> Option<PastForm> {
    let word = words.get(place).filter(|word| !is_stop_word(word))?;
    let (class, verb) = verb_of(word)?;
    let before = || words[..place].iter().rev().filter(|word| !is_stop_word(word));
    let mut back = words[..place].iter().rev();
    let (one, other) = (back.next(), back.next());
    if one.is_some_and(|word| is_entry(PastFormsClass::Other, word)) {
        return None;
    }
    let is_be = |word: Option<&String>| {
        word.is_some_and(|word| is_entry(PastFormsClass::Be, word) || is_shortened(word))
    };
    let is_passive = is_be(one) || one.is_some_and(|word| is_stop_word(word)) && is_be(other);
    let next = words[place + 1..].iter().find(|word| !is_stop_word(word));
    let objects: Vec<String> = match class {
        PastFormsClass::LastEnding | PastFormsClass::Passive => {
            before().take(MAX_WORDS_BEFORE).cloned().collect()
        }
        _ if is_passive => before().take(MAX_PASSIVE_WORDS).cloned().collect(),
        // "Rent paid."
        _ if place + 1 == words.len() => before().take(1).cloned().collect(),
        _ => next.into_iter().cloned().collect(),
    };
    (!objects.is_empty()).then(|| PastForm { word: word.clone(), verb, objects })
}

/// Whether "is" hangs on a word: "the rent's paid".
fn is_shortened(word: &str) -> bool {
    word.ends_with("'s") || word.ends_with("’s")
}

/// The verb of a word that tells the past, and how it does.
fn verb_of(word: &str) -> Option<(PastFormsClass, String)> {
    if let Some(verb) = IRREGULAR.get(word) {
        return Some((PastFormsClass::Irregular, (*verb).to_owned()));
    }
    let ended = ENDINGS.iter().find_map(|(class, ending)| Some((*class, word.strip_suffix(ending)?)));
    let (class, verb) = ended.filter(|(class, _)| *class != PastFormsClass::Negative)?;
    (verb.chars().count() >= SHORT_VERB_CHARS).then(|| (class, verb.to_owned()))
}

fn is_entry(class: PastFormsClass, word: &str) -> bool {
    entries(class).any(|entry| entry == word)
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
            ("Remind me to pay the rent.", "Rent's paid.", true),
            ("Remind me to pay the rent.", "Rent paid.", true),
            ("Remind me to pay the rent.", "She paid the rent.", false),
            ("Remind me to write to Ana.", "Ana wrote to me.", false),
            ("Remind me to cancel the gym.", "The gym membership is cancelled.", true),
            ("Bana kirayı ödemeyi hatırlat.", "Kira ödendi.", true),
            ("Faturayı göndermeyi unutturma.", "Fatura gönderildi.", true),
            ("Yarın tesisatçıyı aramayı hatırlat.", "Tesisatçıyı dün aradım, cuma gelecek.", true),
            ("Süt almayı hatırlat.", "Süt aldım.", true),
            ("Süt almayı hatırlat.", "Ekmek aldım.", false),
            ("Remind me to tell Ece that the lease is signed.", "The lease is signed.", false),
        ] {
            assert_eq!(keeps(promise, later), kept, "{promise} / {later}");
        }
    }

    #[test]
    fn an_errand_of_one_word_is_done_if_that_word_is_and_an_old_deed_is_none() {
        let (then, later): (Time, Time) = (
            "2026-11-18T10:00:00Z".parse().expect("a time"),
            "2026-11-20T10:00:00Z".parse().expect("a time"),
        );
        for (errand, said, done) in [
            ("the dentist", "Dentist is done.", true),
            ("the dentist", "The laundry is done.", false),
            ("to pay the rent", "I paid the rent last month too late.", false),
            ("to pay the rent", "I paid the rent yesterday.", true),
        ] {
            let talk = SettledTalk { done: DoneSentence::of(said, later).into_iter().collect() };
            assert_eq!(talk.is_errand_done(errand, then), done, "{errand} / {said}");
        }
    }
}
