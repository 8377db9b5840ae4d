//! The language models of a home in the order they are asked, each behind a time limit, a few retries and a circuit
//! breaker, and all behind one daily budget.
//!
//! It never decides what an answer means, and never blocks a caller that can do without one.

use super::{
    anthropic::Anthropic,
    budget::{Budget, Spent},
    circuit_breaker::CircuitBreaker,
    command::CommandModel,
    config::{LanguageModelConfig, LanguageModelKind},
    model::{LanguageModel, LanguageModelAnswer, ModelRequest},
    openai::OpenAi,
};
use crate::{
    error::{ModelError, Result, TIMED_OUT},
    mutex::locked,
    secret::Secret,
};
use cairn_domain::Time;
use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// Retries per model before the next one is asked.
const MAX_RETRIES: u32 = 2;
/// The wait before the first retry; it doubles from there.
const FIRST_RETRY_AFTER: Duration = Duration::from_millis(500);

/// One call that was made, for the log.
#[derive(Debug, Clone)]
pub struct ModelCall {
    /// Which model was asked.
    pub model: String,
    /// How long it took.
    pub latency_ms: u64,
    /// Why it failed, if it did.
    pub error: Option<ModelError>,
}

impl ModelCall {
    /// Whether an answer came that can be used.
    pub fn success(&self) -> bool {
        self.error.is_none()
    }
}

/// The outcome of a request.
#[derive(Debug)]
pub struct ModelReply {
    /// The first answer that could be used, or why there is none.
    pub answer: Result<LanguageModelAnswer>,
    /// Every call that was made for it, in order.
    pub calls: Vec<ModelCall>,
}

/// The models, ready for requests.
pub struct GuardedModels {
    guards: Vec<GuardedModel>,
    budget: Budget,
    spent: Mutex<Option<Spent>>,
}

struct GuardedModel {
    model: Arc<dyn LanguageModel>,
    timeout: Duration,
    breaker: Mutex<CircuitBreaker>,
}

impl GuardedModels {
    /// These models, each with its timeout; the first is asked first.
    pub fn new(models: Vec<(Arc<dyn LanguageModel>, Duration)>, budget: Budget) -> Self {
        let guard = |(model, timeout)| GuardedModel { model, timeout, breaker: Mutex::default() };
        Self { guards: models.into_iter().map(guard).collect(), budget, spent: Mutex::default() }
    }

    /// The configured models; `secret` reads an environment variable.
    pub fn configured(
        models: &[LanguageModelConfig],
        budget: Budget,
        secret: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let open = |config: &LanguageModelConfig| {
            let key = config.key_env.as_deref().and_then(secret).map(Secret::new);
            Ok((config.open(key)?, config.timeout()))
        };
        Ok(Self::new(models.iter().map(open).collect::<Result<_>>()?, budget))
    }

