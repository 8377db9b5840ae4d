//! A language model for tests: it says what it was told to say, and keeps what it was asked.

use crate::{
    Answer, BoxFuture, LanguageModel, ModelError, Request, Result,
    language::{cut_off, fitting, read},
    provider::locked,
};
use serde_json::Value;
use std::{collections::VecDeque, sync::Mutex, time::Duration};

/// What the model does when it is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Says this value.
    Good(Value),
    /// Says this value after so long.
    Slow(Duration, Value),
    /// Says this text, which is no JSON or more than that.
    Malformed(String),
    /// Is cut off in the middle.
    Truncated,
    /// Says this value, which somebody made it say. Like every value it is held against the schema.
    Hostile(Value),
    /// Its server refuses with this status.
    Refuse(u16),
    /// Its server is not there.
    Unreachable,
}

/// A model that follows a script, one reply for each question. After the last it fails.
#[derive(Debug)]
pub struct Scripted {
    name: String,
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// A model of this name that will reply so.
    pub fn new(name: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect());
        Self { name: name.to_owned(), replies, asked: Mutex::default() }
    }

    /// What it was asked so far, in order.
    pub fn asked(&self) -> Vec<Request> {
        locked(&self.asked).clone()
    }

    /// How many replies are left.
    pub fn left(&self) -> usize {
        locked(&self.replies).len()
    }

    async fn reply(&self, request: &Request) -> Result<Answer> {
        locked(&self.asked).push(request.clone());
        let reply = locked(&self.replies).pop_front();
        let value = match reply {
            Some(Reply::Good(value) | Reply::Hostile(value)) => fitting(&self.name, request, value)?,
            Some(Reply::Slow(wait, value)) => {
                tokio::time::sleep(wait).await;
                fitting(&self.name, request, value)?
            }
            Some(Reply::Malformed(text)) => read(&self.name, request, &text)?,
            Some(Reply::Truncated) => return Err(cut_off(&self.name, request)),
            Some(Reply::Refuse(status)) => return Err(self.refused(status)),
            Some(Reply::Unreachable) => return Err(self.unreachable()),
            None => {
                let problem = "its script has come to an end".to_owned();
                return Err(ModelError::Failed { id: self.name.clone(), problem });
            }
        };
        let tokens_out = value.to_string().len().div_ceil(4) as u64;
        Ok(Answer::new(request, value, None, Some(tokens_out)))
    }

    fn refused(&self, status: u16) -> ModelError {
        let says = "as the script says".to_owned();
        ModelError::Refused { server: self.name.clone(), status, says, retry_after: None }
    }

    fn unreachable(&self) -> ModelError {
        ModelError::Unreachable { server: self.name.clone(), problem: "connection refused".to_owned() }
    }
}

impl LanguageModel for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer>> {
        Box::pin(self.reply(request))
    }
}
