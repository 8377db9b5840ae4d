//! An exchange that passed, and the drafts of what it says that is new.
//!
//! Every request carries the whole conversation, so each piece is named by what came before it and by itself: sent again, or
//! retried, it has the name it had. A tool's result is named by its call, whatever became of the history around it.

use crate::{
    capture::{CopiedBytes, SharedCopy},
    protocol::{
        ApiProtocol, PassedBody,
        dialogue::{AskedRequest, DialoguePiece, PieceKind, RecordedAnswer, clean_name},
    },
    recent::RecentMap,
};
use cairn_domain::{AgentName, Draft, Role, Time};
use cairn_engine::transcript::{parted, proxied_source_id};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Answers of which it is known to which session they belong.
const MAX_KNOWN_ANSWERS: usize = 4_096;
/// Characters of a name that is made out of words.
const DIGEST_CHARS: usize = 24;

/// An exchange before it has an answer.
#[derive(Debug, Clone)]
pub(crate) struct ExchangeHead {
    pub(crate) protocol: ApiProtocol,
    pub(crate) agent: AgentName,
    /// As its caller or its program names it.
    pub(crate) session: Option<String>,
    pub(crate) thread: Option<String>,
    pub(crate) request_encoding: Option<String>,
    pub(crate) asked_at: Time,
}

/// An exchange that passed.
pub(crate) struct PassedExchange {
    pub(crate) head: ExchangeHead,
    pub(crate) request: SharedCopy,
    pub(crate) answer: CopiedBytes,
    pub(crate) answer_encoding: Option<String>,
    /// Whether the answer came to its end.
    pub(crate) ended: bool,
    pub(crate) answered_at: Time,
}

/// Why an exchange says nothing that could be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// There was no room for its request.
    TooLarge,
    /// Its request or its answer cannot be read.
    Unreadable,
}

/// The drafts of an exchange, and whose memory they are for.
#[derive(Debug)]
pub(crate) struct ExchangeDrafts {
    pub(crate) agent: AgentName,
    pub(crate) drafts: Vec<Draft>,
    /// Why a part of it is missing.
    pub(crate) missing: Option<Unread>,
}

/// Which sessions the answers belong to that a provider keeps.
#[derive(Debug)]
pub(crate) struct KnownAnswers(Mutex<RecentMap<String, String>>);

impl Default for KnownAnswers {
    fn default() -> Self {
        Self(Mutex::new(RecentMap::new(MAX_KNOWN_ANSWERS)))
    }
}

impl KnownAnswers {
    fn session_of(&self, answer: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&answer.to_owned()).cloned()
    }

    fn note(&self, answer: &str, session: &str) {
        let (answer, session) = (answer.to_owned(), session.to_owned());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(answer, session);
    }

    /// The session of a request: as its caller, its program or the provider names it, else its day with its first words.
    pub(crate) fn session(&self, head: &ExchangeHead, asked: &AskedRequest) -> String {
        let named =
            [head.session.as_deref(), asked.session.as_deref()].into_iter().flatten().find_map(clean_name);
        let kept = || asked.previous.as_deref().and_then(|answer| self.session_of(answer));
        named.or_else(kept).unwrap_or_else(|| {
            let first = asked.pieces.iter().find(|piece| piece.kind == PieceKind::User);
            let words = first.map_or("", |piece| &piece.text);
            format!("{}-{}", head.asked_at.day(), &digest(&[words.as_bytes()])[..8])
        })
    }
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_hex()[..DIGEST_CHARS].to_owned()
}

/// One digest for each piece, in order: of everything before it and itself.
pub(crate) fn piece_digests(asked: &AskedRequest) -> Vec<String> {
    let mut before = digest(&[asked.previous.as_deref().unwrap_or_default().as_bytes()]);
    let (mut last_words, mut repeated) = (String::new(), HashMap::new());
    let mut calls: HashMap<&str, &str> = HashMap::new();
    let mut digests = Vec::with_capacity(asked.pieces.len());
    for piece in &asked.pieces {
        let own = chained(&before, piece);
        let call = piece.call.as_deref().filter(|_| piece.kind == PieceKind::ToolResult);
        digests.push(match call {
            Some(call) => {
                let asked_for = calls.get(call).copied().unwrap_or_default();
                let key = digest(&[last_words.as_bytes(), call.as_bytes(), asked_for.as_bytes()]);
                let times = repeated.entry(key.clone()).or_insert(0_u32);
                *times += 1;
                digest(&[key.as_bytes(), &times.to_le_bytes()])
            }
            None => own.clone(),
        });
        match piece.kind {
            PieceKind::User => last_words.clone_from(&piece.text),
            PieceKind::ToolCall => drop(calls.insert(piece.call.as_deref().unwrap_or_default(), &piece.text)),
            PieceKind::Assistant | PieceKind::ToolResult | PieceKind::Instruction => {}
        }
        before = own;
    }
    digests
}

