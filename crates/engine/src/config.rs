//! Configuration: one TOML file per home. Everything has a default; what is not known or makes no sense is
//! refused at start-up, never discovered later.

use crate::{
    belief::BeliefConfig,
    config_range::check_range,
    continuity::ContinuityConfig,
    database_url::DatabaseUrl,
    error::{EngineError, Result},
    growth::{CoherenceConfig, DynamicsConfig, EvolutionConfig, GrowthConfig, StandingConfig},
    peers::{PeerConfig, peers_problem},
    proxy_config::ProxyConfig,
    read::{ContextConfig, Profile},
    rhythm::{Layers, RhythmConfig},
};
use cairn_cognition::relation::{PRUNE_AT_RELATIONS, PRUNE_TO_RELATIONS};
use cairn_domain::{Invalid, MessageLimits};
use cairn_models::{Budget, Calibration, LanguageModelConfig, LanguageModelKind};
use cairn_store::RelationPruning;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, io, path::Path};

/// The configuration of a home.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How large a message may be.
    pub capture: MessageLimits,
    /// How memories are formed.
    pub formation: FormationConfig,
    /// How hits are ranked.
    pub recall: Profile,
    /// Other rankings, by name: each a file in the folder `profiles`.
    #[serde(skip)]
    pub profiles: BTreeMap<String, Profile>,
    /// The embedder that turns messages into vectors.
    pub embedder: EmbedderConfig,
    /// The embedder before it, while a change is under way: its vectors still answer.
    pub previous_embedder: EmbedderConfig,
    /// A program that is asked before any server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageConfig>,
    /// The language models on servers, the first to be asked first. None: memories are formed by rules.
    pub language_model: Vec<LanguageModelConfig>,
    /// The daily budget of language models, and whether they may see personal data.
    pub language_budget: LanguageBudget,
    /// Copies kept.
    pub backup: Backups,
    /// Where agents are kept, if not in folders of this home.
    pub store: StoreConfig,
    /// When rhythms run and how far they go.
    pub rhythms: RhythmConfig,
    /// The layers that memories are consolidated in.
    pub layers: Layers,
    /// Weights and lifetimes of beliefs.
    pub beliefs: BeliefConfig,
    /// How often handoffs are written, and when a thread is to be begun anew.
    pub continuity: ContinuityConfig,
    /// Weights and thresholds of entropy, and whether it is measured.
    pub coherence: CoherenceConfig,
    /// Whether the state of each turn is observed.
    pub dynamics: DynamicsConfig,
    /// Which parts of growth are on, and who decides.
    pub growth: GrowthConfig,
    /// Whether it is noted where the user stands.
    pub standing: StandingConfig,
    /// Whether work with tools is looked through for friction, and for how long its windows are hot and warm.
    pub evolution: EvolutionConfig,
    /// How contexts are worded.
    pub context: ContextConfig,
    /// Limits on requests to `cairn serve`.
    pub serve: ServeConfig,
    /// Homes elsewhere that are asked, too.
    pub peer: Vec<PeerConfig>,
    /// Tools for agents over MCP beside the eight that are always there.
    pub mcp: McpConfig,
    /// How `cairn proxy` stands in front of a model's provider.
    pub proxy: ProxyConfig,
}

/// Tools for agents over MCP beside the eight that are always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// Whether there is `may_i`, which asks the governor about an action.
    pub may_i: bool,
}

/// Limits on the requests that a server accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeConfig {
    /// Requests of one key, or of this machine where there is none.
    pub requests_per_second: u32,
    /// Bytes of the body of one request.
    pub body_bytes: usize,
    /// Bytes of one import.
    pub import_bytes: u64,
    /// Origins whose pages may ask, such as `https://app.example.org`. None: no page of another origin may.
    pub origins: Vec<String>,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self { requests_per_second: 1_000, body_bytes: 20 << 20, import_bytes: 1 << 30, origins: Vec::new() }
    }
}

/// How memories are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormationConfig {
    /// Which limits hold.
    pub profile: FormationProfile,
}

