//! The house rules that a compiler does not check: which crate may know which, how long a file and a function may be,
//! that every formula stands in the documentation.

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, iter,
    path::{Path, PathBuf},
    process::Command,
};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;
const LEXICON_LINE_CHARS: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// Every Rust file of the project's own.
fn sources() -> Vec<(String, String)> {
    let files = texts(&["crates", "fuzz"], &["rs"]);
    assert!(files.len() > 40, "the sources were found");
    files
}

/// The files with these endings below some folders, by their name within the project.
fn texts(folders: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() && !["target", "node_modules"].iter().any(|made| path.ends_with(made)) {
                folders.push(path);
            } else if path.is_file() && endings.contains(&ending) {
                let name = path.strip_prefix(root()).expect("inside").display().to_string();
                files.push((name, fs::read_to_string(&path).expect("readable")));
            }
        }
    }
    files
}

/// The packages that each package needs to be built into the product, directly.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output();
    let metadata: Value = serde_json::from_slice(&output.expect("cargo runs").stdout).expect("metadata");
    let name_of = |id: &Value| {
        let packages = metadata["packages"].as_array().expect("packages");
        let package = packages.iter().find(|package| package["id"] == *id).expect("a package");
        package["name"].as_str().expect("a name").to_owned()
    };
    let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
    let needs = |node: &Value| {
        let dependencies = node["deps"].as_array().expect("deps").iter();
        let built_in = |dependency: &&Value| {
            dependency["dep_kinds"].as_array().expect("kinds").iter().any(|k| k["kind"].is_null())
        };
        dependencies.filter(built_in).map(|dependency| name_of(&dependency["pkg"])).collect()
    };
    nodes.iter().map(|node| (name_of(&node["id"]), needs(node))).collect()
}

fn reaches(arrows: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(package) = open.pop() {
        if package == to {
            return true;
        }
        if seen.insert(package.clone()) {
            open.extend(arrows.get(&package).into_iter().flatten().cloned());
        }
    }
    false
}

#[test]
fn arrows_between_crates_point_one_way() {
    let arrows = arrows();
    for (from, to) in [
        ("cairn-engine", "tokio"),
        ("cairn-engine", "rusqlite"),
        ("cairn", "cairn-engine"),
        ("cairn-store", "cairn-domain"),
        ("cairn-mcp", "cairn-engine"),
        ("cairn", "cairn-mcp"),
        ("cairn", "cairn-proxy"),
        ("cairn-proxy", "cairn-engine"),
        ("cairn", "cairn-operator"),
        ("cairn-operator", "cairn-store"),
        ("cairn", "pdf-extract"),
    ] {
        assert!(
            reaches(&arrows, from, to),
            "{from} → {to} exists; a check that cannot see it proves nothing"
        );
    }
    for (from, to) in [
        ("cairn-domain", "tokio"),
        ("cairn-domain", "rusqlite"),
        ("cairn-domain", "cairn-cognition"),
        ("cairn-cognition", "tokio"),
        ("cairn-cognition", "rusqlite"),
        ("cairn-cognition", "cairn-store"),
        ("cairn-store", "cairn-engine"),
        ("cairn-engine", "clap"),
        ("cairn-engine", "anstream"),
        ("cairn", "cairn-testkit"),
        ("cairn-mcp", "cairn-operator"),
        ("cairn-hook", "cairn-operator"),
        ("cairn-proxy", "cairn-operator"),
        ("cairn-proxy", "cairn-extract"),
        ("cairn-store", "cairn-operator"),
        ("cairn-mcp", "clap"),
        ("cairn-engine", "cairn-operator"),
        ("cairn-engine", "rmcp"),
        ("cairn-engine", "cairn-extract"),
        ("cairn-engine", "pdf-extract"),
        ("cairn-server", "cairn-extract"),
    ] {
        assert!(!reaches(&arrows, from, to), "{from} must not reach {to}");
    }
}

