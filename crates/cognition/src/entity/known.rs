//! The lists of names and of the words around them.

use crate::{
    language::is_stop_word,
    lexicon::{EntitiesClass, NameContextClass, WordList, classed_entries, plain_entries},
    plain::fold,
};
use cairn_domain::EntityKind;
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type FoldedMap<V> = HashMap<String, V, FixedState>;
type Set = HashSet<String, FixedState>;

/// A name of the lists.
#[derive(Debug)]
pub(super) struct ListedName {
    /// As people write it.
    pub name: &'static str,
    /// The kind of entity.
    pub kind: EntityKind,
    /// The spelling by which it was found.
    pub spelling: &'static str,
    /// Whether that spelling is also a common word.
    pub common: bool,
}

/// How sure a word before a name is of what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// It can hardly be followed by anything else.
    Certain,
    /// It is as good as any guess.
    Maybe,
}

/// Every list that tells names, in all languages together.
pub(super) struct KnownNames {
    names: FoldedMap<ListedName>,
    /// The first word of each name of the lists, and how many words the longest has that begins so.
    starts: FoldedMap<usize>,
    first_names: FoldedMap<bool>,
    common: Set,
    never: Set,
    parts: FoldedMap<Vec<NameContextClass>>,
    before: FoldedMap<(EntityKind, Certainty)>,
    after: FoldedMap<EntityKind>,
    endings: FoldedMap<EntityKind>,
    heads: FoldedMap<EntityKind>,
    /// Endings of words that begin a sentence and are no names.
    no_name_endings: Vec<String>,
}

/// The longest name of the lists, in words.
pub(super) const MAX_LISTED_WORDS: usize = 4;

pub(super) static KNOWN: LazyLock<KnownNames> = LazyLock::new(KnownNames::read);

impl KnownNames {
    fn read() -> Self {
        let mut known = Self {
            names: FoldedMap::default(),
            starts: FoldedMap::default(),
            first_names: FoldedMap::default(),
            common: plain_entries(WordList::Common).map(fold).collect(),
            never: plain_entries(WordList::NoNames).map(fold).collect(),
            parts: FoldedMap::default(),
            before: FoldedMap::default(),
            after: FoldedMap::default(),
            endings: FoldedMap::default(),
            heads: FoldedMap::default(),
            no_name_endings: Vec::new(),
        };
        for name in plain_entries(WordList::FirstNames) {
            let (spelling, common) = marked(name);
            known.first_names.entry(fold(spelling)).or_insert(common);
        }
        for places in plain_entries(WordList::Exonyms) {
            known.add_name(EntityKind::Place, places);
        }
        for entry in classed_entries() {
            known.add_name(entity_kind(entry.class), entry.text);
        }
        for entry in classed_entries() {
            known.add_context(entry.class, entry.argument, fold(entry.text));
        }
        known
    }

    /// Adds a name with its other spellings.
    fn add_name(&mut self, kind: EntityKind, spellings: &'static str) {
        let mut spellings = spellings.split(" = ").map(|spelling| marked(spelling.trim()));
        let (name, common) = spellings.next().expect("a name");
        for (spelling, common) in std::iter::once((name, common)).chain(spellings) {
            let plain = fold(spelling);
            let (first, words) = (plain.split(' ').next().unwrap_or_default(), plain.split(' ').count());
            let longest = self.starts.entry(first.to_owned()).or_default();
            *longest = words.max(*longest);
            self.names.entry(plain).or_insert(ListedName { name, kind, spelling, common });
        }
    }

    /// Adds what stands in or around a name; where that tells what it names, the header says which kind.
    fn add_context(&mut self, class: NameContextClass, kind: &str, entry: String) {
        let kind = || kind.parse::<EntityKind>().expect("a kind of entity behind the class");
        match class {
            NameContextClass::Before => drop(self.before.insert(entry, (kind(), Certainty::Certain))),
            NameContextClass::Maybe => drop(self.before.entry(entry).or_insert((kind(), Certainty::Maybe))),
            NameContextClass::After => drop(self.after.entry(entry).or_insert(kind())),
            NameContextClass::Ending => drop(self.endings.entry(entry).or_insert(kind())),
            NameContextClass::NoNameEnding => self.no_name_endings.push(entry),
            NameContextClass::Word => drop(self.heads.entry(entry).or_insert(kind())),
            NameContextClass::Particle
            | NameContextClass::And
            | NameContextClass::Link
            | NameContextClass::Title
            | NameContextClass::Honorific
            | NameContextClass::Skip
            | NameContextClass::Measure
            | NameContextClass::OrgVerb => self.parts.entry(entry).or_default().push(class),
        }
    }

    /// How many words the longest name of the lists has that begins with a word (folded); 0 if none does.
    pub(super) fn words_from(&self, first: &str) -> usize {
        self.starts.get(first).copied().unwrap_or(0)
    }

    /// The name that a spelling (folded) stands for.
    pub(super) fn name(&self, spelling: &str) -> Option<&ListedName> {
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
        self.is_many_of_none(word) || self.never.contains(word) || is_stop_word(word)
    }

    /// Whether a word is several of what is never part of a name: "Mondays".
    pub(super) fn is_many_of_none(&self, word: &str) -> bool {
        word.strip_suffix('s').is_some_and(|one| one.len() > 3 && self.never.contains(one))
    }

    /// Whether a word plays a part that has no kind, such as that of a title.
    pub(super) fn is(&self, part: NameContextClass, word: &str) -> bool {
        self.parts.get(word).is_some_and(|parts| parts.contains(&part))
    }

    /// The kind that the words before a name tell.
    pub(super) fn before(&self, words: &str) -> Option<(EntityKind, Certainty)> {
        self.before.get(words).copied()
    }

    /// The kind that the words after a name tell.
    pub(super) fn after(&self, words: &str) -> Option<EntityKind> {
        self.after.get(words).copied()
    }

    /// The kind that the letters after an apostrophe tell.
    pub(super) fn ending(&self, ending: &str) -> Option<EntityKind> {
        self.endings.get(&fold(ending)).copied()
    }

    /// Whether a word has an ending that names hardly have.
    pub(super) fn ends_unlike_a_name(&self, word: &str) -> bool {
        self.no_name_endings
            .iter()
            .any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending.as_str()))
    }

    /// The kind of a name with this word in it.
    pub(super) fn head(&self, word: &str) -> Option<EntityKind> {
        self.heads.get(word).copied()
    }
}

fn entity_kind(class: EntitiesClass) -> EntityKind {
    match class {
        EntitiesClass::Tech => EntityKind::Tech,
        EntitiesClass::Tool => EntityKind::Tool,
        EntitiesClass::Org => EntityKind::Org,
        EntitiesClass::Place => EntityKind::Place,
        EntitiesClass::Concept => EntityKind::Concept,
    }
}

/// A spelling without its question mark, and whether it had one.
fn marked(spelling: &'static str) -> (&'static str, bool) {
    spelling.strip_suffix('?').map_or((spelling, false), |spelling| (spelling, true))
}
