//! The language models of a home, in the order in which they are asked, with a guard before each: a time limit, few
//! retries, a rest after repeated failures, a budget a day for all together.
//!
//! What it must never do: decide what an answer means, or make anybody wait who cannot do without one.

use crate::{
    Answer, Budget, LanguageModel, LanguageModelConfig, ModelError, Request, Result, Secret, Spent,
    breaker::Breaker, error::LATE, provider::locked,
};
use cairn_domain::Time;
use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// So often a model is asked again before the next one is.
const RETRIES: u32 = 2;
/// The wait before the first retry; it doubles from there.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// One call that was made, for the log.
#[derive(Debug, Clone)]
pub struct Call {
    /// Which model was asked.
    pub model: String,
    /// How long it took.
    pub latency_ms: u64,
    /// Why it failed, if it did.
    pub error: Option<ModelError>,
}

impl Call {
    /// Whether an answer came that can be used.
    pub fn success(&self) -> bool {
        self.error.is_none()
    }
}

/// What became of a request.
#[derive(Debug)]
pub struct Asked {
    /// The first answer that could be used, or why there is none.
    pub answer: Result<Answer>,
    /// Every call that was made for it, in order.
    pub calls: Vec<Call>,
}

/// The models, ready to be asked.
pub struct Guarded {
    guards: Vec<Guard>,
    budget: Budget,
    spent: Mutex<Option<Spent>>,
}

struct Guard {
    model: Arc<dyn LanguageModel>,
    timeout: Duration,
    breaker: Mutex<Breaker>,
}

impl Guarded {
    /// These models, each with the longest a call of it may take; the first is asked first.
    pub fn new(models: Vec<(Arc<dyn LanguageModel>, Duration)>, budget: Budget) -> Self {
        let guard = |(model, timeout)| Guard { model, timeout, breaker: Mutex::default() };
        Self { guards: models.into_iter().map(guard).collect(), budget, spent: Mutex::default() }
    }

    /// The models as the configuration says; `secret` knows the value of an environment variable.
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

    /// Whether there is nobody to ask.
    pub fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }

    /// What has been spent on the last day on which something was asked.
    pub fn spent(&self) -> Option<Spent> {
        *locked(&self.spent)
    }

    /// Goes on from what was spent before, in another process.
    pub fn restore(&self, spent: Spent) {
        *locked(&self.spent) = Some(spent);
    }

    /// Asks one model after the other until one gives an answer that can be used.
    pub async fn ask(&self, request: &Request, now: Time) -> Asked {
        self.ask_those(request, now, &|_| true).await
    }

    /// The same with only those models that `may` be asked, by their place in the order.
    pub async fn ask_those(
        &self,
        request: &Request,
        now: Time,
        may: &(dyn Fn(usize) -> bool + Sync),
    ) -> Asked {
        let mut calls = Vec::new();
        let mut why = ModelError::NoLanguageModel;
        for (_, guard) in self.guards.iter().enumerate().filter(|(place, _)| may(*place)) {
            match self.ask_one(guard, request, now, &mut calls).await {
                Ok(answer) => return Asked { answer: Ok(answer), calls },
                Err(ModelError::BudgetSpent) => return Asked { answer: Err(ModelError::BudgetSpent), calls },
                // That one of them rests says less than why another failed.
                Err(ModelError::Resting { .. }) if !calls.is_empty() => {}
                Err(error) => why = error,
            }
        }
        Asked { answer: Err(why), calls }
    }

    /// Asks one model, again while that may help.
    async fn ask_one(
        &self,
        guard: &Guard,
        request: &Request,
        now: Time,
        calls: &mut Vec<Call>,
    ) -> Result<Answer> {
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
            let hopeless = !error.may_pass() || locked(&guard.breaker).rests(Instant::now());
            // Whoever asks for more patience than there is will refuse before that, too.
            if hopeless || retries == RETRIES || wait > guard.timeout {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// Calls a model once, within the budget and the time, and keeps the books.
    async fn call(
        &self,
        guard: &Guard,
        request: &Request,
        now: Time,
        calls: &mut Vec<Call>,
    ) -> Result<Answer> {
        let (tokens_in, tokens_out) = request.tokens();
        let reserve = locked(&self.spent).get_or_insert(Spent::nothing(now.day())).reserve(
            &self.budget,
            now.day(),
            tokens_in.saturating_add(tokens_out),
        )?;
        let started = Instant::now();
        let answer = tokio::time::timeout(guard.timeout, guard.model.ask(request)).await;
        let ended = Instant::now();
        if let Some(spent) = &mut *locked(&self.spent) {
            match &answer {
                Ok(Ok(answer)) => spent.settle(reserve, answer.tokens_in.saturating_add(answer.tokens_out)),
                Ok(Err(ModelError::Refused { .. } | ModelError::Unreachable { .. })) => {
                    spent.give_back(reserve);
                }
                // An answer that came too late or cannot be used is paid for as well.
                Ok(Err(_)) | Err(_) => {}
            }
        }
        let model = guard.model.name().to_owned();
        let late = |_| ModelError::Unreachable { server: model.clone(), problem: LATE.to_owned() };
        let answer = answer.map_err(late).flatten();
        match &answer {
            Ok(_) => locked(&guard.breaker).succeeded(),
            Err(_) => locked(&guard.breaker).failed(ended),
        }
        let latency_ms = ended.duration_since(started).as_millis() as u64;
        calls.push(Call { model, latency_ms, error: answer.as_ref().err().cloned() });
        answer
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.guards.iter().map(|guard| guard.model.name()).collect();
        f.debug_struct("Guarded")
            .field("models", &names)
            .field("spent", &self.spent())
            .finish_non_exhaustive()
    }
}

/// How long to wait before a retry when the server does not say. So that many who failed together do not come back
/// together, chance (0 to 1) moves it:
///
/// wait = 0.5 s · 2^retries · (0.5 + chance)
fn backoff(retries: u32, chance: f64) -> Duration {
    (FIRST_WAIT * 2_u32.pow(retries)).mul_f64(0.5 + chance)
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
