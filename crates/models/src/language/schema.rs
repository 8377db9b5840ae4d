//! Validates values against the subset of JSON Schema that requests to language models use.
//!
//! `type` (one or several), `enum`, `properties`, `required`, `additionalProperties`, `items`, `maxItems`, `maxLength`,
//! `minimum`, `maximum`; `title` and `description` are for the model. A schema with any other rule
//! rejects every value: a rule that is not checked must not look as if it were.
//!
//! Errors name the place and the rule, never the value: what a model says may be private, or hostile.

use serde_json::{Map, Value};

/// How a model that takes no schema is told the shape of its answer.
pub(crate) const SCHEMA_PROMPT: &str = include_str!("../../prompts/schema.txt");

/// Validates the value; the error says where and why it is invalid.
pub(crate) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    at("$", schema, value)
}

fn at(place: &str, schema: &Value, value: &Value) -> Result<(), String> {
    let Value::Object(rules) = schema else { return Err(format!("{place}: the schema is not an object")) };
    for (rule, wants) in rules {
        let fits = match (rule.as_str(), wants) {
            ("title" | "description", _) => true,
            ("type", Value::String(name)) => is_a(name, value),
            ("type", Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).any(|name| is_a(name, value))
            }
            ("enum", Value::Array(known)) => known.contains(value),
            ("maxLength", Value::Number(most)) => match value {
                Value::String(text) => most.as_u64().is_some_and(|most| text.chars().count() as u64 <= most),
                _ => true,
            },
            ("maxItems", Value::Number(most)) => match value {
                Value::Array(items) => most.as_u64().is_some_and(|most| items.len() as u64 <= most),
                _ => true,
            },
            ("minimum", Value::Number(least)) => {
                compared(value, least.as_f64(), |value, least| value >= least)
            }
            ("maximum", Value::Number(most)) => compared(value, most.as_f64(), |value, most| value <= most),
            ("required", Value::Array(keys)) => match value {
                Value::Object(object) => {
                    keys.iter().all(|key| key.as_str().is_some_and(|key| object.contains_key(key)))
                }
                _ => true,
            },
            ("additionalProperties", Value::Bool(_)) => only_known_keys(rules, value),
            ("properties", Value::Object(properties)) => {
                members(place, properties, value)?;
                true
            }
            ("items", items) => {
                elements(place, items, value)?;
                true
            }
            _ => return Err(format!("{place}: the schema has a `{rule}` that is not understood")),
        };
        if !fits {
            return Err(format!("{place}: it does not fit `{rule}`"));
        }
    }
    Ok(())
}

/// A number that is written as a whole one is an integer; one written with a point is not, whatever follows it.
fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn compared(value: &Value, bound: Option<f64>, fits: impl Fn(f64, f64) -> bool) -> bool {
    match (value.as_f64(), bound) {
        (Some(value), Some(bound)) => fits(value, bound),
        (None, _) => true,
        (_, None) => false,
    }
}

fn only_known_keys(rules: &Map<String, Value>, value: &Value) -> bool {
    let open = rules.get("additionalProperties") == Some(&Value::Bool(true));
    let known = |key: &String| rules.get("properties").and_then(|known| known.get(key)).is_some();
    open || value.as_object().is_none_or(|object| object.keys().all(known))
}

fn members(place: &str, properties: &Map<String, Value>, value: &Value) -> Result<(), String> {
    let Value::Object(object) = value else { return Ok(()) };
    for (key, schema) in properties {
        if let Some(member) = object.get(key) {
            at(&format!("{place}.{key}"), schema, member)?;
        }
    }
    Ok(())
}

fn elements(place: &str, items: &Value, value: &Value) -> Result<(), String> {
    let Value::Array(elements) = value else { return Ok(()) };
    elements
        .iter()
        .enumerate()
        .try_for_each(|(index, element)| at(&format!("{place}[{index}]"), items, element))
}

