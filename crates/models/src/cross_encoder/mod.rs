//! The cross-encoder: the local model, changed by training so that it reads two statements at once and tells whether the
//! newer one takes the older one's place. What training changed is shipped (`adapters/change.safetensors`, made by
//! `scripts/train-adapter`); the rest is the installed model.

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

/// Tokens that are read of the known statement, of the turn before the new one, and of the new one. Training reads as many.
const MAX_KNOWN_TOKENS: usize = 64;
const MAX_BEFORE_TOKENS: usize = 24;
const MAX_NEW_TOKENS: usize = 80;
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

/// The cross-encoder, loaded.
pub(crate) struct CrossEncoder {
    model: LocalModel,
    head: Vec<f32>,
    head_bias: f32,
}

impl CrossEncoder {
    /// Loads it from the folder of the local model.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let adapter = Adapter::from_bytes(CHANGE_ADAPTER).map_err(|problem| failed(&problem))?;
        let model = LocalModel::load(folder, Some(&|bytes| patch_model(bytes, &adapter)))?;
        let Adapter { head, head_bias, .. } = adapter;
        Ok(Self { model, head, head_bias })
    }

    /// The log-odds that the new statement takes the known one's place.
    pub(crate) fn change_odds(&self, pair: &TextPair<'_>) -> Result<f32> {
        let known = self.tokens(pair.known)?;
        let (before, new) = (self.tokens(pair.before)?, self.tokens(pair.new)?);
        let mut tokens = vec![BEGIN_TOKEN];
        tokens.extend(known.iter().take(MAX_KNOWN_TOKENS));
        tokens.push(END_TOKEN);
        let first_text = tokens.len();
        if !before.is_empty() {
            tokens.extend(&before[before.len().saturating_sub(MAX_BEFORE_TOKENS)..]);
            tokens.push(SEMICOLON_TOKEN);
        }
        tokens.extend(new.iter().take(MAX_NEW_TOKENS));
        tokens.push(END_TOKEN);
        let types: Vec<i32> = (0..tokens.len()).map(|place| i32::from(place >= first_text)).collect();
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
