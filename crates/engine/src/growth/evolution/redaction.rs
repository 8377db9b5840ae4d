//! Redaction: words as they may leave for research: without secrets, without what identifies a person, without names of people.

use cairn_cognition::{entity::entities, personal::redact_personal_data, secret::mask};
use cairn_domain::EntityKind;

/// Stands for the name of a person.
const PERSON: &str = "[person]";
/// The folders in which people have theirs.
const HOME_FOLDERS: [&str; 3] = ["/home/", "/Users/", "\\Users\\"];

/// A text without what it must not tell, and how many places were masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redacted {
    pub(super) text: String,
    pub(super) masked: usize,
}

/// The text as it may leave: secrets, personal data, home folders and known names of people are masked, as far as the rules know
/// them.
pub(super) fn redacted(text: &str) -> Redacted {
    let secrets = mask(text);
    let without = redact_personal_data(&secrets.text);
    let mut masked = secrets.found.len() + usize::from(without != secrets.text);
    let mut text = without.into_owned();
    let names: Vec<String> = entities(&text)
        .into_iter()
        .filter(|it| it.kind == EntityKind::Person)
        .filter_map(|it| text.get(it.range).map(str::to_owned))
        .collect();
    for name in names.iter().filter(|name| !name.is_empty()) {
        text = text.replace(name.as_str(), PERSON);
        masked += 1;
    }
    for folder in HOME_FOLDERS {
        masked += mask_home(&mut text, folder);
    }
    Redacted { text, masked }
}

/// Masks the names of people's folders; how many there were.
fn mask_home(text: &mut String, folder: &str) -> usize {
    let mut parts = text.split(folder);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    let mut masked = 0;
    for part in parts {
        let end = part.find(|sign: char| matches!(sign, '/' | '\\') || sign.is_whitespace() || sign == '"');
        rest.push_str(folder);
        rest.push_str(PERSON);
        rest.push_str(&part[end.unwrap_or(part.len())..]);
        masked += 1;
    }
    *text = rest;
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-93
    #[test]
    fn what_leaves_holds_no_secret_no_name_and_no_home() {
        for (text, left) in [
            ("cat /home/mara/tides/a.rs /Users/jon", "cat /home/[person]/tides/a.rs /Users/[person]"),
            ("Ask Emma Clark about the chart.", "Ask [person] about the chart."),
            ("the tide is high", "the tide is high"),
        ] {
            assert_eq!(redacted(text).text, left);
        }
        let secret =
            redacted("export TOKEN=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 and write to emma@example.com");
        assert!(!secret.text.contains("ghp_") && !secret.text.contains("emma@"), "{}", secret.text);
        assert!(secret.masked >= 2, "{secret:?}");
        assert_eq!(redacted("the tide is high").masked, 0);
    }
}
