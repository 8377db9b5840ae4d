//! Information density: how much a text says.
//!
//! A fact is a clause with a subject and a value. Who is spoken of decides what counts as one: what somebody says of
//! himself or of others counts word by word, what he says to the other one only with a number in it, what is said of
//! nobody hardly at all. Questions, thanks and praise say nothing. All words that decide are data.

use crate::{
    language::{Language, is_stop_word, likely_languages},
    lexicon::{AsksClass, SignalsClass, SpeakerClass, WordList, plain_entries},
    pattern::{PatternMatch, Patterns},
    sentence::sentences,
};
use foldhash::fast::FixedState;
use regex::Regex;
use std::{collections::HashSet, sync::LazyLock};

/// Texts below this density are not remembered.
pub const MIN_DENSITY: usize = 2;

/// Maximum facts counted per clause: a long sentence is not ten facts.
const MAX_FACTS_PER_CLAUSE: usize = 3;
/// Maximum words of a clause that may be a bare answer.
const MAX_BARE_WORDS: usize = 5;
/// Longer texts that speak of nobody are explanations, whose names do not count.
const MAX_SHORT_CLAUSES: usize = 3;

type WordSet = HashSet<String, FixedState>;

/// How much a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Density {
    /// Names in it, if it states anything.
    pub entities: usize,
    /// Clauses with a subject and a value.
    pub facts: usize,
    /// Times that it names.
    pub temporal: usize,
    /// Signs that something was wrong and is right now.
    pub corrections: usize,
}

impl Density {
    /// The sum:
    ///
    /// density = entities + facts + temporal + corrections
    pub fn total(self) -> usize {
        self.entities + self.facts + self.temporal + self.corrections
    }
}

/// Who a statement speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClauseSubject {
    /// The one who says it, or others.
    Somebody,
    /// The one who says it, and then the one it is said to.
    Both,
    /// The one it is said to.
    Addressee,
    /// Nobody: a fragment, an explanation.
    Nobody,
}

/// The lists by which a text is read.
struct DensityLists {
    asks: Patterns<AsksClass>,
    speaker: Patterns<SpeakerClass>,
    others: Patterns<()>,
    addressee: Patterns<()>,
    signals: Patterns<SignalsClass>,
    chatter: HashSet<&'static str, FixedState>,
    chatter_stems: HashSet<&'static str, FixedState>,
}

static LISTS: LazyLock<DensityLists> = LazyLock::new(|| {
    let words = || plain_entries(WordList::Chatter);
    DensityLists {
        asks: Patterns::read(),
        speaker: Patterns::read(),
        others: Patterns::read_plain(WordList::Others),
        addressee: Patterns::read_plain(WordList::Addressee),
        signals: Patterns::read(),
        chatter: words().filter(|word| !word.ends_with('*')).collect(),
        chatter_stems: words().filter_map(|word| word.strip_suffix('*')).collect(),
    }
});

/// Whom the clauses of a text speak of, and how many of its words carry nothing but the tone of a talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubjectCounts {
    /// Clauses that say something of the speaker or of others.
    pub somebody: usize,
    /// Clauses that say something to the one spoken to.
    pub addressed: usize,
    /// Whether the speaker is spoken of alone.
    pub speaker: bool,
    /// Whether it says how somebody wants things to be done.
    pub rule: bool,
    /// Whether it says what somebody is, has, likes or did.
    pub holds: bool,
    /// Words of chatter.
    pub chatter: usize,
}

/// How much a text says that holds so many names.
pub fn density(text: &str, entities: usize) -> Density {
    density_and_subjects(text, entities).0
}

