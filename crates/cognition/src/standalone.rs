//! Standalone: a statement that can be read without the conversation it stood in. What somebody says of themselves is
//! said of them by name, fillers at the beginning of a sentence go, and a pronoun becomes the one it means if only one can
//! be meant. Speech in quotation marks is left alone. What words become is data under `lexicon/`.
//!
//! "We" is the speaker and others: `User and others moved`; a second "we" is `they`, and what is ours is the speaker's.

mod agreement;
mod inflection;
mod voice;

use crate::{
    entity::{Mention, entities_among, kind_of},
    language::{is_stop_word, languages_of},
    token::{Gap, Token, read, tokens},
};
use cairn_domain::EntityKind;
use std::{borrow::Cow, cell::OnceCell, ops::Range};
use voice::{Voice, voices};

/// A statement is at most this long, in characters.
pub const STANDALONE_CHARS: usize = 500;

/// At most this many fillers go from the beginning of one sentence.
const FILLERS: usize = 4;

/// A quotation is at most this many bytes long.
const QUOTED_BYTES: usize = 600;

/// The longest saying that is left as it is.
const LEFT_WORDS: usize = 4;

/// Who speaks to whom, and of whom they spoke last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context<'a> {
    /// How the memory names the speaker: `User`, `Assistant`, or a name.
    pub speaker: &'a str,
    /// Whom they talk to, if that is known.
    pub other: Option<&'a str>,
    /// The last person or thing that was named before this text.
    pub last_entity: Option<&'a str>,
}

/// A text as a statement of its own, at most [`STANDALONE_CHARS`] characters, cut after a sentence or a word.
pub fn standalone(text: &str, context: &Context) -> String {
    let text = cut(read(text).trim(), STANDALONE_CHARS * 2);
    let words = tokens(text);
    let lower: Vec<String> = words.iter().map(|token| token.text.to_lowercase()).collect();
    let spoken = languages_of(lower.iter().map(String::as_str));
    let voices =
        voices().iter().filter(|voice| spoken.iter().any(|language| language.code == voice.language.code));
    let mut said = None;
    for voice in voices {
        let without = without_fillers(text, &words, voice);
        let words = match &without {
            Cow::Borrowed(_) => Cow::Borrowed(words.as_slice()),
            Cow::Owned(without) => Cow::Owned(tokens(without)),
        };
        let rewritten = Rewriter::new(&without, words, voice, *context).rewrite();
        if rewritten != text {
            said = Some(rewritten);
            break;
        }
    }
    cut(said.as_deref().unwrap_or(text).trim(), STANDALONE_CHARS).to_owned()
}

/// At most so many characters of a text: up to the end of a sentence if that is past the middle, else of a word.
fn cut(text: &str, chars: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(chars) else { return text };
    let head = &text[..end];
    if text[end..].starts_with(char::is_whitespace) {
        return head.trim_end();
    }
    let sentence = head.rfind(". ").max(head.rfind("! ")).max(head.rfind("? "));
    let sentence = sentence.map(|at| &head[..=at]).filter(|kept| kept.len() > head.len() / 2);
    let word = head.rfind(char::is_whitespace).map(|at| head[..at].trim_end());
    sentence.or(word.filter(|kept| !kept.is_empty())).unwrap_or(head)
}

/// A text without the fillers with which its sentences begin.
fn without_fillers<'t>(text: &'t str, tokens: &[Token], voice: &Voice) -> Cow<'t, str> {
    let mut kept = String::new();
    let mut copied = 0;
    for token in tokens.iter().filter(|token| token.first) {
        if token.start < copied {
            continue;
        }
        let mut at = token.start;
        for _ in 0..FILLERS {
            let Some(length) = voice.filler(&text[at..]) else { break };
            at += length;
        }
        if at > token.start {
            kept.push_str(&text[copied..token.start]);
            let mut rest = text[at..].chars();
            kept.extend(rest.next().into_iter().flat_map(char::to_uppercase));
            copied = text.len() - rest.as_str().len();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// A text on its way from the first to the third person.
struct Rewriter<'a> {
    text: &'a str,
    voice: &'a Voice,
    context: Context<'a>,
    tokens: Cow<'a, [Token<'a>]>,
    /// The words with their endings, in small letters.
    words: Vec<String>,
    mentions: OnceCell<Vec<Mention>>,
    quoted: Vec<Range<usize>>,
    /// What stands for a word.
    new: Vec<Option<String>>,
    /// What is put before a word.
    before: Vec<Option<String>>,
    /// Words that went into the word before them.
    swallowed: Vec<bool>,
    /// Templates of `again` that have their first one behind them.
    grouped: bool,
}

