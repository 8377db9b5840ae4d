//! Rhythms: how they stand, what a run did, and what they did to one memory.

use cairn_domain::{AskedBy, DigestId, DigestKind, MemoryId, RunState, Status, Time};
use cairn_engine::{RhythmHistory, RhythmOutcome, RhythmReport, RhythmStanding};
use cairn_store::{
    ChangeRecord, DigestRecord, MemoryRecord, MessageRecord, ReviewRecord, RunRecord, StepRecord,
};
use schemars::JsonSchema;
use serde::Serialize;

/// Result of a compaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Compacted {
    /// The run, with the duplicates it found and how it resolved them.
    pub run: RhythmRun,
    /// Bytes of the agent before.
    pub bytes_before: u64,
    /// Bytes of the agent after; on a dry run as many as it would be at most.
    pub bytes_after: u64,
    /// How many were given back.
    pub bytes_reclaimed: u64,
}

/// How every rhythm stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Rhythms {
    /// The rhythms.
    pub rhythms: Vec<Rhythm>,
}

/// How a rhythm stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Rhythm {
    /// Its name.
    pub name: String,
    /// Tag by which a run is routed to the code that carries it out.
    pub tag: String,
    /// Its schedule, as a cron expression.
    pub schedule: String,
    /// When it is due next; in the past if it is overdue.
    pub next: Option<Time>,
    /// Since when it rests, if it does.
    pub paused_at: Option<Time>,
    /// Why it does not get on, if it should.
    pub stuck: Option<String>,
    /// Its last run.
    pub last: Option<LastRun>,
}

/// The last run of a rhythm.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LastRun {
    /// Its number.
    pub run: u32,
    /// Who asked for it.
    pub asked_by: AskedBy,
    /// Whether it is done.
    pub state: RunState,
    /// When it began.
    pub begun_at: Time,
    /// When it last got on.
    pub updated_at: Time,
    /// How long was worked on it.
    pub worked_ms: u64,
    /// How many changes it made.
    pub changed: u64,
    /// One report per step.
    pub steps: Vec<RhythmStep>,
}

/// Runs of rhythms.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PastRuns {
    /// The newest first.
    pub runs: Vec<PastRun>,
    /// Where the next part begins; there is none if this is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A run of a rhythm.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PastRun {
    /// Which rhythm.
    pub rhythm: String,
    /// The run.
    #[serde(flatten)]
    pub run: LastRun,
}

/// Changes that a run made, in order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Changes {
    /// The changes; those too small to be noted one by one are counted in the steps.
    pub changes: Vec<Change>,
}

impl From<&cairn_engine::PastRun> for PastRun {
    fn from(past: &cairn_engine::PastRun) -> Self {
        Self { rhythm: past.run.rhythm.clone(), run: LastRun::new(&past.run, &past.steps) }
    }
}

impl<'a> FromIterator<&'a cairn_engine::PastRun> for PastRuns {
    fn from_iter<T: IntoIterator<Item = &'a cairn_engine::PastRun>>(runs: T) -> Self {
        Self { runs: runs.into_iter().map(PastRun::from).collect(), next: None }
    }
}

impl<'a> FromIterator<&'a ChangeRecord> for Changes {
    fn from_iter<T: IntoIterator<Item = &'a ChangeRecord>>(changes: T) -> Self {
        Self { changes: changes.into_iter().map(Change::from).collect() }
    }
}

impl LastRun {
    fn new(run: &RunRecord, steps: &[StepRecord]) -> Self {
        Self {
            run: run.run,
            asked_by: run.asked_by,
            state: run.state,
            begun_at: run.begun_at,
            updated_at: run.updated_at,
            worked_ms: run.worked_ms,
            changed: run.changed,
            steps: steps.iter().map(RhythmStep::from).collect(),
        }
    }
}

/// Report of one step of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RhythmStep {
    /// Its name.
    pub step: String,
    /// How many records it looked at.
    pub looked_at: u64,
    /// How many changes it made.
    pub changed: u64,
    /// How long it took.
    pub worked_ms: u64,
    /// A remark, if there is one.
    pub note: String,
}

