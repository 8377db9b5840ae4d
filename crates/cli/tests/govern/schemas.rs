//! The five packets: what the product gives is what their schemas say.

use super::{as_operator, governed, hook, told};
use crate::support::Cairn;
use serde_json::{Value, json};

/// Whether a value is as a schema says; where it is not. What schemas of packets use: types, references, properties, lists,
/// constants and alternatives.
fn differs(value: &Value, schema: &Value, root: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").expect("a definition");
        return differs(value, &root["$defs"][name], root, at);
    }
    if let Some(any) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let fits = any.iter().any(|one| differs(value, one, root, at).is_none());
        return (!fits).then(|| format!("{at}: {value} is none of {any:?}"));
    }
    if let Some(all) = schema["enum"].as_array()
        && !all.contains(value)
    {
        return Some(format!("{at}: {value} is none of {all:?}"));
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Some(format!("{at}: {value} is not {}", schema["const"]));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec![kind],
    };
    if !(types.contains(&kind) || kind == "integer" && types.contains(&"number")) {
        return Some(format!("{at}: {value} is no {types:?}"));
    }
    if let Some(fields) = value.as_object() {
        let known = schema["properties"].as_object().expect("properties");
        if let Some(missing) = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|name| !fields.contains_key(name.as_str().expect("a name")))
        {
            return Some(format!("{at}: {missing} is missing"));
        }
        return fields.iter().find_map(|(name, value)| match known.get(name) {
            Some(schema) => differs(value, schema, root, &format!("{at}.{name}")),
            None => Some(format!("{at}.{name} is not in the schema")),
        });
    }
    let items = value.as_array().into_iter().flatten();
    items.into_iter().find_map(|value| differs(value, &schema["items"], root, at))
}

/// A home in which each packet is there.
fn with_every_packet() -> Cairn {
    let cairn = governed();
    as_operator(&cairn, "operator init");
    cairn.done("remember 'I live in Oslo.' --session s1 --thread home");
    cairn.done("rhythms run beliefs");
    let lease =
        "operator lease publish --objective publish --command 'make deploy' --until 2026-12-01 --actions 9";
    as_operator(&cairn, &format!("{lease} --stop failed --notify both --reason so --yes"));
    assert_eq!(told(&cairn, "s", "make deploy"), "nothing");
    hook(&cairn, "post-tool-use", "s", "Bash", &json!({"command": "make deploy"}));
    assert_eq!(told(&cairn, "s", "git push origin main"), "deny");
    cairn
}

/// Each packet: its name, the command that lists it, the fields around it, and the fields that it must have.
const PACKETS: [(&str, &str, &str, &str, &str); 5] = [
    (
        "state_record",
        "govern record",
        "records",
        "",
        "source status freshness allowed_consumers mutation_policy rollback receipts",
    ),
    (
        "responsibility_lease",
        "govern leases",
        "leases",
        "lease",
        "owner objective commands tools expires_at max_actions stop_conditions notify",
    ),
    (
        "governor_decision",
        "govern explain",
        "decisions",
        "decision",
        "action_class authority mode required_checks rollback_plan",
    ),
    (
        "outcome_event",
        "govern outcomes",
        "outcomes",
        "outcome",
        "intent authority_snapshot observed_effect verification failure_class residual_risk",
    ),
    (
        "maturation_candidate",
        "govern candidates",
        "candidates",
        "",
        "lane evidence_review application_mode later_effect_plan",
    ),
];

/// covers: W-182, W-183, W-184, W-185, W-186
#[test]
fn every_packet_is_what_its_schema_says() {
    let cairn = with_every_packet();
    let schemas: Value = serde_json::from_str(&cairn.done("govern schemas").stdout).expect("JSON");
    assert_eq!(cairn.json("govern schemas"), schemas);
    assert_eq!(schemas.as_object().expect("schemas").len(), PACKETS.len());
    for (name, line, list, inner, fields) in PACKETS {
        let schema = &schemas[name];
        for field in fields.split(' ') {
            assert!(schema["properties"][field].is_object(), "{name} says nothing of {field}: {schema}");
        }
        let listed = cairn.json(line)[list].as_array().expect("a list").clone();
        assert!(!listed.is_empty(), "{line}");
        for one in listed {
            let mut packet = if inner.is_empty() { one } else { one[inner].clone() };
            assert_eq!(differs(&packet, schema, schema, name), None, "{packet}");
            // The check would see a field that nobody declared.
            packet["surprise"] = json!(1);
            assert!(differs(&packet, schema, schema, name).is_some(), "{packet}");
        }
    }
}