/// Which limits hold for what is formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormationProfile {
    /// Those of a long life: each memory brings a few relations along, and they stay.
    #[default]
    Default,
    /// Those of a small store: from 1,000 relations on the least are let go until 900 are left.
    Seed,
}

impl FormationConfig {
    /// When relations are pruned.
    pub(crate) fn relation_pruning(self) -> Option<RelationPruning> {
        let pruning = RelationPruning { from: PRUNE_AT_RELATIONS, to: PRUNE_TO_RELATIONS };
        (self.profile == FormationProfile::Seed).then_some(pruning)
    }
}

/// The daily budget of language models, and whether they may see personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageBudget {
    /// Maximum calls per day (UTC), over all models.
    pub calls_per_day: u64,
    /// Maximum tokens per day, questions and answers together.
    pub tokens_per_day: u64,
    /// Whether what identifies a person may be sent to another machine. To this one it may always be.
    pub send_personal: bool,
}

impl Default for LanguageBudget {
    fn default() -> Self {
        let Budget { calls_per_day, tokens_per_day } = Budget::default();
        Self { calls_per_day, tokens_per_day, send_personal: false }
    }
}

/// A program as the language model: the short form of a `[[language_model]]` of that kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageConfig {
    /// Always a program; servers stand under `[[language_model]]`.
    pub provider: LanguageProvider,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether it keeps what it is asked on this machine.
    #[serde(default)]
    pub local: bool,
    /// The longest a single attempt may take: starting a program takes its time.
    #[serde(default = "program_timeout_seconds")]
    pub timeout_seconds: u64,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageProvider {
    /// A program on this machine.
    Command,
}

fn program_timeout_seconds() -> u64 {
    120
}

/// The section about language models in a new home's file.
const LANGUAGE_MODELS: &str = r#"
# A language model words memories more clearly, behind everything else; without one they are formed by rules. The first
# is asked first, the next if it fails. A key stays in the environment: name its variable.
# [language]             # any program that reads a prompt and answers JSON: claude, codex, ollama, llm
# provider = "command"
# command = ["claude", "-p"]
# [[language_model]]
# kind = "openai"        # OpenAI, Ollama, llama.cpp, vLLM; or "anthropic"
# url = "http://localhost:11434/v1"
# model = "qwen3:4b"
# key_env = "MODEL_KEY"
# timeout_seconds = 20
# sees = true            # it describes pictures that are attached
"#;

/// A database server that keeps the agents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// Its address, `postgres://user:password@host:port/database`. Empty: every agent has a folder here.
    pub url: DatabaseUrl,
    /// In how many parts the tables of an empty database are made, by the hash of the agent. 0: in one.
    pub partitions: u32,
}

/// The source of the vectors of messages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EmbedderConfig {
    /// The small model that `cairn init` installs.
    #[default]
    Local,
    /// A server that speaks OpenAI's `/embeddings`.
    Http(HttpEmbedder),
    /// Nothing: recall goes by keywords alone.
    None,
}

/// An embedding server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpEmbedder {
    /// The address that `/embeddings` is added to, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimension: usize,
    /// Longer texts are cut.
    #[serde(default = "max_tokens")]
    pub max_tokens: usize,
    /// The environment variable that holds the key, if one is needed.
    #[serde(default)]
    pub key_env: Option<String>,
    /// The longest a request may take.
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
    /// The cosine two unrelated texts have with this model.
    #[serde(default = "unrelated")]
    pub unrelated: f64,
    /// Beyond this distance of unit vectors a message does not count as near.
    #[serde(default = "distance")]
    pub distance: f64,
    /// The same while little is stored.
    #[serde(default = "sparse_distance")]
    pub sparse_distance: f64,
}

fn max_tokens() -> usize {
    512
}

fn timeout_seconds() -> u64 {
    30
}

fn unrelated() -> f64 {
    f64::from(Calibration::default().unrelated)
}

fn distance() -> f64 {
    f64::from(Calibration::default().distance)
}

fn sparse_distance() -> f64 {
    f64::from(Calibration::default().sparse_distance)
}

/// How many backups are kept in an agent's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backups {
    /// The newest this many stay.
    pub keep: usize,
}