/// How a run of a rhythm ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// All its steps are done.
    Done,
    /// It goes on at the next opportunity.
    Left,
    /// Somebody else is at it.
    Busy,
}

/// Report of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RhythmRun {
    /// The rhythm.
    pub rhythm: String,
    /// The number of the run; none if it did not begin.
    pub run: Option<u32>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Why it is not done.
    pub because: Option<String>,
    /// Whether nothing was really changed.
    pub dry_run: bool,
    /// One report per step.
    pub steps: Vec<RhythmStep>,
    /// The changes, in order; those too small to be noted one by one are counted in the steps.
    pub changes: Vec<Change>,
}

/// Reports of several runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RhythmRuns {
    /// The runs.
    pub runs: Vec<RhythmRun>,
}

/// A change that a rhythm made to a memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Change {
    /// The memory.
    #[serde(rename = "ref")]
    pub memory: MemoryId,
    /// In which run.
    pub run: u32,
    /// By which step.
    pub step: String,
    /// The property that changed.
    pub what: String,
    /// From what.
    pub was: String,
    /// To what.
    pub becomes: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// Digests.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Digests {
    /// The digests.
    pub digests: Vec<Digest>,
}

/// A text that was generated over records; no evidence of anything.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Digest {
    /// Its name, the same for every version.
    #[serde(rename = "ref")]
    pub id: DigestId,
    /// The kind of scope it condenses.
    pub kind: DigestKind,
    /// Name of the scope; empty for the whole agent.
    pub scope: String,
    /// Since when …
    pub from: Time,
    /// … and until when what it condenses was so.
    pub until: Time,
    /// Which version.
    pub version: u32,
    /// The text.
    pub text: String,
    /// Refs of the records it stands on.
    pub sources: Vec<String>,
    /// `rules`, or the language model that worded it.
    pub made_by: String,
    /// When.
    pub made_at: Time,
}

impl<'a> FromIterator<&'a DigestRecord> for Digests {
    fn from_iter<T: IntoIterator<Item = &'a DigestRecord>>(all: T) -> Self {
        Self { digests: all.into_iter().map(Digest::from).collect() }
    }
}

impl From<&DigestRecord> for Digest {
    fn from(record: &DigestRecord) -> Self {
        let cairn_domain::Digest { kind, scope, from, until, text, sources, made_by, .. } =
            record.digest.clone();
        let (id, version, made_at) = (record.id, record.version, record.made_at);
        Self { id, kind, scope, from, until, version, text, sources, made_by, made_at }
    }
}

/// A digest with all it stands on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyDigest {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: DigestId,
    /// The digest.
    pub digest: Digest,
    /// The records it cites, in its order.
    pub cites: Vec<Cited>,
}

/// Something that a digest cites.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Cited {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// `memory`, `exchange` or `digest`; `gone` if nothing is there any more.
    pub kind: &'static str,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When it was said, began to hold, or ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// Whether it no longer holds: something newer replaced it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
}

impl From<&cairn_engine::WhyDigest> for WhyDigest {
    fn from(why: &cairn_engine::WhyDigest) -> Self {
        let cites = why.cites.iter().map(Cited::from).collect();
        Self { reference: why.record.id, digest: (&why.record).into(), cites }
    }
}

impl From<&cairn_engine::Cited> for Cited {
    fn from(cited: &cairn_engine::Cited) -> Self {
        let (reference, kind, said) = match cited {
            cairn_engine::Cited::Memory(MemoryRecord { memory, .. }) => {
                (memory.id.to_string(), "memory", Some((memory.text.clone(), memory.valid_from)))
            }
            cairn_engine::Cited::Message(MessageRecord { message, .. }) => {
                (message.id.to_string(), "exchange", Some((message.text.clone(), message.at)))
            }
            cairn_engine::Cited::Digest(DigestRecord { id, digest, .. }) => {
                (id.to_string(), "digest", Some((digest.text.clone(), digest.until)))
            }
            cairn_engine::Cited::Gone(reference) => (reference.clone(), "gone", None),
        };
        let superseded = matches!(cited, cairn_engine::Cited::Memory(record)
            if record.memory.status == Status::Superseded);
        let (text, at) = said.unzip();
        Self { reference, kind, text, at, superseded }
    }
}

