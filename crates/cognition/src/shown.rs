//! Shown words: what stands in somebody's message and is not their own statement. People quote, paste, forward, report and
//! suppose; what they show that way is somebody else's word, whoever sent the message. It is told by the form: quotation
//! marks, quoted lines, heads of mails, labels of speakers, comments, letters that cannot be seen, a request about a text
//! and the text behind it; and by a few words beside the form (`lexicon/shown.txt`). Being taken for shown costs words
//! their authority and nothing else, so doubt speaks for it.

mod disguise;
mod label;
mod material;
mod quotation;
mod words;

use crate::sentence::sentence_ranges;
use std::{borrow::Cow, ops::Range};
use words::{ShownClass, shown_classes};

/// The share of the letters of a statement that is shown, from which on all of it is …
const MIN_SHOWN_SHARE: f64 = 0.6;
/// … or some of it: what it says by the rest is its speaker's, and what it seems to state may not be.
const MIN_PARTLY_SHOWN_SHARE: f64 = 0.2;
/// Only this much of a message is read for it.
const MAX_READ_BYTES: usize = 64 << 10;
const MAX_READ_SENTENCES: usize = 400;

/// How far a statement is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownPart {
    /// Its speaker says it.
    Nothing,
    /// Its speaker says it around words of somebody else.
    Some,
    /// It is somebody else's.
    Most,
}

/// The places of a text that are shown.
#[derive(Debug)]
pub struct ShownWords<'t> {
    text: &'t str,
    /// In order, none touching the next.
    ranges: Vec<Range<usize>>,
}

impl<'t> ShownWords<'t> {
    /// The words that a person's message shows.
    pub fn of(text: &'t str) -> Self {
        let read = &text[..text.floor_char_boundary(MAX_READ_BYTES)];
        let mut sentences = sentence_ranges(read);
        sentences.truncate(MAX_READ_SENTENCES);
        let read = &read[..sentences.last().map_or(0, |last| last.end)];
        let mut ranges = quotation::quotations(read, &sentences);
        ranges.extend(label::labeled_talk(read));
        ranges.extend(material::material(read, &sentences));
        ranges.extend(disguise::comments(read));
        let is_shown = |sentence: &&Range<usize>| {
            let sentence = &read[(*sentence).clone()];
            disguise::is_disguised(sentence) || is_only_supposed(sentence)
        };
        ranges.extend(sentences.iter().filter(is_shown).cloned());
        // Material that goes on where reading stops goes on to the end.
        for range in ranges.iter_mut().filter(|range| range.end == read.len()) {
            range.end = text.len();
        }
        Self { text, ranges: merged(ranges) }
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How far some words of the text are shown, wherever they stand in it.
    pub fn hold(&self, words: &str) -> ShownPart {
        if self.is_empty() {
            return ShownPart::Nothing;
        }
        // What was said in several paragraphs may have lost the blank lines between them.
        let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
        let (shown, all) = lines.fold((0, 0), |(shown, all), line| {
            let least =
                self.text.match_indices(line).map(|(at, _)| self.shown_letters(at..at + line.len())).min();
            (shown + least.unwrap_or(0), all + letters(line))
        });
        let share = shown as f64 / all.max(1) as f64;
        match share {
            _ if share >= MIN_SHOWN_SHARE => ShownPart::Most,
            _ if share >= MIN_PARTLY_SHOWN_SHARE => ShownPart::Some,
            _ => ShownPart::Nothing,
        }
    }

    /// The text without what is shown.
    pub fn own_words(&self) -> Cow<'t, str> {
        if self.is_empty() {
            return Cow::Borrowed(self.text);
        }
        let mut own = String::with_capacity(self.text.len());
        let mut at = 0;
        for range in &self.ranges {
            own.push_str(&self.text[at..range.start]);
            own.push(' ');
            at = range.end;
        }
        own.push_str(&self.text[at..]);
        Cow::Owned(own)
    }

    /// The letters in a range that are shown.
    fn shown_letters(&self, range: Range<usize>) -> usize {
        let within = self.ranges.iter().filter_map(|shown| {
            let both = shown.start.max(range.start)..shown.end.min(range.end);
            (both.start < both.end).then(|| letters(&self.text[both]))
        });
        within.sum()
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Whether a sentence supposes something, tells what somebody else holds of the speaker, or speaks of them to whoever
/// remembers, as somebody else would.
fn is_only_supposed(sentence: &str) -> bool {
    let classes = shown_classes(sentence);
    [ShownClass::Supposes, ShownClass::Doubts, ShownClass::Outsider]
        .iter()
        .any(|class| classes.contains(class))
}

/// Ranges in order, those that touch as one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests;
