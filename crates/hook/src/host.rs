//! The programs whose hooks are answered: how each names an event, and in which form it takes an answer. Claude Code's transcript
//! is read as it grows; of the others the words are kept that their hooks carry.

use crate::Event;
use serde_json::{Value, json};
use std::{fmt, str::FromStr};

/// A program that runs agents and calls hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Host {
    /// Claude Code.
    #[default]
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode, through a plugin of ours.
    Opencode,
    /// Cursor.
    Cursor,
}

impl Host {
    /// Every host.
    pub const ALL: [Self; 5] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Opencode, Self::Cursor];

    /// As `cairn setup` and the configuration name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
        }
    }

    /// The names of an event at this host, none if it has nothing of the kind.
    pub fn event_names(self, event: Event) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => claude_code_names(event),
            Self::Codex => match event {
                // Codex asks no question on a hook's word, and has no event of its own for tools that fail.
                Event::PreToolUse | Event::PostToolUseFailure => &[],
                event => claude_code_names(event),
            },
            Self::Gemini => match event {
                Event::SessionStart => &["SessionStart"],
                Event::UserPromptSubmit => &["BeforeAgent"],
                Event::PostToolUse => &["AfterTool"],
                Event::PreCompact => &["PreCompress"],
                Event::Stop => &["AfterAgent"],
                Event::SessionEnd => &["SessionEnd"],
                Event::PreToolUse | Event::PostToolUseFailure | Event::SubagentStop => &[],
            },
            Self::Opencode => &[],
            Self::Cursor => match event {
                Event::SessionStart => &["sessionStart"],
                Event::UserPromptSubmit => &["beforeSubmitPrompt"],
                Event::PostToolUse => &["postToolUse"],
                Event::PostToolUseFailure => &["postToolUseFailure"],
                Event::PreCompact => &["preCompact"],
                // The words of an answer and the end of a turn are two events.
                Event::Stop => &["afterAgentResponse", "stop"],
                Event::SessionEnd => &["sessionEnd"],
                Event::PreToolUse | Event::SubagentStop => &[],
            },
        }
    }

    /// An answer that puts a text before the model, as this host takes it.
    pub(crate) fn answer(self, event: Event, text: &str) -> Value {
        let name = self.event_names(event).first().copied().unwrap_or(event.as_str());
        let specific = json!({"hookEventName": name, "additionalContext": text});
        match self {
            Self::ClaudeCode | Self::Gemini => {
                json!({"suppressOutput": true, "hookSpecificOutput": specific})
            }
            // Codex refuses fields that it has no use for.
            Self::Codex => json!({"hookSpecificOutput": specific}),
            Self::Opencode | Self::Cursor => json!({"additional_context": text}),
        }
    }

    /// Whether its transcript has the form that is read as it grows.
    pub(crate) fn has_transcript(self) -> bool {
        self == Self::ClaudeCode
    }
}

fn claude_code_names(event: Event) -> &'static [&'static str] {
    match event {
        Event::SessionStart => &["SessionStart"],
        Event::UserPromptSubmit => &["UserPromptSubmit"],
        Event::PreToolUse => &["PreToolUse"],
        Event::PostToolUse => &["PostToolUse"],
        Event::PostToolUseFailure => &["PostToolUseFailure"],
        Event::SubagentStop => &["SubagentStop"],
        Event::PreCompact => &["PreCompact"],
        Event::Stop => &["Stop"],
        Event::SessionEnd => &["SessionEnd"],
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Host {
    type Err = cairn_domain::Invalid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|host| host.as_str() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            cairn_domain::Invalid::new(
                format!("`{}` is not a host with hooks", text.escape_debug()),
                format!("use one of {known}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_reads_its_own_name_and_gets_an_answer_in_its_form() {
        for host in Host::ALL {
            assert_eq!(host.to_string().parse(), Ok(host));
        }
        assert!("vi".parse::<Host>().is_err_and(|refused| refused.hint.contains("opencode")));
        let of = |host: Host, event| host.answer(event, "words").to_string();
        for (host, answer) in [
            (
                Host::ClaudeCode,
                r#"{"suppressOutput":true,"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"words"}}"#,
            ),
            (
                Host::Codex,
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"words"}}"#,
            ),
            (
                Host::Gemini,
                r#"{"suppressOutput":true,"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"words"}}"#,
            ),
            (Host::Opencode, r#"{"additional_context":"words"}"#),
            (Host::Cursor, r#"{"additional_context":"words"}"#),
        ] {
            let expected: Value = serde_json::from_str(answer).expect("JSON");
            let given: Value = serde_json::from_str(&of(host, Event::UserPromptSubmit)).expect("JSON");
            assert_eq!(given, expected, "{host}");
        }
    }
}
