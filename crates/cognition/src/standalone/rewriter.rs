//! A text while its words are put into the third person: what stands for each word, and the text they make.

use super::{context::SpeakerContext, voice::VoiceLists};
use crate::{
    entity::{Mention, entities_among},
    reading::Reading,
    token::{Gap, Token},
};
use std::{cell::OnceCell, ops::Range};

/// Longer quotations are read as if they were not quoted.
const MAX_QUOTATION_BYTES: usize = 600;

/// A text on its way from the first to the third person.
pub(super) struct Rewriter<'a> {
    pub(super) text: &'a str,
    pub(super) voice: &'a VoiceLists,
    pub(super) context: SpeakerContext<'a>,
    pub(super) tokens: &'a [Token<'a>],
    /// The words with their endings, in small letters.
    pub(super) words: Vec<String>,
    mentions: OnceCell<Vec<Mention>>,
    quoted: Vec<Range<usize>>,
    /// The replacement of each word.
    pub(super) new: Vec<Option<String>>,
    /// The words put before each word.
    pub(super) before: Vec<Option<String>>,
    /// Words that went into the word before them.
    swallowed: Vec<bool>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(reading: &'a Reading<'_>, voice: &'a VoiceLists, context: SpeakerContext<'a>) -> Self {
        let (text, tokens) = (reading.text(), reading.tokens());
        let count = tokens.len();
        Self {
            words: tokens.iter().map(|token| voice.lower(&text[token.start..token.whole_end])).collect(),
            mentions: OnceCell::new(),
            quoted: quotations(text),
            new: vec![None; count],
            before: vec![None; count],
            swallowed: vec![false; count],
            text,
            voice,
            context,
            tokens,
        }
    }

    /// The names in the text: most statements are said without asking for them.
    pub(super) fn mentions(&self) -> &[Mention] {
        self.mentions.get_or_init(|| entities_among(self.text, self.tokens))
    }

    pub(super) fn is_quoted(&self, at: usize) -> bool {
        let start = self.tokens[at].start;
        self.quoted.iter().any(|range| range.contains(&start))
    }

    /// The words from one on, so many of them, if only spaces lie between.
    pub(super) fn phrase(&self, at: usize, words: usize) -> Option<String> {
        let tokens = self.tokens.get(at..at + words)?;
        tokens[1..]
            .iter()
            .all(|token| token.gap == Gap::Space && !token.first)
            .then(|| self.words[at..at + words].join(" "))
    }

    pub(super) fn put(&mut self, at: usize, words: usize, said: String) {
        self.new[at] = Some(said);
        self.swallowed[at + 1..at + words].fill(true);
    }

    /// A template with its names in it; nothing if one of them is not known.
    pub(super) fn filled(&self, template: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (slot, after) = after.split_once('}')?;
            let (who, case) = slot.split_once('.').unwrap_or((slot, ""));
            let name = match who {
                "speaker" => Some(self.context.speaker),
                "other" => self.context.other,
                _ => self.context.last_entity,
            }?;
            filled.push_str(before);
            filled.push_str(&self.voice.name(name, case));
            rest = after;
        }
        Some(filled + rest)
    }

    /// The text with what was put in its words' place.
    pub(super) fn written(&self) -> String {
        let mut written = String::with_capacity(self.text.len() + 64);
        let mut copied = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            if self.swallowed[at] {
                copied = token.whole_end;
                continue;
            }
            written.push_str(&self.text[copied..token.start]);
            let word = self.new[at].as_deref().unwrap_or(&self.text[token.start..token.whole_end]);
            match &self.before[at] {
                Some(before) => {
                    written.push_str(before);
                    written.push(' ');
                    written.push_str(&self.uncapitalized(at, word));
                }
                None => written.push_str(word),
            }
            copied = token.whole_end;
        }
        written.push_str(&self.text[copied..]);
        written
    }

    /// A word that no longer begins its sentence.
    pub(super) fn uncapitalized(&self, at: usize, word: &str) -> String {
        let token = &self.tokens[at];
        let named = self.mentions().iter().any(|mention| mention.range.contains(&token.start));
        let SpeakerContext { speaker, other, last_entity } = self.context;
        let someone = [Some(speaker), other, last_entity].into_iter().flatten();
        let spoken = someone.map(|name| self.voice.name(name, "")).any(|name| word.starts_with(&name))
            || token.is_upper()
            || token.is_camel();
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if token.first && !named && !spoken => {
                self.voice.lower(first.encode_utf8(&mut [0; 4])) + letters.as_str()
            }
            _ => word.to_owned(),
        }
    }
}

/// With a capital.
pub(super) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Where a text quotes.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut quoted = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(['"', '“', '«', '„']) {
        let open = at + found;
        let mark = text[open..].chars().next().unwrap_or('"');
        let inner = open + mark.len_utf8();
        let closing: &[char] = match mark {
            '“' => &['”', '“'],
            '«' => &['»'],
            '„' => &['“', '”'],
            _ => &['"'],
        };
        let window = &text[inner..text.floor_char_boundary(inner + MAX_QUOTATION_BYTES)];
        at = match window.find(closing) {
            Some(length) => {
                quoted.push(inner..inner + length);
                inner + length + window[length..].chars().next().map_or(0, char::len_utf8)
            }
            None => inner,
        };
    }
    quoted
}
