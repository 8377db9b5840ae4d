//! A text, read once: its sentences, its words and the languages it may be in. Everything that looks at the same text takes
//! its reading instead of reading it again; each part is found when it is first asked for.
//!
//! Terms of the keyword index are made by [`crate::keywords`] alone: they are stored, so they follow rules of their own.

use crate::{
    language::{Language, likely_languages},
    sentence::sentence_ranges,
    token::{Token, push_tokens, read},
};
use std::{cell::OnceCell, ops::Range};

/// A text with what was found in it.
#[derive(Clone)]
pub struct Reading<'t> {
    whole: &'t str,
    sentences: OnceCell<Vec<Range<usize>>>,
    tokens: OnceCell<Vec<Token<'t>>>,
    languages: OnceCell<&'static [Language]>,
}

impl<'t> Reading<'t> {
    /// The reading of a text.
    pub fn of(text: &'t str) -> Self {
        Self { whole: text, sentences: OnceCell::new(), tokens: OnceCell::new(), languages: OnceCell::new() }
    }

    /// The whole text, also what is not read of it.
    pub fn whole_text(&self) -> &'t str {
        self.whole
    }

    /// The head of the text that is read.
    pub fn text(&self) -> &'t str {
        read(self.whole)
    }

    pub(crate) fn sentence_ranges(&self) -> &[Range<usize>] {
        self.sentences.get_or_init(|| sentence_ranges(self.text()))
    }

    /// The sentences in order, without the white space around them.
    pub fn sentences(&self) -> impl Iterator<Item = &'t str> {
        let text = self.text();
        self.sentence_ranges().iter().map(|range| &text[range.clone()])
    }

    /// The sentences of its first `bytes` bytes.
    pub(crate) fn sentences_within(&self, bytes: usize) -> impl Iterator<Item = &'t str> {
        let text = self.text();
        let end = text.floor_char_boundary(bytes);
        let within = self.sentence_ranges().iter().take_while(move |range| range.start < end);
        within.map(move |range| &text[range.start..range.end.min(end)])
    }

    /// The readings of its sentences.
    pub(crate) fn sentence_readings(&self) -> impl Iterator<Item = Reading<'t>> {
        self.sentence_ranges().iter().map(|range| self.part(range.clone()))
    }

    /// The words in order.
    pub(crate) fn tokens(&self) -> &[Token<'t>] {
        self.tokens.get_or_init(|| {
            let mut tokens = Vec::new();
            for sentence in self.sentence_ranges() {
                push_tokens(self.text(), sentence.clone(), &mut tokens);
            }
            tokens
        })
    }

    /// The languages that it may be in.
    pub(crate) fn languages(&self) -> &'static [Language] {
        self.languages.get_or_init(|| {
            let lower: Vec<String> = self.tokens().iter().map(|token| token.text.to_lowercase()).collect();
            likely_languages(lower.iter().map(String::as_str))
        })
    }

    /// The reading of a part of the text that begins and ends where a word or a sentence does.
    pub(crate) fn part(&self, range: Range<usize>) -> Reading<'t> {
        let part = Reading::of(&self.text()[range.clone()]);
        let tokens = self.tokens();
        let from = tokens.partition_point(|token| token.start < range.start);
        let to = tokens.partition_point(|token| token.start < range.end);
        let mut tokens: Vec<Token> = tokens[from..to].iter().map(|token| token.moved(range.start)).collect();
        if let Some(first) = tokens.first_mut() {
            first.begin_text();
        }
        let _ = part.tokens.set(tokens);
        part
    }
}
