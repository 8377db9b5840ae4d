//! The value behind the name of a secret, and where it ends.

use std::ops::Range;

/// Longer values are no secrets.
const MAX_VALUE_BYTES: usize = 256;

/// A value behind a name, and whether quotes stand around it.
pub(super) struct NamedValue<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

/// The value that begins at `at`: what is in quotes, or all up to a space.
pub(super) fn value_at(text: &str, at: usize) -> Option<NamedValue<'_>> {
    let rest = window(text, at);
    let escaped = rest.starts_with("\\\"");
    let open = if escaped { 2 } else { usize::from(rest.starts_with(['"', '\'', '`'])) };
    if open == 0 && rest.starts_with(['“', '‘', '«']) {
        let open = rest.chars().next()?.len_utf8();
        let end = rest[open..].find(['”', '’', '»'])?;
        return Some(NamedValue {
            text: &rest[open..open + end],
            range: at + open..at + open + end,
            quoted: true,
        });
    }
    if open > 0 {
        let close = &rest[..open];
        let end = rest[open..].find(close).filter(|end| !rest[open..open + end].contains('\n'))?;
        return Some(NamedValue {
            text: &rest[open..open + end],
            range: at + open..at + open + end,
            quoted: true,
        });
    }
    let ends = |c: char| matches!(c, ' ' | '"' | '\'' | '`' | '<' | '>' | '“' | '”') || c.is_whitespace();
    let end = rest.find(ends).or((rest.len() < MAX_VALUE_BYTES).then_some(rest.len()))?;
    let lead = &text[name_window(text, at)..at];
    let query = lead.rfind(|c: char| c.is_whitespace() || "?&".contains(c));
    let query = query.is_some_and(|place| lead[place..].starts_with(['?', '&']));
    let word = &rest[..end];
    let word = if query { word.split('&').next().unwrap_or_default() } else { word };
    let word = word.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\\', '*', '|']);
    Some(NamedValue { text: word, range: at..at + word.len(), quoted: false })
}

/// The text behind a place, no more of it than a value could need.
pub(super) fn window(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + MAX_VALUE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// Where a name may have begun: a few characters before its end.
pub(super) fn name_window(text: &str, end: usize) -> usize {
    let mut from = end.saturating_sub(48);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    from
}
