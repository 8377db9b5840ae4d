//! The protocols that are understood, and what a request and its answer say in each: `dialogue` is what all of them are read
//! into, `chat`, `messages` and `responses` read one each, `events` takes streams apart, `encoding` unpacks.
//!
//! Nothing here is sent anywhere: whatever cannot be read only goes unrecorded.

mod chat;
pub(crate) mod dialogue;
mod encoding;
mod events;
mod messages;
mod responses;

use dialogue::{AskedRequest, RecordedAnswer};
use hyper::Method;
use serde_json::Value;

/// A protocol whose conversations are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiProtocol {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
}

/// A body as it passed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassedBody<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) encoding: Option<&'a str>,
}

impl ApiProtocol {
    /// The protocol of a request, by its path; `None` for everything that only passes.
    pub(crate) fn of(method: &Method, path: &str) -> Option<Self> {
        if method != Method::POST {
            return None;
        }
        let mut segments = path.trim_end_matches('/').rsplit('/');
        let (last, before) = (segments.next()?, segments.next().unwrap_or_default());
        let is_version = |segment: &str| {
            let mut letters = segment.chars();
            letters.next() == Some('v') && letters.next().is_some_and(|it| it.is_ascii_digit())
        };
        let stands_alone = before.is_empty() || is_version(before);
        match last {
            "completions" if before == "chat" => Some(Self::Chat),
            "responses" if stands_alone || before == "codex" => Some(Self::Responses),
            "messages" if stands_alone => Some(Self::Messages),
            _ => None,
        }
    }

    /// The conversation in a request.
    pub(crate) fn request(self, body: PassedBody<'_>, limit: usize) -> Option<AskedRequest> {
        let bytes = encoding::decoded(body.bytes, body.encoding, limit)?;
        let body: Value = serde_json::from_slice(&bytes).ok()?;
        let asked = match self {
            Self::Chat => chat::request(&body),
            Self::Responses => responses::request(&body),
            Self::Messages => messages::request(&body),
        };
        Some(asked.with_tools_named())
    }

    /// The pieces of an answer, whole or as far as it came.
    pub(crate) fn answer(self, body: PassedBody<'_>, limit: usize) -> Option<RecordedAnswer> {
        let bytes = encoding::decoded(body.bytes, body.encoding, limit)?;
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(body) = serde_json::from_str::<Value>(&text) {
            return Some(match self {
                Self::Chat => chat::answer(&body),
                Self::Responses => responses::answer(&body),
                Self::Messages => messages::answer(&body),
            });
        }
        let events = events::event_data(&text);
        if events.is_empty() && !text.trim().is_empty() {
            return None;
        }
        Some(match self {
            Self::Chat => chat::streamed_answer(&events),
            Self::Responses => responses::streamed_answer(&events),
            Self::Messages => messages::streamed_answer(&events),
        })
    }

    /// The field that holds a conversation.
    pub(crate) fn list_field(self) -> &'static str {
        match self {
            Self::Chat | Self::Messages => "messages",
            Self::Responses => "input",
        }
    }

    /// The type of a block of the user's text.
    pub(crate) fn text_type(self) -> &'static str {
        match self {
            Self::Chat | Self::Messages => "text",
            Self::Responses => "input_text",
        }
    }
}

#[cfg(test)]
mod tests;
