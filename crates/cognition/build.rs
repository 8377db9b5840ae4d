//! Makes the list of languages out of the folders under `lexicon/`, so that a language is a folder and nothing else. A
//! folder that lacks a list which English has does not build.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

/// The language of a text that gives no evidence: it stands first.
const FIRST: &str = "en";

fn main() {
    let lexicon = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo")).join("lexicon");
    println!("cargo::rerun-if-changed={}", lexicon.display());
    let mut languages: Vec<(String, BTreeMap<String, PathBuf>)> =
        entries(&lexicon).into_iter().map(|(code, folder)| (code, entries(&folder))).collect();
    languages.sort_by_key(|(code, _)| (code != FIRST, code.clone()));
    let needed: Vec<String> = languages[0].1.keys().cloned().collect();
    let mut code = format!(
        "/// Every language, English first.\npub static LANGUAGES: [Language; {}] = [\n",
        languages.len()
    );
    for (place, (name, lists)) in languages.iter().enumerate() {
        for list in &needed {
            assert!(lists.contains_key(list), "lexicon/{name} lacks {list}.txt, which lexicon/{FIRST} has");
        }
        code.push_str(&language(name, place, lists));
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo")).join("languages.rs");
    fs::write(out, code).expect("a file that can be written");
}

/// One row: what `language.txt` says of it, and its other files as they stand.
fn language(name: &str, place: usize, lists: &BTreeMap<String, PathBuf>) -> String {
    let about = fs::read_to_string(&lists["language"]).expect("language.txt");
    let line = |key: &str| {
        about.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')).unwrap_or_default().trim()
    };
    let files: Vec<String> = lists
        .iter()
        .filter(|(list, _)| *list != "language")
        .map(|(list, path)| format!("({list:?}, include_str!({:?}))", path.display().to_string()))
        .collect();
    format!(
        "Language {{ code: {name:?}, place: {place}, telltale_letters: {:?}, algorithm: Algorithm::{}, lists: &[{}] }},\n",
        line("letters"),
        line("stemmer"),
        files.join(", ")
    )
}

/// What stands in a folder, by name without its ending.
fn entries(folder: &Path) -> BTreeMap<String, PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).expect("a folder of the lexicon");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path)).collect()
}