/// An agent's surface may name the handle and the nouns. The store, and whatever an operator may do, stay behind it.
///
/// covers: W-179, X-P10
#[test]
fn the_agents_surface_names_the_handle_and_nothing_behind_it() {
    let arrows = arrows();
    let own = |package: &str| -> Vec<String> {
        let needs = arrows.get(package).expect(package);
        needs.iter().filter(|name| name.starts_with("cairn")).cloned().collect()
    };
    assert!(own("cairn").contains(&"cairn-store".to_owned()), "a check that cannot see it proves nothing");
    let allowed = ["cairn-domain", "cairn-engine", "cairn-wire"];
    for surface in ["cairn-mcp", "cairn-proxy"] {
        assert!(
            own(surface).iter().all(|name| allowed.contains(&name.as_str())),
            "{surface}: {:?}",
            own(surface)
        );
    }
    // What passes the proxy is a captured conversation: its user is the user. Over MCP nobody is.
    for (folder, words) in [
        ("crates/mcp/", ["cairn_store", "cairn_operator", "Role::User"].as_slice()),
        ("crates/proxy/", &["cairn_store", "cairn_operator"]),
    ] {
        for (name, text) in sources().iter().filter(|(name, _)| name.starts_with(folder)) {
            for word in words {
                assert!(!text.contains(word), "{name} names {word}");
            }
        }
    }
}

/// covers: X-L4
#[test]
fn the_diary_is_opened_by_the_command_line_alone() {
    let may = [
        "crates/cli/",
        "crates/engine/",
        "crates/store/",
        "crates/domain/",
        "crates/wire/",
        "crates/testkit/",
        // Names the entries of another product, which it leaves; it has no word for ours.
        "crates/importer/src/reader/mempalace.rs",
    ];
    let named = |text: &str| ["diary", "Diary", "PrivateMemory"].iter().any(|word| text.contains(word));
    let found: Vec<String> =
        sources().into_iter().filter(|(_, text)| named(text)).map(|(name, _)| name).collect();
    assert!(found.len() > 6, "a check that cannot see it proves nothing");
    for name in found {
        assert!(may.iter().any(|crate_| name.starts_with(crate_)), "{name} knows of the diary");
    }
}

