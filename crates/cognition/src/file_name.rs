//! Files that a text names: paths, and names with the ending of a file that people edit.

use regex::Regex;
use std::sync::LazyLock;

/// Endings by which a bare name is a file's.
const ENDINGS: &str = "rs|py|ts|tsx|js|jsx|mjs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|sql|toml|yaml|yml|json|jsonl|md|txt|csv|tsv|html|css|pdf|docx|xlsx|ipynb|lock|ini|cfg|env";

static FILE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?:^|[\s\x22'(`\[“@])((?:~?/)?(?:[\w.@-]+/)*[\w-][\w.-]*\.(?:{ENDINGS}))(?:$|[\s\x22')`\],:;.!?”])"
    );
    Regex::new(&pattern).expect("a pattern")
});

/// The files that a text names, in their order, each once.
pub fn file_names(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut at = 0;
    // Two names may share the sign between them.
    while let Some(captured) = FILE.captures_at(text, at) {
        let Some(name) = captured.get(1) else { break };
        if !found.contains(&name.as_str()) {
            found.push(name.as_str());
        }
        at = name.end();
    }
    found
}

/// Whether two paths may name the same file: the shorter one is the end of the longer one.
pub fn may_be_same_file(one: &str, other: &str) -> bool {
    let parts = |path| str::rsplit(path, ['/', '\\']).filter(|part| !matches!(*part, "" | "." | "~"));
    parts(one).next().is_some()
        && parts(other).next().is_some()
        && parts(one).zip(parts(other)).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::{file_names, may_be_same_file};

    /// covers: C-261
    #[test]
    fn a_path_may_be_written_shorter() {
        for (one, other, same) in [
            ("/home/mara/tides/src/ledger.rs", "src/ledger.rs", true),
            ("ledger.rs", "./src/ledger.rs", true),
            ("/home/mara/tides/src/ledger.rs", "lib/ledger.rs", false),
            ("src/ledger.rs", "ledger", false),
            ("C:\\tides\\src\\ledger.rs", "src/ledger.rs", true),
            ("docs/", "/home/mara/tides/docs", true),
            ("/", "src/ledger.rs", false),
            ("", "", false),
        ] {
            assert_eq!(may_be_same_file(one, other), same, "{one} {other}");
            assert_eq!(may_be_same_file(other, one), same, "{other} {one}");
        }
    }

    /// covers: W-27
    #[test]
    fn files_are_known_by_their_paths_and_endings() {
        for (text, files) in [
            ("I changed src/main.rs and `Cargo.toml`.", &["src/main.rs", "Cargo.toml"][..]),
            ("See ~/notes/plan.md, then /etc/app.toml!", &["~/notes/plan.md", "/etc/app.toml"]),
            ("a.py b.py a.py", &["a.py", "b.py"]),
            ("Look at https://example.com/index.html please", &[]),
            ("We met at 10.30, e.g. in Lisbon.", &[]),
        ] {
            assert_eq!(file_names(text), files, "{text}");
        }
    }
}