/// How rhythms have changed one memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExplainedMemory {
    /// The memory.
    #[serde(rename = "ref")]
    pub memory: MemoryId,
    /// The statement.
    pub text: String,
    /// How likely it still comes to mind.
    pub retention: f64,
    /// How stable it is, in days.
    pub stability: f64,
    /// The share of its stability that it loses in a day.
    pub loses_per_day: f64,
    /// Until when that was applied.
    pub faded_until: Option<Time>,
    /// Whether nothing may let it go.
    pub held: bool,
    /// The changes, oldest first.
    pub changes: Vec<Change>,
    /// How it stood when it was last reviewed.
    pub review: Option<Review>,
}

/// How a memory stood when it was reviewed in its layer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Review {
    /// The layer.
    pub layer: String,
    /// When.
    pub evaluated_at: Time,
    /// When it is due again.
    pub next_review_at: Time,
    /// How it scored.
    pub score: f64,
    /// Why it was promoted, demoted or left as it was.
    pub motivation: String,
}

impl From<&StepRecord> for RhythmStep {
    fn from(step: &StepRecord) -> Self {
        let StepRecord { name, looked_at, changed, worked_ms, note, .. } = step.clone();
        Self { step: name, looked_at, changed, worked_ms, note }
    }
}

impl From<&ChangeRecord> for Change {
    fn from(change: &ChangeRecord) -> Self {
        let ChangeRecord { run, step, memory, what, was, becomes, reason, changed_at, .. } = change.clone();
        Self { memory, run, step, what, was, becomes, reason, at: changed_at }
    }
}

impl From<&ReviewRecord> for Review {
    fn from(review: &ReviewRecord) -> Self {
        let ReviewRecord { layer, evaluated_at, next_review_at, score, motivation, .. } = review.clone();
        Self { layer, evaluated_at, next_review_at, score, motivation }
    }
}

impl<'a> FromIterator<&'a RhythmStanding> for Rhythms {
    fn from_iter<T: IntoIterator<Item = &'a RhythmStanding>>(all: T) -> Self {
        let rhythm = |one: &RhythmStanding| Rhythm {
            name: one.name.clone(),
            tag: one.tag.to_owned(),
            schedule: one.schedule.clone(),
            next: one.next,
            paused_at: one.paused_at,
            stuck: one.stuck.clone(),
            last: one.last.as_ref().map(|run| LastRun::new(run, &one.steps)),
        };
        Self { rhythms: all.into_iter().map(rhythm).collect() }
    }
}

impl RhythmRun {
    /// The report of a run, or of a dry run.
    pub fn new(report: &RhythmReport, dry_run: bool) -> Self {
        let (outcome, because) = match &report.outcome {
            RhythmOutcome::Done => (RunOutcome::Done, None),
            RhythmOutcome::Left(why) => (RunOutcome::Left, Some(why.clone())),
            RhythmOutcome::Busy(holder, until) => {
                (RunOutcome::Busy, Some(format!("{holder} is at it until {until}")))
            }
        };
        Self {
            rhythm: report.rhythm.clone(),
            run: report.run,
            outcome,
            because,
            dry_run,
            steps: report.steps.iter().map(RhythmStep::from).collect(),
            changes: report.changes.iter().map(Change::from).collect(),
        }
    }
}

impl FromIterator<RhythmRun> for RhythmRuns {
    fn from_iter<T: IntoIterator<Item = RhythmRun>>(runs: T) -> Self {
        Self { runs: runs.into_iter().collect() }
    }
}

impl ExplainedMemory {
    /// The history of a memory under rhythms.
    pub fn new(explained: &RhythmHistory) -> Self {
        let memory = &explained.record.memory;
        Self {
            memory: memory.id,
            text: memory.text.clone(),
            retention: explained.retention,
            stability: memory.stability,
            loses_per_day: explained.loses_per_day,
            faded_until: explained.faded_until,
            held: explained.held,
            changes: explained.changes.iter().map(Change::from).collect(),
            review: explained.review.as_ref().map(Review::from),
        }
    }
}
