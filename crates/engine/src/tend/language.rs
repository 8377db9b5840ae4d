//! The doctor's checks of language models: whether one answers, with what, and how quickly.

use crate::{home::Home, tend::check::Check};
use cairn_domain::Privacy;
use cairn_models::{ModelError, ModelReply, ModelRequest};
use serde_json::json;
use std::{fmt::Write, time::Duration};

const CHECK_NAME: &str = "language model";
const TRIAL_PROMPT: &str = include_str!("../../prompts/trial.txt");
/// The word that is to come back.
const TRIAL_WORD: &str = "ready";
/// Nobody waits longer for it.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);

impl Home {
    /// Asks the configured models for one word.
    pub(super) async fn check_language(&self) -> Check {
        if self.language.is_empty() {
            return Check::good(CHECK_NAME, "no language model: memories are formed by rules");
        }
        let request = ModelRequest {
            instructions: TRIAL_PROMPT.trim_end().to_owned(),
            content: TRIAL_WORD.to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"word": {"type": "string", "maxLength": 40}},
                "required": ["word"],
                "additionalProperties": false,
            }),
            schema_name: "word",
            most_tokens: 40,
            pictures: Vec::new(),
        };
        let asked = self.language.ask(&request, Privacy::Open, self.now());
        if let Ok(asked) = tokio::time::timeout(ANSWER_TIMEOUT, asked).await {
            return language_check(&asked);
        }
        let detail = format!("no answer within {} seconds", ANSWER_TIMEOUT.as_secs());
        Check::warning(CHECK_NAME, detail, "memories are formed by rules meanwhile; check the model's server")
    }
}

fn language_check(asked: &ModelReply) -> Check {
    let mut failed = String::new();
    for call in &asked.calls {
        if let Some(error) = &call.error {
            let _ = write!(failed, "{} failed after {} ms: {error}; ", call.model, call.latency_ms);
        }
    }
    match (&asked.answer, asked.calls.last()) {
        (Ok(answer), Some(call)) => {
            let word = answer.value["word"].as_str().unwrap_or_default().escape_debug().to_string();
            let detail = format!("{failed}{} answered “{word}” in {} ms", call.model, call.latency_ms);
            if failed.is_empty() {
                return Check::good(CHECK_NAME, detail);
            }
            let fix = asked.calls[0].error.as_ref().map_or("check its server", ModelError::hint);
            Check::warning(CHECK_NAME, detail, fix)
        }
        (Err(error), None) => Check::warning(CHECK_NAME, error.to_string(), error.hint()),
        (Err(error), Some(_)) => {
            let detail = format!("{failed}memories are formed by rules meanwhile");
            Check::warning(CHECK_NAME, detail, error.hint())
        }
        (Ok(_), None) => Check::good(CHECK_NAME, "it answered"),
    }
}