#[test]
fn files_and_functions_stay_small_enough_to_hold_in_mind() {
    let mut long = Vec::new();
    for (name, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > FILE_LINES {
            long.push(format!("{name} has {} lines", lines.len()));
        }
        for (begin, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            let is_function = [
                "fn ",
                "pub fn ",
                "pub(crate) fn ",
                "pub(super) fn ",
                "async fn ",
                "pub async fn ",
                "pub(crate) async fn ",
            ];
            if !is_function.iter().any(|start| code.starts_with(start))
                || code.ends_with(';')
                || code.ends_with('}')
            {
                continue;
            }
            let close = format!("{}}}", " ".repeat(line.len() - code.len()));
            let end = lines[begin..].iter().position(|line| **line == close).unwrap_or(0);
            if end + 1 > FUNCTION_LINES {
                long.push(format!("{name}:{} has a function of {} lines", begin + 1, end + 1));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// One entry a line, and long expressions in several, so that a difference between two versions can be read.
#[test]
fn no_line_of_the_lexicon_is_too_long_to_compare() {
    let mut long = Vec::new();
    let mut files = 0;
    let lexicon = fs::read_dir(root().join("crates/cognition/lexicon")).expect("the lexicon").flatten();
    let folders =
        lexicon.map(|language| language.path()).chain([root().join("crates/cognition/judges/cues")]);
    for folder in folders {
        let lists = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
        for list in lists.filter(|path| path.extension().is_some_and(|it| it == "txt")) {
            files += 1;
            let text = fs::read_to_string(&list).expect("a list");
            let lines = text.lines().enumerate();
            let too_long = lines.filter(|(_, line)| line.chars().count() > LEXICON_LINE_CHARS);
            long.extend(too_long.map(|(place, _)| format!("{}:{}", list.display(), place + 1)));
        }
    }
    assert!(files > 80, "the lists were found");
    assert!(long.is_empty(), "longer than {LEXICON_LINE_CHARS} characters:\n{}", long.join("\n"));
}

/// The databases that the importer reads are other products'.
#[test]
fn only_the_store_knows_sql() {
    let knows = ["crates/store", "crates/importer"];
    let others =
        |name: &str| !knows.iter().any(|crate_| name.starts_with(crate_)) && !name.contains("/tests/");
    for (name, text) in sources().iter().filter(|(name, _)| others(name)) {
        for word in ["SELECT ", "INSERT INTO", "rusqlite"] {
            assert!(!text.contains(word), "{name} speaks SQL: {word}");
        }
    }
}

#[test]
fn every_formula_stands_in_the_documentation() {
    let documented = fs::read_to_string(root().join("docs/FORMULAS.md")).expect("docs/FORMULAS.md");
    let mut formulas = 0;
    for (name, text) in sources().iter().filter(|(name, _)| name.starts_with("crates/cognition/src")) {
        let formula = |line: &&str| {
            line.trim_start().starts_with("/// ") && line.contains(" = ") && !line.contains('`')
        };
        for line in text.lines().filter(formula) {
            formulas += 1;
            let formula = line.trim_start().trim_start_matches("/// ");
            assert!(documented.contains(formula), "{name}: `{formula}` is missing from docs/FORMULAS.md");
        }
    }
    assert!(formulas >= 4, "the formulas were found");
}

/// Looking for examples takes rustdoc a pass over a whole crate, so only crates that have some are looked through.
#[test]
fn every_example_in_the_documentation_is_run() {
    let example = |line: &&str| {
        let doc = line.trim_start().strip_prefix("///").or_else(|| line.trim_start().strip_prefix("//!"));
        doc.is_some_and(|doc| doc.trim_start().starts_with("```"))
    };
    let mut with_examples = BTreeSet::new();
    for (name, text) in sources().iter().filter(|(name, _)| name.contains("/src/")) {
        let fences: Vec<&str> = text.lines().filter(example).collect();
        if fences.iter().step_by(2).any(|fence| !fence.ends_with("text")) {
            with_examples.insert(name.split('/').nth(1).expect("a crate").to_owned());
        }
    }
    assert!(with_examples.contains("operator"), "a check that cannot see its proof proves nothing");
    for name in with_examples {
        let manifest = root().join("crates").join(&name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a manifest");
        assert!(!manifest.contains("doctest = false"), "the examples of {name} are not run");
    }
}

#[test]
fn migrations_are_never_edited() {
    let landed = [
        ("0001_foundation.sql", "1b4c17348b6341c3"),
        ("0001_guards.sqlite.sql", "debafc4dff57d42d"),
        ("0001_statistics.sqlite.sql", "85bea01ae59c3cf1"),
        ("0001_guards.postgres.sql", "6335432be67dc8ed"),
        ("0001_keywords.postgres.sql", "52a3d7164de3b0fc"),
        ("0002_vectors.postgres.sql", "3b8dae8391a4d043"),
        ("0002_vectors.sql", "d435b9b31e75e0de"),
        ("0003_guards.postgres.sql", "2af4c26d18c7d677"),
        ("0003_guards.sqlite.sql", "723bdbbfe033f131"),
        ("0003_memories.sql", "d75155cbe65d4337"),
        ("0004_refinement.sql", "e417bfdb3abd1337"),
        ("0005_guards.postgres.sql", "9834468d4c64d376"),
        ("0005_guards.sqlite.sql", "cb067d613e74f512"),
        ("0005_terms.sqlite.sql", "42dd942c64e895ad"),
        ("0006_guards.postgres.sql", "c17d12fe6a786f91"),
        ("0006_guards.sqlite.sql", "7261a2fac2a823fe"),
        ("0006_rhythms.sql", "b2cd283fe7eba41f"),
        ("0007_digests.sql", "a17cc1e0cf868527"),
        ("0007_guards.postgres.sql", "d501dc8595ea63e7"),
        ("0007_guards.sqlite.sql", "d37ec34e51b28779"),
        ("0008_replies.sql", "f635a7106393dde2"),
        ("0009_together.sql", "bdbf35b541396683"),
        ("0010_diary.sql", "de20a0159cb32964"),
        ("0010_guards.postgres.sql", "f1c04315a9643cee"),
        ("0010_guards.sqlite.sql", "4dd8652d947ce11f"),
        ("0011_beliefs.sql", "1b510975242925f3"),
        ("0011_guards.postgres.sql", "55c054c8bd03c014"),
        ("0011_guards.sqlite.sql", "9b0b5f66d3d907e1"),
        ("0012_rowids.sqlite.sql", "8494b8cffffc6a56"),
        ("0013_guards.postgres.sql", "b0b6599f1138d199"),
        ("0013_guards.sqlite.sql", "19b47bd4584d186f"),
        ("0013_operator.sql", "201a1c0ece17b15e"),
        ("0014_citations.sql", "bc724f84a5c20d54"),
        ("0014_figures.sqlite.sql", "938f4e6b0d614c2b"),
        ("0015_consumers.sql", "e9bf64398286fed0"),
        ("0016_belief_terms.sql", "8efc411f55856f04"),
        ("0017_rules.sqlite.sql", "679e6b7fe6e165b1"),
        ("0018_indexes.sql", "0e7b28080c326cb7"),
        ("0018_short_rows.sqlite.sql", "b39cfab3bc238fea"),
        ("0019_figures.sqlite.sql", "ebab0e350897efbb"),
        ("0019_handoffs.sql", "63e56ba8ec62728c"),
        ("0020_attachments.sql", "6d46d4c9f8dd20db"),
        ("0020_figures.sqlite.sql", "75b65b2d7d74b3fc"),
        ("0021_coherence.sql", "15329323ce8a8a53"),
        ("0021_figures.sqlite.sql", "eaae7001cdb5d5fd"),
        ("0022_figures.sqlite.sql", "97740af4fd6a9385"),
        ("0022_proposals.sql", "1a40e4dc4315a457"),
        ("0023_figures.sqlite.sql", "fd96d858e15c218b"),
        ("0023_inquiries.sql", "98c7ea0d50eab07c"),
        ("0024_figures.sqlite.sql", "6e37532619999657"),
        ("0024_standing.sql", "8aa08c52e4975af9"),
        ("0025_figures.sqlite.sql", "d0e11b6aaa18d7a9"),
        ("0025_unfinished.sql", "ac9805019c3086d1"),
        ("0026_figures.sqlite.sql", "17aef27050f3cf50"),
        ("0026_intentions.sql", "c0c9ac7ad0f0705a"),
        ("0027_scaffold.sql", "26f9068c80e5a8a1"),
        ("0028_dynamics.sql", "cb63bc6e0843bbc3"),
        ("0028_figures.sqlite.sql", "66f18d943673221d"),
        ("0030_shown.postgres.sql", "edcdb99c024066d9"),
        ("0030_shown.sqlite.sql", "86f3b808f906941d"),
    ];
    for (file, hash) in landed {
        let text = fs::read(root().join("crates/store/migrations").join(file)).expect(file);
        assert_eq!(fnv1a(&text), hash, "{file} has landed: write a new migration instead");
    }
}

/// The compiler denies it everywhere; these two allow it to themselves, each with its reasons.
#[test]
fn only_two_small_files_are_unsafe() {
    let allowed = ["crates/store/src/files/mapped.rs", "crates/store/src/index/vector/simd.rs"];
    let mut found = Vec::new();
    for (name, text) in sources().into_iter().filter(|(name, _)| !name.ends_with("tidy.rs")) {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let mut words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        if words.any(|word| word == "unsafe" || word == "unsafe_code") {
            assert!(text.contains("SAFETY:"), "{name} does not say why it is sound");
            found.push(name);
        }
    }
    found.sort_unstable();
    assert_eq!(found, allowed);
}

fn fnv1a(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[test]
fn the_project_speaks_only_of_itself() {
    for (name, text) in sources() {
        for word in ["TODO", "FIXME", "/work/", "todo!(", "unimplemented!("] {
            assert!(!text.contains(word) || name.ends_with("tidy.rs"), "{name} holds {word}");
        }
    }
}

/// A merge that was committed half done leaves its marks in documents, which no compiler reads.
#[test]
fn no_merge_is_left_half_done() {
    let marks = ["<".repeat(7), ">".repeat(7)].map(|mark| mark + " ");
    let folders = ["crates", "docs", "scripts", "sdk", "console/src", "packaging", "examples", "fuzz"];
    let endings = [
        "", "rs", "md", "txt", "toml", "json", "jsonl", "py", "ts", "js", "mjs", "svelte", "css", "sql",
        "yml",
    ];
    let mut files = texts(&folders, &endings);
    for name in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Cargo.toml", "run", "test"] {
        files.push((name.to_owned(), fs::read_to_string(root().join(name)).expect(name)));
    }
    assert!(files.iter().any(|(name, _)| name == "docs/ARCHITECTURE.md"), "the documents were found");
    for (name, text) in files {
        let left = text.lines().position(|line| marks.iter().any(|mark| line.starts_with(mark.as_str())));
        assert!(left.is_none(), "{name}:{} holds a mark of a merge", left.unwrap_or_default() + 1);
    }
}

/// A comment that opens with "What" repeats a question instead of answering it: say why, or what always holds.
#[test]
fn no_doc_comment_begins_with_what() {
    let is_documentation =
        |line: &str| ["/// ", "//! "].iter().any(|start| line.trim_start().starts_with(start));
    let says_what =
        |line: &str| ["/// What ", "//! What "].iter().any(|start| line.trim_start().starts_with(start));
    let violations = |text: &str| -> Vec<usize> {
        let before = iter::once("").chain(text.lines());
        let pairs = before.zip(text.lines()).enumerate();
        pairs
            .filter(|(_, (before, line))| says_what(line) && !is_documentation(before))
            .map(|it| it.0 + 1)
            .collect()
    };
    let control =
        "/// Its words.\n/// What follows is a sentence within.\nfn a() {}\n    /// What it says.\nfn b() {}";
    assert_eq!(violations(control), [4], "a check that cannot see it proves nothing");
    let found: Vec<String> = sources()
        .into_iter()
        .flat_map(|(name, text)| {
            violations(&text).into_iter().map(move |line| format!("{name}:{line}")).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "say why, or what holds:\n{}", found.join("\n"));
}

/// The protected half of the store is named by the operator's crate alone: whoever calls it has seen a grant.
///
/// covers: W-169, W-179, I3
#[test]
fn only_the_operator_names_what_is_protected() {
    let may = ["crates/store/src/", "crates/operator/", "crates/testkit/tests/tidy.rs"];
    let protected =
        ["store::protected", ".protected_store(", ".add_operators_key(", ".revoke_operators_key("];
    let named = |text: &str| protected.iter().any(|name| text.contains(name));
    let found: Vec<String> =
        sources().into_iter().filter(|(_, text)| named(text)).map(|(name, _)| name).collect();
    assert!(
        found.iter().any(|name| name.starts_with("crates/operator/")),
        "a check that cannot see it proves nothing"
    );
    for name in found {
        assert!(may.iter().any(|place| name.starts_with(place)), "{name} names what is protected");
    }
    // Rows with lanes and settings, and nobody who answers for them: for a copy that is thrown away.
    let may = [
        "crates/store/src/portable/transfer.rs",
        "crates/engine/src/rhythm/dry_run.rs",
        "crates/testkit/tests/tidy.rs",
    ];
    let copying = sources().into_iter().filter(|(_, text)| text.contains("copy_rows("));
    let copying: Vec<String> = copying.map(|(name, _)| name).collect();
    assert_eq!(copying.len(), may.len(), "{copying:?}");
    assert!(copying.iter().all(|name| may.contains(&name.as_str())), "{copying:?}");
}
