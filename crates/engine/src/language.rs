//! The language models of a home: one guard before all of them, what was asked of them today, and who may see what is
//! personal. Nothing depends on them.

use crate::{
    Config, LanguageBudget,
    replaced_file::{ReplaceAccess, ReplaceSync, replace_file},
};
use cairn_domain::{Privacy, Time};
use cairn_models::{
    Budget, GuardedModels, LanguageModel, LanguageModelConfig, ModelError, ModelReply, ModelRequest, Spent,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// The file of a home that holds what was asked of models on the last day on which something was.
const SPENT: &str = "language-budget.json";
/// The longest a call may take of a model that a caller brought along.
const OWN_TIMEOUT: Duration = Duration::from_secs(20);

/// The language models that a home's agents share.
pub(crate) struct LanguageModels {
    models: Vec<LanguageModelConfig>,
    /// The keys that the configuration names, by the variable they come from.
    keys: BTreeMap<String, String>,
    budget: LanguageBudget,
    /// Made when something is first asked.
    guarded: OnceLock<Result<GuardedModels, ModelError>>,
    /// Of each model whether what it is asked stays on this machine …
    local: Vec<bool>,
    /// … and whether it understands pictures.
    sees: Vec<bool>,
    spent: PathBuf,
}

impl LanguageModels {
    /// Models as the configuration says; `secret` knows the value of an environment variable.
    pub(crate) fn new(config: &Config, home: &Path, secret: &dyn Fn(&str) -> Option<String>) -> Self {
        let models = config.language_models();
        let names = models.iter().filter_map(|model| model.key_env.clone());
        let keys = names.filter_map(|name| Some((name.clone(), secret(&name)?))).collect();
        let local = models.iter().map(LanguageModelConfig::is_local).collect();
        let sees = models.iter().map(|model| model.sees).collect();
        let (budget, spent) = (config.language_budget, home.join(SPENT));
        Self { models, keys, budget, guarded: OnceLock::new(), local, sees, spent }
    }

    /// A model of the caller's own, and nothing else.
    pub(crate) fn own(model: Arc<dyn LanguageModel>, config: &Config, home: &Path) -> Self {
        let budget = config.language_budget;
        let guarded = GuardedModels::new(vec![(model, OWN_TIMEOUT)], budget.into());
        let guarded = OnceLock::from(Ok(guarded));
        let (models, keys) = Default::default();
        Self { models, keys, budget, guarded, local: vec![true], sees: vec![true], spent: home.join(SPENT) }
    }

    /// Whether there is nobody to ask.
    pub(crate) fn is_empty(&self) -> bool {
        self.local.is_empty()
    }

    /// Whether any model may be asked about content of this privacy.
    pub(crate) fn may_see(&self, privacy: Privacy) -> bool {
        (0..self.local.len()).any(|place| self.may(place, privacy))
    }

    /// Whether any model may be shown a picture.
    pub(crate) fn may_look(&self) -> bool {
        (0..self.local.len()).any(|place| self.sees[place] && self.may(place, Privacy::Personal))
    }

    fn may(&self, place: usize, privacy: Privacy) -> bool {
        privacy == Privacy::Open || self.budget.send_personal || self.local[place]
    }

    /// Asks one model after the other, of those who may see it, until one gives an answer that can be used.
    pub(crate) async fn ask(&self, request: &ModelRequest, privacy: Privacy, now: Time) -> ModelReply {
        let guarded = match self.guarded.get_or_init(|| self.open()) {
            Ok(guarded) => guarded,
            Err(error) => return ModelReply { answer: Err(error.clone()), calls: Vec::new() },
        };
        self.go_on(guarded);
        let can = |place: usize| request.pictures.is_empty() || self.sees[place];
        let asked = guarded.ask_those(request, now, &|place| can(place) && self.may(place, privacy)).await;
        self.keep(guarded);
        asked
    }

    fn open(&self) -> Result<GuardedModels, ModelError> {
        GuardedModels::configured(&self.models, self.budget.into(), &|name| self.keys.get(name).cloned())
    }

    /// Goes on from what other processes have spent, where that is more.
    fn go_on(&self, guarded: &GuardedModels) {
        let Ok(text) = fs::read_to_string(&self.spent) else { return };
        let Ok(kept) = serde_json::from_str::<Spent>(&text) else { return };
        let further = |own: Spent| (kept.day, kept.calls, kept.tokens) > (own.day, own.calls, own.tokens);
        if guarded.spent().is_none_or(further) {
            guarded.restore(kept);
        }
    }

    /// Writes down what was spent. That it cannot be written hinders nobody.
    fn keep(&self, guarded: &GuardedModels) {
        let Some(text) = guarded.spent().and_then(|spent| serde_json::to_string(&spent).ok()) else { return };
        let _ = replace_file(&self.spent, text.as_bytes(), ReplaceSync::Cached, ReplaceAccess::Usual);
    }
}

impl From<LanguageBudget> for Budget {
    fn from(budget: LanguageBudget) -> Self {
        Self { calls_per_day: budget.calls_per_day, tokens_per_day: budget.tokens_per_day }
    }
}
