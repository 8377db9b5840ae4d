//! Cues: words and phrases that say how a statement is meant, read from `judges/cues/`. They say nothing by themselves; the
//! weights of the judge say what each is worth.

use crate::plain::fold;
use foldhash::fast::FixedState;
use std::{collections::HashMap, sync::LazyLock};

/// The files of the languages, English first: it is the language of a text that gives no evidence.
const FILES: [&str; 4] = [
    include_str!("../../../judges/cues/en.txt"),
    include_str!("../../../judges/cues/tr.txt"),
    include_str!("../../../judges/cues/de.txt"),
    include_str!("../../../judges/cues/es.txt"),
];
/// Letters that only one of the languages writes, in the order of the files.
const TELLTALE_LETTERS: [&str; 4] = ["", "ığşİŞĞç", "äßÄ", "ñ¿¡áéíóúÁÉÍÓÚ"];
/// The language that writes every noun with a capital.
const CAPITAL_NOUNS: usize = 2;
/// Maximum words of a phrase.
pub(super) const MAX_PHRASE_WORDS: usize = 4;
/// The only line of a class that a language has no words for.
const NO_ENTRIES: &str = "(none)";

/// How a statement is meant, by a class of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum CueClass {
    /// It holds now, or from a time on.
    Now,
    /// Something is over.
    Ended,
    /// One thing took the place of another.
    Switched,
    /// Something new was begun, joined or got.
    Began,
    /// An earlier statement was wrong.
    Corrected,
    /// Something is new or just decided.
    Fresh,
    /// Something is finished.
    Done,
    /// A quantity went up or down.
    Raised,
    /// The rest stays as it was.
    Same,
    /// It is so still.
    Still,
    /// It asks.
    Asking,
    /// It supposes, wishes or doubts.
    Supposing,
    /// It is planned.
    Planned,
    /// It was so once.
    Once,
    /// It is so for a short time.
    Briefly,
    /// Somebody else says so.
    Reported,
    /// A story, a joke, a sample.
    Invented,
    /// Something comes beside another.
    Beside,
    /// It holds for some occasions only.
    Scoped,
    /// A change was refused.
    Refused,
    /// It is denied.
    Denied,
    /// The speaker.
    SpeakerSelf,
    /// Somebody else by what they are.
    OtherPerson,
    /// A word for something named before.
    Pronoun,
    /// The assistant is asked to do something.
    AskToDo,
    /// An assistant offers something.
    Offer,
    /// A number in words; the argument is the number.
    Number,
    /// A day of the week; the argument is its place.
    Weekday,
    /// A month; the argument is its place.
    Month,
    /// A clause that begins with it speaks of an occasion, a place or a thing of its own.
    Lead,
    /// The number beside it is a time of day.
    Clock,
    /// The number beside it is a sum of money.
    Money,
    /// Carries grammar rather than content.
    Stop,
}

/// Classes that speak of a change.
pub(super) const CHANGE_CLASSES: [CueClass; 7] = [
    CueClass::Now,
    CueClass::Ended,
    CueClass::Switched,
    CueClass::Corrected,
    CueClass::Fresh,
    CueClass::Raised,
    CueClass::Began,
];

/// The classes with their names in the files.
pub(super) const CUE_NAMES: [(CueClass, &str); 33] = [
    (CueClass::Now, "now"),
    (CueClass::Ended, "ended"),
    (CueClass::Switched, "switched"),
    (CueClass::Began, "began"),
    (CueClass::Corrected, "corrected"),
    (CueClass::Fresh, "fresh"),
    (CueClass::Done, "done"),
    (CueClass::Raised, "raised"),
    (CueClass::Same, "same"),
    (CueClass::Still, "still"),
    (CueClass::Asking, "asking"),
    (CueClass::Supposing, "supposing"),
    (CueClass::Planned, "planned"),
    (CueClass::Once, "once"),
    (CueClass::Briefly, "briefly"),
    (CueClass::Reported, "reported"),
    (CueClass::Invented, "invented"),
    (CueClass::Beside, "beside"),
    (CueClass::Scoped, "scoped"),
    (CueClass::Refused, "refused"),
    (CueClass::Denied, "denied"),
    (CueClass::SpeakerSelf, "self"),
    (CueClass::OtherPerson, "other person"),
    (CueClass::Pronoun, "pronoun"),
    (CueClass::AskToDo, "ask to do"),
    (CueClass::Offer, "offer"),
    (CueClass::Number, "number"),
    (CueClass::Weekday, "weekday"),
    (CueClass::Month, "month"),
    (CueClass::Lead, "lead"),
    (CueClass::Clock, "clock"),
    (CueClass::Money, "money"),
    (CueClass::Stop, "stop"),
];