impl Default for Backups {
    fn default() -> Self {
        Self { keep: 7 }
    }
}

impl Config {
    /// Reads `path` and the ranking profiles in the folder beside it; a missing file means the defaults.
    pub fn read(path: &Path) -> Result<Self> {
        let mut config = match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text)
                .map_err(|problem| EngineError::Config { path: path.to_owned(), problem })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => return Err(EngineError::file("read", path)(error)),
        };
        config.profiles = Profile::read_all(&path.with_file_name("profiles"))?;
        Ok(config)
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        config.check()?;
        Ok(config)
    }

    /// The ranking profile called `name`, where `default` is the configured one.
    pub fn ranking_profile(&self, name: &str) -> std::result::Result<Profile, Invalid> {
        let unknown = || {
            let known: Vec<&str> = self.profiles.keys().map(String::as_str).collect();
            Invalid::new(
                format!("there is no ranking profile `{}`", name.escape_debug()),
                format!(
                    "use {}, or write profiles/NAME.toml",
                    [&["default", "seed"], &known[..]].concat().join(", ")
                ),
            )
        };
        match name {
            "default" => Ok(self.recall),
            "seed" => Ok(Profile::seed()),
            _ => self.profiles.get(name).copied().ok_or_else(unknown),
        }
    }

    /// This configuration as a file.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self).map_err(|error| {
            let problem = format!("the configuration cannot be written as TOML: {error}");
            Invalid::new(problem, "report this with your config.toml").into()
        })
    }

    /// The file of a new home: every setting with its default, commented out.
    pub(crate) fn template() -> Result<String> {
        let comment = |line: &str| match line {
            "" => "\n".to_owned(),
            // A section, and the setting that a section cannot do without.
            needed if needed.starts_with('[') || needed.starts_with("kind =") => format!("{needed}\n"),
            setting => format!("# {setting}\n"),
        };
        let settings = Self::default().to_toml()?;
        // Which models there are is told by an example.
        let settings = settings
            .lines()
            .filter(|line| !line.starts_with("language_model =") && !line.starts_with("peer ="));
        let settings: String = settings.skip_while(|line| line.is_empty()).map(comment).collect();
        Ok(format!(
            "# Every line shows the default; take the # away to change it.\n\n{settings}{LANGUAGE_MODELS}"
        ))
    }

    /// Every language model, the first to be asked first.
    pub fn language_models(&self) -> Vec<LanguageModelConfig> {
        let program = self.language.iter().map(|language| LanguageModelConfig {
            kind: LanguageModelKind::Command,
            url: String::new(),
            model: String::new(),
            command: language.command.clone(),
            local: language.local,
            sees: false,
            key_env: None,
            timeout_seconds: language.timeout_seconds,
        });
        program.chain(self.language_model.iter().cloned()).collect()
    }

    fn check(&self) -> std::result::Result<(), String> {
        let MessageLimits { text_bytes, metadata_bytes, name_bytes } = self.capture;
        self.recall.check("recall.")?;
        check_range("capture.text_bytes", text_bytes as f64, 1.0, f64::from(1 << 30))?;
        check_range("capture.metadata_bytes", metadata_bytes as f64, 2.0, f64::from(1 << 24))?;
        check_range("capture.name_bytes", name_bytes as f64, 16.0, 4096.0)?;
        for (name, embedder) in [("embedder", &self.embedder), ("previous_embedder", &self.previous_embedder)]
        {
            let EmbedderConfig::Http(http) = embedder else { continue };
            check_range(&format!("{name}.dimension"), http.dimension as f64, 8.0, 8_192.0)?;
            check_range(&format!("{name}.max_tokens"), http.max_tokens as f64, 16.0, 1e6)?;
            check_range(&format!("{name}.timeout_seconds"), http.timeout_seconds as f64, 1.0, 600.0)?;
            check_range(&format!("{name}.unrelated"), http.unrelated, -0.5, 0.95)?;
            check_range(&format!("{name}.distance"), http.distance, 0.0, 2.0)?;
            check_range(&format!("{name}.sparse_distance"), http.sparse_distance, 0.0, 2.0)?;
        }
        for (place, model) in self.language_models().iter().enumerate() {
            if let Some(problem) = model.problem() {
                return Err(format!("language_model {} ({}): {problem}", place + 1, model.name()));
            }
        }
        if let Some(problem) = self.rhythms.problem(&self.layers).or_else(|| self.beliefs.problem()) {
            return Err(problem);
        }
        if let Some(problem) = peers_problem(&self.peer) {
            return Err(problem);
        }
        self.continuity.check()?;
        self.coherence.check()?;
        self.context.check()?;
        self.growth.check()?;
        self.proxy.check()?;
        check_range("store.partitions", f64::from(self.store.partitions), 0.0, 1024.0)?;
        let ServeConfig { requests_per_second, body_bytes, import_bytes, .. } = self.serve;
        check_range("serve.requests_per_second", f64::from(requests_per_second), 1.0, 1e6)?;
        check_range("serve.body_bytes", body_bytes as f64, 1024.0, f64::from(1 << 30))?;
        check_range("serve.import_bytes", import_bytes as f64, 1024.0, 1e12)?;
        check_range("backup.keep", self.backup.keep as f64, 1.0, 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-156
    #[test]
    fn the_configuration_is_checked_when_it_is_read() {
        for (text, complaint) in [
            ("", None),
            ("[recall.bm25]\nb = 0.4", None),
            ("[recal]", Some("recal")),
            ("[recall.bm25]\nb = 1.4", Some("recall.bm25.b = 1.4")),
            ("[recall.bm25]\nk1 = nan", Some("recall.bm25.k1")),
            ("[recall]\nthread_boost = 0.5", Some("recall.thread_boost")),
            ("[layers.working]\nhorizon_days = 2.0", None),
            ("[layers.working]\nhorizon = 2.0", Some("layers.working")),
            ("[layers.projects]\nhorizon_days = 2.0", Some("consolidation_interval")),
            ("[layers.long-term]\nconsolidation_interval = \"often\"", Some("no cron expression")),
            ("[rhythms.schedule]\ndream = \"61 * * * *\"", Some("rhythms.schedule.dream")),
            ("[rhythms]\ntime_zone = \"Mars/Olympus\"", Some("rhythms.time_zone")),
            ("[rhythms]\nnight = \"always\"", Some("rhythms.night")),
            ("[capture]\ntext_bytes = 0", Some("capture.text_bytes")),
            ("[capture]\ntext_bytes = \"many\"", Some("text_bytes")),
            ("[backup]\nkeep = 0", Some("backup.keep")),
            ("[proxy]\ncontext_ms = 0", Some("proxy.context_ms")),
            ("[proxy]\nidle_seconds = 1\nbody_bytes = 1024", None),
            ("[[language_model]]\nkind = \"openai\"\nurl = \"http://localhost:1/v1\"\nmodel = \"m\"", None),
            ("[[language_model]]\nkind = \"openai\"\nurl = \"here\"\nmodel = \"m\"", Some("(openai:m): url")),
            ("[[language_model]]\nkind = \"oracle\"", Some("oracle")),
            ("[language]\nprovider = \"command\"\ncommand = [\"claude\", \"-p\"]", None),
            ("[language]\nprovider = \"command\"\ncommand = []", Some("name the program")),
            ("[[language_model]]\nkind = \"openai\"\nkey = \"k\"", Some("key")),
            ("[language_budget]\ncalls_per_day = -1", Some("calls_per_day")),
            ("[language_budget]\nspend = 1", Some("spend")),
            ("not toml", Some("=")),
        ] {
            match (Config::parse(text), complaint) {
                (Ok(_), None) => {}
                (Err(problem), Some(complaint)) => assert!(problem.contains(complaint), "{text}: {problem}"),
                (parsed, _) => panic!("{text}: {parsed:?}"),
            }
        }
    }

    #[test]
    fn what_is_shown_can_be_read_back_and_a_new_file_changes_nothing() {
        assert_eq!(Config::parse(&Config::template().expect("written")), Ok(Config::default()));
        assert_eq!(Config::parse(&Config::default().to_toml().expect("written")), Ok(Config::default()));
    }
}
