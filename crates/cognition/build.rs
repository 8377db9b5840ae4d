//! Makes Rust of the word lists under `lexicon/`: one enum of classes for each list that has classes, one variant of
//! `WordList` for each list that has none, and the table of languages. The format is told in `lexicon/README.md`.
//!
//! Code that asks for a class or a list that no file has does not compile. A language that lacks a list or a class that
//! another language has does not build, unless its file says `(none)` under the header of the class.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The language of a text that gives no evidence: it stands first.
const FIRST_LANGUAGE: &str = "en";
/// The file that says how a language is stemmed; no list of words.
const ABOUT_LANGUAGE: &str = "language";
/// The only line of a class that a language has no words for.
const NO_ENTRIES: &str = "(none)";
/// Before a line that goes on with the entry above it.
const CONTINUED: &str = "  ";

/// The entries under one header. The class is empty in a list without classes.
#[derive(Default)]
struct ListSection {
    class: String,
    argument: String,
    entries: Vec<String>,
}

/// A language and its lists by name, each as its sections.
struct LanguageFiles {
    code: String,
    lists: BTreeMap<String, Vec<ListSection>>,
}

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo")).join("lexicon");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut languages: Vec<LanguageFiles> = files_in(&folder)
        .into_iter()
        .filter(|(_, path)| path.is_dir())
        .map(|(code, path)| LanguageFiles { code, lists: read_lists(&path) })
        .collect();
    languages.sort_by_key(|language| (language.code != FIRST_LANGUAGE, language.code.clone()));
    let lists: Vec<String> =
        languages[0].lists.keys().filter(|name| *name != ABOUT_LANGUAGE).cloned().collect();
    let (mut plain, mut code) = (Vec::new(), String::new());
    let mut names =
        String::from("/// Every enum of classes with its variants, for the test that each is asked for.\n");
    names.push_str("#[cfg(test)]\npub(crate) const CLASS_NAMES: &[(&str, &[&str])] = &[\n");
    for list in &lists {
        let classes = classes_of(list, &languages);
        if classes.is_empty() {
            plain.push(list.clone());
            continue;
        }
        code.push_str(&class_enum(list, &classes, &languages));
        let variants: Vec<String> = classes.iter().map(|class| format!("{:?}", camel_case(class))).collect();
        let _ = writeln!(names, "    (\"{}Class\", &[{}]),", camel_case(list), variants.join(", "));
    }
    let variants: Vec<String> = plain.iter().map(|list| format!("{:?}", camel_case(list))).collect();
    let _ = writeln!(names, "    (\"WordList\", &[{}]),\n];", variants.join(", "));
    write_out("classes.rs", &(word_list_enum(&plain) + &code + &names));
    write_out("languages.rs", &language_table(&languages, &plain));
}

fn write_out(file: &str, code: &str) {
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo"));
    fs::write(folder.join(file), code).expect("a file that can be written");
}

/// The files and folders of a folder, by name without the ending.
fn files_in(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the lexicon");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path)).collect()
}

fn read_lists(folder: &Path) -> BTreeMap<String, Vec<ListSection>> {
    files_in(folder).into_iter().map(|(name, path)| (name, read_sections(&path))).collect()
}

/// The sections of a file, in order; a class that is opened twice has two.
fn read_sections(path: &Path) -> Vec<ListSection> {
    let text = fs::read_to_string(path).expect("a list in UTF-8");
    let mut sections = vec![ListSection::default()];
    for (place, line) in text.lines().enumerate() {
        let section = sections.last_mut().expect("at least one");
        let fail = |why: &str| -> ! { panic!("{}:{}: {why}", path.display(), place + 1) };
        let entry = line.trim();
        if entry.is_empty() || entry.starts_with('#') || entry == NO_ENTRIES {
            continue;
        }
        if line.starts_with(CONTINUED) {
            let Some(last) = section.entries.last_mut() else { fail("no entry to go on with") };
            last.push_str(entry);
        } else if let Some((class, argument)) = header(entry) {
            sections.push(ListSection { class, argument, entries: Vec::new() });
        } else {
            section.entries.push(entry.to_owned());
        }
    }
    let headed = sections.len() > 1;
    assert!(
        !headed || sections[0].entries.is_empty(),
        "{}: an entry stands before the first header",
        path.display()
    );
    let explained = text.matches(NO_ENTRIES).count();
    let empty = sections.iter().skip(1).filter(|section| section.entries.is_empty()).count();
    assert!(
        explained == empty,
        "{}: a class without entries says {NO_ENTRIES}, no other does",
        path.display()
    );
    sections.into_iter().skip(usize::from(headed)).collect()
}

