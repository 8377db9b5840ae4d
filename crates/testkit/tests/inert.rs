//! Nothing inert: what stands in the crates that decide has a caller in the product, and what can be configured is read. A
//! search for names is enough: whoever writes a function that only tests call is told so.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Public functions that the product does not call, and why they stay.
const UNCALLED: [(&str, &str); 2] = [
    ("limits_document", "docs/LIMITS.md is made of it, and a test holds the two together"),
    ("with_language_model", "whoever embeds the engine brings a language model of their own"),
];
/// Keys of the configuration that no code reads, and why they stay.
const UNREAD: [(&str, &str); 1] =
    [("provider", "says of `[language]` that it is a program; there is no other word for it yet")];
/// Where the keys of the configuration are declared.
const CONFIGURATION: [&str; 7] = [
    "crates/engine/src/config.rs",
    "crates/engine/src/proxy_config.rs",
    "crates/engine/src/rhythm/config.rs",
    "crates/engine/src/belief/config.rs",
    "crates/engine/src/read/question/profile.rs",
    "crates/cognition/src/score.rs",
    "crates/cognition/src/bm25.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// The code of the product by file: without tests, comments and the crate that only tests use.
fn product() -> BTreeMap<String, String> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![root().join("crates")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root()).expect("inside").display().to_string();
            let is_test = name.contains("/tests") || name.starts_with("crates/testkit");
            if path.is_dir() && !is_test {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") && !is_test {
                files.insert(name, code_of(&fs::read_to_string(&path).expect("readable")));
            }
        }
    }
    assert!(files.len() > 300, "the sources were found: {}", files.len());
    files
}

/// A file without its test modules and its comments.
fn code_of(text: &str) -> String {
    let (mut code, mut lines) = (String::new(), text.lines());
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let Some(item) = lines.find(|line| !line.trim_start().starts_with("#[")) else { break };
            let end = format!("{}}}", " ".repeat(item.len() - item.trim_start().len()));
            if item.ends_with('{') {
                lines.find(|line| *line == end);
            }
            continue;
        }
        if !line.trim_start().starts_with("//") {
            code.push_str(line.split(" // ").next().unwrap_or_default());
            code.push('\n');
        }
    }
    code
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names that code uses: not where a function is declared, and not where it is only passed on.
fn used_names(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut in_use = false;
    for line in code.lines() {
        let start = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        in_use |= start.trim_start_matches("pub ").starts_with("use ");
        if !in_use {
            let mut before = "";
            for word in words(line) {
                if before != "fn" {
                    names.insert(word);
                }
                before = word;
            }
        }
        in_use &= !line.trim_end().ends_with(';');
    }
    names
}

/// The public functions that code declares.
fn public_functions(code: &str) -> impl Iterator<Item = &str> {
    let declared = code.lines().filter(|line| line.trim_start().starts_with("pub"));
    declared.filter_map(|line| {
        let (before, after) = line.split_once("fn ")?;
        before
            .split_whitespace()
            .all(|word| word.starts_with("pub") || word == "const" || word == "async")
            .then(|| words(after).next())?
    })
}

#[test]
fn every_public_function_of_cognition_and_engine_is_called_by_the_product() {
    let product = product();
    let used: BTreeSet<&str> = product.values().flat_map(|code| used_names(code)).collect();
    let deciding = |name: &str| name.starts_with("crates/cognition/") || name.starts_with("crates/engine/");
    let mut functions = 0;
    let mut uncalled = Vec::new();
    for (file, code) in product.iter().filter(|(file, _)| deciding(file)) {
        for name in public_functions(code) {
            functions += 1;
            if !used.contains(name) && !UNCALLED.iter().any(|(known, _)| *known == name) {
                uncalled.push(format!("{file}: {name}"));
            }
        }
    }
    assert!(functions > 500, "the functions were found: {functions}");
    assert!(uncalled.is_empty(), "only tests call these; call or remove them:\n{}", uncalled.join("\n"));
    for (name, why) in UNCALLED {
        let declared = product.values().any(|code| public_functions(code).any(|known| known == name));
        assert!(declared && !used.contains(name), "`{name}` needs no excuse ({why})");
    }
}

