//! The committed table of limits says what the code says.

use std::{collections::HashSet, env, fs, path::Path};

/// `CAIRN_UPDATE=1 cargo test -p cairn-engine --test engine limits` writes it anew.
#[test]
fn the_committed_table_of_limits_is_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/LIMITS.md");
    let generated = cairn_engine::limits::limits_document();
    if env::var_os("CAIRN_UPDATE").is_some() {
        fs::write(&path, &generated).expect("written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/LIMITS.md is out of date: run `CAIRN_UPDATE=1 cargo test -p cairn-engine --test engine limits`"
    );
}

#[test]
fn every_limit_has_a_name_of_its_own_and_a_sentence() {
    let limits = cairn_engine::limits::limits(&cairn_engine::Config::default());
    let names: HashSet<&str> = limits.iter().map(|limit| limit.name.as_str()).collect();
    assert_eq!(names.len(), limits.len());
    assert!(limits.len() > 30);
    for limit in &limits {
        assert!(limit.about.ends_with('.') && !limit.about.contains('|'), "{limit:?}");
    }
}
