//! Grammars: what a language's lists say about its words. No word of any language stands in the code.

use super::word::{ClauseWord, WordKind, number};
use crate::language::{LANGUAGES, Language};
use crate::lexicon::{GrammarClass, NounsClass, VerbsClass, WordList};
use crate::plain::fold;
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type WordMap<T> = HashMap<String, T, FixedState>;

/// A verb with the slot it fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verb {
    /// The slot, or the verb itself.
    pub slot: String,
    /// The verb.
    pub base: String,
    /// One value at a time.
    pub single: bool,
    /// How its subject, object and value are read.
    pub act: Act,
    /// It says the opposite of its slot.
    pub not: bool,
    /// Whether this form speaks of the past.
    pub past: bool,
    /// Whether it fills a slot of its own and is not one of many verbs.
    pub known: bool,
}

/// How the words around a verb are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// The object is the value.
    Object,
    /// The value stands behind one of these words; if none is given, in the case of a place.
    At(Vec<String>),
    /// The new value stands behind "to".
    Move,
    /// The object gets a new value.
    Set,
    /// The object is over.
    Ended,
    /// The subject becomes this.
    Is(String),
}

/// A noun that names a slot of its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Noun {
    /// How the slot is called.
    pub slot: String,
    /// One at a time.
    pub single: bool,
    /// It can be described too, so that only a name or a number fills the slot.
    pub thing: bool,
    /// Only a number, a date or a time fills the slot.
    pub number: bool,
}

/// Tense, person and negation, as the ending of a verb tells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    pub time: String,
    pub first: bool,
    pub not: bool,
    weak: bool,
}

/// Classes whose entries are looked for at the end of a word.
const TAIL_CLASSES: [GrammarClass; 10] = [
    GrammarClass::Genitive,
    GrammarClass::Possessed,
    GrammarClass::Copula,
    GrammarClass::CopulaPast,
    GrammarClass::CopulaWas,
    GrammarClass::PastEnding,
    GrammarClass::PluralEnding,
    GrammarClass::MineEnding,
    GrammarClass::ClauseEnding,
    GrammarClass::InfinitiveEnding,
];

/// The grammar of a language.
pub(crate) struct Grammar {
    /// The verb stands at the end of a sentence.
    pub verb_last: bool,
    language: &'static Language,
    classes: WordMap<Vec<GrammarClass>>,
    keyed: WordMap<Vec<GrammarClass>>,
    tails: HashMap<GrammarClass, Vec<String>, FixedState>,
    expansions: WordMap<Vec<String>>,
    numbers: WordMap<String>,
    phrases: WordMap<Vec<Vec<String>>>,
    verbs: WordMap<Verb>,
    nouns: WordMap<Noun>,
    soft: Vec<(char, char)>,
    noun_endings: Vec<String>,
    endings: Vec<(String, Ending)>,
    sides: WordMap<Vec<(usize, usize)>>,
    /// The first word of every side of every table of opposites.
    side_names: Vec<Vec<String>>,
    states: HashSet<String, FixedState>,
    opposite_endings: Vec<(String, usize)>,
}

/// A verb as its section tells it. What follows `[fills: ` is the slot and its flags: `single` one value at a time, `not`
/// the opposite of the slot, `move` the new value stands behind "to", `at=…` behind one of these words (`on^`: if it is a
/// name).
fn verb_of(class: VerbsClass, argument: &str, base: String) -> Verb {
    let flags: Vec<&str> = argument.split(' ').collect();
    let has = |flag: &str| class == VerbsClass::Fills && flags.contains(&flag);
    let at = flags.iter().find_map(|flag| flag.strip_prefix("at="));
    let at = at.map(|at| at.split('/').filter(|word| !word.is_empty()).map(fold).collect());
    let (slot, act) = match class {
        VerbsClass::Set if argument.is_empty() => ("is", Act::Set),
        VerbsClass::Set => (argument, Act::Set),
        VerbsClass::Ended => ("ended", Act::Ended),
        VerbsClass::Is => ("is", Act::Is(fold(argument))),
        VerbsClass::Fills if has("move") => (flags[0], Act::Move),
        VerbsClass::Fills => (flags[0], at.map_or(Act::Object, Act::At)),
        VerbsClass::Verb => (base.as_str(), Act::Object),
    };
    let (slot, single, not) = (slot.to_owned(), has("single"), has("not"));
    Verb { slot, single, act, not, past: false, known: class != VerbsClass::Verb, base }
}

