//! The principles of an identity file: what anchors are taken from, what a sentence may be in tension with, and what a proposal is
//! held against.

use crate::sentence::sentences;

/// Maximum principles of a text.
const MAX_PRINCIPLES: usize = 100;

/// The principles of a text: the items of its lists, with the lines that they go on in, or its sentences if it has no list.
/// Headings are none, and signs of emphasis are left out.
pub fn principles(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut prose: Vec<&str> = Vec::new();
    let mut in_item = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            in_item = false;
        } else if let Some(item) = item_of(line) {
            items.push(item.to_owned());
            in_item = true;
        } else if let Some(item) = items.last_mut().filter(|_| in_item) {
            *item = format!("{item} {line}");
        } else {
            prose.push(line);
        }
    }
    if items.is_empty() {
        items = sentences(&prose.join(" ")).into_iter().map(str::to_owned).collect();
    }
    let told = items.into_iter().map(|item| item.replace("**", "").trim().to_owned());
    told.filter(|item| !item.is_empty()).take(MAX_PRINCIPLES).collect()
}

/// The words of a list item: `- Be kind.`, `* Be kind.`, `1. Be kind.`, `2) Be kind.`
fn item_of(line: &str) -> Option<&str> {
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = line.len() - rest.len();
        let is_number = (1..=3).contains(&digits);
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| is_number)
    };
    ["- ", "* ", "+ "].into_iter().find_map(|sign| line.strip_prefix(sign)).or_else(numbered).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-72, W-80
    #[test]
    fn principles_are_the_points_of_the_file_with_the_lines_they_go_on_in() {
        let soul = "# Soul\n\nI am patient.\n\n- **Never** lie.\n* Ask first,\n  whoever it is.\n\n\
                    1. Keep secrets,\nwherever they were told.\n12) Wait.\n## Later\n- Be kind.\n  \nNo point.\n";
        assert_eq!(
            principles(soul),
            [
                "Never lie.",
                "Ask first, whoever it is.",
                "Keep secrets, wherever they were told.",
                "Wait.",
                "Be kind.",
            ]
        );
        assert_eq!(principles("# Soul\n\nI am calm. I wait."), ["I am calm.", "I wait."]);
    }
}
