//! A folder that promises a reading order names each of its modules in it, and none that is not there.

use std::{
    fs,
    path::{Path, PathBuf},
};

const PROMISE: &str = "reading order";

/// The comment at the top of a file of modules, and the modules that it declares.
fn outline(text: &str) -> (String, Vec<String>) {
    let comment = text.lines().filter_map(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join("\n");
    let declared = |line: &str| {
        let visible = ["pub ", "pub(crate) ", "pub(super) "].iter().find_map(|it| line.strip_prefix(it));
        Some(visible.unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    let lines: Vec<&str> = text.lines().collect();
    let shipped = lines.iter().enumerate().filter(|(at, _)| *at == 0 || lines[at - 1] != "#[cfg(test)]");
    (comment, shipped.filter_map(|(_, line)| declared(line)).collect())
}

/// Modules that the comment leaves out, and list items that name no module.
fn mistakes(text: &str) -> Vec<String> {
    let (comment, modules) = outline(text);
    let is_named = |module: &str| {
        [format!("`{module}`"), format!("`{module}()`"), format!("`{module}::")]
            .iter()
            .any(|it| comment.contains(it))
    };
    // A comment that tells the order of types, as that of `domain` does, names no module.
    if !comment.contains(PROMISE) || !modules.iter().any(|module| is_named(module)) {
        return Vec::new();
    }
    let left_out = modules.iter().filter(|module| !is_named(module));
    let mut found: Vec<String> = left_out.map(|module| format!("leaves out `{module}`")).collect();
    let heads = comment.lines().filter_map(|line| line.trim_start().strip_prefix("- `")?.split_once('`'));
    let unknown = heads.filter(|(head, _)| !head.contains(|c: char| c != '_' && !c.is_ascii_lowercase()));
    let unknown = unknown.filter(|(head, _)| !modules.iter().any(|module| module == head));
    found.extend(unknown.map(|(head, _)| format!("names `{head}`, which is not there")));
    found
}

fn module_files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the crates");
    let (mut files, mut folders) = (Vec::new(), vec![crates]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if name == "mod.rs" || name == "lib.rs" {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn a_promised_reading_order_names_every_module() {
    let (mut promises, mut found) = (0, Vec::new());
    for file in module_files() {
        let text = fs::read_to_string(&file).expect("readable");
        promises += usize::from(outline(&text).0.contains(PROMISE));
        found.extend(mistakes(&text).into_iter().map(|mistake| format!("{} {mistake}", file.display())));
    }
    assert!(promises > 15, "a check that sees {promises} promises proves nothing");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The control: a module that is left out and one that was renamed are seen.
#[test]
fn a_stale_reading_order_is_seen() {
    let text = "//! In reading order:\n//! - `intake`: first.\n//! - `prepare_message`: then.\n\nmod intake;\npub(crate) mod prepare;\n";
    let expected = ["leaves out `prepare`", "names `prepare_message`, which is not there"];
    assert_eq!(mistakes(text), expected);
    assert!(mistakes("//! The order of `intake` is free.\n\nmod intake;\nmod prepare;\n").is_empty());
}
