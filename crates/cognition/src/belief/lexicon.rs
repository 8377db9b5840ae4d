//! The words that beliefs are told apart by, and how one is said: data under `lexicon/`.

use crate::{
    language::LANGUAGES,
    plain::fold,
    statement::grammar::{GRAMMARS, Grammar},
};
use cairn_domain::Facet;
use foldhash::fast::FixedState;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// What one language knows.
pub(super) struct Words {
    /// Nouns for people by what they are to somebody, by their key.
    relations: HashSet<String, FixedState>,
    projects: HashSet<String, FixedState>,
    /// What an agent is called in a memory.
    agents: HashSet<String, FixedState>,
    /// Whoever somebody does something with.
    others: HashSet<String, FixedState>,
    facets: HashMap<String, Facet, FixedState>,
    said: HashMap<&'static str, &'static str, FixedState>,
}

/// Every language, in the order of the languages.
static WORDS: LazyLock<Vec<Words>> = LazyLock::new(|| (0..LANGUAGES.len()).map(Words::read).collect());

/// What the language with this grammar knows.
pub(super) fn words(grammar: usize) -> &'static Words {
    &WORDS[grammar.min(WORDS.len() - 1)]
}

fn key_of(grammar: &Grammar, phrase: &str) -> String {
    phrase.split(' ').map(|word| grammar.key(word)).collect::<Vec<_>>().join(" ")
}

impl Words {
    fn read(language: usize) -> Self {
        let grammar = &GRAMMARS[language];
        let mut words = Self {
            relations: HashSet::default(),
            projects: HashSet::default(),
            agents: HashSet::default(),
            others: HashSet::default(),
            facets: HashMap::default(),
            said: HashMap::default(),
        };
        for line in LANGUAGES[language].lines("beliefs") {
            let Some((class, entries)) = line.split_once(": ") else { continue };
            let keys = || entries.split(", ").map(|entry| key_of(grammar, &fold(entry)));
            match class.split_once('/') {
                Some(("facet", facet)) => {
                    if let Ok(facet) = facet.parse() {
                        words.facets.extend(keys().map(|key| (key, facet)));
                    }
                }
                None if class == "relation" => words.relations.extend(keys()),
                None if class == "project" => words.projects.extend(entries.split(", ").map(fold)),
                None if class == "others" => words.others.extend(entries.split(", ").map(fold)),
                None if class == "self" => words.agents.extend(entries.split(", ").map(fold)),
                _ => {
                    words.said.insert(class, entries);
                }
            }
        }
        words
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
        let own = format!("say/{facet}");
        self.said.get(own.as_str()).or_else(|| self.said.get("say")).copied().unwrap_or("{subject}: {value}")
    }

    /// How something of the list is called.
    pub(super) fn named(&self, name: &str) -> &'static str {
        self.said.get(name).copied().unwrap_or_default()
    }
}
