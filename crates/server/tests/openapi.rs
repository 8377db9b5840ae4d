//! The committed document says what the code says.

use std::{env, fs, path::Path};

/// `CAIRN_UPDATE=1 cargo test -p cairn-server --test openapi` writes it anew.
#[test]
fn the_committed_document_is_what_is_served() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let served = cairn_server::document();
    if env::var_os("CAIRN_UPDATE").is_some() {
        fs::write(&path, served).expect("written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == served,
        "docs/openapi.json is not what is served: run this test with CAIRN_UPDATE=1"
    );
}

#[test]
fn every_schema_that_is_named_is_there() {
    let document: serde_json::Value = serde_json::from_str(cairn_server::document()).expect("JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let text = document.to_string();
    let named = text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next());
    let mut count = 0;
    for name in named {
        count += 1;
        assert!(schemas.contains_key(name), "{name} is named and missing");
    }
    assert!(count > 30, "{count} names");
    assert!(!text.contains("#/$defs"), "a schema points outside the document");
}