/// Instructions change from request to request and stand for nothing; of a result its call stands for it.
fn chained(before: &str, piece: &DialoguePiece) -> String {
    let (kind, text) = match piece.kind {
        PieceKind::Instruction => return before.to_owned(),
        PieceKind::User => ("user", piece.text.as_str()),
        PieceKind::Assistant => ("assistant", piece.text.as_str()),
        PieceKind::ToolCall => ("call", piece.text.as_str()),
        PieceKind::ToolResult => ("result", piece.call.as_deref().unwrap_or(&piece.text)),
    };
    digest(&[before.as_bytes(), kind.as_bytes(), text.as_bytes()])
}

impl PassedExchange {
    /// Everything that is new in it. An answer that cannot be read leaves the question.
    pub(crate) fn into_drafts(self, known: &KnownAnswers, limit: usize) -> Result<ExchangeDrafts, Unread> {
        let protocol = self.head.protocol;
        let asked = {
            let request = self.request.lock().unwrap_or_else(PoisonError::into_inner);
            if request.is_cut() {
                return Err(Unread::TooLarge);
            }
            let body =
                PassedBody { bytes: request.as_slice(), encoding: self.head.request_encoding.as_deref() };
            protocol.request(body, limit).ok_or(Unread::Unreadable)?
        };
        let body = PassedBody { bytes: self.answer.as_slice(), encoding: self.answer_encoding.as_deref() };
        let answer = protocol.answer(body, limit);
        let missing = match &answer {
            None => Some(Unread::Unreadable),
            Some(_) if self.answer.is_cut() => Some(Unread::TooLarge),
            Some(_) => None,
        };
        let mut answer = answer.unwrap_or_default();
        answer.complete &= self.ended && !self.answer.is_cut();
        let session = known.session(&self.head, &asked);
        if let Some(id) = &answer.id {
            known.note(id, &session);
        }
        let drafts = self.drafts(&asked, answer, &session);
        Ok(ExchangeDrafts { agent: self.head.agent, drafts, missing })
    }

    fn drafts(&self, asked: &AskedRequest, mut answer: RecordedAnswer, session: &str) -> Vec<Draft> {
        let digests = piece_digests(asked);
        let session_draft = Draft {
            session: Some(session.to_owned()),
            thread: self.head.thread.as_deref().and_then(clean_name),
            ..Draft::default()
        };
        let mut drafts: Vec<Draft> = Vec::new();
        for place in asked.newest() {
            let named = Draft {
                source_id: Some(proxied_source_id(&digests[place])),
                at: Some(self.head.asked_at),
                ..session_draft.clone()
            };
            drafts.push(draft(&asked.pieces[place], named));
        }
        // An answer whose beginning the request gave goes on from it.
        let begun = asked.pieces.last().filter(|last| last.kind == PieceKind::Assistant);
        let first = answer.pieces.first_mut().filter(|first| first.kind == PieceKind::Assistant);
        if let (Some(begun), Some(first), ApiProtocol::Messages) = (begun, first, self.head.protocol) {
            first.text.insert_str(0, &begun.text);
        }
        let mut before =
            asked.pieces.iter().fold(
                digest(&[asked.previous.as_deref().unwrap_or_default().as_bytes()]),
                |before, piece| chained(&before, piece),
            );
        let asked_drafts = drafts.len();
        for piece in &answer.pieces {
            before = chained(&before, piece);
            let named = Draft {
                source_id: Some(proxied_source_id(&before)),
                at: Some(self.answered_at),
                ..session_draft.clone()
            };
            let mut answered = draft(piece, named);
            let model = answer.model.as_deref().and_then(clean_name);
            answered.metadata.extend(model.map(|model| ("model".to_owned(), model.into())));
            drafts.push(answered);
        }
        if let Some(last) = drafts[asked_drafts..].last_mut().filter(|_| !answer.complete) {
            last.metadata.insert("incomplete".to_owned(), true.into());
        }
        drafts.retain(|draft| !draft.text.trim().is_empty());
        parted(drafts)
    }
}

