//! A language model for tests: it gives scripted replies and records its requests.

use super::model::{LanguageModel, LanguageModelAnswer, ModelRequest, parse_answer, truncated, validated};
use crate::{
    error::{BoxFuture, ModelError, Result},
    mutex::locked,
};
use serde_json::Value;
use std::{collections::VecDeque, sync::Mutex, time::Duration};

/// One scripted reaction to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedReply {
    /// Says this value.
    Good(Value),
    /// Says this value after this delay.
    Slow(Duration, Value),
    /// Says this text, which is not JSON or has more around it.
    Malformed(String),
    /// Is cut off in the middle.
    Truncated,
    /// Says this value, as if injected. Like every value it is validated against the schema.
    Hostile(Value),
    /// Its server refuses with this status.
    Refuse(u16),
    /// Its server is not there.
    Unreachable,
}

/// A model with one scripted reply for each request. After the last it fails.
#[derive(Debug)]
pub struct ScriptedModel {
    name: String,
    replies: Mutex<VecDeque<ScriptedReply>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    /// A model of this name with these replies.
    pub fn new(name: &str, replies: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect());
        Self { name: name.to_owned(), replies, asked: Mutex::default() }
    }

    /// The requests so far, in order.
    pub fn asked(&self) -> Vec<ModelRequest> {
        locked(&self.asked).clone()
    }

    /// How many replies are left.
    pub fn left(&self) -> usize {
        locked(&self.replies).len()
    }

    async fn reply(&self, request: &ModelRequest) -> Result<LanguageModelAnswer> {
        locked(&self.asked).push(request.clone());
        let reply = locked(&self.replies).pop_front();
        let value = match reply {
            Some(ScriptedReply::Good(value) | ScriptedReply::Hostile(value)) => {
                validated(&self.name, request, value)?
            }
            Some(ScriptedReply::Slow(wait, value)) => {
                tokio::time::sleep(wait).await;
                validated(&self.name, request, value)?
            }
            Some(ScriptedReply::Malformed(text)) => parse_answer(&self.name, request, &text)?,
            Some(ScriptedReply::Truncated) => return Err(truncated(&self.name, request)),
            Some(ScriptedReply::Refuse(status)) => return Err(self.refused(status)),
            Some(ScriptedReply::Unreachable) => return Err(self.unreachable()),
            None => {
                let problem = "its script has come to an end".to_owned();
                return Err(ModelError::Failed { id: self.name.clone(), problem });
            }
        };
        let tokens_out = value.to_string().len().div_ceil(4) as u64;
        Ok(LanguageModelAnswer::new(request, value, None, Some(tokens_out)))
    }

    fn refused(&self, status: u16) -> ModelError {
        let says = "as the script says".to_owned();
        ModelError::Refused { server: self.name.clone(), status, says, retry_after: None }
    }

    fn unreachable(&self) -> ModelError {
        ModelError::Unreachable { server: self.name.clone(), problem: "connection refused".to_owned() }
    }
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<LanguageModelAnswer>> {
        Box::pin(self.reply(request))
    }
}
