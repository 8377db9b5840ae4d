//! The language model behind an OpenAI-compatible server: OpenAI itself, Ollama, llama.cpp, vLLM.

use super::{
    config::LanguageModelConfig,
    model::{
        LanguageModel, LanguageModelAnswer, MAX_ANSWER_BYTES, ModelRequest, Picture, parse_answer, truncated,
        unusable,
    },
    quotation::quoted,
    schema::{SCHEMA_PROMPT, without_lengths},
};
use crate::{
    error::{BoxFuture, ModelError, Result},
    http::endpoint::{ModelEndpoint, Protocol},
    mutex::locked,
    secret::Secret,
};
use serde_json::{Value, json};
use std::sync::Mutex;

/// A model that is asked through `/chat/completions`.
#[derive(Debug)]
pub struct OpenAi {
    name: String,
    model: String,
    endpoint: ModelEndpoint,
    /// The options that the server last accepted.
    dialect: Mutex<RequestDialect>,
}

/// Request options that not every server or model accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RequestDialect {
    /// The schema goes into `response_format`; else it stands in the instructions.
    schema: bool,
    /// The longest answer is called `max_tokens`; else `max_completion_tokens`, as models that reason want it.
    max_tokens: bool,
    /// The temperature may be chosen.
    temperature: bool,
}

impl RequestDialect {
    const FULL: Self = Self { schema: true, max_tokens: true, temperature: true };

    /// The options to try after a refusal: without the one that the server complains of or, if that is unclear, without the
    /// schema.
    fn after(self, status: u16, says: &str) -> Option<Self> {
        let says = says.to_lowercase();
        let names_schema = || ["schema", "response_format", "grammar"].iter().any(|word| says.contains(word));
        match status {
            400 | 422 if self.max_tokens && says.contains("max_completion_tokens") => {
                Some(Self { max_tokens: false, ..self })
            }
            400 | 422 if self.temperature && says.contains("temperature") => {
                Some(Self { temperature: false, ..self })
            }
            400 | 422 if self.schema => Some(Self { schema: false, ..self }),
            500 | 501 if self.schema && names_schema() => Some(Self { schema: false, ..self }),
            _ => None,
        }
    }
}

/// The words of the user's side: a text, or parts of which the pictures come last.
fn user_content(text: String, pictures: &[Picture]) -> Value {
    if pictures.is_empty() {
        return text.into();
    }
    let picture = |it: &Picture| {
        let url = format!("data:{};base64,{}", it.mime, it.base64);
        json!({"type": "image_url", "image_url": {"url": url}})
    };
    std::iter::once(json!({"type": "text", "text": text})).chain(pictures.iter().map(picture)).collect()
}

impl OpenAi {
    /// A model that will be asked as the configuration says. Nothing is sent yet.
    pub fn new(config: &LanguageModelConfig, key: Option<Secret>) -> Result<Self> {
        let endpoint =
            ModelEndpoint::new(&config.url, &["chat", "completions"], Protocol::OpenAi, key, None)?;
        let dialect = Mutex::new(RequestDialect::FULL);
        Ok(Self { name: config.name(), model: config.model.clone(), endpoint, dialect })
    }

    fn request_body(&self, request: &ModelRequest, dialect: RequestDialect) -> Value {
        let quotation = quoted(&request.content);
        let mut system = format!("{}\n\n{}", request.instructions, quotation.rule);
        let format = if dialect.schema {
            let schema = without_lengths(&request.schema);
            json!({
                "type": "json_schema",
                "json_schema": {"name": request.schema_name, "strict": true, "schema": schema},
            })
        } else {
            let schema = SCHEMA_PROMPT.trim_end().replace("{schema}", &request.schema.to_string());
            system = format!("{system}\n\n{schema}");
            json!({"type": "json_object"})
        };
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user_content(quotation.text, &request.pictures)},
            ],
            "response_format": format,
            "stream": false,
        });
        let most_tokens = if dialect.max_tokens { "max_tokens" } else { "max_completion_tokens" };
        body[most_tokens] = request.most_tokens.into();
        if dialect.temperature {
            body["temperature"] = 0.into();
        }
        body
    }

    async fn answer(&self, request: &ModelRequest) -> Result<LanguageModelAnswer> {
        let mut dialect = *locked(&self.dialect);
        loop {
            match self.endpoint.post(&self.request_body(request, dialect), MAX_ANSWER_BYTES).await {
                Ok(body) => {
                    *locked(&self.dialect) = dialect;
                    return self.parse_response(request, &body);
                }
                Err(error) => match &error {
                    ModelError::Refused { status, says, .. } => {
                        dialect = dialect.after(*status, says).ok_or(error)?;
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    fn parse_response(&self, request: &ModelRequest, body: &[u8]) -> Result<LanguageModelAnswer> {
        let reply: Value =
            serde_json::from_slice(body).map_err(|error| self.endpoint.bad_answer(error.to_string()))?;
        let choice = &reply["choices"][0];
        match choice["finish_reason"].as_str() {
            Some("length") => return Err(truncated(&self.name, request)),
            Some("content_filter") => return Err(unusable(&self.name, "it was filtered")),
            _ => {}
        }
        if choice["message"]["refusal"].is_string() {
            return Err(unusable(&self.name, "it declined"));
        }
        let Some(text) = choice["message"]["content"].as_str() else {
            return Err(self.endpoint.bad_answer("no text at choices[0].message.content"));
        };
        let value = parse_answer(&self.name, request, text)?;
        let usage = |key: &str| reply["usage"][key].as_u64();
        Ok(LanguageModelAnswer::new(request, value, usage("prompt_tokens"), usage("completion_tokens")))
    }
}

impl LanguageModel for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<LanguageModelAnswer>> {
        Box::pin(self.answer(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_takes_away_what_it_names_and_each_thing_once() {
        let max_tokens = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        let mut dialect = RequestDialect::FULL;
        for (status, says, schema, old_limit, temperature) in [
            (400, max_tokens, true, false, true),
            (400, "'Temperature' does not support 0", true, false, false),
            (422, "unknown variant `json_schema`", false, false, false),
        ] {
            dialect = dialect.after(status, says).expect("something is left to leave out");
            assert_eq!(dialect, RequestDialect { schema, max_tokens: old_limit, temperature }, "{says}");
        }
        assert_eq!(dialect.after(400, max_tokens), None);
        assert_eq!(
            RequestDialect::FULL.after(500, "JSON schema conversion failed").map(|d| d.schema),
            Some(false)
        );
        for (status, says) in
            [(500, "overloaded"), (401, "json_schema"), (404, "no such model"), (429, "schema")]
        {
            assert_eq!(RequestDialect::FULL.after(status, says), None, "{status} {says}");
        }
    }
}