/// The same, with whom the text speaks of.
pub fn density_and_subjects(text: &str, entities: usize) -> (Density, SubjectCounts) {
    let entities = entities.saturating_sub(addressed_names(text));
    let text = lowercase_text(text);
    let mut seen = DensityCount::of(&text);
    let mut statements = 0;
    for sentence in sentences(&text) {
        let (said, asked) = seen.split(sentence);
        for clause in said {
            statements += 1;
            seen.statement(clause);
        }
        if !asked.is_empty() {
            seen.question(&asked);
        }
    }
    let explains = seen.somebody == 0 && (statements > MAX_SHORT_CLAUSES || seen.addressed * 2 > statements);
    let nobody = if explains { 0 } else { seen.of_nobody };
    let density = Density {
        entities: if explains || seen.words.is_empty() && seen.facts + seen.requests == 0 {
            0
        } else {
            entities
        },
        facts: seen.facts + nobody,
        temporal: seen.times.len(),
        corrections: seen.corrections.len(),
    };
    (density, seen.subjects(&text))
}

/// Counts so far; no word counts twice.
struct DensityCount {
    languages: &'static [Language],
    words: WordSet,
    times: WordSet,
    corrections: WordSet,
    facts: usize,
    of_nobody: usize,
    somebody: usize,
    addressed: usize,
    requests: usize,
    rule: bool,
    holds: bool,
}

impl DensityCount {
    fn of(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
        Self {
            languages: likely_languages(words),
            words: WordSet::default(),
            times: WordSet::default(),
            corrections: WordSet::default(),
            facts: 0,
            of_nobody: 0,
            somebody: 0,
            addressed: 0,
            requests: 0,
            rule: false,
            holds: false,
        }
    }

