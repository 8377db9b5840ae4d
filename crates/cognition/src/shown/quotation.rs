//! Quotations: words between marks, and lines behind `>`.

use std::ops::Range;

/// A longer stretch between two marks is none: one of them was forgotten.
const MAX_QUOTED_BYTES: usize = 4_000;
/// Fewer words in marks are a name or an emphasis.
const MIN_QUOTED_WORDS: usize = 2;
/// A colon behind at most this many words only says whose the quotation is.
const MAX_LEAD_WORDS: usize = 7;

/// Words between two marks.
struct Quotation {
    /// Without the marks.
    inner: Range<usize>,
    closed: bool,
}

/// The words that a text quotes; a sentence that does nothing but say whose they are belongs to them.
pub(super) fn quotations(text: &str, sentences: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = quoted_lines(text);
    let whole = text.trim();
    for Quotation { inner, closed } in marked(text) {
        let words = &text[inner.clone()];
        // A message that stands in marks as a whole is its sender's.
        if words.len() + 8 >= whole.len() && closed {
            continue;
        }
        let lead = lead_of(text, sentences, inner.start);
        let behind_colon = lead.as_ref().is_some_and(|lead| text[lead.clone()].trim_end().ends_with(':'));
        if !behind_colon && (!closed || words.split_whitespace().count() < MIN_QUOTED_WORDS) {
            continue;
        }
        let lead = lead.filter(|lead| {
            let words = text[lead.clone()].split_whitespace().count();
            behind_colon && words <= MAX_LEAD_WORDS
        });
        // What a form or a page says of somebody stands in marks with its label: “Residence: Oslo”.
        let labeled = words.split_once(": ").is_some_and(|(label, _)| label.split_whitespace().count() <= 3);
        if labeled && !behind_colon {
            found.extend(sentences.iter().find(|it| it.contains(&inner.start)).cloned());
        }
        found.push(lead.map_or(inner.start, |lead| lead.start)..inner.end);
    }
    found
}

/// The words before a quotation in its sentence.
fn lead_of(text: &str, sentences: &[Range<usize>], begin: usize) -> Option<Range<usize>> {
    let sentence = sentences.iter().find(|sentence| sentence.contains(&begin));
    let start = sentence.map_or_else(|| text[..begin].rfind('\n').map_or(0, |at| at + 1), |it| it.start);
    let lead = text[start..begin].trim_end_matches(is_mark);
    (!lead.is_empty()).then(|| start..start + lead.len())
}

/// Lines behind `>`, run by run.
fn quoted_lines(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('>') {
            found.push(at..at + line.len());
        }
        at += line.len();
    }
    found
}

/// The words between marks. Those that are never closed go on to the end.
fn marked(text: &str) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, sign) in text.char_indices() {
        let after = text[at + sign.len_utf8()..].chars().next();
        match open {
            Some((from, mark)) if closes(mark, sign) => {
                // Three marks in a row open as one does.
                if from == at || before == mark && after == Some(mark) {
                    open = Some((at + sign.len_utf8(), mark));
                } else {
                    found.push(Quotation { inner: from..at, closed: true });
                    open = None;
                }
            }
            Some((from, _)) if at - from > MAX_QUOTED_BYTES => open = None,
            None if opens(sign, before, after) => open = Some((at + sign.len_utf8(), sign)),
            Some(_) | None => {}
        }
        before = sign;
    }
    found.extend(open.map(|(from, _)| Quotation { inner: from..text.len(), closed: false }));
    found
}

fn is_mark(sign: char) -> bool {
    matches!(sign, '"' | '“' | '”' | '„' | '«' | '»')
}

fn opens(sign: char, before: char, after: Option<char>) -> bool {
    match sign {
        // Behind a digit it is inches, behind a letter it closes.
        '"' => !before.is_alphanumeric() && after.is_some_and(|after| !after.is_whitespace()),
        '“' | '„' | '«' => true,
        _ => false,
    }
}

fn closes(mark: char, sign: char) -> bool {
    match mark {
        '“' => sign == '”',
        '„' => matches!(sign, '“' | '”'),
        '«' => sign == '»',
        _ => sign == '"',
    }
}
