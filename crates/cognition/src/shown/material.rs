//! Material: a text that somebody brings along, behind a request about it or behind words that say whose it is.

use super::{
    label::label_of,
    words::{LabelClass, ShownClass, is_label, shown_classes, shown_matches},
};
use crate::plain::fold;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The line by which a program quotes a mail: "On Tue, 3 Nov 2026, Gita Rao wrote:".
static ATTRIBUTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\d.*\b(?:wrote|schrieb|yazdı|escribió):\s*$|^\W{3,}.*(?:original|forwarded|weitergeleitet|iletilen|reenviado)")
        .expect("a pattern")
});
/// A request is short …
const MAX_REQUEST_BYTES: usize = 240;
/// … and so is what comes before the colon that brings a text along.
const MAX_LEAD_BYTES: usize = 240;
const MAX_LEADS: usize = 4;

/// A line with where it stands.
struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn is_head(&self) -> bool {
        label_of(self.text).is_some_and(|label| is_label(label, LabelClass::Head))
    }
}

/// Where the material of a text stands.
pub(super) fn material(text: &str, sentences: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines: Vec<Line> = text
        .split_inclusive('\n')
        .map(|line| {
            start += line.len();
            Line { text: line, start: start - line.len() }
        })
        .collect();
    let mut found = behind_colons(text, sentences);
    let mut at = 0;
    while at < lines.len() {
        let begins = if lines[at].is_blank() { None } else { material_from(&lines, at) };
        let Some(from) = begins.filter(|from| *from < lines.len()) else {
            at += 1;
            continue;
        };
        let end = (from + 1..lines.len())
            .find(|next| lines[next - 1].is_blank() && returns(lines[*next].text))
            .unwrap_or(lines.len());
        // Whoever asks about a text says nothing by it.
        let begin =
            if from > at && !tells_of_self(lines[at].text) { lines[at].start } else { lines[from].start };
        found.push(begin..lines[end - 1].end());
        at = end;
    }
    found
}

/// The line from which on material stands, if the one at a place is followed by it or opens it.
fn material_from(lines: &[Line], at: usize) -> Option<usize> {
    let next = (at + 1..lines.len()).find(|next| !lines[*next].is_blank());
    if lines[at].is_head() && next.is_some_and(|next| next == at + 1 && lines[next].is_head()) {
        return Some(at);
    }
    if ATTRIBUTION.is_match(lines[at].text) {
        return next;
    }
    let next = next?;
    let parted = next > at + 1;
    let line = lines[at].text.trim();
    if line.len() > MAX_REQUEST_BYTES || is_block(lines[next].text) {
        return None;
    }
    let colon = line.ends_with(':');
    (if colon { introduces(line) } else { parted && asks_about_text(line) }).then_some(next)
}

/// Whether a line opens a block that has marks of its own.
fn is_block(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~") || line.starts_with(['<', '>', '"', '“', '„', '«'])
}

/// The rest of a sentence and of its paragraph behind a colon whose words bring it along.
fn behind_colons(text: &str, sentences: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for sentence in sentences {
        let words = &text[sentence.clone()];
        let colons = words.match_indices(':').map(|(at, _)| at);
        let is_colon = |at: &usize| *at < MAX_LEAD_BYTES && words[at + 1..].starts_with([' ', '\t']);
        let Some(at) = colons.filter(is_colon).take(MAX_LEADS).find(|at| introduces(&words[..=*at])) else {
            continue;
        };
        let behind = sentence.start + at + 1;
        let end = text[behind..].find("\n\n").map_or(text.len(), |length| behind + length);
        let begin = if tells_of_self(&words[..at]) { behind } else { sentence.start };
        found.push(begin..end);
    }
    found
}

/// Whether a lead that ends in a colon brings along what stands behind it.
fn introduces(lead: &str) -> bool {
    let IntroWords { classes, own } = IntroWords::of(lead);
    let has = |class| classes.contains(&class);
    has(ShownClass::Supposes)
        || has(ShownClass::Fiction)
        || !own && (has(ShownClass::Presents) || has(ShownClass::Treats))
        || !own && has(ShownClass::Text) && (has(ShownClass::Points) || has(ShownClass::Definite))
}

/// Whether a paragraph asks something about a text that stands behind it.
fn asks_about_text(paragraph: &str) -> bool {
    let IntroWords { classes, own } = IntroWords::of(paragraph);
    let has = |class| classes.contains(&class);
    let (text, points) = (has(ShownClass::Text), has(ShownClass::Points));
    let asks = paragraph.contains('?');
    has(ShownClass::Fiction) && (has(ShownClass::Treats) || asks)
        || !own && has(ShownClass::Treats) && (text || points)
        || !own && text && points && asks
        || !own && has(ShownClass::Presents) && text
}

/// The words of an introduction.
struct IntroWords {
    classes: Vec<ShownClass>,
    /// It brings along a text of the speaker's own: "my bio".
    own: bool,
}

impl IntroWords {
    fn of(lead: &str) -> Self {
        let (mut classes, mut own) = (Vec::new(), false);
        for found in shown_matches(lead) {
            let before = &lead[..found.range.start];
            own |= found.class == ShownClass::Text && is_own(before, &lead[found.range.clone()]);
            // Whoever tells what he does himself asks for nothing.
            if found.class != ShownClass::Treats || !tells_of_self(before) {
                classes.push(found.class);
            }
        }
        Self { classes, own }
    }
}

/// Whether a text is called the speaker's: "my bio", "my short bio", and not "my colleague's bio".
fn is_own(before: &str, text: &str) -> bool {
    let before = fold(before);
    let mut words = before.split_whitespace().rev();
    let mine = |word: &str| matches!(word, "my" | "mi" | "mis") || word.starts_with("mein");
    let near = words.next().is_some_and(mine)
        || before.split_whitespace().next_back().is_some_and(|word| !word.contains('\''))
            && words.next().is_some_and(mine);
    let text = fold(text);
    let ends = ["imi", "umu", "ime", "uma", "imin", "umun"];
    near || !text.starts_with("yorum") && ends.iter().any(|end| text.len() > 6 && text.ends_with(end))
}

/// Whether somebody has named himself as the one who acts.
fn tells_of_self(before: &str) -> bool {
    let words = fold(before);
    let mut words = words.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let asks = ["can", "could", "may", "should", "would", "kannst", "puedes", "soll"];
    let mut previous = "";
    words.any(|word| {
        let tells =
            matches!(word, "i" | "i'm" | "i've" | "we" | "ich" | "wir" | "yo") && !asks.contains(&previous);
        previous = word;
        tells
    })
}

/// Whether a line begins with words by which somebody speaks for himself again.
fn returns(line: &str) -> bool {
    let line = line.trim_start();
    shown_classes(line).contains(&ShownClass::Returns)
        && shown_matches(line).any(|found| found.class == ShownClass::Returns && found.range.start == 0)
}