/// Every grammar, in the order of the languages.
pub(crate) static GRAMMARS: LazyLock<Vec<Grammar>> =
    LazyLock::new(|| LANGUAGES.iter().map(Grammar::read).collect());

/// The grammar of `language`.
pub(crate) fn grammar(language: &Language) -> &'static Grammar {
    GRAMMARS.iter().find(|grammar| grammar.language.code == language.code).unwrap_or(&GRAMMARS[0])
}

impl Grammar {
    fn read(language: &'static Language) -> Self {
        let mut grammar = Self {
            verb_last: false,
            language,
            classes: WordMap::default(),
            keyed: WordMap::default(),
            tails: HashMap::default(),
            expansions: WordMap::default(),
            numbers: WordMap::default(),
            phrases: WordMap::default(),
            verbs: WordMap::default(),
            nouns: WordMap::default(),
            soft: Vec::new(),
            noun_endings: Vec::new(),
            endings: Vec::new(),
            sides: WordMap::default(),
            side_names: Vec::new(),
            states: HashSet::default(),
            opposite_endings: Vec::new(),
        };
        for entry in language.classed_entries() {
            grammar.add(entry.class, entry.argument, entry.text);
        }
        let longest_first = |a: &String, b: &String| b.len().cmp(&a.len()).then_with(|| a.cmp(b));
        grammar.noun_endings.sort_by(longest_first);
        grammar.tails.values_mut().for_each(|tails| tails.sort_by(longest_first));
        grammar.endings.sort_by(|(a, _), (b, _)| longest_first(a, b));
        for class in [GrammarClass::Weekday, GrammarClass::Month] {
            let words = grammar
                .classes
                .iter()
                .filter(|(_, classes)| classes.contains(&class))
                .map(|(word, _)| grammar.key(word));
            for key in words.collect::<Vec<_>>() {
                grammar.keyed.entry(key).or_default().push(class);
            }
        }
        grammar.read_verbs();
        for entry in language.classed_entries::<NounsClass>() {
            let key = grammar.key_of_phrase(&fold(entry.text));
            let slot = if entry.argument.is_empty() { entry.text } else { entry.argument };
            let (thing, number) =
                (entry.class == NounsClass::SingleThing, entry.class == NounsClass::SingleNumber);
            let single = thing || number || entry.class == NounsClass::Single;
            grammar.nouns.entry(key).or_insert(Noun { slot: fold(slot), single, thing, number });
        }
        grammar.read_opposites();
        for phrases in grammar.phrases.values_mut() {
            phrases.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
        grammar
    }

    fn add(&mut self, class: GrammarClass, argument: &str, entry: &str) {
        let folded = fold(entry);
        match class {
            GrammarClass::Order => self.verb_last = folded == "last",
            GrammarClass::Expand | GrammarClass::Number => {
                let (short, long) = folded.split_once(" = ").expect("a short form and a long one");
                let long: Vec<String> = long.split(' ').map(str::to_owned).collect();
                let short = self.phrase(short);
                if class == GrammarClass::Expand {
                    self.expansions.insert(short, long);
                } else {
                    self.numbers.insert(short, long[0].clone());
                }
            }
            GrammarClass::Soften => self.soft.extend(folded.chars().next().zip(folded.chars().last())),
            GrammarClass::NounEnding => self.noun_endings.push(folded),
            GrammarClass::Ending => {
                let says = |word: &&str| !["weak", "1"].contains(word);
                let time = argument.split(' ').find(says).unwrap_or("now");
                let not = time.ends_with("-not");
                let time = time.trim_end_matches("-not").to_owned();
                let (first, weak) = (argument.ends_with('1'), argument.contains("weak"));
                let ending = Ending { time, first, not, weak };
                self.endings.push((folded, ending));
            }
            _ => {
                let word = self.phrase(&folded);
                if TAIL_CLASSES.contains(&class) {
                    self.tails.entry(class).or_default().push(word.clone());
                }
                let classes = self.classes.entry(word).or_default();
                if !classes.contains(&class) {
                    classes.push(class);
                }
            }
        }
    }

    /// One word for a phrase, which is remembered so that it is joined when it is read.
    fn phrase(&mut self, phrase: &str) -> String {
        let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
        if words.len() > 1 {
            self.phrases.entry(words[0].clone()).or_default().push(words.clone());
        }
        words.join("_")
    }

    fn read_verbs(&mut self) {
        for entry in self.language.classed_entries() {
            let folded = fold(entry.text);
            let base = folded.split('|').next().unwrap_or_default().replace(' ', "_");
            let verb = verb_of(entry.class, entry.argument, base);
            for (place, form) in folded.split('|').enumerate() {
                let joined = self.phrase(form);
                let key = if self.verb_last { joined } else { self.key(&joined) };
                let past = place > 0 && !self.verb_last;
                self.verbs.entry(key).or_insert(Verb { past, ..verb.clone() });
            }
        }
    }

    fn read_opposites(&mut self) {
        for (group, line) in self.language.plain_entries(WordList::Opposites).enumerate() {
            let first = |words: &str| fold(words.split(", ").next().unwrap_or_default());
            self.side_names.push(line.split(" | ").map(first).collect());
            for (side, words) in line.split(" | ").enumerate() {
                for word in words.split(", ").map(fold) {
                    if let Some(ending) = word.strip_prefix('-') {
                        self.opposite_endings.push((ending.to_owned(), side));
                        continue;
                    }
                    let word = self.phrase(&word);
                    self.sides.entry(self.key(&word)).or_default().push((group, side));
                    self.states.insert(word);
                }
            }
        }
    }

    fn key_of_phrase(&self, phrase: &str) -> String {
        phrase.split(' ').map(|word| self.key(word)).collect::<Vec<_>>().join(" ")
    }

    /// The words a contraction stands for.
    pub(crate) fn expansion(&self, word: &str) -> Option<&Vec<String>> {
        self.expansions.get(word)
    }

    /// The stem that all forms of a word share.
    pub(crate) fn key(&self, word: &str) -> String {
        if let Some(number) = number(word) {
            return number;
        }
        if self.noun_endings.is_empty() {
            let mut stem = String::new();
            self.language.stem_into(word, &mut stem);
            return stem;
        }
        let mut rest = word;
        while let Some(shorter) = self.noun_endings.iter().find_map(|ending| {
            rest.strip_suffix(ending.as_str()).filter(|shorter| shorter.chars().count() >= 3)
        }) {
            rest = shorter;
        }
        // The last consonant of a noun grows soft before an ending.
        let hard = self.soft.iter().find_map(|(soft, hard)| Some((rest.strip_suffix(*soft)?, *hard)));
        hard.map_or_else(|| rest.to_owned(), |(rest, hard)| format!("{rest}{hard}"))
    }

    /// A word as it is read: written small and without a tail, unless the caller knows better.
    pub(crate) fn word(&self, text: &str) -> ClauseWord {
        let counted = self.numbers.get(text).cloned().or_else(|| number(text));
        let mut kind = if counted.is_some() { WordKind::Number } else { WordKind::Plain };
        let key = counted.unwrap_or_else(|| self.key(text));
        for (class, of) in [
            (GrammarClass::Daypart, WordKind::Daypart),
            (GrammarClass::Weekday, WordKind::Weekday),
            (GrammarClass::Month, WordKind::Month),
        ] {
            let noun = kind == WordKind::Plain
                && self.verb_last
                && self.keyed.get(&key).is_some_and(|of| of.contains(&class));
            if self.is(text, class) || noun {
                kind = of;
            }
        }
        let classes = self.classes.get(text).cloned().unwrap_or_default();
        ClauseWord {
            text: text.to_owned(),
            tail: String::new(),
            key,
            capital: false,
            pause: false,
            kind,
            classes,
        }
    }

    /// Makes one word of each phrase that the lists know.
    pub(crate) fn join_phrases(&self, words: &[ClauseWord]) -> Vec<ClauseWord> {
        let mut joined: Vec<ClauseWord> = Vec::with_capacity(words.len());
        let mut at = 0;
        while at < words.len() {
            let fits = |phrase: &&Vec<String>| {
                words.len() - at >= phrase.len()
                    && phrase.iter().zip(&words[at..]).skip(1).all(|(part, word)| *part == word.text)
            };
            // A verb of several words is found in all forms of its first.
            let known = |first: &String| self.phrases.get(first).and_then(|all| all.iter().find(fits));
            let verb = || {
                known(&words[at].key)
                    .filter(|phrase| !self.verb_last && self.verbs.contains_key(&self.key(&phrase.join("_"))))
            };
            let Some(phrase) = known(&words[at].text).or_else(verb) else {
                joined.push(words[at].clone());
                at += 1;
                continue;
            };
            let last = &words[at + phrase.len() - 1];
            let text = phrase.join("_");
            if let Some(long) = self.expansions.get(&text) {
                joined.extend(long.iter().map(|text| self.word(text)));
            } else {
                joined.push(ClauseWord {
                    pause: last.pause,
                    tail: last.tail.clone(),
                    capital: words[at].capital,
                    ..self.word(&text)
                });
            }
            at += phrase.len();
        }
        joined
    }

    /// Whether a word does this in a sentence.
    pub(crate) fn is(&self, text: &str, class: GrammarClass) -> bool {
        self.classes.get(text).is_some_and(|classes| classes.contains(&class))
    }

    /// The verb that a word is a form of.
    pub(crate) fn verb(&self, word: &ClauseWord) -> Option<Verb> {
        let verb = self.verbs.get(&word.key).or_else(|| self.verbs.get(&word.text))?;
        let past = verb.past
            || self.is(&word.text, GrammarClass::PastForm)
            || (self.without(&word.text, GrammarClass::PastEnding, 2).is_some() && word.text != word.key);
        Some(Verb { past, ..verb.clone() })
    }

    /// The verb at the end of a sentence: with the word before it if both make one verb.
    pub(crate) fn last_verb(
        &self,
        word: &ClauseWord,
        before: Option<&ClauseWord>,
    ) -> Option<(Verb, Ending, bool)> {
        let plain = Ending { time: "order".to_owned(), first: false, not: false, weak: true };
        let unended = std::iter::once(("", &plain));
        let endings = self.endings.iter().map(|(text, ending)| (text.as_str(), ending));
        let stems = || {
            let endings = endings.clone().chain(unended.clone());
            endings
                .filter_map(|(text, ending)| Some((word.text.strip_suffix(text)?, ending)))
                .filter(|(stem, _)| stem.len() >= 2)
        };
        // The longest verb that is known.
        let mut known: Vec<(&str, &Ending)> = stems().collect();
        known.sort_by_key(|(stem, _)| std::cmp::Reverse(stem.len()));
        for (stem, ending) in known {
            let pair = before.and_then(|before| self.verbs.get(&format!("{}_{stem}", before.text)));
            if let Some(verb) = pair {
                return Some((verb.clone(), ending.clone(), true));
            }
            if let Some(verb) = self.verbs.get(stem) {
                return Some((verb.clone(), ending.clone(), false));
            }
        }
        for (stem, ending) in stems() {
            if !ending.weak {
                let slot = before
                    .filter(|_| self.is(stem, GrammarClass::Light))
                    .map_or_else(|| stem.to_owned(), |before| format!("{}_{stem}", before.text));
                let light = slot.contains('_');
                let base = slot.clone();
                let verb = Verb {
                    slot,
                    base,
                    single: false,
                    act: Act::Object,
                    not: false,
                    past: false,
                    known: false,
                };
                return Some((verb, ending.clone(), light));
            }
        }
        None
    }

    /// The slot of its owner that a noun (by its key) names.
    pub(crate) fn slot_noun(&self, key: &str) -> Option<&Noun> {
        self.nouns.get(key).filter(|noun| noun.single)
    }

    /// A noun (by its key) as it stands in the list, so that all its forms are shown as one.
    pub(crate) fn shown(&self, key: &str) -> Option<&str> {
        self.nouns.get(key).map(|noun| noun.slot.as_str())
    }

    /// The stem before the longest ending of a class, if it has at least `least` bytes.
    pub(crate) fn without<'w>(&self, text: &'w str, class: GrammarClass, least: usize) -> Option<&'w str> {
        let endings = self.tails.get(&class)?;
        endings
            .iter()
            .find_map(|ending| text.strip_suffix(ending.as_str()).filter(|stem| stem.len() >= least))
    }

    /// Whether two words cannot be said of one thing at once.
    pub(crate) fn opposite(&self, a: &ClauseWord, b: &ClauseWord) -> bool {
        let sides =
            |word: &ClauseWord| self.sides.get(&word.key).into_iter().flatten().copied().collect::<Vec<_>>();
        let (left, right) = (sides(a), sides(b));
        let clash = |group: usize, side: usize| right.iter().any(|(g, s)| *g == group && *s != side);
        let agree = |group: usize, side: usize| right.contains(&(group, side));
        if left.iter().any(|(group, side)| agree(*group, *side)) {
            return false;
        }
        if left.iter().any(|(group, side)| clash(*group, *side)) {
            return true;
        }
        let ended = |word: &ClauseWord, side: usize| {
            self.opposite_endings.iter().filter(|(_, s)| *s == side).find_map(|(ending, _)| {
                word.text.strip_suffix(ending.as_str()).filter(|stem| stem.len() >= 2).map(str::to_owned)
            })
        };
        let differ =
            |x: &ClauseWord, y: &ClauseWord| ended(x, 0).is_some_and(|stem| ended(y, 1) == Some(stem));
        differ(a, b) || differ(b, a)
    }

    /// Whether a word is one of more than two that exclude each other, like colours.
    pub(crate) fn one_of_many(&self, word: &ClauseWord) -> bool {
        let many =
            |group: usize| self.sides.values().flatten().any(|(other, side)| *other == group && *side > 1);
        self.sides.get(&word.key).into_iter().flatten().any(|(group, _)| many(*group))
    }

    /// Whether a word itself, not only one of its forms, stands in a table of opposites.
    pub(crate) fn names_state(&self, word: &ClauseWord) -> bool {
        self.states.contains(&word.text)
            || self.opposite_endings.iter().any(|(ending, _)| word.text.ends_with(ending.as_str()))
    }

    /// The state that a word of a table of opposites names, and the table's first word: `disabled` and `off` are both the other side of
    /// `enabled`.
    pub(crate) fn state_of(&self, word: &ClauseWord) -> Option<(&str, &str)> {
        let (group, side) = self.sides.get(&word.key)?.first()?;
        let names = self.side_names.get(*group)?;
        Some((names.first()?, names.get(*side)?))
    }

    /// Whether a word stands in a table of opposites, so that it says a state.
    pub(crate) fn is_state(&self, word: &ClauseWord) -> bool {
        self.sides.contains_key(&word.key)
    }
}
