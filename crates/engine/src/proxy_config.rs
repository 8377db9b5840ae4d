//! The `[proxy]` section: how `cairn proxy` stands in front of a model's provider.

use crate::config_range::check_range;
use serde::{Deserialize, Serialize};

/// How `cairn proxy` stands in front of a model's provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProxyConfig {
    /// The provider's address, such as `https://openrouter.ai/api`. Empty: the provider whose protocol a request speaks.
    pub upstream: String,
    /// Whether requests are given a context where they do not say.
    pub context: bool,
    /// How many tokens a context may have.
    pub context_tokens: usize,
    /// Milliseconds that a request waits for its context at most.
    pub context_ms: u64,
    /// Bytes of a request, and of an answer, that are kept to be recorded; larger ones pass all the same.
    pub body_bytes: usize,
    /// Seconds after which an upstream that sends nothing is given up.
    pub idle_seconds: u64,
}

impl Default for ProxyConfig {
    fn default() -> Self {
        Self {
            upstream: String::new(),
            context: false,
            context_tokens: 400,
            context_ms: 500,
            body_bytes: 32 << 20,
            idle_seconds: 900,
        }
    }
}

impl ProxyConfig {
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { context_tokens, context_ms, body_bytes, idle_seconds, .. } = self;
        check_range("proxy.context_tokens", *context_tokens as f64, 50.0, 20_000.0)?;
        check_range("proxy.context_ms", *context_ms as f64, 1.0, 60_000.0)?;
        check_range("proxy.body_bytes", *body_bytes as f64, 1024.0, f64::from(1 << 30))?;
        check_range("proxy.idle_seconds", *idle_seconds as f64, 1.0, 86_400.0)
    }
}
