//! Grammars: what a language's lists say about its words. No word of any language stands in the code.

use super::word::{Kind, Word, number};
use crate::language::{LANGUAGES, Language};
use crate::plain::fold;
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type Map<T> = HashMap<String, T, FixedState>;

/// Which slot a verb fills, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verb {
    /// The slot, or the verb itself.
    pub slot: String,
    /// The verb.
    pub base: String,
    /// One value at a time.
    pub single: bool,
    /// What it does with its subject, object and value.
    pub act: Act,
    /// It says the opposite of its slot.
    pub not: bool,
    /// Whether this form speaks of the past.
    pub past: bool,
    /// Whether it fills a slot of its own and is not one of many verbs.
    pub known: bool,
}

/// What a verb does with what stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// The object is the value.
    Object,
    /// What stands behind one of these words is the value; if none is given, what stands in the case of a place.
    At(Vec<String>),
    /// What stands behind "to" is the new value.
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

/// What the ending of a verb says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    pub time: String,
    pub first: bool,
    pub not: bool,
    weak: bool,
}

/// Classes of endings that are not called so.
const ENDINGS: [&str; 5] = ["genitive", "possessed", "copula", "copula-past", "copula-was"];

/// The grammar of a language.
pub(crate) struct Grammar {
    /// The verb stands at the end of a sentence.
    pub verb_last: bool,
    language: &'static Language,
    classes: Map<Vec<&'static str>>,
    keyed: Map<Vec<&'static str>>,
    tails: Map<Vec<String>>,
    expansions: Map<Vec<String>>,
    numbers: Map<String>,
    phrases: Map<Vec<Vec<String>>>,
    verbs: Map<Verb>,
    nouns: Map<Noun>,
    soft: Vec<(char, char)>,
    noun_endings: Vec<String>,
    endings: Vec<(String, Ending)>,
    sides: Map<Vec<(usize, usize)>>,
    /// The first word of every side of every table of opposites.
    side_names: Vec<Vec<String>>,
    states: HashSet<String, FixedState>,
    opposite_endings: Vec<(String, usize)>,
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
            classes: Map::default(),
            keyed: Map::default(),
            tails: Map::default(),
            expansions: Map::default(),
            numbers: Map::default(),
            phrases: Map::default(),
            verbs: Map::default(),
            nouns: Map::default(),
            soft: Vec::new(),
            noun_endings: Vec::new(),
            endings: Vec::new(),
            sides: Map::default(),
            side_names: Vec::new(),
            states: HashSet::default(),
            opposite_endings: Vec::new(),
        };
        for line in language.lines("grammar") {
            let (class, entries) = line.split_once(": ").expect("a class and its entries");
            entries.split(", ").for_each(|entry| grammar.add(class, entry));
        }
        let longest_first = |a: &String, b: &String| b.len().cmp(&a.len()).then_with(|| a.cmp(b));
        grammar.noun_endings.sort_by(longest_first);
        grammar.tails.values_mut().for_each(|tails| tails.sort_by(longest_first));
        grammar.endings.sort_by(|(a, _), (b, _)| longest_first(a, b));
        for class in ["weekday", "month"] {
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
        for line in language.lines("nouns") {
            let (flags, nouns) = line.split_once(": ").expect("flags and nouns");
            for noun in nouns.split(", ") {
                let key = grammar.key_of_phrase(&fold(noun));
                let slot = flags.split_once('=').map_or(noun, |(_, slot)| slot);
                let has = |flag: &str| flags.split(' ').any(|one| one == flag);
                let (single, thing, number) = (has("single"), has("thing"), has("number"));
                grammar.nouns.entry(key).or_insert(Noun { slot: fold(slot), single, thing, number });
            }
        }
        grammar.read_opposites();
        for phrases in grammar.phrases.values_mut() {
            phrases.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
        grammar
    }

    fn add(&mut self, class: &'static str, entry: &str) {
        let folded = fold(entry);
        match class {
            "order" => self.verb_last = folded == "last",
            "expand" | "number" => {
                let (short, long) = folded.split_once(" = ").expect("a short form and a long one");
                let long: Vec<String> = long.split(' ').map(str::to_owned).collect();
                let short = self.phrase(short);
                if class == "expand" {
                    self.expansions.insert(short, long);
                } else {
                    self.numbers.insert(short, long[0].clone());
                }
            }
            "soften" => self.soft.extend(folded.chars().next().zip(folded.chars().last())),
            "noun-ending" => self.noun_endings.push(folded),
            _ if class.starts_with("ending ") => {
                let time =
                    class.split(' ').find(|word| !["ending", "weak", "1"].contains(word)).unwrap_or("now");
                let not = time.ends_with("-not");
                let time = time.trim_end_matches("-not").to_owned();
                let ending = Ending { time, first: class.ends_with('1'), not, weak: class.contains("weak") };
                self.endings.push((folded, ending));
            }
            _ => {
                let word = self.phrase(&folded);
                if class.ends_with("-ending") || ENDINGS.contains(&class) {
                    self.tails.entry(class.to_owned()).or_default().push(word.clone());
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
        for line in self.language.lines("verbs") {
            let (head, verbs) = line.split_once(": ").expect("a slot and its verbs");
            let flags: Vec<&str> = head.split(' ').collect();
            let has = |flag: &str| flags.contains(&flag);
            let at = flags.iter().find_map(|flag| flag.strip_prefix("at="));
            let at = at.map(|at| at.split('/').filter(|word| !word.is_empty()).map(fold).collect());
            let act = match flags[0] {
                "set" => Act::Set,
                "ended" => Act::Ended,
                "is" => Act::Is(fold(flags.get(1).unwrap_or(&""))),
                _ if has("move") => Act::Move,
                _ => at.map_or(Act::Object, Act::At),
            };
            for verb in verbs.split(", ") {
                let folded = fold(verb);
                let base = folded.split('|').next().unwrap_or_default().replace(' ', "_");
                for (place, form) in folded.split('|').enumerate() {
                    let joined = self.phrase(form);
                    let key = if self.verb_last { joined.clone() } else { self.key(&joined) };
                    let slot = match flags[0] {
                        "-" => base.clone(),
                        "set" => (*flags.get(1).unwrap_or(&"is")).to_owned(),
                        "is" => "is".to_owned(),
                        slot => slot.to_owned(),
                    };
                    let past = place > 0 && !self.verb_last;
                    let base = base.clone();
                    let verb = Verb {
                        slot,
                        base,
                        single: has("single"),
                        act: act.clone(),
                        not: has("not"),
                        past,
                        known: flags[0] != "-",
                    };
                    self.verbs.entry(key).or_insert(verb);
                }
            }
        }
    }

    fn read_opposites(&mut self) {
        for (group, line) in self.language.lines("opposites").enumerate() {
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

    /// What a short form stands for.
    pub(crate) fn expansion(&self, word: &str) -> Option<&Vec<String>> {
        self.expansions.get(word)
    }

    /// What every form of a word has in common.
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

    /// A word as it is read.
    pub(crate) fn word(&self, text: &str, tail: &str, capital: bool) -> Word {
        let counted = self.numbers.get(text).cloned().or_else(|| number(text));
        let mut kind = if counted.is_some() { Kind::Number } else { Kind::Plain };
        let key = counted.unwrap_or_else(|| self.key(text));
        for (class, of) in [("daypart", Kind::Daypart), ("weekday", Kind::Weekday), ("month", Kind::Month)] {
            let noun = kind == Kind::Plain
                && self.verb_last
                && self.keyed.get(&key).is_some_and(|of| of.contains(&class));
            if self.is(text, class) || noun {
                kind = of;
            }
        }
        let classes = self.classes.get(text).cloned().unwrap_or_default();
        Word { text: text.to_owned(), tail: tail.to_owned(), key, capital, pause: false, kind, classes }
    }

    /// Makes one word of each phrase that the lists know.
    pub(crate) fn join_phrases(&self, words: &[Word]) -> Vec<Word> {
        let mut joined: Vec<Word> = Vec::with_capacity(words.len());
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
                joined.extend(long.iter().map(|text| self.word(text, "", false)));
            } else {
                joined.push(Word { pause: last.pause, ..self.word(&text, &last.tail, words[at].capital) });
            }
            at += phrase.len();
        }
        joined
    }

    /// Whether a word does this in a sentence.
    pub(crate) fn is(&self, text: &str, class: &str) -> bool {
        self.classes.get(text).is_some_and(|classes| classes.contains(&class))
    }

    /// The verb that a word is a form of.
    pub(crate) fn verb(&self, word: &Word) -> Option<Verb> {
        let verb = self.verbs.get(&word.key).or_else(|| self.verbs.get(&word.text))?;
        let past = verb.past
            || self.is(&word.text, "past-form")
            || (self.without(&word.text, "past-ending", 2).is_some() && word.text != word.key);
        Some(Verb { past, ..verb.clone() })
    }

    /// The verb at the end of a sentence: with the word before it if both make one verb.
    pub(crate) fn last_verb(&self, word: &Word, before: Option<&Word>) -> Option<(Verb, Ending, bool)> {
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
                    .filter(|_| self.is(stem, "light"))
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

    /// What stands before the longest ending of a class, if at least so many letters do.
    pub(crate) fn without<'w>(&self, text: &'w str, class: &str, least: usize) -> Option<&'w str> {
        let endings = self.tails.get(class)?;
        endings
            .iter()
            .find_map(|ending| text.strip_suffix(ending.as_str()).filter(|stem| stem.len() >= least))
    }

    /// Whether two words cannot be said of one thing at once.
    pub(crate) fn opposite(&self, a: &Word, b: &Word) -> bool {
        let sides =
            |word: &Word| self.sides.get(&word.key).into_iter().flatten().copied().collect::<Vec<_>>();
        let (left, right) = (sides(a), sides(b));
        let clash = |group: usize, side: usize| right.iter().any(|(g, s)| *g == group && *s != side);
        let agree = |group: usize, side: usize| right.contains(&(group, side));
        if left.iter().any(|(group, side)| agree(*group, *side)) {
            return false;
        }
        if left.iter().any(|(group, side)| clash(*group, *side)) {
            return true;
        }
        let ended = |word: &Word, side: usize| {
            self.opposite_endings.iter().filter(|(_, s)| *s == side).find_map(|(ending, _)| {
                word.text.strip_suffix(ending.as_str()).filter(|stem| stem.len() >= 2).map(str::to_owned)
            })
        };
        let differ = |x: &Word, y: &Word| ended(x, 0).is_some_and(|stem| ended(y, 1) == Some(stem));
        differ(a, b) || differ(b, a)
    }

    /// Whether a word is one of more than two that exclude each other, like colours.
    pub(crate) fn one_of_many(&self, word: &Word) -> bool {
        let many =
            |group: usize| self.sides.values().flatten().any(|(other, side)| *other == group && *side > 1);
        self.sides.get(&word.key).into_iter().flatten().any(|(group, _)| many(*group))
    }

    /// Whether a word itself, not only one of its forms, stands in a table of opposites.
    pub(crate) fn names_state(&self, word: &Word) -> bool {
        self.states.contains(&word.text)
            || self.opposite_endings.iter().any(|(ending, _)| word.text.ends_with(ending.as_str()))
    }

    /// What a word of a table of opposites is a state of, and which: `disabled` and `off` are both the other side of
    /// `enabled`.
    pub(crate) fn state_of(&self, word: &Word) -> Option<(&str, &str)> {
        let (group, side) = self.sides.get(&word.key)?.first()?;
        let names = self.side_names.get(*group)?;
        Some((names.first()?, names.get(*side)?))
    }

    /// Whether a word stands in a table of opposites, so that it says a state.
    pub(crate) fn is_state(&self, word: &Word) -> bool {
        self.sides.contains_key(&word.key)
    }
}
