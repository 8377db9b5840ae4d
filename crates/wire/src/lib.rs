//! Everything programs see: the JSON forms of questions and answers, one for the command line's `--json`, for REST and for MCP.
//!
//! Each type says with its schema what a program may rely on. Fields are added, never renamed. Nothing is decided here:
//! an answer of the engine is put into words, a question is put to it.

mod answer;
mod ask;
mod attachment;
mod belief;
mod coherence;
mod diary;
mod dynamics;
mod evidence;
mod evolution;
mod govern;
mod handoff;
mod health;
mod inquiry;
mod intention;
mod key;
mod limit;
mod list;
mod memory;
mod message;
mod pattern;
mod problem;
mod proposal;
mod research;
mod restart;
mod review;
mod rhythm;
mod session;
mod sharing;
mod skill;
mod standing;
mod why;

#[cfg(test)]
mod tests;

pub use answer::{
    Because, Computed, Detail, EmptyAnswer, Hit, HitMemory, HitWhy, LaneRank, Lanes, Recall, TermShare,
    Vicarious, empty_hint,
};
pub use ask::{
    ContextRequest, CorrectRequest, FeedbackRequest, OpenRequest, RecallRequest, RememberRequest,
    TimelineRequest,
};
pub use attachment::{
    AttachedFile, AttachedFiles, Attachment, AttachmentObservation, AttachmentReceipt, AttachmentTurn,
    Attachments, WholeAttachment,
};
pub use belief::{Belief, Link, Receipt, WhyBelief};
pub use coherence::{Coherence, CoherenceStanding, EntropyContribution, MeasuredExchange};
pub use diary::{DiaryEntries, DiaryEntry, DiaryPage, DiaryPages, PrivateMemory};
pub use dynamics::{Dynamics, DynamicsTurn};
pub use evidence::{ArchiveLine, Evidence};
pub use evolution::{
    Evolution, EvolutionCall, EvolutionExchange, EvolutionFriction, EvolutionProject, EvolutionWindow, Spine,
    SpineAttachment,
};
pub use govern::{
    Consumers, GovernDecideRequest, GovernorDecisions, Leases, MaturationCandidates, NamedLease,
    NumberedDecision, NumberedOutcome, OutcomeReceipt, OutcomeRequest, Outcomes, PacketSchemas, StateRecords,
};
pub use handoff::{Handoff, HandoffLine, HandoffSection, Handoffs};
pub use health::{
    Alive, BackedUp, Backup, Backups, Check, Checkup, Configuration, Finding, Import, Imported, Ingest,
    Knowledge, MalformedLine, MoveIn, MovedProduct, ProposedIdentity, Rebuilt, Verification,
};
pub use inquiry::{Inquiries, Inquiry, InquiryPass, Pattern};
pub use intention::{IntendRequest, Intention, Intentions, SnoozeRequest};
pub use key::{Key, KeyRequest, NewKey};
pub use limit::{Limit, Limits};
pub use list::{
    Agents, Beliefs, Day, Days, Entities, Keys, Memories, Messages, Opened, ReachedMemories, Receipts,
    Records, Session, Sessions, Stats, Thread, Threads, Timeline,
};
pub use memory::{
    Context, Entity, EntityEdge, EntityGraph, ExplainedSection, Feedback, Hub, Memory, ReachedMemory,
    Remembered, Together,
};
pub use message::Message;
pub use pattern::{Patterns, ReflectRequest, SeenPattern};
pub use problem::Problem;
pub use proposal::{
    AlignedPrinciple, Proposal, ProposalDecided, ProposalPage, ProposalScaffold, ProposalSource, Proposals,
    ProposeRequest,
};
pub use research::{
    ExportedShard, ResearchShard, ResearchShards, TrainingDecided, TrainingRequest, TrainingVerdict,
};
pub use restart::{KeyOfSession, PlannedPhase, RestartPlan, RestartReport};
pub use review::{
    DecideRequest, Decided, DecisionPreview, PreviewRequest, ReviewPage, ReviewQueue, SourceNow, UndoRequest,
    Waiting,
};
pub use rhythm::{
    Change, Changes, Cited, Compacted, Digest, Digests, ExplainedMemory, LastRun, PastRun, PastRuns, Review,
    Rhythm, RhythmRun, RhythmRuns, RhythmStep, Rhythms, RunOutcome, WhyDigest,
};
pub use session::{CallerSession, SignInRequest};
pub use sharing::{
    PermittedWriter, ReviewedMemory, SharedMemories, SharedWith, Sharing, SharingPeer, SharingSource,
    SourceTrust, TrustRequest,
};
pub use skill::{ProjectSkills, Skill, SkillFailure, SkillFix, SkillProcedure, SkillStep, Skills};
pub use standing::{Standing, StandingDay, StandingLine, StandingStep};
pub use why::{Refinement, Relation, Revision, Statement, Why, WhyMemory, WhyMessage, WhyMessages};
