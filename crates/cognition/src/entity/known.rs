//! What is known about names before a text is read: the lists of names and of the words around them.

use crate::{
    language::{LANGUAGES, is_stop_word},
    plain::fold,
};
use cairn_domain::EntityKind;
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type Map<V> = HashMap<String, V, FixedState>;
type Set = HashSet<String, FixedState>;

/// A name of the lists.
#[derive(Debug)]
pub(super) struct Entry {
    /// As people write it.
    pub name: &'static str,
    /// What it is.
    pub kind: EntityKind,
    /// The spelling by which it was found.
    pub spelling: &'static str,
    /// Whether that spelling is also a common word.
    pub common: bool,
}

/// How sure a word before a name is of what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// It can hardly be followed by anything else.
    Certain,
    /// It is as good as any guess.
    Maybe,
}

/// Every list that tells names, in all languages together.
pub(super) struct Known {
    names: Map<Entry>,
    /// The first word of each name of the lists, and how many words the longest has that begins so.
    starts: Map<usize>,
    first_names: Map<bool>,
    common: Set,
    never: Set,
    parts: Map<Vec<&'static str>>,
    before: Map<(EntityKind, Sure)>,
    after: Map<EntityKind>,
    endings: Map<EntityKind>,
    heads: Map<EntityKind>,
}

/// The longest name of the lists, in words.
pub(super) const LONGEST: usize = 4;

pub(super) static KNOWN: LazyLock<Known> = LazyLock::new(Known::read);

impl Known {
    fn read() -> Self {
        let words = |list: &'static str| {
            LANGUAGES.iter().flat_map(move |language| language.lines(list)).flat_map(str::split_whitespace)
        };
        let mut known = Self {
            names: Map::default(),
            starts: Map::default(),
            first_names: Map::default(),
            common: words("common").map(fold).collect(),
            never: words("no_names").map(fold).collect(),
            parts: Map::default(),
            before: Map::default(),
            after: Map::default(),
            endings: Map::default(),
            heads: Map::default(),
        };
        for name in words("first_names") {
            let (spelling, common) = marked(name);
            known.first_names.entry(fold(spelling)).or_insert(common);
        }
        for line in LANGUAGES.iter().flat_map(|language| language.lines("entities")) {
            known.add_names(line);
        }
        for line in LANGUAGES.iter().flat_map(|language| language.lines("name_context")) {
            let (label, entries) = line.split_once(": ").expect("a label and its entries");
            entries.split(';').for_each(|entry| known.add_context(label, fold(entry.trim())));
        }
        known
    }

    fn add_names(&mut self, line: &'static str) {
        let (kind, names) = line.split_once(": ").expect("a kind and its names");
        let kind: EntityKind = kind.parse().expect("a kind of entity");
        for spellings in names.split(';') {
            let mut spellings = spellings.split(" = ").map(|spelling| marked(spelling.trim()));
            let (name, common) = spellings.next().expect("a name");
            for (spelling, common) in std::iter::once((name, common)).chain(spellings) {
                let plain = fold(spelling);
                let (first, words) = (plain.split(' ').next().unwrap_or_default(), plain.split(' ').count());
                let longest = self.starts.entry(first.to_owned()).or_default();
                *longest = words.max(*longest);
                self.names.entry(plain).or_insert(Entry { name, kind, spelling, common });
            }
        }
    }

    fn add_context(&mut self, label: &'static str, entry: String) {
        let (kind, place) = label.split_once('_').unwrap_or((label, ""));
        let kind = kind.parse::<EntityKind>();
        match (kind, place) {
            (Ok(kind), "before") => drop(self.before.insert(entry, (kind, Sure::Certain))),
            (Ok(kind), "maybe") => drop(self.before.entry(entry).or_insert((kind, Sure::Maybe))),
            (Ok(kind), "after") => drop(self.after.entry(entry).or_insert(kind)),
            (Ok(kind), "ending") => drop(self.endings.entry(entry).or_insert(kind)),
            (Ok(kind), "word") => drop(self.heads.entry(entry).or_insert(kind)),
            _ => self.parts.entry(entry).or_default().push(label),
        }
    }

    /// How many words the longest name of the lists has that begins with a word (folded); 0 if none does.
    pub(super) fn words_from(&self, first: &str) -> usize {
        self.starts.get(first).copied().unwrap_or(0)
    }

    /// The name that a spelling (folded) stands for.
    pub(super) fn name(&self, spelling: &str) -> Option<&Entry> {
        self.names.get(spelling)
    }

    /// Whether a word is a first name, and if so whether it is also a common word.
    pub(super) fn first_name(&self, word: &str) -> Option<bool> {
        self.first_names.get(word).copied()
    }

    /// Whether a word is no name on its own.
    pub(super) fn is_common(&self, word: &str) -> bool {
        self.common.contains(word) || self.is_never(word)
    }

    /// Whether a word is never part of a name.
    pub(super) fn is_never(&self, word: &str) -> bool {
        self.never.contains(word) || is_stop_word(word)
    }

    /// Whether a word plays a part that has no kind: `title`, `honorific`, `particle`, `link`, `skip`, `and`, `org_verb`.
    pub(super) fn is(&self, part: &str, word: &str) -> bool {
        self.parts.get(word).is_some_and(|parts| parts.contains(&part))
    }

    /// What the words before a name say it is.
    pub(super) fn before(&self, words: &str) -> Option<(EntityKind, Sure)> {
        self.before.get(words).copied()
    }

    /// What the words after a name say it is.
    pub(super) fn after(&self, words: &str) -> Option<EntityKind> {
        self.after.get(words).copied()
    }

    /// What the letters after the apostrophe say a name is.
    pub(super) fn ending(&self, ending: &str) -> Option<EntityKind> {
        self.endings.get(&fold(ending)).copied()
    }

    /// What a name with this word in it names.
    pub(super) fn head(&self, word: &str) -> Option<EntityKind> {
        self.heads.get(word).copied()
    }
}

/// A spelling without its question mark, and whether it had one.
fn marked(spelling: &'static str) -> (&'static str, bool) {
    spelling.strip_suffix('?').map_or((spelling, false), |spelling| (spelling, true))
}
