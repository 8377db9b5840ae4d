//! Language models: the trait with its request and answer (`model`), `config`, the two protocols (`openai`, `anthropic`) and any program (`command`), what
//! all of them use (`quotation`, `schema`), and the guard around them (`circuit_breaker`, `budget`, `guarded_models`).

pub(crate) mod anthropic;
pub(crate) mod budget;
pub(crate) mod circuit_breaker;
pub(crate) mod command;
pub(crate) mod config;
pub(crate) mod guarded_models;
pub(crate) mod model;
pub(crate) mod openai;
pub(crate) mod operation_record;
pub(crate) mod quotation;
pub(crate) mod schema;
pub mod scripted;
