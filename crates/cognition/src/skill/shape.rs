//! The shape of a call: which arguments it has and of which kind, without their values.

use std::fmt::Write as _;

/// Arguments that a shape names.
const MAX_ARGUMENTS: usize = 12;

/// The arguments at the top of a call, each with its kind: `{"command":"ls","timeout":5}` is `command:text(2) timeout:number`. Of a
/// call that is cut short, those that are there.
pub fn argument_shape(call: &str) -> String {
    let Some(begin) = call.find('{') else { return String::new() };
    let mut shape = String::new();
    let mut rest = call[begin + 1..].trim_start_matches([' ', '\n']);
    for _ in 0..MAX_ARGUMENTS {
        let Some((name, after)) = rest.strip_prefix('"').and_then(text_end) else { break };
        let Some(value) = after.trim_start().strip_prefix(':').map(str::trim_start) else { break };
        let (kind, after) = kind_of(value);
        if !shape.is_empty() {
            shape.push(' ');
        }
        let _ = write!(shape, "{name}:{kind}");
        rest = after.trim_start().trim_start_matches(',').trim_start();
    }
    shape
}

/// The text up to the quotation mark that ends it, and what follows.
fn text_end(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, sign) in text.char_indices() {
        match sign {
            '"' if !escaped => return Some((&text[..at], &text[at + 1..])),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// The kind of a value, and what follows it.
fn kind_of(value: &str) -> (String, &str) {
    match value.chars().next() {
        Some('"') => match text_end(&value[1..]) {
            Some((text, after)) => (format!("text({})", text.chars().count()), after),
            None => ("text".to_owned(), ""),
        },
        Some('[') => ("list".to_owned(), nested_end(value)),
        Some('{') => ("object".to_owned(), nested_end(value)),
        Some(sign) => {
            let end = value.find([',', '}']).unwrap_or(value.len());
            let kind = if sign.is_ascii_digit() || sign == '-' { "number" } else { "flag" };
            (kind.to_owned(), &value[end..])
        }
        None => ("nothing".to_owned(), ""),
    }
}

/// The text behind a list or an object.
fn nested_end(value: &str) -> &str {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (at, sign) in value.char_indices() {
        match sign {
            '"' if !escaped => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        escaped = sign == '\\' && !escaped;
        if depth == 0 {
            return &value[at + sign.len_utf8()..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-83
    #[test]
    fn a_shape_names_arguments_and_no_value() {
        for (call, shape) in [
            (r#"Bash {"command":"cargo test","timeout":5000}"#, "command:text(10) timeout:number"),
            (
                r#"Edit {"file_path":"a \"b\"","edits":[{"old":"]"}],"all":true}"#,
                "file_path:text(7) edits:list all:flag",
            ),
            (r#"Write {"file_path":"a","content":"xxx … cut"#, "file_path:text(1) content:text"),
            ("Bash", ""),
            ("Task {", ""),
        ] {
            assert_eq!(argument_shape(call), shape);
        }
    }
}
