//! A run as it was recorded: the number of every step, and what each message tells first.

use crate::{keywords::plain_words, lexicon::RunEventsClass, pattern::Patterns};
use cairn_domain::Role;
use std::sync::LazyLock;

/// The words for things that are done or come back.
pub(super) static EVENTS: LazyLock<Patterns<RunEventsClass>> = LazyLock::new(Patterns::read);

/// Bytes of a message that are read: the end of a long log matters as much as its beginning.
const MAX_READ_BYTES: usize = 8 << 10;
/// Bytes of the first sentence in which an event is looked for.
const MAX_HEAD_BYTES: usize = 200;
/// Words of the first sentence within which its verb stands.
const MAX_VERB_WORDS: usize = 8;

/// One message of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunMessage<'a> {
    /// Who spoke: the assistant acts, a tool answers.
    pub role: Role,
    /// The words.
    pub text: &'a str,
}

/// A message of a run, read.
pub(super) struct RecordedMessage {
    pub(super) role: Role,
    /// The number of its step: as it says itself, or counted by actions.
    pub(super) step: u32,
    /// Its words.
    pub(super) words: Vec<String>,
    /// The words of its first sentence.
    pub(super) head: Vec<String>,
    /// The events that its first sentence tells of.
    pub(super) events: Vec<RunEventsClass>,
    /// Whether it tells that something rose: a score, a reward.
    pub(super) gains: bool,
    /// Whether it tells of another place.
    pub(super) arrives: bool,
    /// Whether what was tried did not work.
    pub(super) failed: bool,
}

/// A run, read.
pub(super) struct RecordedRun {
    pub(super) messages: Vec<RecordedMessage>,
}

impl RecordedRun {
    pub(super) fn read(run: &[RunMessage<'_>]) -> Self {
        let mut step = 0;
        let mut messages = Vec::with_capacity(run.len());
        for message in run {
            let (number, body) = split_step_number(message.text);
            match number {
                Some(number) => step = number,
                None if message.role == Role::Assistant => step += 1,
                None => {}
            }
            messages.push(RecordedMessage::read(message.role, step, body));
        }
        Self { messages }
    }

    /// The messages of which something holds, in order.
    pub(super) fn find(&self, mut holds: impl FnMut(&RecordedMessage) -> bool) -> Vec<usize> {
        let index = self.messages.iter().enumerate();
        index.filter(|(_, message)| holds(message)).map(|(index, _)| index).collect()
    }
}

impl RecordedMessage {
    fn read(role: Role, step: u32, body: &str) -> Self {
        let body = within(body, MAX_READ_BYTES);
        let head = first_sentence(body);
        let words = thing_words(body);
        let head_words = thing_words(head);
        let verb_end = head.split(' ').take(MAX_VERB_WORDS).map(|word| word.len() + 1).sum::<usize>();
        let events = EVENTS.classes_in(within(head, verb_end.saturating_sub(1)));
        let all = EVENTS.classes_in(body);
        Self {
            role,
            step,
            words,
            head: head_words,
            failed: EVENTS.classes_in(head).contains(&RunEventsClass::Fail),
            gains: all.contains(&RunEventsClass::Gain),
            arrives: EVENTS.classes_in(within(body, MAX_HEAD_BYTES)).contains(&RunEventsClass::Arrive),
            events,
        }
    }

    pub(super) fn is_result(&self) -> bool {
        self.role == Role::Tool
    }

    pub(super) fn is_action(&self) -> bool {
        self.role == Role::Assistant
    }

    /// Whether one of these was done, and worked.
    pub(super) fn did(&self, events: &[RunEventsClass]) -> bool {
        !self.failed && self.events.iter().any(|event| events.contains(event))
    }

    /// Whether its first sentence names a thing.
    pub(super) fn heads(&self, thing: &[String]) -> bool {
        holds_phrase(&self.head, thing)
    }

    /// Whether it names a thing anywhere.
    pub(super) fn names(&self, thing: &[String]) -> bool {
        holds_phrase(&self.words, thing)
    }
}

/// The words of a text, plurals as their singular.
pub(super) fn thing_words(text: &str) -> Vec<String> {
    let singular = |word: String| {
        let word = word.split('\'').next().unwrap_or_default();
        let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        if plural { word[..word.len() - 1].to_owned() } else { word.to_owned() }
    };
    plain_words(text)
        .into_iter()
        .flat_map(|word| word.split('-').map(str::to_owned).collect::<Vec<_>>())
        .map(singular)
        .collect()
}

fn holds_phrase(words: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && words.windows(phrase.len()).any(|window| window == phrase)
}

/// The number in `[step 12] …` or `Step 12: …`, and the rest.
fn split_step_number(text: &str) -> (Option<u32>, &str) {
    let open = text.trim_start();
    let inner = open.strip_prefix('[').unwrap_or(open);
    let Some(rest) =
        inner.get(..4).filter(|word| word.eq_ignore_ascii_case("step")).map(|_| inner[4..].trim_start())
    else {
        return (None, text);
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = rest[digits..].trim_start();
    match (rest[..digits].parse(), after.strip_prefix([']', ':'])) {
        (Ok(number), Some(body)) => (Some(number), body.trim_start()),
        _ => (None, text),
    }
}

/// The first sentence of a text, or its first line.
fn first_sentence(text: &str) -> &str {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let ends = [". ", "! ", "? "].iter().filter_map(|end| line.find(end)).min();
    within(&line[..ends.map_or(line.len(), |end| end + 1)], MAX_HEAD_BYTES)
}

/// The text, or as much of it as fits.
fn within(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
