//! The sentences of a text: lines, cut after a stop that a space follows.

use crate::token::tokens;

/// The sentences of a text, without the spaces around them.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let begins: Vec<usize> =
        tokens(text).iter().filter(|token| token.first).map(|token| token.start).collect();
    let mut found = Vec::new();
    let mut begin = 0;
    for next in begins.into_iter().skip(1).chain([text.len()]) {
        let part = &text[begin..next];
        let ended =
            part.trim_end().ends_with(['.', '!', '?', '…']) || part.contains('\n') || next == text.len();
        if ended {
            found.push(part.trim());
            begin = next;
        }
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}