/// The keys that a file declares: the fields of what is read out of a configuration, by their type.
fn keys(code: &str) -> Vec<(String, String)> {
    let (mut found, mut within, mut is_read) = (Vec::new(), None, false);
    for line in code.lines() {
        if line.starts_with("#[derive(") {
            is_read = line.contains("Deserialize");
        }
        if let Some(name) = line.strip_prefix("pub struct ").filter(|_| is_read && line.ends_with('{')) {
            within = words(name).next().map(str::to_owned);
        }
        if line == "}" {
            (within, is_read) = (None, false);
        }
        let key = line.strip_prefix("    pub ").and_then(|field| field.split_once(':'));
        found.extend(within.clone().zip(key.map(|(key, _)| key.to_owned())));
    }
    found
}

/// Code without the functions that only check what was configured.
fn without_checks(code: &str) -> String {
    let (mut rest, mut checking) = (String::new(), None);
    for line in code.lines() {
        let start = line.trim_start();
        let declares = ["fn check(", "fn problem("].iter().any(|name| line.contains(name));
        if checking.is_none() && declares && line.ends_with('{') {
            checking = Some(format!("{}}}", " ".repeat(line.len() - start.len())));
        }
        if checking.is_none() {
            rest.push_str(line);
            rest.push('\n');
        }
        checking = checking.filter(|end| line != end);
    }
    rest
}

/// Whether code reads a key: as a field, or by taking its type apart.
fn reads(code: &str, of: &str, key: &str) -> bool {
    let field = format!(".{key}");
    let is_field = |(at, _): (usize, &str)| {
        let next = code[at + field.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && next != '_' && next != '(')
    };
    let taken_apart = |(at, _): (usize, &str)| {
        let inside = code[at..].split('}').next().unwrap_or_default();
        let after = code[at + inside.len()..].trim_start_matches('}').trim_start();
        words(inside).skip(1).any(|word| word == key) && after.starts_with('=')
    };
    code.match_indices(&field).any(is_field) || code.match_indices(&format!("{of} {{")).any(taken_apart)
}

#[test]
fn every_key_of_the_configuration_is_read_by_the_product() {
    let product = product();
    let code: Vec<String> = product.values().map(|code| without_checks(code)).collect();
    let mut unread = Vec::new();
    let mut all = 0;
    for file in CONFIGURATION {
        for (of, key) in keys(&product[file]) {
            all += 1;
            let excused = UNREAD.iter().any(|(known, _)| *known == key);
            if !excused && !code.iter().any(|code| reads(code, &of, &key)) {
                unread.push(format!("{file}: {of}.{key}"));
            }
        }
    }
    assert!(all > 80, "the keys were found: {all}");
    assert!(unread.is_empty(), "nothing reads these; read or remove them:\n{}", unread.join("\n"));
}

#[test]
fn a_function_that_only_tests_call_is_found_out() {
    let code = code_of(
        "use crate::idle;\npub fn idle() {}\npub fn busy() { work(1) }\n#[cfg(test)]\nmod tests {\n    fn it() { idle() }\n}\n",
    );
    let used = used_names(&code);
    assert_eq!(public_functions(&code).collect::<Vec<_>>(), ["idle", "busy"]);
    assert!(used.contains("work") && !used.contains("idle"), "{used:?}");
    let code = "#[derive(Deserialize)]\npub struct Knobs {\n    pub left: u32,\n    pub right: u32,\n    pub idle: u32,\n}\n\
                fn check(&self) {\n    self.idle;\n}\nlet Knobs { left, .. } = knobs;\nknobs.right;\n";
    let rest = without_checks(code);
    let read: Vec<bool> = keys(code).iter().map(|(of, key)| reads(&rest, of, key)).collect();
    assert_eq!(read, [true, true, false]);
}