    fn subjects(&self, text: &str) -> SubjectCounts {
        let chatter = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| is_chatter(word));
        SubjectCounts {
            rule: self.rule,
            holds: self.holds,
            somebody: self.somebody,
            addressed: self.addressed,
            speaker: self.find(&LISTS.speaker, text).any(|found| speaks_alone(found.class)),
            chatter: chatter.count(),
        }
    }

    /// The matches of a list in the languages of the text.
    fn find<C: Copy + PartialEq>(
        &self,
        patterns: &Patterns<C>,
        text: &str,
    ) -> impl Iterator<Item = PatternMatch<C>> + use<C> {
        let languages = self.languages;
        patterns.find(text).filter(move |found| languages.iter().any(|known| known.code == found.language))
    }

    /// Counts a clause that states something.
    fn statement(&mut self, clause: &str) {
        let signals = self.signals(clause);
        self.rule |= signals.rule;
        self.holds |= signals.holds;
        let about = if signals.rule { ClauseSubject::Somebody } else { self.about(clause) };
        let words = self.new_words(clause);
        let bare = is_bare(clause);
        let times = signals.times.len();
        self.times.extend(signals.times);
        let numbers = self.new_numbers(clause) + signals.numbers;
        if words + numbers + times > 0 {
            self.corrections.extend(signals.corrections);
        }
        let values = words + usize::from(numbers > 0);
        match about {
            ClauseSubject::Somebody if values > 0 => {
                self.somebody += 1;
                self.facts +=
                    (values + usize::from(signals.holds || signals.rule || bare)).min(MAX_FACTS_PER_CLAUSE);
            }
            ClauseSubject::Both if values > 1 => {
                self.somebody += 1;
                self.facts += (values - 1).min(MAX_FACTS_PER_CLAUSE);
            }
            ClauseSubject::Somebody | ClauseSubject::Both => self.facts += usize::from(times > 0),
            ClauseSubject::Addressee => {
                self.addressed += 1;
                self.facts += usize::from(numbers > 0);
            }
            ClauseSubject::Nobody if numbers > 0 => self.of_nobody += 1 + usize::from(words > 0),
            ClauseSubject::Nobody if words > 1 => self.of_nobody = self.of_nobody.max(1 + usize::from(bare)),
            ClauseSubject::Nobody => {}
        }
    }

    /// A clause that asks: only numbers in it tell something, what belongs to the one who asks, and when he wants
    /// something for himself.
    fn question(&mut self, clause: &str) {
        let signals = self.signals(clause);
        let numbers = self.new_numbers(clause);
        self.facts += usize::from(numbers > 0) + usize::from(signals.owns);
        let own = self.find(&LISTS.speaker, clause).any(|found| speaks_alone(found.class));
        self.requests += usize::from(own);
        let dated = |time: &String| own || time.contains(|c: char| c.is_ascii_digit());
        self.times.extend(signals.times.into_iter().filter(dated));
    }

    /// How many words that carry content stand here for the first time.
    fn new_words(&mut self, clause: &str) -> usize {
        words(clause)
            .filter(|word| is_content(word))
            .filter(|word| self.words.insert((*word).to_owned()))
            .count()
    }

    fn new_numbers(&mut self, clause: &str) -> usize {
        let numbers = words(clause).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        numbers.filter(|word| self.words.insert((*word).to_owned())).count()
    }

    fn signals(&self, clause: &str) -> ClauseSignals {
        let mut signals = ClauseSignals::default();
        let mut last = 0;
        for found in self.find(&LISTS.signals, clause) {
            let words = || clause[found.range.clone()].to_owned();
            match found.class {
                SignalsClass::When if found.range.start >= last || signals.times.is_empty() => {
                    last = found.range.end;
                    signals.times.push(words());
                }
                SignalsClass::When => {}
                SignalsClass::Correction => signals.corrections.push(words()),
                SignalsClass::Number => signals.numbers = 1,
                SignalsClass::Rule => signals.rule = true,
                SignalsClass::Holds => signals.holds = true,
                SignalsClass::Owns => {
                    signals.owns |= words().split_whitespace().last().is_some_and(is_content);
                }
            }
        }
        signals
    }

    /// Where a clause first speaks of somebody with a word that is no chatter.
    fn first_mention<C: Copy + PartialEq>(&self, patterns: &Patterns<C>, clause: &str) -> Option<usize> {
        let real = self.find(patterns, clause).filter(|found| !is_chatter(&clause[found.range.clone()]));
        real.map(|found| found.range.start).min()
    }

    fn about(&self, clause: &str) -> ClauseSubject {
        let speaker = self.first_mention(&LISTS.speaker, clause);
        match (self.first_mention(&LISTS.addressee, clause), speaker) {
            (Some(addressee), Some(speaker)) if speaker < addressee => ClauseSubject::Both,
            (Some(_), _) => ClauseSubject::Addressee,
            (None, Some(_)) => ClauseSubject::Somebody,
            (None, None) if self.first_mention(&LISTS.others, clause).is_some() => ClauseSubject::Somebody,
            (None, None) => ClauseSubject::Nobody,
        }
    }

    /// The clauses of a sentence that state something, and the text that asks.
    fn split<'t>(&self, sentence: &'t str) -> (Vec<&'t str>, String) {
        let is_question = sentence.trim_end_matches(['"', ')', ' ', '!']).ends_with('?');
        let mut end = sentence.len();
        let mut asking: Vec<usize> = Vec::new();
        for found in self.find(&LISTS.asks, sentence) {
            match found.class {
                AsksClass::Ask => end = end.min(found.range.start),
                AsksClass::From if is_question => end = end.min(found.range.start),
                AsksClass::From => {}
                AsksClass::Clause => asking.push(found.range.start),
            }
        }
        if is_question && end == sentence.len() && asking.is_empty() {
            return (Vec::new(), sentence.to_owned());
        }
        let (mut said, mut asked) = (Vec::new(), sentence[end..].to_owned());
        // Where a whole clause asks, a comma parts it from what is said.
        let commas: &[char] = if asking.is_empty() { &[] } else { &[','] };
        for clause in punctuated_clauses(&sentence[..end]).flat_map(|clause| clause.split(commas)) {
            let begin = clause.as_ptr() as usize - sentence.as_ptr() as usize;
            if asking.iter().any(|at| (begin..begin + clause.len()).contains(at)) {
                asked.push(' ');
                asked.push_str(clause);
            } else {
                said.push(clause);
            }
        }
        (said, asked)
    }
}

fn speaks_alone(class: SpeakerClass) -> bool {
    match class {
        SpeakerClass::Alone => true,
        SpeakerClass::WithOthers => false,
    }
}

