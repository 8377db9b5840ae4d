//! The host's JSON on standard input. Unknown fields are ignored, so that a newer host is understood.

use cairn_domain::Invalid;
use cairn_engine::{SessionKind, limits::MAX_HOOK_INPUT_BYTES};
use serde::Deserialize;
use serde_json::Value;

/// A prompt with fewer words than this says nothing to be answered …
const MIN_PROMPT_WORDS: usize = 3;
/// … unless it has so many characters, for those who write without spaces.
const MIN_PROMPT_CHARS: usize = 12;

/// The host's description of an event.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    /// The session.
    pub session_id: String,
    /// The session, as Cursor names it.
    pub conversation_id: String,
    /// Where its transcript is being written.
    pub transcript_path: Option<String>,
    /// The folder it works in.
    pub cwd: Option<String>,
    /// The folders it works in, as Cursor names them.
    pub workspace_roots: Vec<String>,
    /// The user's prompt.
    pub prompt: Option<String>,
    /// The sub-agent whose session it is, if it is not the user's own.
    pub agent_id: Option<String>,
    /// Where the transcript of a sub-agent is being written.
    pub agent_transcript_path: Option<String>,
    /// The agent's answer, as Claude Code and Codex name it …
    pub last_assistant_message: Option<String>,
    /// … as Gemini CLI does …
    pub prompt_response: Option<String>,
    /// … and as Cursor does.
    pub text: Option<String>,
    /// How a session begins: startup, resume, clear or compact.
    pub source: Option<String>,
    /// The tool that is about to be used, or was.
    pub tool_name: Option<String>,
    /// The arguments that it is given.
    pub tool_input: Value,
    /// The id of its use.
    pub tool_use_id: Option<String>,
    /// The answer that it gave.
    pub tool_response: Value,
    /// The answer that it gave, as Cursor names it.
    pub tool_output: Value,
    /// How it failed, in its words.
    pub error: Option<String>,
    /// How it failed, as Cursor names it.
    pub error_message: Option<String>,
    /// Whether it failed because somebody stopped it.
    pub is_interrupt: bool,
}

impl Input {
    /// Reads what the host sent.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let hint = "hooks are called by the host with its JSON on standard input; see docs/claude-code.md";
        if bytes.len() > MAX_HOOK_INPUT_BYTES {
            let problem = format!("the hook's input is larger than {} MiB", MAX_HOOK_INPUT_BYTES >> 20);
            return Err(Invalid::new(problem, hint));
        }
        let mut input: Self = serde_json::from_slice(bytes)
            .map_err(|error| Invalid::new(format!("this is not a hook's input: {error}"), hint))?;
        input.take_other_names();
        if input.session_id.trim().is_empty() {
            return Err(Invalid::new("the hook's input names no session", hint));
        }
        Ok(input)
    }

    /// Puts what a host names in its own way where the others have it.
    fn take_other_names(&mut self) {
        if self.session_id.trim().is_empty() {
            self.session_id = std::mem::take(&mut self.conversation_id);
        }
        if self.cwd.is_none() {
            self.cwd = self.workspace_roots.first().cloned();
        }
        if self.tool_response.is_null() {
            self.tool_response = self.tool_output.take();
        }
        self.error = self.error.take().or(self.error_message.take());
        let answers = [self.last_assistant_message.take(), self.prompt_response.take(), self.text.take()];
        self.last_assistant_message = answers.into_iter().flatten().find(|answer| !answer.trim().is_empty());
    }

    /// The lasting project: the name of the folder.
    pub(crate) fn thread(&self) -> Option<&str> {
        self.cwd.as_deref()?.rsplit(['/', '\\']).find(|part| !part.trim().is_empty())
    }

    /// Whether a prompt says enough to be answered: "ok" and "go on" do not.
    pub(crate) fn says_something(&self) -> bool {
        let prompt = self.prompt.as_deref().unwrap_or_default().trim();
        prompt.split_whitespace().count() >= MIN_PROMPT_WORDS || prompt.chars().count() >= MIN_PROMPT_CHARS
    }

    /// Whose session it is.
    pub(crate) fn session_kind(&self) -> SessionKind {
        if self.agent_id.is_some() { SessionKind::SubAgent } else { SessionKind::Main }
    }

    /// Whether the model begins with nothing before it.
    pub(crate) fn begins_anew(&self) -> bool {
        self.source.as_deref() != Some("resume")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hosts_words_are_read_and_a_newer_hosts_too() {
        let told = br#"{"session_id":"s","transcript_path":"/t/s.jsonl","cwd":"/home/mara/tides/","hook_event_name":"Stop",
                        "stop_hook_active":false,"permission_mode":"default","something_new":{"deep":[1]}}"#;
        let input = Input::parse(told).expect("read");
        assert_eq!((input.session_id.as_str(), input.thread()), ("s", Some("tides")));
        let told = br#"{"conversation_id":"c","session_id":"c","workspace_roots":["/home/mara/tides"],"text":"Done.",
                        "tool_output":"ok","error_message":null}"#;
        let input = Input::parse(told).expect("read");
        assert_eq!((input.session_id.as_str(), input.thread()), ("c", Some("tides")));
        assert_eq!(input.last_assistant_message.as_deref(), Some("Done."));
        assert_eq!(input.tool_response, "ok");
        for bad in [&b""[..], b"{", b"[]", b"null", b"{\"session_id\":\" \"}", b"\xff\xfe"] {
            assert!(!Input::parse(bad).expect_err("not an input").hint.is_empty());
        }
    }
}