/// The class and the argument of `[class]` or `[class: argument]`.
fn header(line: &str) -> Option<(String, String)> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let (class, argument) = inside.split_once(": ").unwrap_or((inside, ""));
    let is_class = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " _-".contains(c);
    let named = class.starts_with(|c: char| c.is_ascii_lowercase()) && class.chars().all(is_class);
    named.then(|| (class.to_owned(), argument.to_owned()))
}

/// The classes of a list in all languages, which must agree about them. Empty if the list has none.
fn classes_of(list: &str, languages: &[LanguageFiles]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for language in languages {
        let sections =
            language.lists.get(list).unwrap_or_else(|| panic!("lexicon/{} lacks {list}.txt", language.code));
        for section in sections.iter().filter(|section| !section.class.is_empty()) {
            if !all.contains(&section.class) {
                all.push(section.class.clone());
            }
        }
    }
    for language in languages {
        for class in &all {
            let has = language.lists[list].iter().any(|section| section.class == *class);
            assert!(
                has,
                "lexicon/{}/{list}.txt lacks [{class}], which another language has; if it has no such words, write \
                 {NO_ENTRIES} under the header",
                language.code
            );
        }
    }
    all
}

fn word_list_enum(plain: &[String]) -> String {
    let mut code = String::from("/// The lists that have no classes.\n");
    code.push_str("#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub(crate) enum WordList {\n");
    for list in plain {
        let _ = writeln!(code, "    /// `{list}.txt`.\n    {},", camel_case(list));
    }
    code.push_str("}\n\n");
    code
}

/// The enum of the classes of a list and, for each language, its sections.
fn class_enum(list: &str, classes: &[String], languages: &[LanguageFiles]) -> String {
    let name = format!("{}Class", camel_case(list));
    let mut code =
        format!("/// The classes of `{list}.txt`.\n#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\n");
    let _ = writeln!(code, "pub(crate) enum {name} {{");
    for class in classes {
        let _ = writeln!(code, "    /// `[{class}]`.\n    {},", camel_case(class));
    }
    let _ = writeln!(
        code,
        "}}\n\nimpl WordClass for {name} {{\n    fn name(self) -> &'static str {{\n        match self {{"
    );
    for class in classes {
        let _ = writeln!(code, "            Self::{} => {class:?},", camel_case(class));
    }
    code.push_str("        }\n    }\n\n    const SECTIONS: &'static [&'static [Section<Self>]] = &[\n");
    for language in languages {
        let _ = writeln!(code, "        // {}\n        &[", language.code);
        for ListSection { class, argument, entries } in
            language.lists[list].iter().filter(|it| !it.entries.is_empty())
        {
            let class = camel_case(class);
            let entries = entries.join("\n");
            let _ = writeln!(
                code,
                "            Section {{ class: Self::{class}, argument: {argument:?}, entries: {entries:?} }},"
            );
        }
        code.push_str("        ],\n");
    }
    code.push_str("    ];\n}\n\n");
    code
}

/// The languages with what `language.txt` says of them and their lists without classes.
fn language_table(languages: &[LanguageFiles], plain: &[String]) -> String {
    let mut code = format!(
        "/// Every language, English first.\npub static LANGUAGES: [Language; {}] = [\n",
        languages.len()
    );
    for (place, LanguageFiles { code: name, lists }) in languages.iter().enumerate() {
        let about = |class: &str| {
            let section = lists[ABOUT_LANGUAGE].iter().find(|section| section.class == class);
            section.and_then(|section| section.entries.first()).cloned().unwrap_or_default()
        };
        let (letters, stemmer) = (about("letters"), about("stemmer"));
        let _ = writeln!(code, "    Language {{\n        code: {name:?},\n        place: {place},");
        let _ = writeln!(
            code,
            "        telltale_letters: {letters:?},\n        algorithm: Algorithm::{stemmer},"
        );
        code.push_str("        lists: &[\n");
        for list in plain {
            let entries: Vec<&String> = lists[list].iter().flat_map(|section| &section.entries).collect();
            assert!(!entries.is_empty(), "lexicon/{name}/{list}.txt is empty");
            let entries: Vec<&str> = entries.into_iter().map(String::as_str).collect();
            let _ = writeln!(code, "            {:?},", entries.join("\n"));
        }
        code.push_str("        ],\n    },\n");
    }
    code.push_str("];\n");
    code
}

/// `not-yes-no` and `asked_slots` as a type or a variant is called.
fn camel_case(name: &str) -> String {
    let words = name.split([' ', '_', '-']).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}
