//! Models behind small traits: embedders, which turn a text into a vector so that texts of similar meaning lie near each
//! other, and language models, which answer a question about a text with a value of a given JSON shape.
//!
//! In reading order, each part knowing only those before it:
//!
//! - `error`, `secret`, `mutex`, `token_estimate`: what both kinds of model share.
//! - `http`: the client, and one endpoint of a model server.
//! - `install`: downloads the local model and checks it against its hash.
//! - `local_model`, `cross_encoder`: the model that runs on this machine, as it is and trained to read several texts at once.
//! - `embedding`: [`Embedder`] is the trait; [`LocalEmbedder`] runs a small model on this machine and [`RemoteEmbedder`]
//!   asks a server; [`EmbedderProvider`] is what everybody else uses: one shared embedder, loaded at its first use.
//! - `language`: [`LanguageModel`] is the trait; [`OpenAi`] and [`Anthropic`] ask a server, with user content quoted and the
//!   answer validated against its schema; [`GuardedModels`] is what everybody else uses: the models in order, with time,
//!   retries and spending limited; [`OpsRecord`] is the log line; [`scripted`] is for tests.
//!
//! The prompts are files in `prompts/`.
//!
//! This crate never decides what is embedded or asked, or what a distance or an answer means for memory.

mod cross_encoder;
mod embedding;
mod error;
mod http;
mod install;
mod language;
mod local_model;
mod mutex;
mod secret;
mod token_estimate;

pub use cross_encoder::{ClauseInMessage, ClauseSpeaker, RivalAnswers, TextPair};
pub use embedding::{
    embedder::Embedder,
    local::LocalEmbedder,
    provider::{EmbedderChoice, EmbedderProvider},
    query_cache::QueryVectorCache,
    remote::{RemoteEmbedder, RemoteEmbedderConfig},
    spec::{Calibration, EmbedderSpec, local_spec},
    vector::cosine_at,
};
pub use error::{BoxFuture, InstallAttempt, ModelError, Result};
pub use http::peer::PeerEndpoint;
pub use install::{
    installation::{ModelStatus, install, installed},
    source::{InstallProgress, ModelSource},
};
pub use language::{
    anthropic::Anthropic,
    budget::{Budget, Spent},
    command::{ASKING_VARIABLE, CommandModel},
    config::{LanguageModelConfig, LanguageModelKind},
    guarded_models::{GuardedModels, ModelCall, ModelReply},
    model::{LanguageModel, LanguageModelAnswer, ModelRequest, Picture},
    openai::OpenAi,
    operation_record::OpsRecord,
    scripted,
};
pub use secret::Secret;