    /// Whether there is no model.
    pub fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }

    /// The spending of the last day with a call.
    pub fn spent(&self) -> Option<Spent> {
        *locked(&self.spent)
    }

    /// Continues from what another process spent before.
    pub fn restore(&self, spent: Spent) {
        *locked(&self.spent) = Some(spent);
    }

    /// Asks one model after another until one gives a usable answer.
    pub async fn ask(&self, request: &ModelRequest, now: Time) -> ModelReply {
        self.ask_those(request, now, &|_| true).await
    }

    /// Like [`ask`](Self::ask), with only the models whose index `may` accepts.
    pub async fn ask_those(
        &self,
        request: &ModelRequest,
        now: Time,
        may: &(dyn Fn(usize) -> bool + Sync),
    ) -> ModelReply {
        let mut calls = Vec::new();
        let mut why = ModelError::NoLanguageModel;
        for (_, guard) in self.guards.iter().enumerate().filter(|(place, _)| may(*place)) {
            match self.ask_one(guard, request, now, &mut calls).await {
                Ok(answer) => return ModelReply { answer: Ok(answer), calls },
                Err(ModelError::BudgetSpent) => {
                    return ModelReply { answer: Err(ModelError::BudgetSpent), calls };
                }
                // Why another model failed says more than that this one is paused.
                Err(ModelError::Resting { .. }) if !calls.is_empty() => {}
                Err(error) => why = error,
            }
        }
        ModelReply { answer: Err(why), calls }
    }

    /// Asks one model, and retries failures that may pass.
    async fn ask_one(
        &self,
        guard: &GuardedModel,
        request: &ModelRequest,
        now: Time,
        calls: &mut Vec<ModelCall>,
    ) -> Result<LanguageModelAnswer> {
        let mut retries = 0;
        loop {
            if !locked(&guard.breaker).admits(Instant::now()) {
                return Err(ModelError::Resting { model: guard.model.name().to_owned() });
            }
            let error = match self.call(guard, request, now, calls).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let wait = error.retry_after().unwrap_or_else(|| backoff(retries, fastrand::f64()));
            let hopeless = !error.is_transient() || locked(&guard.breaker).is_open(Instant::now());
            // A server that asks for a longer wait than the timeout would refuse before that, too.
            if hopeless || retries == MAX_RETRIES || wait > guard.timeout {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// Calls a model once within the budget and the timeout, and books what it took.
    async fn call(
        &self,
        guard: &GuardedModel,
        request: &ModelRequest,
        now: Time,
        calls: &mut Vec<ModelCall>,
    ) -> Result<LanguageModelAnswer> {
        let reserve = locked(&self.spent).get_or_insert(Spent::nothing(now.day())).reserve(
            &self.budget,
            now.day(),
            request.tokens_in().saturating_add(request.tokens_out()),
        )?;
        let started = Instant::now();
        let answer = tokio::time::timeout(guard.timeout, guard.model.ask(request)).await;
        let ended = Instant::now();
        if let Some(spent) = &mut *locked(&self.spent) {
            match &answer {
                Ok(Ok(answer)) => spent.book(reserve, answer.tokens_in.saturating_add(answer.tokens_out)),
                Ok(Err(ModelError::Refused { .. } | ModelError::Unreachable { .. })) => {
                    spent.cancel(reserve);
                }
                // An answer that came too late or cannot be used was paid for as well.
                Ok(Err(_)) | Err(_) => {}
            }
        }
        let model = guard.model.name().to_owned();
        let timed_out = |_| ModelError::Unreachable { server: model.clone(), problem: TIMED_OUT.to_owned() };
        let answer = answer.map_err(timed_out).flatten();
        match &answer {
            Ok(_) => locked(&guard.breaker).record_success(),
            Err(_) => locked(&guard.breaker).record_failure(ended),
        }
        let latency_ms = ended.duration_since(started).as_millis() as u64;
        calls.push(ModelCall { model, latency_ms, error: answer.as_ref().err().cloned() });
        answer
    }
}

impl fmt::Debug for GuardedModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.guards.iter().map(|guard| guard.model.name()).collect();
        f.debug_struct("GuardedModels")
            .field("models", &names)
            .field("spent", &self.spent())
            .finish_non_exhaustive()
    }
}

/// How long to wait before a retry when the server does not say. Jitter (`chance`, 0 to 1) keeps clients that failed
/// together from coming back together:
///
/// wait = 0.5 s · 2^retries · (0.5 + chance)
fn backoff(retries: u32, chance: f64) -> Duration {
    (FIRST_RETRY_AFTER * 2_u32.pow(retries)).mul_f64(0.5 + chance)
}

impl LanguageModelConfig {
    /// The model that this configures. Nothing is sent yet.
    pub fn open(&self, key: Option<Secret>) -> Result<Arc<dyn LanguageModel>> {
        Ok(match self.kind {
            LanguageModelKind::Openai => Arc::new(OpenAi::new(self, key)?),
            LanguageModelKind::Anthropic => Arc::new(Anthropic::new(self, key)?),
            LanguageModelKind::Command => Arc::new(CommandModel::new(self)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_scatter() {
        for (retries, chance, ms) in [(0, 0.5, 500), (1, 0.5, 1_000), (0, 0.0, 250), (1, 1.0, 1_500)] {
            assert_eq!(backoff(retries, chance), Duration::from_millis(ms), "{retries} {chance}");
        }
    }
}