/// The signals of a clause.
#[derive(Default)]
struct ClauseSignals {
    times: Vec<String>,
    corrections: Vec<String>,
    numbers: usize,
    rule: bool,
    holds: bool,
    owns: bool,
}

/// Whether a line speaks of the one who says it.
pub(crate) fn is_of_speaker(line: &str) -> bool {
    let line = lowercase_text(line);
    DensityCount::of(&line).find(&LISTS.speaker, &line).next().is_some()
}

/// Whether a text tells something of the one who says it, or gives numbers of the one it is said to: what sets a person's
/// words apart inside a document.
pub(crate) fn tells_of_a_person(text: &str) -> bool {
    let text = lowercase_text(text);
    let mut seen = DensityCount::of(&text);
    sentences(&text).into_iter().any(|sentence| {
        let (said, _) = seen.split(sentence);
        said.into_iter().any(|clause| {
            let values = seen.new_words(clause) + seen.new_numbers(clause);
            let dated =
                seen.signals(clause).times.len() + usize::from(clause.contains(|c: char| c.is_ascii_digit()));
            let alone = dated > 0 || seen.find(&LISTS.speaker, clause).any(|found| speaks_alone(found.class));
            match seen.about(clause) {
                ClauseSubject::Somebody | ClauseSubject::Both => alone && values > 1,
                ClauseSubject::Addressee => clause.contains(|c: char| c.is_ascii_digit()),
                ClauseSubject::Nobody => false,
            }
        })
    })
}

/// A text in small letters with plain apostrophes and without asides in square brackets. The dot that İ leaves behind is
/// dropped.
fn lowercase_text(text: &str) -> String {
    ASIDE.replace_all(text, " ").to_lowercase().replace('\u{307}', "").replace('’', "'")
}

/// Text that a host adds to somebody's words: "[shares an image: …]".
static ASIDE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[[^\[\]\n]{3,400}\]").expect("a pattern"));

/// The clauses of a sentence, as far as punctuation tells.
fn punctuated_clauses(sentence: &str) -> impl Iterator<Item = &str> {
    sentence
        .split([';', '–', '—', '(', ')', '!', '?'])
        .flat_map(|part| part.split(" - "))
        .map(str::trim)
        .filter(|clause| clause.contains(char::is_alphanumeric))
}

/// The words of a clause, without what follows an apostrophe.
fn words(clause: &str) -> impl Iterator<Item = &str> {
    clause
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !is_stop_word(word))
        .map(|word| word.split('\'').next().unwrap_or_default())
        .filter(|word| !word.is_empty())
}

fn is_content(word: &str) -> bool {
    let letters = word.chars().take(2).count();
    let wide = || word.starts_with(|c: char| c as u32 >= 0x3040);
    (letters > 1 || wide())
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !is_stop_word(word)
        && !is_chatter(word)
}

/// How many names are only called: "Thanks, Maria!", "Hey John, …". Nobody of them is spoken of.
fn addressed_names(text: &str) -> usize {
    let mut names: HashSet<&str, FixedState> = HashSet::default();
    for sentence in sentences(text) {
        let mut before = "";
        for (at, word) in sentence.split_whitespace().enumerate() {
            let name = word.trim_end_matches([',', '!', '.', '?', '…']);
            let set_off = before.ends_with(',') || is_chatter(&before.to_lowercase());
            if at > 0 && set_off && name.len() < word.len() && name.starts_with(char::is_uppercase) {
                names.insert(name);
            }
            before = word;
        }
    }
    names.len()
}

/// A few words and every one of them content: "I snore", "Tea, no sugar".
fn is_bare(clause: &str) -> bool {
    words(clause).all(|word| !is_chatter(word)) && clause.split_whitespace().nth(MAX_BARE_WORDS).is_none()
}

/// Whether a word carries the tone of a talk and nothing else.
fn is_chatter(word: &str) -> bool {
    LISTS.chatter.contains(word)
        || word.char_indices().skip(2).any(|(at, _)| LISTS.chatter_stems.contains(&word[..at]))
        || LISTS.chatter_stems.contains(word)
}

#[cfg(test)]
mod tests;
