//! Whether two homes gave the same answer: word for word but for times, sizes and the last digits of scores.

use crate::story::told::Told;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Fields that tell how long something took or how much room it takes.
const MEASURED: [&str; 12] = [
    "elapsed_ms",
    "seconds",
    "took_ms",
    "milliseconds",
    "disk_bytes",
    "archive_bytes",
    "index_bytes",
    "freed_bytes",
    "before_bytes",
    "after_bytes",
    "messages_per_second",
    "duration_ms",
];
/// The same in words, and what stands for it. Columns are as wide as the widest of them.
static MASKS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let masks = [
        (r"[0-9.]+ (ms|s|µs|min)\b", "[time]"),
        (r"(:[0-9]{2})\.[0-9]+Z", "${1}Z"),
        (r"archive .* line [0-9]+", "[archive]"),
        (r"operator([: ]+)[0-9a-f]{12}", "operator$1[id]"),
        (r"\([0-9]+ messages/s\)", "[rate]"),
        (r"[0-9]+(\.[0-9]+)? (B|KiB|MiB)\b", "[size]"),
        (r"[0-9]+ of [0-9]+ bytes (are not needed|were given back)", "[space]"),
        (r"([0-9]\.[0-9]{2})[0-9]+", "$1"),
        (r"[ ─]+", " "),
    ];
    masks.map(|(pattern, mask)| (Regex::new(pattern).expect("a pattern"), mask)).into()
});
/// How far a score may be from that of the other store: they add up in another order, and PostgreSQL measures distances in half
/// precision.
const TOLERANCE: f64 = 1e-3;

/// How two answers to one line differ, if they do, or that it failed.
pub(crate) fn difference((folder, server): (&Told, &Told)) -> Option<String> {
    assert_eq!(folder.of_the_place, server.of_the_place);
    let done = (folder.code, server.code) == (0, 0);
    if folder.of_the_place && done {
        return None;
    }
    let same_words = masked(&folder.stderr) == masked(&server.stderr);
    if done && folder.line == server.line && same_words && same_answers(&folder.stdout, &server.stdout) {
        return None;
    }
    let shown =
        |told: &Told| format!("$ cairn {}\n{}{}", told.line, masked(&told.stdout), masked(&told.stderr));
    Some(format!("in a folder:\n{}\non a server:\n{}", shown(folder), shown(server)))
}

fn same_answers(folder: &str, server: &str) -> bool {
    let documents = |text: &str| -> Option<Vec<Value>> {
        text.lines().map(|line| serde_json::from_str(line).ok()).collect()
    };
    match (documents(folder), documents(server)) {
        (Some(folder), Some(server)) => same(&folder.into(), &server.into()),
        _ => masked(folder) == masked(server),
    }
}

fn masked(text: &str) -> String {
    MASKS.iter().fold(text.to_owned(), |text, (pattern, mask)| pattern.replace_all(&text, *mask).into_owned())
}

/// Whether two documents are the same.
fn same(folder: &Value, server: &Value) -> bool {
    match (folder, server) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap_or(f64::NAN), other.as_f64().unwrap_or(f64::NAN));
            (one - other).abs() <= TOLERANCE * one.abs().max(1.0)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.keys().eq(other.keys())
                && one
                    .iter()
                    .all(|(name, value)| MEASURED.contains(&name.as_str()) || same(value, &other[name]))
        }
        (Value::String(one), Value::String(other)) => masked(one) == masked(other),
        _ => folder == server,
    }
}

/// Times and sizes may differ, anything else may not.
#[test]
fn a_difference_is_seen() {
    let told = |stdout: &str| Told {
        line: "recall",
        stdout: stdout.into(),
        stderr: String::new(),
        code: 0,
        of_the_place: false,
        seconds: 0.0,
    };
    for (one, other, alike) in [
        ("3 added, 1.2 s (9 messages/s)", "3 added, 14 s (1 messages/s)", true),
        ("3 added, 1.2 s", "4 added, 1.2 s", false),
        (r#"{"elapsed_ms":1,"score":0.50001}"#, r#"{"elapsed_ms":9,"score":0.5}"#, true),
        (r#"{"hits":["a","b"]}"#, r#"{"hits":["b","a"]}"#, false),
        (r#"{"score":0.52}"#, r#"{"score":0.5}"#, false),
        (r#"{"hits":[]}"#, r#"{"hits":[],"empty":"no"}"#, false),
    ] {
        assert_eq!(difference((&told(one), &told(other))).is_none(), alike, "{one} {other}");
    }
}
