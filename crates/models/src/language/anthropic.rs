//! The language model behind Anthropic's API.

use super::{
    config::LanguageModelConfig,
    model::{
        LanguageModel, LanguageModelAnswer, MAX_ANSWER_BYTES, ModelRequest, Picture, truncated, unusable,
        validated,
    },
    quotation::quoted,
};
use crate::{
    error::{BoxFuture, Result},
    http::endpoint::{ModelEndpoint, Protocol},
    secret::Secret,
};
use serde_json::{Value, json};

/// A model that is asked through `/messages`. It must answer with the one tool it is given, whose input has the shape
/// of the answer.
#[derive(Debug)]
pub struct Anthropic {
    name: String,
    model: String,
    endpoint: ModelEndpoint,
}

/// The words of the user's side: a text, or parts of which the pictures come first.
fn user_content(text: String, pictures: &[Picture]) -> Value {
    if pictures.is_empty() {
        return text.into();
    }
    let picture = |it: &Picture| json!({"type": "image", "source": {"type": "base64", "media_type": it.mime, "data": it.base64}});
    pictures.iter().map(picture).chain([json!({"type": "text", "text": text})]).collect()
}

impl Anthropic {
    /// A model that will be asked as the configuration says. Nothing is sent yet.
    pub fn new(config: &LanguageModelConfig, key: Option<Secret>) -> Result<Self> {
        let endpoint = ModelEndpoint::new(&config.url, &["messages"], Protocol::Anthropic, key, None)?;
        Ok(Self { name: config.name(), model: config.model.clone(), endpoint })
    }

    fn request_body(&self, request: &ModelRequest) -> Value {
        let quotation = quoted(&request.content);
        json!({
            "model": self.model,
            "max_tokens": request.most_tokens,
            "system": format!("{}\n\n{}", request.instructions, quotation.rule),
            "messages": [{"role": "user", "content": user_content(quotation.text, &request.pictures)}],
            "tools": [{"name": request.schema_name, "input_schema": request.schema}],
            "tool_choice": {"type": "tool", "name": request.schema_name, "disable_parallel_tool_use": true},
        })
    }

    async fn answer(&self, request: &ModelRequest) -> Result<LanguageModelAnswer> {
        let body = self.endpoint.post(&self.request_body(request), MAX_ANSWER_BYTES).await?;
        let mut reply: Value =
            serde_json::from_slice(&body).map_err(|error| self.endpoint.bad_answer(error.to_string()))?;
        match reply["stop_reason"].as_str() {
            Some("max_tokens") => return Err(truncated(&self.name, request)),
            Some("refusal") => return Err(unusable(&self.name, "it declined")),
            _ => {}
        }
        let usage = |key: &str| reply["usage"][key].as_u64();
        let (tokens_in, tokens_out) = (usage("input_tokens"), usage("output_tokens"));
        let Some(blocks) = reply.get_mut("content").and_then(Value::as_array_mut) else {
            return Err(self.endpoint.bad_answer("no blocks at content"));
        };
        let ours = |block: &&mut Value| block["type"] == "tool_use" && block["name"] == request.schema_name;
        let Some(block) = blocks.iter_mut().find(ours) else {
            return Err(unusable(&self.name, "it did not use the tool"));
        };
        let value = validated(&self.name, request, block["input"].take())?;
        Ok(LanguageModelAnswer::new(request, value, tokens_in, tokens_out))
    }
}

impl LanguageModel for Anthropic {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<LanguageModelAnswer>> {
        Box::pin(self.answer(request))
    }
}