/// A class with what its header says besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cue {
    pub(super) class: CueClass,
    pub(super) argument: &'static str,
}

/// The cues of one language.
pub(super) struct CueLanguage {
    /// Whether it writes every noun with a capital.
    pub(super) capital_nouns: bool,
    phrases: HashMap<String, Vec<Cue>, FixedState>,
    beginnings: Vec<(String, Cue)>,
    endings: Vec<(String, Cue)>,
    telltale_letters: &'static str,
}

static LANGUAGES: LazyLock<Vec<CueLanguage>> =
    LazyLock::new(|| FILES.iter().enumerate().map(|(place, text)| read_language(place, text)).collect());

/// Panics on a file that is not as `judges/cues/README.md` says, so a test reads them all.
fn read_language(place: usize, text: &'static str) -> CueLanguage {
    let mut language = CueLanguage {
        capital_nouns: place == CAPITAL_NOUNS,
        phrases: HashMap::default(),
        beginnings: Vec::new(),
        endings: Vec::new(),
        telltale_letters: TELLTALE_LETTERS[place],
    };
    let mut cue = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let (name, argument) = header.split_once(": ").unwrap_or((header, ""));
            let class = CUE_NAMES.iter().find(|(_, known)| *known == name);
            let (class, _) = class.unwrap_or_else(|| panic!("no class of cues is called {name}"));
            cue = Some(Cue { class: *class, argument });
        } else if line != NO_ENTRIES {
            let cue = cue.unwrap_or_else(|| panic!("{line}: no class is open"));
            language.add(&fold(line), cue);
        }
    }
    language.beginnings.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
    language
}

impl CueLanguage {
    fn add(&mut self, entry: &str, cue: Cue) {
        assert!(entry.split(' ').count() <= MAX_PHRASE_WORDS, "{entry}: too many words");
        if let Some(beginning) = entry.strip_suffix('*') {
            self.beginnings.push((beginning.to_owned(), cue));
        } else if let Some(ending) = entry.strip_prefix('*') {
            self.endings.push((ending.to_owned(), cue));
        } else {
            self.phrases.entry(entry.to_owned()).or_default().push(cue);
        }
    }

    /// The cues of a phrase of folded words.
    pub(super) fn of_phrase(&self, phrase: &str) -> &[Cue] {
        self.phrases.get(phrase).map_or(&[], Vec::as_slice)
    }

    /// The cues of a folded word by its beginning (the longest) or its ending.
    pub(super) fn of_parts(&self, word: &str) -> impl Iterator<Item = Cue> {
        let begins = self.beginnings.iter().find(|(beginning, _)| word.starts_with(beginning.as_str()));
        // A word is longer than its ending by a stem.
        let ends = self
            .endings
            .iter()
            .filter(move |(ending, _)| word.len() > ending.len() + 1 && word.ends_with(ending.as_str()));
        begins.into_iter().chain(ends).map(|(_, cue)| *cue)
    }

    /// Whether a folded word carries grammar rather than content.
    pub(super) fn is_stop(&self, word: &str) -> bool {
        self.of_phrase(word).iter().any(|cue| cue.class == CueClass::Stop)
    }
}

/// The language that words give most evidence for: one for each word that carries its grammar, two for each of its letters.
pub(super) fn language_of<'a>(words: impl Iterator<Item = (&'a str, &'a str)>) -> &'static CueLanguage {
    let mut evidence = [0_u32; FILES.len()];
    for (written, folded) in words {
        for (place, language) in LANGUAGES.iter().enumerate() {
            let telltale = !written.is_ascii() && written.contains(|c| language.telltale_letters.contains(c));
            evidence[place] += u32::from(language.is_stop(folded)) + 2 * u32::from(telltale);
        }
    }
    let best =
        (1..FILES.len()).fold(0, |best, place| if evidence[place] > evidence[best] { place } else { best });
    &LANGUAGES[best]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_class() {
        for (file, language) in FILES.iter().zip(LANGUAGES.iter()) {
            for (_, name) in CUE_NAMES {
                let opened = file.contains(&format!("[{name}]")) || file.contains(&format!("[{name}: "));
                assert!(opened, "{name}");
            }
            assert!(language.phrases.len() > 300);
        }
    }

    #[test]
    fn a_text_is_read_in_the_language_it_gives_evidence_for() {
        for (text, place) in [
            ("we moved it to the other room", 0),
            ("toplantı artık perşembe", 1),
            ("das Training ist jetzt im Park", 2),
            ("ahora ensayamos en la biblioteca", 3),
            ("", 0),
        ] {
            let folded: Vec<String> = text.split(' ').map(fold).collect();
            let words = text.split(' ').zip(folded.iter().map(String::as_str));
            assert!(std::ptr::eq(language_of(words), &raw const LANGUAGES[place]), "{text}");
        }
    }
}
