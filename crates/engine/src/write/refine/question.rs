//! The question to a language model about a message, and the form of its answer.

use cairn_domain::{Category, EntityKind, RelationKind, Time};
use cairn_models::ModelRequest;
use serde::Deserialize;
use serde_json::{Value, json};

const REFINE: &str = include_str!("../../../prompts/refine.txt");
const MERGE: &str = include_str!("../../../prompts/merge.txt");
const DIGEST: &str = include_str!("../../../prompts/digest.txt");
/// A longer fact is no single one.
pub(super) const MAX_FACT_CHARS: usize = 500;
/// Facts that are taken from one message.
pub(super) const MAX_FACTS: usize = 8;
/// Relations among them and what is known.
const MAX_RELATIONS: usize = 8;
/// Names in one fact.
const MAX_ENTITIES: usize = 8;
const MAX_NAME_CHARS: usize = 80;
/// The longest answer.
const MAX_ANSWER_TOKENS: u32 = 1_500;
/// The relations that a model may see.
const RELATION_KINDS: [RelationKind; 3] =
    [RelationKind::Causes, RelationKind::Elaborates, RelationKind::Contradicts];

/// A model's answer about a message.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct ModelAnswer {
    pub(super) facts: Vec<ModelFact>,
    pub(super) relations: Vec<ModelRelation>,
}

/// A fact, as a model words it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ModelFact {
    pub(super) text: String,
    pub(super) says_again: Option<String>,
    pub(super) category: Category,
    pub(super) entities: Vec<ModelEntity>,
    pub(super) valid_until: Option<String>,
}

/// A name in a fact.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ModelEntity {
    pub(super) name: String,
    pub(super) kind: EntityKind,
}

/// A relation, as a model sees it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ModelRelation {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) kind: RelationKind,
    pub(super) confidence: f64,
}

/// The content of the question about a message.
pub(super) struct RefineQuestion<'a> {
    pub(super) said_at: Time,
    pub(super) speaker: &'a str,
    /// Who spoke before, and what was said.
    pub(super) before: Option<(&'a str, &'a str)>,
    /// The message, with the dates its times mean.
    pub(super) message: &'a str,
    /// The memories it became: `m1`, `m2`, …
    pub(super) memories: Vec<&'a str>,
    /// Memories known before: `k1`, `k2`, …
    pub(super) known: Vec<&'a str>,
}

/// The question what a message says.
pub(super) fn facts_question(about: &RefineQuestion<'_>) -> ModelRequest {
    let numbered = |letter: char, texts: &[&str]| -> Value {
        let item = |(at, text): (usize, &&str)| json!({"id": format!("{letter}{}", at + 1), "text": text});
        texts.iter().enumerate().map(item).collect()
    };
    let content = json!({
        "said_on": about.said_at.day().to_string(),
        "speaker": about.speaker,
        "before": about.before.map(|(speaker, text)| json!({"speaker": speaker, "text": text})),
        "message": about.message,
        "memories": numbered('m', &about.memories),
        "known": numbered('k', &about.known),
    });
    ModelRequest {
        instructions: REFINE.trim_end().to_owned(),
        content: content.to_string(),
        schema: facts_schema(),
        schema_name: "facts",
        most_tokens: MAX_ANSWER_TOKENS,
        pictures: Vec::new(),
    }
}

/// The question how several texts are said in one.
pub(crate) fn merge_question(texts: &[&str]) -> ModelRequest {
    let longest: usize = texts.iter().map(|text| text.chars().count() + 40).sum();
    ModelRequest {
        instructions: MERGE.trim_end().to_owned(),
        content: json!({"texts": texts}).to_string(),
        schema: object_schema(&json!({"text": {"type": "string", "maxLength": longest}})),
        schema_name: "text",
        most_tokens: MAX_ANSWER_TOKENS,
        pictures: Vec::new(),
    }
}

/// The question how the lines of a digest are said as a paragraph.
pub(crate) fn prose_question(about: &str, lines: &[&str]) -> ModelRequest {
    let longest: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
    ModelRequest {
        instructions: DIGEST.trim_end().to_owned(),
        content: json!({"about": about, "lines": lines}).to_string(),
        schema: object_schema(&json!({"text": {"type": "string", "maxLength": longest}})),
        schema_name: "text",
        most_tokens: MAX_ANSWER_TOKENS,
        pictures: Vec::new(),
    }
}

fn facts_schema() -> Value {
    let words = |all: &[&str]| json!({"type": "string", "enum": all});
    let categories = Category::ALL.map(Category::as_str);
    let entity = object_schema(&json!({
        "name": {"type": "string", "maxLength": MAX_NAME_CHARS},
        "kind": words(&EntityKind::ALL.map(EntityKind::as_str)),
    }));
    let fact = object_schema(&json!({
        "text": {"type": "string", "maxLength": MAX_FACT_CHARS},
        "says_again": {"type": ["string", "null"], "maxLength": 8},
        "category": words(&categories),
        "entities": {"type": "array", "items": entity, "maxItems": MAX_ENTITIES},
        "valid_until": {"type": ["string", "null"], "maxLength": 10},
    }));
    let relation = object_schema(&json!({
        "from": {"type": "string", "maxLength": 8},
        "to": {"type": "string", "maxLength": 8},
        "kind": words(&RELATION_KINDS.map(RelationKind::as_str)),
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    }));
    object_schema(&json!({
        "facts": {"type": "array", "items": fact, "maxItems": MAX_FACTS},
        "relations": {"type": "array", "items": relation, "maxItems": MAX_RELATIONS},
    }))
}

/// An object that has all these properties and no other.
fn object_schema(properties: &Value) -> Value {
    let names: Vec<&String> = properties.as_object().map(|all| all.keys().collect()).unwrap_or_default();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}
