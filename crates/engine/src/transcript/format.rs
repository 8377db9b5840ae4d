//! The formats, and how one is guessed from the beginning of a transcript. A guess is only ever a default:
//! the caller can name the format.

use crate::transcript::{fields::Fields, records::without_bom};
use cairn_domain::Invalid;
use std::{fmt, str::FromStr};

/// The transcript formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Cairn's own: a message or an exchange on each line.
    Jsonl,
    /// A Claude Code session: a record on each line.
    ClaudeCode,
    /// A ChatGPT export: `conversations.json`, or one conversation of it.
    ChatGpt,
    /// Outputs of tasks and feeds from outside: lines as in Cairn's own format, that nobody said. Never guessed.
    Feed,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Jsonl, Self::ClaudeCode, Self::ChatGpt, Self::Feed];

    /// The format's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::ClaudeCode => "claude-code",
            Self::ChatGpt => "chatgpt",
            Self::Feed => "feed",
        }
    }

    /// Whether each line stands for itself, so that a growing file can be followed line by line.
    pub fn has_lines(self) -> bool {
        match self {
            Self::Jsonl | Self::ClaudeCode | Self::Feed => true,
            Self::ChatGpt => false,
        }
    }
}

impl FromStr for Format {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or_else(|| {
            Invalid::new(
                format!("`{}` is not a transcript format", text.escape_debug()),
                "use auto, jsonl, claude-code, chatgpt or feed",
            )
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Guesses the format from the first bytes of a file; 64 KiB are plenty, and they may end mid-line. `None` of what another
/// product wrote: it is never read as something else.
pub fn detect(head: &[u8]) -> Option<Format> {
    let head = without_bom(head).trim_ascii_start();
    if head.starts_with(b"[") {
        return format_of_list(head);
    }
    let lines: Vec<Fields> =
        head.split(|byte| *byte == b'\n').filter_map(|line| Fields::parse(line).ok()).collect();
    if lines.iter().any(is_foreign) {
        return None;
    }
    if lines.is_empty() {
        return Some(format_of_unfinished(head));
    }
    Some(lines.iter().find_map(format_of).unwrap_or(Format::Jsonl))
}

/// The format of a list: conversations of ChatGPT, or another product's.
fn format_of_list(head: &[u8]) -> Option<Format> {
    let is_cut_off = !head.contains(&b'}');
    let is_titled = has_key(head, b"\"title\"") && !has_key(head, b"\"header\"");
    let is_empty = head[1..].trim_ascii().is_empty() || head[1..].trim_ascii() == b"]";
    (has_key(head, b"\"mapping\"") || is_cut_off && is_titled || is_empty).then_some(Format::ChatGpt)
}

/// Whether another product wrote a line: Codex, Gemini CLI, the reference memory server.
fn is_foreign(line: &Fields) -> bool {
    let has = |name| line.has(name);
    has("type") && line.has_object("payload")
        || line.has_object("$set")
        || has("$rewindTo")
        || has("sessionId") && has("projectHash")
        || has("type") && (has("entityType") || has("relationType"))
}

/// The format that a complete line gives away.
fn format_of(line: &Fields) -> Option<Format> {
    if line.has_object("mapping") {
        return Some(Format::ChatGpt);
    }
    let has = |name| line.has(name);
    let names_session = has("sessionId") || has("uuid");
    let is_plain_message = ["role", "text", "content", "user", "agent"].into_iter().any(has);
    let is_claude_code = has("type")
        && (names_session && (line.has_object("message") || !is_plain_message)
            || has("summary") && has("leafUuid")
            || has("messageId") && has("snapshot"));
    is_claude_code.then_some(Format::ClaudeCode)
}

/// The format of one long first line that `head` cuts off, or of one object spread over many lines.
fn format_of_unfinished(head: &[u8]) -> Format {
    if has_key(head, b"\"mapping\"") {
        Format::ChatGpt
    } else if has_key(head, b"\"sessionId\"") && has_key(head, b"\"type\"") {
        Format::ClaudeCode
    } else {
        Format::Jsonl
    }
}

/// Whether `quoted` stands before a colon. Inside of text its quotes would be escaped.
fn has_key(head: &[u8], quoted: &[u8]) -> bool {
    head.windows(quoted.len())
        .enumerate()
        .filter(|(_, window)| *window == quoted)
        .any(|(at, _)| head[at + quoted.len()..].trim_ascii_start().starts_with(b":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_first_lines() {
        let cut_off =
            format!(r#"{{"type":"user","sessionId":"s1","message":{{"content":"{}"#, "x".repeat(70_000));
        let table = [
            ("", Format::Jsonl),
            ("plain words", Format::Jsonl),
            (r#"{"text":"I moved to Lisbon."}"#, Format::Jsonl),
            ("{\"text\":\"one\"}\n{\"text\":\"tw", Format::Jsonl),
            (r#"{"type":"question","uuid":"u1","text":"Where do I live?"}"#, Format::Jsonl),
            (r#"{"type":"summary","text":"We talked about Lisbon."}"#, Format::Jsonl),
            (r#"{"text":"my \"mapping\": a list"#, Format::Jsonl),
            (r#"{"text":"mapping","more":"#, Format::Jsonl),
            (r#"{"type":"summary","summary":"Move to Lisbon","leafUuid":"u9"}"#, Format::ClaudeCode),
            (r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#, Format::ClaudeCode),
            (r#"{"type":"user","uuid":"u1","message":{"content":"hi"}}"#, Format::ClaudeCode),
            ("not json\n{\"type\":\"progress\",\"sessionId\":\"s1\"}\n", Format::ClaudeCode),
            (&cut_off, Format::ClaudeCode),
            ("\u{feff} \n[{\"title\":\"Lisbon\"", Format::ChatGpt),
            (r#"{"title":"Lisbon","mapping":{}}"#, Format::ChatGpt),
            (r#"{"title":"Lisbon","mapping":{"a":{"#, Format::ChatGpt),
            ("{\n  \"title\": \"Lisbon\",\n  \"mapping\" : {\n", Format::ChatGpt),
        ];
        for (head, format) in table {
            assert_eq!(detect(head.as_bytes()), Some(format), "{head:.80}");
        }
    }

    #[test]
    fn what_another_product_wrote_is_no_format_of_ours() {
        for head in [
            r#"[{"uuid":"u1","name":"Harbour","chat_messages":[]}]"#,
            r#"[{"header":"Gemini Apps","title":"Prompted x","time":"2026-06-01T17:05:01Z"}]"#,
            r#"[{"id":"1","memory":"Nerin is allergic to hazelnuts."}]"#,
            "[1,2]",
            r#"{"timestamp":"2026-11-17T01:47:56Z","type":"session_meta","payload":{"id":"s"}}"#,
            "{\"sessionId\":\"s\",\"projectHash\":\"h\"}\n{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"hi\"}",
            r#"{"type":"entity","name":"Odile","entityType":"person","observations":[]}"#,
        ] {
            assert_eq!(detect(head.as_bytes()), None, "{head}");
        }
    }

    #[test]
    fn a_format_reads_its_own_name_and_lists_the_others() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let refused = "xml".parse::<Format>().expect_err("refused");
        assert_eq!(refused.hint, "use auto, jsonl, claude-code, chatgpt or feed");
    }
}
