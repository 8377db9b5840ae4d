//! A schema names exactly the fields that are written.

use super::*;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The schema of what is written.
fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn names(schema: &Value, of: &str) -> Vec<String> {
    let list = &schema[of];
    match list {
        Value::Object(fields) => fields.keys().cloned().collect(),
        Value::Array(names) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_schema_names_fields_as_they_are_written() {
    let hit = schema::<Hit>();
    let required = names(&hit, "required");
    for field in ["ref", "kind", "text", "score", "at", "session", "thread", "source_ids", "why"] {
        assert!(required.contains(&field.to_owned()), "{field}: {hit}");
    }
    let recall = schema::<Recall>();
    assert!(!names(&recall, "required").contains(&"empty".to_owned()), "only of an answer that is empty");
    assert!(names(&recall, "properties").contains(&"empty".to_owned()));
}

#[test]
fn words_and_refs_are_told_apart_by_their_schemas() {
    let memory = schema::<Memory>();
    assert_eq!(memory["$defs"]["MemoryId"]["pattern"], "^mem_[0-9a-z]{26}$");
    assert!(memory["$defs"]["Tier"].to_string().contains("dormant"), "{memory}");
    assert_eq!(memory["$defs"]["Time"]["type"], "string");
}

#[test]
fn a_question_that_says_too_much_or_too_little_is_refused() {
    let config = cairn_engine::Config::default();
    let read = |text: &str| serde_json::from_str::<RecallRequest>(text);
    assert!(read(r#"{"query":"x","hits":3}"#).is_err(), "an unknown field is a mistake");
    assert!(read("{}").is_err(), "there is nothing to answer");
    let question = read(r#"{"query":"x"}"#).expect("a question").question(&config).expect("fits");
    assert_eq!((question.text.as_str(), question.k), ("x", 10));
    let both = TimelineRequest { query: Some("a".into()), reference: Some("b".into()), ..Default::default() };
    assert!(both.timeline().is_err());
}
