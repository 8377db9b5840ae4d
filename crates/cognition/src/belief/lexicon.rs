//! The words that beliefs are told apart by, and how one is said: data under `lexicon/`.

use crate::{
    language::LANGUAGES,
    lexicon::BeliefsClass,
    plain::fold,
    statement::grammar::{GRAMMARS, Grammar},
};
use cairn_domain::Facet;
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// The belief words of one language.
pub(super) struct BeliefWords {
    /// Nouns for people by what they are to somebody, by their key.
    relations: HashSet<String, FixedState>,
    projects: HashSet<String, FixedState>,
    /// Names that a memory has for the agent itself.
    agents: HashSet<String, FixedState>,
    /// Words for unnamed companions.
    others: HashSet<String, FixedState>,
    facets: HashMap<String, Facet, FixedState>,
    /// How a facet is said; the empty facet is any other.
    templates: HashMap<&'static str, &'static str, FixedState>,
    said: HashMap<BeliefsClass, &'static str, FixedState>,
    copulas: HashSet<String, FixedState>,
}

/// One per language, in the order of `LANGUAGES`.
static WORDS: LazyLock<Vec<BeliefWords>> =
    LazyLock::new(|| (0..LANGUAGES.len()).map(BeliefWords::read).collect());

/// The words of the language at this place.
pub(super) fn words(grammar: usize) -> &'static BeliefWords {
    &WORDS[grammar.min(WORDS.len() - 1)]
}

fn key_of(grammar: &Grammar, phrase: &str) -> String {
    phrase.split(' ').map(|word| grammar.key(word)).collect::<Vec<_>>().join(" ")
}

/// Whether a phrase holds a word for what somebody is to somebody, in any language.
pub fn is_relative(phrase: &str) -> bool {
    let says_so = |(grammar, words): (&Grammar, &BeliefWords)| {
        phrase.split(' ').any(|word| words.is_relation(&grammar.key(word)))
    };
    GRAMMARS.iter().zip(WORDS.iter()).any(says_so)
}

impl BeliefWords {
    fn read(language: usize) -> Self {
        let grammar = &GRAMMARS[language];
        let mut words = Self {
            relations: HashSet::default(),
            projects: HashSet::default(),
            agents: HashSet::default(),
            others: HashSet::default(),
            facets: HashMap::default(),
            templates: HashMap::default(),
            said: HashMap::default(),
            copulas: HashSet::default(),
        };
        for entry in LANGUAGES[language].classed_entries() {
            let text = fold(entry.text);
            match entry.class {
                BeliefsClass::Facet => {
                    let facet = entry.argument.parse().expect("a facet behind the class");
                    words.facets.insert(key_of(grammar, &text), facet);
                }
                BeliefsClass::Relation => drop(words.relations.insert(key_of(grammar, &text))),
                BeliefsClass::Project => drop(words.projects.insert(text)),
                BeliefsClass::Others => drop(words.others.insert(text)),
                BeliefsClass::Copula => drop(words.copulas.insert(text)),
                BeliefsClass::AgentNames => drop(words.agents.insert(text)),
                BeliefsClass::Say => drop(words.templates.insert(entry.argument, entry.text)),
                BeliefsClass::User | BeliefsClass::Agent | BeliefsClass::Deny => {
                    words.said.insert(entry.class, entry.text);
                }
            }
        }
        words
    }

    /// Whether the language says with a word of its own that something is something.
    pub(super) fn has_copulas(&self) -> bool {
        !self.copulas.is_empty()
    }

    /// Whether a word says so.
    pub(super) fn is_copula(&self, word: &str) -> bool {
        self.copulas.contains(word)
    }

    /// Whether a noun, by its key, says what somebody is to somebody.
    pub(super) fn is_relation(&self, key: &str) -> bool {
        self.relations.contains(key)
    }

    /// Whether a word stands before, or behind, the name of a project.
    pub(super) fn is_project(&self, word: &str) -> bool {
        self.projects.contains(word)
    }

    /// Whether a memory calls the agent so.
    pub(super) fn is_self(&self, subject: &str) -> bool {
        self.agents.contains(subject)
    }

    /// Whether this only says that somebody does something with others.
    pub(super) fn is_others(&self, step: &str) -> bool {
        self.others.contains(step)
    }

    /// The facet that a word, by its key, tells.
    pub(super) fn facet(&self, key: &str) -> Option<Facet> {
        self.facets.get(key).copied()
    }

    /// How a facet is said.
    pub(super) fn template(&self, facet: Facet) -> &'static str {
        let own = self.templates.get(facet.to_string().as_str());
        own.or_else(|| self.templates.get("")).copied().unwrap_or("{subject}: {value}")
    }

    /// How something of the list is called.
    pub(super) fn named(&self, class: BeliefsClass) -> &'static str {
        self.said.get(&class).copied().unwrap_or_default()
    }
}
