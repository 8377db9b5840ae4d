//! The cross-encoder: the local model, changed by training so that it reads several texts at once. One adapter tells whether
//! a new statement takes a known one's place, another which of two statements answers a question now, a third whether somebody
//! would write a clause down. What training changed
//! is shipped (`adapters/*.safetensors`, made by `scripts/train-adapter`); the rest is the installed model.

mod adapter;
mod onnx_patch;

use crate::{
    error::Result,
    local_model::{HIDDEN_SIZE, LocalModel, failed},
};
use adapter::Adapter;
use onnx_patch::patch_model;
use std::path::Path;

static CHANGE_ADAPTER: &[u8] = include_bytes!("../../adapters/change.safetensors");
static ANSWER_ADAPTER: &[u8] = include_bytes!("../../adapters/answer.safetensors");
static WORTH_ADAPTER: &[u8] = include_bytes!("../../adapters/worth.safetensors");

/// Tokens that are read of the known statement, of the turn before the new one, and of the new one. Training reads as many.
const MAX_KNOWN_TOKENS: usize = 64;
const MAX_BEFORE_TOKENS: usize = 24;
const MAX_NEW_TOKENS: usize = 80;
/// Tokens that are read of a question, and of two statements with the turn before each. Training reads as many.
const MAX_QUESTION_TOKENS: usize = 32;
const MAX_BEFORE_OLDER_TOKENS: usize = 16;
const MAX_OLDER_TOKENS: usize = 56;
const MAX_BEFORE_NEWER_TOKENS: usize = 20;
const MAX_NEWER_TOKENS: usize = 72;
/// Tokens that are read of a clause, of the turn before its message, and of the message; of a long message some before the clause
/// and more after it. Training reads as many.
const MAX_CLAUSE_TOKENS: usize = 48;
const MAX_TURN_TOKENS: usize = 24;
const MAX_MESSAGE_TOKENS: usize = 72;
const TOKENS_BEFORE_CLAUSE: usize = 16;
/// No text needs more characters for its tokens.
const MAX_CHARS: usize = 2_000;

/// The numbers of the tokens that begin and end texts, and of the semicolon between the turn before and the new statement.
const BEGIN_TOKEN: u32 = 101;
const END_TOKEN: u32 = 102;
const SEMICOLON_TOKEN: u32 = 1025;

/// Two statements: does the new one take the known one's place?
#[derive(Debug, Clone, Copy)]
pub struct TextPair<'a> {
    /// The known statement, as it was said.
    pub known: &'a str,
    /// The turn before the new statement; empty if it begins a session.
    pub before: &'a str,
    /// The message that holds the new statement.
    pub new: &'a str,
}

/// A question and two statements that may answer it: which of them does?
#[derive(Debug, Clone, Copy)]
pub struct RivalAnswers<'a> {
    /// The words of the question.
    pub question: &'a str,
    /// The turn before the older statement; empty if it begins a session.
    pub before_older: &'a str,
    /// The message that was said first.
    pub older: &'a str,
    /// The turn before the newer statement; empty if it begins a session.
    pub before_newer: &'a str,
    /// The message that was said later.
    pub newer: &'a str,
}

/// A clause of a message: would somebody write it down?
#[derive(Debug, Clone, Copy)]
pub struct ClauseInMessage<'a> {
    /// The clause, as it stands in the message.
    pub clause: &'a str,
    /// Who said it.
    pub speaker: ClauseSpeaker,
    /// The turn before the message; empty if it begins a session.
    pub before: &'a str,
    /// The whole message.
    pub message: &'a str,
}

/// Who said a clause, as far as the model was told in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseSpeaker {
    /// A person.
    Person,
    /// The agent.
    Assistant,
}

/// An adapter that ships with this crate.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShippedAdapter {
    /// Reads a [`TextPair`].
    Change,
    /// Reads [`RivalAnswers`].
    Answer,
    /// Reads a [`ClauseInMessage`].
    Worth,
}

/// The cross-encoder, loaded with one adapter.
pub(crate) struct CrossEncoder {
    model: LocalModel,
    head: Vec<f32>,
    head_bias: f32,
}

impl CrossEncoder {
    /// Loads it from the folder of the local model.
    pub(crate) fn load(folder: &Path, adapter: ShippedAdapter) -> Result<Self> {
        let bytes = match adapter {
            ShippedAdapter::Change => CHANGE_ADAPTER,
            ShippedAdapter::Answer => ANSWER_ADAPTER,
            ShippedAdapter::Worth => WORTH_ADAPTER,
        };
        let adapter = Adapter::from_bytes(bytes).map_err(|problem| failed(&problem))?;
        let model = LocalModel::load(folder, Some(&|bytes| patch_model(bytes, &adapter)))?;
        let Adapter { head, head_bias, .. } = adapter;
        Ok(Self { model, head, head_bias })
    }