fn draft(piece: &DialoguePiece, named: Draft) -> Draft {
    let tool = || Some(piece.tool.as_deref().and_then(clean_name).unwrap_or_else(|| "tool".to_owned()));
    let (role, speaker) = match piece.kind {
        PieceKind::User => (Role::User, None),
        PieceKind::Assistant => (Role::Assistant, None),
        PieceKind::ToolCall | PieceKind::ToolResult => (Role::Tool, tool()),
        PieceKind::Instruction => (Role::System, None),
    };
    let mut draft = Draft { role, speaker, text: piece.text.clone(), ..named };
    if piece.is_error {
        draft.metadata.insert("is_error".to_owned(), true.into());
    }
    if piece.images > 0 {
        draft.metadata.insert("images".to_owned(), piece.images.into());
    }
    draft
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(pieces: Vec<DialoguePiece>) -> AskedRequest {
        AskedRequest { pieces, ..AskedRequest::default() }
    }

    fn user(text: &str) -> DialoguePiece {
        DialoguePiece::new(PieceKind::User, text)
    }

    fn call(id: &str) -> DialoguePiece {
        DialoguePiece::tool_call(Some("wait"), Some(id), &json!({}))
    }

    fn result(id: &str, text: &str) -> DialoguePiece {
        DialoguePiece::tool_result(Some(id), &json!(text))
    }

    #[test]
    fn a_piece_keeps_its_name_in_every_request_and_shares_it_with_no_other() {
        let talk = vec![user("yes"), DialoguePiece::new(PieceKind::Assistant, "So?"), user("yes")];
        let digests = piece_digests(&asked(talk.clone()));
        assert_ne!(digests[0], digests[2]);
        let instructed = [vec![DialoguePiece::new(PieceKind::Instruction, "It is nine.")], talk].concat();
        assert_eq!(piece_digests(&asked(instructed))[1..], digests);
    }

    #[test]
    fn a_result_keeps_its_name_whatever_becomes_of_the_history_around_it() {
        let work = vec![
            user("go"),
            call("c0"),
            result("c0", "not yet"),
            call("c0"),
            result("c0", "done"),
            call("c1"),
            result("c1", "x"),
        ];
        let digests = piece_digests(&asked(work.clone()));
        let results = [2, 4, 6].map(|place| &digests[place]);
        assert!(results[0] != results[1] && results[1] != results[2], "{results:?}");
        let mut cleared =
            [vec![user("before"), DialoguePiece::new(PieceKind::Assistant, "Well.")], work].concat();
        cleared[4].text = "[cleared]".to_owned();
        let again = piece_digests(&asked(cleared));
        assert_eq!([4, 6, 8].map(|place| &again[place]), results);
    }

    #[test]
    fn a_session_is_named_by_its_caller_its_program_its_provider_or_its_first_words() {
        let known = KnownAnswers::default();
        known.note("r1", "kept");
        let head = |session: Option<&str>| ExchangeHead {
            protocol: ApiProtocol::Responses,
            agent: "main".parse().expect("a name"),
            session: session.map(str::to_owned),
            thread: None,
            request_encoding: None,
            asked_at: Time::from_millis(1_794_736_800_000),
        };
        let request = |session: Option<&str>, previous: Option<&str>| AskedRequest {
            pieces: vec![user("Hello")],
            session: session.map(str::to_owned),
            previous: previous.map(str::to_owned),
        };
        assert_eq!(known.session(&head(Some("a\u{7}b")), &request(Some("c"), Some("r1"))), "ab");
        assert_eq!(known.session(&head(None), &request(Some("c"), Some("r1"))), "c");
        assert_eq!(known.session(&head(None), &request(None, Some("r1"))), "kept");
        let made = known.session(&head(None), &request(None, Some("r9")));
        assert!(made.starts_with("2026-11-15-") && made.len() == 19, "{made}");
    }
}
