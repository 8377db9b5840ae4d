//! Standalone: a statement that can be read without the conversation it stood in. What somebody says of themselves is
//! said of them by name, fillers at the beginning of a sentence go, and a pronoun becomes the one it means if only one can
//! be meant. Speech in quotation marks is left alone. What words become is data under `lexicon/`.
//!
//! Words about "us" stay as they were said: nobody says who the others are. What is ours is the speaker's.

mod agreement;
mod certainty;
mod context;
mod inflection;
mod pronouns;
mod rewriter;
mod voice;

pub use context::SpeakerContext;

use crate::{lexicon::PersonsClass, reading::Reading};
use rewriter::Rewriter;
use voice::{VoiceLists, voices};

/// Maximum length of a statement, in characters.
pub const STANDALONE_CHARS: usize = 500;

/// How context begins that is added to a statement: the question it answers, the one a pronoun means, the words it goes on
/// from, or the question that its speaker asked with it.
pub(crate) const ASKED: &str = " [asked: ";
pub(crate) const ABOUT: &str = " [about: ";
pub(crate) const AFTER: &str = " [after: ";
pub(crate) const ASKING: &str = " [while asking: ";

/// How the name of somebody goes on whose words are shown, or who sent words that give orders: nobody says them.
const SHOWS: &str = " shows";
const SENT: &str = " sent this text";

/// Maximum fillers removed from the beginning of one sentence.
const MAX_FILLERS: usize = 4;

/// A text as a statement of its own, at most [`STANDALONE_CHARS`] characters, cut after a sentence or a word. What cannot
/// be said of its speaker with certainty stays as it was said, in quotation marks behind the speaker's name. `dated` is the
/// text with its dates.
pub fn standalone_in(reading: &Reading, dated: &str, context: &SpeakerContext) -> String {
    let text = cut(dated.trim(), STANDALONE_CHARS * 2);
    let dated_reading = Reading::of(text);
    let spoken = reading.languages();
    let voices =
        voices().iter().filter(|voice| spoken.iter().any(|language| language.code == voice.language.code));
    for voice in voices {
        if Rewriter::new(&dated_reading, voice, *context).speaks_together() {
            return quoted(text, &voice.name(context.speaker, ""));
        }
        let rewritten = match without_fillers(&dated_reading, voice) {
            Some(without) => Rewriter::new(&Reading::of(&without), voice, *context).rewrite(),
            None => Rewriter::new(&dated_reading, voice, *context).rewrite(),
        };
        if rewritten == text {
            if Rewriter::new(&dated_reading, voice, *context).leaves_out_its_subject() {
                return quoted(text, &voice.name(context.speaker, ""));
            }
            continue;
        }
        if is_certain(reading, voice, *context) && !repeats_the_speaker(text, &rewritten, voice, *context) {
            return cut(rewritten.trim(), STANDALONE_CHARS).to_owned();
        }
        return quoted(text, &voice.name(context.speaker, ""));
    }
    cut(text, STANDALONE_CHARS).to_owned()
}

/// Whether a text says nothing of its speaker and of the one it is said to, or says it in one simple clause.
fn is_certain(reading: &Reading, voice: &VoiceLists, context: SpeakerContext) -> bool {
    match without_fillers(reading, voice) {
        Some(without) => is_simply_said(&Reading::of(&without), voice, context),
        None => is_simply_said(reading, voice, context),
    }
}

/// Whether a rewritten text names its speaker more than once: "User went hiking with User's kids" reads worse than the own words.
fn repeats_the_speaker(text: &str, rewritten: &str, voice: &VoiceLists, context: SpeakerContext) -> bool {
    let name = voice.name(context.speaker, "");
    rewritten.matches(&name).count() > text.matches(&name).count() + 1
}

fn is_simply_said(reading: &Reading, voice: &VoiceLists, context: SpeakerContext) -> bool {
    let mut rewriter = Rewriter::new(reading, voice, SpeakerContext { last_entity: None, ..context });
    rewriter.fill_in();
    !rewriter.is_changed() || rewriter.is_simple()
}

/// Somebody's own words.
fn quoted(text: &str, speaker: &str) -> String {
    let room = STANDALONE_CHARS.saturating_sub(speaker.chars().count() + 4);
    format!("{speaker}: “{}”", cut(text, room))
}

/// Words that somebody shows and does not say.
pub fn shown_text(speaker: &str, words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_matches(['"', '“', '”', '„', '«', '»']);
    format!("{speaker}{SHOWS}: “{words}”")
}

/// Words that give orders to whoever reads them.
pub fn sent_text(sender: &str, words: &str) -> String {
    format!("{sender}{SENT}: “{words}”")
}

/// Whether whoever a text quotes only shows or sends the words.
pub(crate) fn only_shows(speaker: &str) -> bool {
    speaker.ends_with(SHOWS) || speaker.ends_with(SENT)
}

/// Whose words a standalone text quotes, and the words: the inverse of a quotation, without the context that was added to it.
/// A text that quotes nobody is its own words.
pub(crate) fn quotation_of(text: &str) -> (Option<&str>, &str) {
    let bare =
        [ASKED, ABOUT, AFTER, ASKING].iter().find_map(|begin| text.strip_suffix(']')?.rsplit_once(begin));
    let bare = bare.map_or(text, |(before, _)| before);
    let inner = bare.split_once(": “").and_then(|(speaker, words)| Some((speaker, words.strip_suffix('”')?)));
    match inner {
        Some((speaker, words)) if !speaker.contains(['“', '\n', '.']) => (Some(speaker), words),
        Some(_) | None => (None, bare),
    }
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

/// A text without the fillers with which its sentences begin; nothing if there are none.
fn without_fillers(reading: &Reading, voice: &VoiceLists) -> Option<String> {
    let text = reading.text();
    let mut kept = String::new();
    let mut copied = 0;
    for token in reading.tokens().iter().filter(|token| token.first) {
        if token.start < copied {
            continue;
        }
        let mut at = token.start;
        for _ in 0..MAX_FILLERS {
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
        return None;
    }
    kept.push_str(&text[copied..]);
    Some(kept)
}

/// Whether a word is somebody whom no name names: `sister`.
pub(crate) fn is_somebody(word: &str) -> bool {
    voices().iter().any(|voice| voice.is(PersonsClass::Somebody, word))
}

/// Whether a word means the speaker, or something of the speaker's: `I`, `my`.
pub(crate) fn means_speaker(word: &str) -> bool {
    let said = |voice: &VoiceLists| voice.pair(PersonsClass::Say, word);
    voices().iter().filter_map(said).any(|said| said.starts_with("{speaker"))
}

/// Whether a text says something of its speaker as the one who acts.
pub(crate) fn speaks_of_self(text: &str) -> bool {
    let context = SpeakerContext { speaker: "\u{1}", other: None, last_entity: None };
    standalone_in(&Reading::of(text), text, &context).contains('\u{1}')
}

#[cfg(test)]
mod tests;
