//! The nouns of Cairn, their states and the rules between states.
//!
//! Everything here is a plain value: no input or output, no async, no SQL, no clock. What a word means
//! stands in `docs/GLOSSARY.md`; a type that is not in that glossary does not belong in this crate.
//!
//! In reading order: [`Time`], [`AgentName`], the ids and [`Ref`], [`Draft`] → [`Message`] → exchange → [`Memory`] and
//! its [`Evidence`] → [`WhoseWord`] it is → [`Belief`] and [`Receipt`],
//! the [`GovernorDecision`] about an action, [`AccessKey`], and [`Invalid`], the one way in which a value can be refused.

mod access;
mod agent_name;
mod attachment;
mod belief;
mod coherence;
mod consumer;
mod digest;
mod dynamics;
mod exchange;
mod govern;
mod handoff;
mod hex;
mod id;
mod inquiry;
mod intention;
mod invalid;
mod memory;
mod message;
mod mode;
mod proposal;
mod receipt;
mod restart;
mod rhythm;
mod share;
mod standing;
mod state_record;
mod time;
mod visible;
mod whose_word;
mod word;

pub use access::{AccessKey, Scope, is_within};
pub use agent_name::AgentName;
pub use attachment::{
    Attachment, AttachmentKind, AttachmentPart, AttachmentState, AttachmentTurn, DocumentFormat, Extraction,
};
pub use belief::{
    Belief, BeliefKind, BeliefLane, BeliefStatus, ConfidenceParts, Consumer, Facet, ProvenanceMode,
    ReviewDecision, SourceState, SubjectType,
};
pub use coherence::{CoherenceLevel, EntropyPart, EntropySource, ExchangeEntropy, MAX_ENTROPY};
pub use consumer::{CONSUMER_CONTRACTS, ConsumerCheck, ConsumerContract, ConsumerKind, RecordState};
pub use digest::{Digest, DigestKind};
pub use dynamics::{TURN_FEATURES, TurnFeature, TurnFeatures};
pub use exchange::{ExchangePlace, place_after};
pub use govern::{
    AuthorityKind, AuthorityStanding, DecisionReason, Friction, GovernorDecision, LeaseAudience,
    OutcomeEvent, OutcomeVerification, ResponsibilityLease, StopCondition,
};
pub use handoff::{
    HANDOFF_FRESH_MS, HANDOFF_STALE_MS, Handoff, HandoffHealth, HandoffLine, HandoffPart, HandoffReason,
    HandoffScope, HandoffSection,
};
pub use hex::{from_hex, to_hex};
pub use id::{
    AttachmentId, BeliefId, DigestId, EntryId, ExchangeId, InquiryId, MemoryId, MessageId, ProposalId,
    RecordKind, Ref, ShortRef,
};
pub use inquiry::{
    CONNECT_AFTER_MS, ContemplationPass, InquiryProgress, InquirySource, SYNTHESIZE_AFTER_MS, Settling,
};
pub use intention::{IntentionDecision, IntentionRef, IntentionState, IntentionTrigger, TriggerKind};
pub use invalid::Invalid;
pub use memory::{
    Category, DataSource, Ekman, EntityKind, Evidence, FORGOTTEN_LAYER, Form, LONG_TERM_LAYER, Memory,
    Privacy, RelationKind, SHORT_TERM_LAYER, Stance, Status, TemporalType, Tier, Verdict, WORKING_LAYER,
    WriteSource,
};
pub use message::{Draft, Message, MessageLimits, Metadata, Role, is_prompt_source_id, prompt_source_id};
pub use mode::Mode;
pub use proposal::{
    IdentityEdit, MAX_PENDING_PROPOSALS, PROPOSAL_TIMEOUT_MS, ProposalOrigin, ProposalStatus,
};
pub use receipt::{FIRST_LINK, Receipt, ReceiptAction, ReceiptDetail, ReceiptHash, SOME_KEY};
pub use restart::{BoundedRestart, RestartAnswer, RestartExit, RestartPhase, RestartStep, SessionKey};
pub use rhythm::{AskedBy, RunState};
pub use share::{
    MAX_SHARE_NAMES, MemoryShare, SharedRef, SharedSource, TrustJudgment, TrustVerdict, WriteGrant,
};
pub use standing::{
    FIRST_STANDING, MAX_STANDING, MIN_STANDING, StandingDimension, StandingDirection, StandingEvidence,
    StandingScore, StandingTrajectory,
};
pub use state_record::{
    ApplicationMode, MaturationCandidate, MaturationLane, MutationPolicy, StateRecord, StateRecordKind,
};
pub use time::{Day, MILLIS_PER_DAY, MILLIS_PER_HOUR, MILLIS_PER_MINUTE, Time};
pub use visible::{is_invisible_control, visible};
pub use whose_word::{SpeaksAgainst, WhoseWord, may_attest, may_join, may_replace};