impl<'a> Rewriter<'a> {
    fn new(text: &'a str, tokens: Cow<'a, [Token<'a>]>, voice: &'a Voice, context: Context<'a>) -> Self {
        let count = tokens.len();
        Self {
            words: tokens.iter().map(|token| voice.lower(&text[token.start..token.whole_end])).collect(),
            mentions: OnceCell::new(),
            quoted: quotations(text),
            new: vec![None; count],
            before: vec![None; count],
            swallowed: vec![false; count],
            grouped: false,
            text,
            voice,
            context,
            tokens,
        }
    }

    fn rewrite(mut self) -> String {
        self.resolve_third();
        let mut at = 0;
        while at < self.tokens.len() {
            at = if self.is_quoted(at) || self.new[at].is_some() { at + 1 } else { self.say(at) };
        }
        self.inflect();
        self.written()
    }

    /// The names in the text: most statements are said without asking for them.
    fn mentions(&self) -> &[Mention] {
        self.mentions.get_or_init(|| entities_among(self.text, &self.tokens))
    }

    fn is_quoted(&self, at: usize) -> bool {
        let start = self.tokens[at].start;
        self.quoted.iter().any(|range| range.contains(&start))
    }

    /// The words from one on, so many of them, if only spaces lie between.
    fn phrase(&self, at: usize, words: usize) -> Option<String> {
        let tokens = self.tokens.get(at..at + words)?;
        tokens[1..]
            .iter()
            .all(|token| token.gap == Gap::Space && !token.first)
            .then(|| self.words[at..at + words].join(" "))
    }

    /// Says the words at a place of whom they mean. The place after them.
    fn say(&mut self, at: usize) -> usize {
        let leaves =
            |words: &usize| self.phrase(at, *words).is_some_and(|phrase| self.voice.is("leave", &phrase));
        if let Some(words) = (2..=LEFT_WORDS).rev().find(leaves) {
            return at + words;
        }
        for words in [2, 1] {
            let Some(phrase) = self.phrase(at, words) else { continue };
            let Some(template) = self.voice.pair("say", &phrase) else { continue };
            let again = self.voice.pair("again", &phrase);
            let template = again.filter(|_| self.grouped).unwrap_or(template);
            let Some(said) = self.filled(template) else { continue };
            let said = if self.tokens[at].first { capitalised(&said) } else { said };
            self.grouped |= again.is_some();
            self.put(at, words, said);
            self.agree(at, words);
            return at + words;
        }
        at + 1
    }

    fn put(&mut self, at: usize, words: usize, said: String) {
        self.new[at] = Some(said);
        self.swallowed[at + 1..at + words].fill(true);
    }

    /// A template with its names in it; nothing if one of them is not known.
    fn filled(&self, template: &str) -> Option<String> {
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

    /// Says the first pronoun of the third person of the last one named, if the text has nobody else it could mean.
    fn resolve_third(&mut self) {
        let Some(entity) = self.context.last_entity else { return };
        let labels: &[&'static str] = match kind_of(entity) {
            Some(EntityKind::Org) => &["third_any", "third_thing", "third_org"],
            None | Some(EntityKind::Person) => &["third_any", "third_person"],
            Some(_) => &["third_any", "third_thing"],
        };
        for at in 0..self.tokens.len() {
            if self.voice.is("somebody", &self.words[at]) || self.names_somebody(at) {
                return;
            }
            if self.is_quoted(at) {
                continue;
            }
            for words in (1..=3).rev() {
                let Some(phrase) = self.phrase(at, words) else { continue };
                let Some((label, template)) =
                    labels.iter().find_map(|label| Some((*label, self.voice.pair(label, &phrase)?)))
                else {
                    continue;
                };
                let opens = label == "third_person" || self.tokens[at].first;
                if opens && self.owns_something(template, at + words) {
                    if let Some(said) = self.filled(template) {
                        self.put(at, words, said);
                    }
                    return;
                }
            }
        }
    }

    /// A pronoun that may also be no possessive needs something to possess after it.
    fn owns_something(&self, template: &str, next: usize) -> bool {
        let follows = self.tokens.get(next).filter(|token| token.gap == Gap::Space);
        !template.ends_with(".possessive}") || follows.is_some_and(|_| !is_stop_word(&self.words[next]))
    }

    fn names_somebody(&self, at: usize) -> bool {
        let start = self.tokens[at].start;
        self.mentions()
            .iter()
            .any(|mention| mention.range.start == start && mention.kind == EntityKind::Person)
    }

    /// The text with what was put in its words' place.
    fn written(&self) -> String {
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
                    written.push_str(&self.uncapitalised(at, word));
                }
                None => written.push_str(word),
            }
            copied = token.whole_end;
        }
        written.push_str(&self.text[copied..]);
        written
    }

    /// A word that no longer begins its sentence.
    fn uncapitalised(&self, at: usize, word: &str) -> String {
        let token = &self.tokens[at];
        let named = self.mentions().iter().any(|mention| mention.range.contains(&token.start));
        let Context { speaker, other, last_entity } = self.context;
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
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Whether a word is somebody whom no name names: `sister`.
pub(crate) fn is_somebody(word: &str) -> bool {
    voices().iter().any(|voice| voice.is("somebody", word))
}

/// Whether a text says something of its speaker as the one who acts.
pub(crate) fn speaks_of_self(text: &str) -> bool {
    let context = Context { speaker: "\u{1}", other: None, last_entity: None };
    standalone(text, &context).contains('\u{1}')
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
        let window = &text[inner..text.floor_char_boundary(inner + QUOTED_BYTES)];
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

#[cfg(test)]
mod tests;
