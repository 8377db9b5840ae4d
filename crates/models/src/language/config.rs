//! One language model in the configuration.

use crate::http::endpoint::is_local;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// The protocol of a model server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageModelKind {
    /// OpenAI's `/chat/completions`: OpenAI, Ollama, llama.cpp, vLLM and most gateways.
    Openai,
    /// Anthropic's `/messages`.
    Anthropic,
    /// A program: the prompt on its standard input, JSON on its standard output.
    Command,
}

/// One language model in the configuration.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageModelConfig {
    /// The protocol of the server.
    pub kind: LanguageModelKind,
    /// The address with its version, such as `http://localhost:11434/v1` or `https://api.anthropic.com/v1`. A program has
    /// none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The model's name on the server. A program has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The program and its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Whether the program keeps what it is asked on this machine; of a server the address says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Whether it understands pictures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sees: bool,
    /// The environment variable that holds the key, if one is needed.
    #[serde(default)]
    pub key_env: Option<String>,
    /// The longest a single attempt may take.
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
}

fn timeout_seconds() -> u64 {
    20
}

impl LanguageModelConfig {
    /// Its name in logs.
    pub fn name(&self) -> String {
        match self.kind {
            LanguageModelKind::Openai => format!("openai:{}", self.model),
            LanguageModelKind::Anthropic => format!("anthropic:{}", self.model),
            LanguageModelKind::Command => {
                let program = self.command.first().map_or("", String::as_str);
                format!("command:{}", program.rsplit(['/', '\\']).next().unwrap_or(program))
            }
        }
    }

    /// The longest a single attempt may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }

    /// Whether its server is this machine, so that no question leaves it.
    pub fn is_local(&self) -> bool {
        if self.kind == LanguageModelKind::Command {
            return self.local;
        }
        let url = Url::parse(&self.url).ok();
        url.as_ref().and_then(Url::host_str).is_some_and(is_local)
    }

    /// The first mistake in the settings, if there is one.
    pub fn problem(&self) -> Option<String> {
        let own = match self.kind {
            LanguageModelKind::Command => self.command_problem(),
            LanguageModelKind::Openai | LanguageModelKind::Anthropic => self.server_problem(),
        };
        let fits = (1..=3_600).contains(&self.timeout_seconds);
        own.or_else(|| {
            (!fits).then(|| {
                format!("timeout_seconds = {}, and it must lie between 1 and 3600", self.timeout_seconds)
            })
        })
    }

    fn command_problem(&self) -> Option<String> {
        let program = self.command.first().map_or("", |program| program.trim());
        if program.is_empty() {
            return Some("command: name the program and its arguments, as [\"claude\", \"-p\"]".to_owned());
        }
        if self.sees {
            return Some("sees: a program is given text only; a server can be shown pictures".to_owned());
        }
        let foreign = !self.url.is_empty() || !self.model.is_empty() || self.key_env.is_some();
        foreign.then(|| "url, model and key_env belong to a server; a program takes its arguments".to_owned())
    }

    fn server_problem(&self) -> Option<String> {
        if !self.command.is_empty() || self.local {
            return Some("command and local belong to kind = \"command\"".to_owned());
        }
        let url = match Url::parse(&self.url) {
            Ok(url) => url,
            Err(error) => return Some(format!("url: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Some("url: it must begin with http:// or https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Some(
                "url: it holds a key; put that in an environment variable and name it in key_env".to_owned(),
            );
        }
        if self.model.trim().is_empty() {
            return Some("model: it is empty".to_owned());
        }
        self.key_env.as_deref().is_some_and(str::is_empty).then(|| "key_env: it is empty".to_owned())
    }
}

/// The address is left out: it may hold a password.
impl fmt::Debug for LanguageModelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LanguageModelConfig").field(&self.name()).field(&self.timeout()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_needs_a_command_and_nothing_of_a_server() {
        for (settings, name, local, complaint) in [
            (r#""command": ["claude", "-p"]"#, "command:claude", false, None),
            (
                r#""command": ["/usr/bin/ollama", "run", "qwen3:4b"], "local": true"#,
                "command:ollama",
                true,
                None,
            ),
            (r#""command": []"#, "command:", false, Some("command")),
            (r#""command": ["llm"], "sees": true"#, "command:llm", false, Some("pictures")),
            (r#""command": ["llm"], "url": "http://localhost/v1""#, "command:llm", false, Some("server")),
        ] {
            let text = format!(r#"{{"kind": "command", {settings}}}"#);
            let config: LanguageModelConfig = serde_json::from_str(&text).expect("a configuration");
            assert_eq!((config.name().as_str(), config.is_local()), (name, local), "{settings}");
            match (config.problem(), complaint) {
                (None, None) => {}
                (Some(problem), Some(complaint)) => assert!(problem.contains(complaint), "{problem}"),
                (problem, _) => panic!("{settings}: {problem:?}"),
            }
        }
    }

    #[test]
    fn settings_are_checked_and_this_machine_is_told_from_others() {
        for (url, local, complaint) in [
            ("http://localhost:11434/v1", true, None),
            ("http://127.0.0.1:8099/v1", true, None),
            ("http://[::1]/v1", true, None),
            ("https://api.example.com/v1", false, None),
            ("http://localhost.example.com/v1", false, None),
            ("http://127.0.0.1@example.com/v1", false, Some("key_env")),
            ("http://example.com\\@127.0.0.1/v1", false, None),
            ("ftp://localhost", true, Some("http://")),
            ("localhost", false, Some("url")),
        ] {
            let text = format!(r#"{{"kind": "openai", "url": {url:?}, "model": "m"}}"#);
            let config: LanguageModelConfig = serde_json::from_str(&text).expect("a configuration");
            assert_eq!(config.is_local(), local, "{url}");
            match (config.problem(), complaint) {
                (None, None) => {}
                (Some(problem), Some(complaint)) => assert!(problem.contains(complaint), "{problem}"),
                (problem, _) => panic!("{url}: {problem:?}"),
            }
        }
    }
}
