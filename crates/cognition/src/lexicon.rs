//! The languages and word lists under `lexicon/`, as the build script made them into types: an enum of classes for each list
//! that has classes, a variant of [`WordList`] for each that has none. A language is a folder and nothing else:
//! `language.txt` says how it is stemmed and which letters give it away, every other file is a word list. The text of a list is split when it is first asked for, never
//! at the start of a process. `lexicon/README.md` tells the format of the files.

use rust_stemmers::Algorithm;

/// A language: its lists, its stemmer and the letters that give it away.
pub struct Language {
    /// Two-letter code, the name of its lexicon folder.
    pub code: &'static str,
    /// Its lists without classes, by the place of the [`WordList`], one entry a line.
    lists: &'static [&'static str],
    pub(crate) telltale_letters: &'static str,
    pub(crate) algorithm: Algorithm,
    /// Its place among the languages.
    pub(crate) place: usize,
}

/// A class of one list. The build script implements it for every enum of classes.
pub(crate) trait WordClass: Copy + Eq + 'static {
    /// The sections of the list, by the place of the language.
    const SECTIONS: &'static [&'static [Section<Self>]];

    /// The class as the header of its section writes it.
    fn name(self) -> &'static str;
}

/// The entries under one header of a list.
#[derive(Debug)]
pub(crate) struct Section<C> {
    class: C,
    argument: &'static str,
    /// One entry a line.
    entries: &'static str,
}

/// One entry of a list with classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClassedEntry<C> {
    /// The class of its section.
    pub class: C,
    /// The argument of the header: `salary` in `[single number: salary]`; empty if there is none.
    pub argument: &'static str,
    /// The entry itself.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/classes.rs"));
include!(concat!(env!("OUT_DIR"), "/languages.rs"));

impl Language {
    /// The entries of a list with classes, in the order of the file.
    pub(crate) fn classed_entries<C: WordClass>(&self) -> impl Iterator<Item = ClassedEntry<C>> + use<C> {
        C::SECTIONS[self.place].iter().flat_map(|section| {
            let Section { class, argument, entries } = section;
            entries.lines().map(|text| ClassedEntry { class: *class, argument, text })
        })
    }

    /// The entries of a list without classes, in the order of the file.
    pub(crate) fn plain_entries(&self, list: WordList) -> impl Iterator<Item = &'static str> + use<> {
        self.lists[list as usize].lines()
    }
}

/// The entries of a list with classes in every language.
pub(crate) fn classed_entries<C: WordClass>() -> impl Iterator<Item = ClassedEntry<C>> {
    LANGUAGES.iter().flat_map(Language::classed_entries)
}

/// The entries of a list without classes in every language.
pub(crate) fn plain_entries(list: WordList) -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(move |language| language.plain_entries(list))
}

#[cfg(test)]
mod tests {
    use super::CLASS_NAMES;
    use std::{fs, path::Path};

    /// The text of every source file below a folder, without its tests.
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                sources(&entry, found);
            } else if entry.file_name().is_some_and(|name| name != "tests.rs") {
                let text = fs::read_to_string(&entry).expect("a source file");
                found.push(text.split("#[cfg(test)]").next().unwrap_or_default().to_owned());
            }
        }
    }

    #[test]
    fn every_list_and_every_class_is_asked_for() {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
        let mut unasked = Vec::new();
        for (class, variants) in CLASS_NAMES {
            // Modules that ask for many classes of one list import it under a shorter name.
            let asking: Vec<&String> = files.iter().filter(|text| text.contains(class)).collect();
            for variant in *variants {
                let asks = |text: &&&String| {
                    text.match_indices(&format!("::{variant}")).any(|(at, found)| {
                        !text[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
                    })
                };
                if !asking.iter().any(|text| asks(&text)) {
                    unasked.push(format!("{class}::{variant}"));
                }
            }
        }
        assert!(unasked.is_empty(), "no code asks for {}", unasked.join(", "));
    }
}
