//! A language model behind any program: the prompt on its standard input, one JSON object on its standard output. Most people
//! have such a program already: their coding agent, `ollama run`, or `llm`.

use super::{
    config::LanguageModelConfig,
    model::{LanguageModel, LanguageModelAnswer, MAX_ANSWER_BYTES, ModelRequest, parse_answer, unusable},
    quotation::quoted,
    schema::SCHEMA_PROMPT,
};
use crate::error::{BoxFuture, ModelError, Result};
use std::process::Stdio;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

/// Set for the program: a hook of its own that remembers what it is asked would feed the memory with itself.
pub const ASKING_VARIABLE: &str = "CAIRN_ASKING";

/// A program that answers a prompt.
#[derive(Debug)]
pub struct CommandModel {
    name: String,
    command: Vec<String>,
}

impl CommandModel {
    /// A program that will be run as the configuration says. Nothing is run yet.
    pub fn new(config: &LanguageModelConfig) -> Self {
        Self { name: config.name(), command: config.command.clone() }
    }

    /// The whole prompt: the task, the shape of the answer, and what it is about, quoted.
    fn prompt(request: &ModelRequest) -> String {
        let quotation = quoted(&request.content);
        let schema = SCHEMA_PROMPT.trim_end().replace("{schema}", &request.schema.to_string());
        format!("{}\n\n{}\n\n{schema}\n\n{}\n", request.instructions, quotation.rule, quotation.text)
    }

    fn start(&self) -> Result<Child> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(ModelError::Config("command: it is empty".to_owned()));
        };
        Command::new(program)
            .args(arguments)
            .env(ASKING_VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| self.unreachable(format!("`{program}` cannot be run: {error}")))
    }

    async fn answer(&self, request: &ModelRequest) -> Result<LanguageModelAnswer> {
        let mut child = self.start()?;
        let (prompt, mut answer) = (Self::prompt(request), Vec::new());
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // A program that does not read to the end may answer all the same.
                let _ = stdin.write_all(prompt.as_bytes()).await;
            }
        };
        let read = async {
            match stdout {
                Some(stdout) => stdout.take(MAX_ANSWER_BYTES as u64 + 1).read_to_end(&mut answer).await,
                None => Ok(0),
            }
        };
        let ((), read) = tokio::join!(write, read);
        read.map_err(|error| self.unreachable(error.to_string()))?;
        if answer.len() > MAX_ANSWER_BYTES {
            return Err(unusable(&self.name, format!("it is longer than {MAX_ANSWER_BYTES} bytes")));
        }
        let status = child.wait().await.map_err(|error| self.unreachable(error.to_string()))?;
        if !status.success() {
            return Err(self.unreachable(format!("the program ended with {status}")));
        }
        let text = String::from_utf8_lossy(&answer);
        let value = parse_answer(&self.name, request, json_object(&text))?;
        let tokens_out = crate::token_estimate::estimated_tokens(answer.len()) as u64;
        Ok(LanguageModelAnswer::new(request, value, None, Some(tokens_out)))
    }

    fn unreachable(&self, problem: String) -> ModelError {
        ModelError::Unreachable { server: self.name.clone(), problem }
    }
}

impl LanguageModel for CommandModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<LanguageModelAnswer>> {
        Box::pin(self.answer(request))
    }
}

/// The JSON object in an answer: programs put fences and a sentence around it, whatever they are told.
fn json_object(text: &str) -> &str {
    match (text.find('{'), text.rfind('}')) {
        (Some(from), Some(to)) if from < to => &text[from..=to],
        _ => text.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::{Duration, Instant};

    fn model(script: &str) -> CommandModel {
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        CommandModel { name: "command:sh".to_owned(), command }
    }

    fn request() -> ModelRequest {
        ModelRequest {
            instructions: "Say the word.".to_owned(),
            content: "swordfish".to_owned(),
            schema: json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"],
                           "additionalProperties": false}),
            schema_name: "word",
            most_tokens: 100,
            pictures: Vec::new(),
        }
    }

    #[tokio::test]
    async fn a_program_gets_the_prompt_and_its_object_is_the_answer() {
        let reads = r#"grep -q swordfish && printf 'Here it is:\n```json\n{"word": "swordfish"}\n```\n'"#;
        let answer = model(reads).ask(&request()).await.expect("an answer");
        assert_eq!(answer.value, json!({"word": "swordfish"}));
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_program_is_told_without_its_words() {
        for (script, told) in [
            ("exit 3", "exit status: 3"),
            ("cat >/dev/null; echo secret words", "not JSON"),
            ("cat >/dev/null; echo '{\"word\": 7}'", "cannot be used"),
            ("cat >/dev/null; head -c 2000000 /dev/zero", "longer than"),
        ] {
            let error = model(script).ask(&request()).await.expect_err(script).to_string();
            assert!(error.contains(told) && !error.contains("secret"), "{script}: {error}");
        }
        let missing = CommandModel { name: "command:x".to_owned(), command: vec!["/nowhere/x".to_owned()] };
        assert!(missing.ask(&request()).await.expect_err("no program").to_string().contains("cannot be run"));
    }

    #[tokio::test]
    async fn a_program_that_hangs_is_ended_with_the_wait() {
        let (begun, hanging) = (Instant::now(), model("sleep 60"));
        let asked = tokio::time::timeout(Duration::from_millis(200), hanging.ask(&request())).await;
        assert!(asked.is_err() && begun.elapsed() < Duration::from_secs(10));
    }
}