/// The schema without string lengths: OpenAI refuses them, and they make a grammar too large for llama.cpp. They are
/// validated here in any case.
pub(crate) fn without_lengths(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let mut open = vec![&mut schema];
    while let Some(part) = open.pop() {
        let Value::Object(rules) = part else { continue };
        rules.remove("maxLength");
        for (rule, part) in rules {
            match (rule.as_str(), part) {
                ("properties", Value::Object(properties)) => open.extend(properties.values_mut()),
                ("items", items) => open.push(items),
                _ => {}
            }
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts() -> Value {
        json!({
            "type": "object",
            "description": "what was said",
            "properties": {
                "facts": {
                    "type": "array",
                    "maxItems": 2,
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {"type": "string", "maxLength": 5},
                            "kind": {"enum": ["fact", "wish", null]},
                            "weight": {"type": "number", "minimum": 0, "maximum": 1},
                        },
                        "required": ["text", "kind"],
                        "additionalProperties": false,
                    },
                },
                "count": {"type": ["integer", "null"], "minimum": -3},
                "done": {"type": "boolean"},
            },
            "required": ["facts"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn a_value_fits_or_the_place_and_the_rule_are_told() {
        let fact = |text: &str| json!({"text": text, "kind": "fact"});
        for (value, verdict) in [
            (json!({"facts": []}), Ok(())),
            (json!({"facts": [fact("çayır"), fact("")], "count": -3, "done": true}), Ok(())),
            (json!({"facts": [{"text": "", "kind": null, "weight": 1}], "count": null}), Ok(())),
            (json!([]), Err("$: it does not fit `type`")),
            (json!(null), Err("$: it does not fit `type`")),
            (json!({}), Err("$: it does not fit `required`")),
            (json!({"facts": {}}), Err("$.facts: it does not fit `type`")),
            (json!({"facts": [], "IGNORE ALL": 1}), Err("$: it does not fit `additionalProperties`")),
            (json!({"facts": [1]}), Err("$.facts[0]: it does not fit `type`")),
            (
                json!({"facts": [fact("a"), fact("ninety")]}),
                Err("$.facts[1].text: it does not fit `maxLength`"),
            ),
            (json!({"facts": [fact("a"), fact("b"), fact("c")]}), Err("$.facts: it does not fit `maxItems`")),
            (json!({"facts": [{"text": "a"}]}), Err("$.facts[0]: it does not fit `required`")),
            (
                json!({"facts": [{"text": "a", "kind": "lie"}]}),
                Err("$.facts[0].kind: it does not fit `enum`"),
            ),
            (
                json!({"facts": [{"text": "a", "kind": "fact", "weight": 1.01}]}),
                Err("$.facts[0].weight: it does not fit `maximum`"),
            ),
            (json!({"facts": [], "count": -4}), Err("$.count: it does not fit `minimum`")),
            (json!({"facts": [], "count": 1.0}), Err("$.count: it does not fit `type`")),
            (json!({"facts": [], "done": "true"}), Err("$.done: it does not fit `type`")),
        ] {
            assert_eq!(check(&facts(), &value), verdict.map_err(str::to_owned), "{value}");
        }
    }

    #[test]
    fn a_rule_that_is_not_checked_fits_nothing() {
        for schema in [
            json!({"pattern": "^a$"}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}),
            json!({"type": 1}),
            json!({"maxLength": "5"}),
            json!({"additionalProperties": {"type": "string"}}),
            json!(true),
        ] {
            assert!(check(&schema, &json!({"a": 1})).is_err(), "{schema}");
        }
        assert!(check(&json!({"type": "text"}), &json!("a")).is_err());
    }

    #[test]
    fn lengths_are_left_out_at_every_depth_and_nothing_else_is() {
        let mut without = facts();
        without["properties"]["facts"]["items"]["properties"]["text"] = json!({"type": "string"});
        assert_eq!(without_lengths(&facts()), without);
        let named =
            json!({"type": "object", "properties": {"maxLength": {"type": "string", "maxLength": 3}}});
        let left = json!({"type": "object", "properties": {"maxLength": {"type": "string"}}});
        assert_eq!(without_lengths(&named), left, "a property may have any name");
    }
}
