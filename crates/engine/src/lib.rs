//! The story of a memory, in reading order: `home` finds an `agent`; `transcript` and `write` take in what
//! was said; `read` brings it back and says where it came from; `belief` is what is held true of it; `continuity`
//! lets an agent pick up where it was; `growth` is what it may become; `govern` decides how an action of it goes on; `rhythm` is
//! what happens while nobody is talking; `tend` keeps it healthy and portable; `diary` is what an agent writes for itself.
//! `verb` is what every surface calls, each verb once.
//!
//! Below them:
//! - `error`, `clock`, `retry`: failures with their hints, the time as an argument, deciding again.
//! - `config`, `config_range`, `proxy_config`, `database_url`, `limits`: what a person sets, and every bound.
//! - `agent_places`, `owner_stores`, `peers`, `keys`: where agents live, others that are asked, and who may ask.
//! - `embedders`, `language`: the models of a home.
//! - `stored_json`, `replaced_file`, `rotated_file`, `ops_log`, `meter`: how things are written down.
//! - `quote`, `wall_clock`: words and times as they are shown.
//!
//! The engine never talks to a terminal and never reads the environment or the machine's clock: paths,
//! configuration and [`Clock`] are arguments.

mod agent;
mod agent_places;
mod belief;
mod clock;
mod config;
mod config_range;
mod continuity;
mod database_url;
mod diary;
mod embedders;
mod error;
mod govern;
mod growth;
mod home;
mod keys;
mod language;
pub mod limits;
mod meter;
mod ops_log;
mod owner_stores;
mod peers;
mod proxy_config;
pub mod quote;
mod read;
mod replaced_file;
mod retry;
mod rhythm;
mod rotated_file;
mod stored_json;
mod tend;
pub mod transcript;
mod verb;
mod wall_clock;
mod write;

/// How a passage stands to the principles of an identity.
pub use cairn_cognition::alignment;
/// Kinds of friction in work with tools.
pub use cairn_cognition::friction::FrictionKind;
/// Trust below which what another agent shares is quarantined.
pub use cairn_cognition::source_trust::TRUST_FLOOR;
pub use cairn_cognition::utility::UseOutcome;
/// Intents of questions, and the parts of a score.
pub use cairn_cognition::{intent, score};
/// Embedders and language models.
pub use cairn_models as models;
pub use cairn_store::distribution_plan;

pub use agent::Agent;
pub use belief::{
    BeliefConfig, BeliefEvidence, EvidenceShape, Recommendation, Resolved, Review, ReviewScope,
    SupposedDecision, Trusted, WhyBelief,
};
pub use cairn_cognition::belief::gate::{Asking, GateReceipt, LeftOut};
pub use cairn_cognition::belief::verification::Verification as SourceVerification;
pub use cairn_cognition::govern::touched::PathAccess;
pub use cairn_cognition::skill::ProcedureStep;
pub use cairn_models::ASKING_VARIABLE;
pub use cairn_store::{After, BeliefFilter, Claimed, MemoryScope};
pub use clock::Clock;
pub use config::{
    Config, EmbedderConfig, FormationConfig, FormationProfile, HttpEmbedder, LanguageBudget, LanguageConfig,
    LanguageProvider, McpConfig, ServeConfig, StoreConfig,
};
pub use continuity::{
    AttachOutcome, AttachedFile, AttachmentTarget, AttachmentUpload, ContextOccasion, ContinuityConfig,
    FixStep, IntentionDraft, IntentionScope, ProjectSkills, SeenAttachment, SeenFailure, SeenIntention,
    SeenProcedure, SeenSkill, StartSource, StoredHandoff, TextExtractor,
};
pub use database_url::DatabaseUrl;
pub use diary::{DiaryEntry, DiaryPage};
pub use error::{EngineError, Result};
pub use govern::{
    ActionDraft, DraftPath, GOVERN_FILE, GovernRequest, GovernRules, Governed, LeaseEnd, ObservedOutcome,
    PeerReport, RecordedDecision, RecordedOutcome, RepeatRule, SharingReport, SourceAccess, SourceReport,
    StandingLease, decide_without_authority, lease_terms,
};
pub use growth::{
    CoherenceConfig, CoherenceState, DimensionStanding, DynamicsConfig, DynamicsReport, EntropyWeights,
    EvolutionConfig, EvolutionReport, ExchangeSpine, GrowthConfig, GrowthGate, GrowthPattern, InquiryPage,
    ObservedPattern, ObservedTurn, PatternFate, PatternSource, ProjectEvolution, ProposalDraft,
    ProposalEvidence, ProposalReview, RefinerWindow, ResearchShard, ScaffoldChange, SeenFriction, SeenSignal,
    ShardClass, ShardExchange, ShardId, ShardStep, SpineCall, StandingConfig, StandingReport, StoredProposal,
    TrainingDecision, WorkedExchange,
};
pub use home::{Home, Missing};
pub use keys::Keys;
pub use meter::fallback as count_fallback;
pub use peers::PeerConfig;
pub use proxy_config::ProxyConfig;
pub use read::{
    Brief, Briefing, CheckedSource, Cited, ContextConfig, Doubt, Empty, EntityEdge, EntityGraph, Explanation,
    Found, Framing, Fusion, Hit, Hub, IdentityAudience, IdentityFile, Lane, LexicalOnly, MemoryListing,
    Profile, Question, Reached, Recall, Related, SectionOutcome, SectionReport, SessionKind, SharedMemory,
    TermShare, Why, WhyDigest, WhyMemory, past_plan,
};
pub use replaced_file::{ReplaceAccess, ReplaceSync, replace_file};
pub use rhythm::{
    LayerConfig, Layers, PastRun, Reclaimed, RhythmConfig, RhythmHistory, RhythmOutcome, RhythmProgress,
    RhythmReport, RhythmStanding, Schedules,
};
pub use tend::{
    Backlog, BackupFolder, CONFIG_FILE, Check, Disclosure, Health, ImportReport, Queue, Stats, check_bundle,
    content_hash,
};
pub use verb::{
    Audience, CorrectedBy, CorrectionDraft, Effects, ExplainedMessage, ExplainedRecord, FormMemories,
    OpenedRecord, ReflectionDraft, RememberedMessage, TimelineQuery, TimelineSubject,
};
pub use write::{
    ASKED, Classed, Contradicted, Correction, Counted, DATA_SOURCE, Decision, EmbedderChange, Embedding,
    Felt, Filtered, Following, Foreseen, Formed, Forming, IngestEvent, IngestReport, KnowledgeReport,
    NearestMemory, PrivateMemory, Reasons, Refining, Reflection, Remembered, Said, Weighed, stored_name,
};