    /// The log-odds that the new statement takes the known one's place.
    pub(crate) fn change_odds(&self, pair: &TextPair<'_>) -> Result<f32> {
        let mut first = TokenRun::default();
        first.statement(&self.tokens(pair.known)?, MAX_KNOWN_TOKENS);
        let mut second = TokenRun::default();
        second.turn_before(&self.tokens(pair.before)?, MAX_BEFORE_TOKENS);
        second.statement(&self.tokens(pair.new)?, MAX_NEW_TOKENS);
        self.log_odds(&first, &second)
    }

    /// The log-odds that the newer statement answers the question now, and not the older one.
    pub(crate) fn newer_answer_odds(&self, rivals: &RivalAnswers<'_>) -> Result<f32> {
        let mut first = TokenRun::default();
        first.statement(&self.tokens(rivals.question)?, MAX_QUESTION_TOKENS);
        let mut second = TokenRun::default();
        second.turn_before(&self.tokens(rivals.before_older)?, MAX_BEFORE_OLDER_TOKENS);
        second.statement(&self.tokens(rivals.older)?, MAX_OLDER_TOKENS);
        second.turn_before(&self.tokens(rivals.before_newer)?, MAX_BEFORE_NEWER_TOKENS);
        second.statement(&self.tokens(rivals.newer)?, MAX_NEWER_TOKENS);
        self.log_odds(&first, &second)
    }

    /// The log-odds that somebody would write a clause down.
    pub(crate) fn worth_odds(&self, text: &ClauseInMessage<'_>) -> Result<f32> {
        let mut first = TokenRun::default();
        first.statement(&self.tokens(text.clause)?, MAX_CLAUSE_TOKENS);
        let mut second = TokenRun::default();
        second.tokens.extend(self.tokens(match text.speaker {
            ClauseSpeaker::Person => "user:",
            ClauseSpeaker::Assistant => "assistant:",
        })?);
        second.turn_before(&self.tokens(text.before)?, MAX_TURN_TOKENS);
        let clause_at = text.message.find(text.clause).unwrap_or(0);
        let skipped = self.tokens(&text.message[..clause_at])?.len().saturating_sub(TOKENS_BEFORE_CLAUSE);
        let message = self.tokens(text.message)?;
        let from = skipped.min(message.len().saturating_sub(MAX_MESSAGE_TOKENS));
        second.statement(&message[from..], MAX_MESSAGE_TOKENS);
        self.log_odds(&first, &second)
    }

    /// The log-odds that the head gives two texts that are read in one run.
    fn log_odds(&self, first: &TokenRun, second: &TokenRun) -> Result<f32> {
        let tokens: Vec<u32> =
            [BEGIN_TOKEN].iter().chain(&first.tokens).chain(&second.tokens).copied().collect();
        let types: Vec<i32> = (0..tokens.len()).map(|place| i32::from(place > first.tokens.len())).collect();
        let hidden = self.model.token_vectors(&tokens, &types, &self.model.all_cores);
        let hidden = hidden.map_err(|problem| failed(&problem))?;
        let (first_weights, mean_weights) = self.head.split_at(HIDDEN_SIZE);
        let weigh = |vector: &[f32], weights: &[f32]| -> f32 {
            vector.iter().zip(weights).map(|(value, weight)| value * weight).sum()
        };
        let mean: f32 = hidden.chunks(HIDDEN_SIZE).map(|token| weigh(token, mean_weights)).sum();
        Ok(weigh(&hidden[..HIDDEN_SIZE], first_weights) + mean / tokens.len() as f32 + self.head_bias)
    }

    /// The tokens of a text, without those that begin and end it.
    fn tokens(&self, text: &str) -> Result<Vec<u32>> {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(end, _)| end);
        let encoded = self.model.tokenizer.encode_fast(&text[..end], false);
        Ok(encoded.map_err(|error| failed(&error))?.get_ids().to_vec())
    }
}

/// Tokens of one of the two parts that a run tells apart.
#[derive(Default)]
struct TokenRun {
    tokens: Vec<u32>,
}

impl TokenRun {
    /// The end of the turn before a statement, if there was one.
    fn turn_before(&mut self, turn: &[u32], max_tokens: usize) {
        if !turn.is_empty() {
            self.tokens.extend(&turn[turn.len().saturating_sub(max_tokens)..]);
            self.tokens.push(SEMICOLON_TOKEN);
        }
    }

    /// The beginning of a statement, and the token that ends it.
    fn statement(&mut self, statement: &[u32], max_tokens: usize) {
        self.tokens.extend(statement.iter().take(max_tokens));
        self.tokens.push(END_TOKEN);
    }
}
