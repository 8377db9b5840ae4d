//! Reports of work on a memory, and its health.

use cairn_domain::Time;
use cairn_engine::{Health, ImportReport, IngestReport, KnowledgeReport};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts from ingesting a transcript.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Ingest {
    /// Messages read.
    pub read: u64,
    /// Messages that are new.
    pub added: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// Messages that were left out, because an operator has erased them.
    pub erased: u64,
    /// Lines that could not be read.
    pub malformed: u64,
    /// How long it took.
    pub seconds: f64,
}

impl Ingest {
    /// The report of a run that took so many seconds.
    pub fn new(report: &IngestReport, seconds: f64) -> Self {
        let IngestReport { read, added, duplicates, erased, malformed } = *report;
        Self { read, added, duplicates, erased, malformed, seconds }
    }
}

/// A move from other products: its plan and, if it was carried out, its counts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MoveIn {
    /// Whether it was carried out; else it is a plan.
    pub done: bool,
    /// The findings, by product.
    pub products: Vec<MovedProduct>,
    /// Counts of the messages.
    #[serde(flatten)]
    pub ingest: Ingest,
    /// Counts of the files read as knowledge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<Knowledge>,
    /// Messages of other people or agents, left where they are.
    pub others: u64,
}

/// The findings of one product.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MovedProduct {
    /// The product.
    pub product: &'static str,
    /// Files and folders of it.
    pub paths: Vec<String>,
    /// Counts by kind, and by what the product calls it.
    pub counts: BTreeMap<String, u64>,
    /// Messages of each person or agent that shares the store.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tenants: BTreeMap<String, u64>,
    /// Reasons why something is left behind, each with how many.
    pub left_out: BTreeMap<String, u64>,
    /// Texts for identity files, which only an operator writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<ProposedIdentity>,
    /// The earliest time that something was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Time>,
    /// The latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Time>,
}

/// A text that is proposed for an identity file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposedIdentity {
    /// The file.
    pub file: &'static str,
    /// Where it stood.
    pub origin: String,
    /// The words.
    pub text: String,
}

/// Counts from importing a bundle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Import {
    /// Whose it was.
    pub from: String,
    /// Messages in it.
    pub messages: u64,
    /// Messages that are new.
    pub added: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// Messages that were left out, because an operator has erased them.
    pub erased: u64,
    /// Whether its memories came with them.
    pub memories: bool,
    /// Decisions that an operator made there; left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<ImportDecided>,
}

/// Decisions that an operator made in the home that a bundle comes from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportDecided {
    /// Whether it was taken over: an operator signed in for it. If not, what was verified is a candidate and nothing is set.
    pub taken_over: bool,
    /// Beliefs that were verified.
    pub verified: u64,
    /// Number of settings: the provenance mode, kinds of low risk.
    pub settings: u64,
    /// Candidates that were put off.
    pub put_off: u64,
    /// The receipt that tells of it.
    pub receipt: Option<u64>,
}

impl From<&ImportReport> for Import {
    fn from(report: &ImportReport) -> Self {
        Self {
            from: report.from.to_string(),
            messages: report.messages,
            added: report.added,
            duplicates: report.duplicates,
            erased: report.erased,
            memories: report.memories,
            decided: (!report.decided.decided.is_nothing()).then_some(ImportDecided {
                taken_over: report.taken_over,
                verified: report.decided.decided.verified.len() as u64,
                settings: report.decided.decided.settings,
                put_off: report.decided.decided.put_off,
                receipt: report.decided.receipt,
            }),
        }
    }
}

/// Counts from reading files as knowledge.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Knowledge {
    /// Files read.
    pub files: u64,
    /// Paragraphs that are new.
    pub added: u64,
    /// Paragraphs that were there already.
    pub unchanged: u64,
    /// Paragraphs that were replaced or are gone.
    pub superseded: u64,
    /// Files left out because they are too large or too many.
    pub left_out: u64,
}

impl From<&KnowledgeReport> for Knowledge {
    fn from(report: &KnowledgeReport) -> Self {
        Self {
            files: report.files,
            added: report.added,
            unchanged: report.unchanged,
            superseded: report.superseded,
            left_out: (report.too_large + report.beyond_limit) as u64,
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    /// Name of the check.
    pub check: String,
    /// `good`, `mended`, `warning` or `bad`.
    pub health: &'static str,
    /// The finding, for people.
    pub detail: String,
    /// The way to repair it, if it needs repair.
    pub fix: Option<String>,
}

impl From<&cairn_engine::Check> for Check {
    fn from(check: &cairn_engine::Check) -> Self {
        let health = match check.health {
            Health::Good => "good",
            Health::Mended => "mended",
            Health::Warning => "warning",
            Health::Bad => "bad",
        };
        Self { check: check.name.to_owned(), health, detail: check.detail.clone(), fix: check.fix.clone() }
    }
}

impl Check {
    /// How something stands, without what was seen: for callers who are not admitted.
    pub fn without_detail(check: &cairn_engine::Check) -> Self {
        Self { detail: "send a key to see what was found".to_owned(), fix: None, ..Self::from(check) }
    }
}

/// Whether archive, seals, database and index agree.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Verification {
    /// Whether nothing was found.
    pub ok: bool,
    /// Messages compared with their archive line.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// Seals checked.
    pub seals: u64,
    /// Beliefs whose words were looked for.
    pub beliefs: u64,
    /// Receipts of the ledger that follow each other.
    pub receipts: u64,
    /// Everything that does not agree.
    pub findings: Vec<Finding>,
}

/// Something that does not agree.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// The problem, for people.
    pub problem: String,
    /// The next step, for people.
    pub hint: String,
}

impl From<&cairn_store::VerificationReport> for Verification {
    fn from(verification: &cairn_store::VerificationReport) -> Self {
        let finding = |finding: &cairn_store::VerificationFinding| Finding {
            problem: finding.problem.clone(),
            hint: finding.hint.to_owned(),
        };
        Self {
            ok: verification.findings.is_empty(),
            messages: verification.messages,
            files: verification.files,
            seals: verification.seals,
            beliefs: verification.beliefs,
            receipts: verification.receipts,
            findings: verification.findings.iter().map(finding).collect(),
        }
    }
}

/// Counts from ingesting messages in bulk.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Imported {
    /// How many.
    #[serde(flatten)]
    pub ingest: Ingest,
    /// The first lines that could not be read.
    pub problems: Vec<MalformedLine>,
}

/// A line that could not be read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MalformedLine {
    /// Its number.
    pub line: u64,
    /// Reason it could not be read.
    pub problem: String,
}

/// How something stands, check by check.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Checkup {
    /// Whether nothing is broken.
    pub ok: bool,
    /// One result per check.
    pub checks: Vec<Check>,
}

/// Counts from rebuilding everything derived.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Rebuilt {
    /// Messages rebuilt.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// Repairs made on the way.
    pub notes: Vec<String>,
}

/// Where a copy is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BackedUp {
    /// The folder, on the machine that serves.
    pub folder: String,
}

/// An agent's own backups.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Backups {
    /// The newest first.
    pub backups: Vec<Backup>,
    /// How many are kept.
    pub keep: usize,
}

/// One backup.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Backup {
    /// The folder, on the machine that serves: named by the time at which it was made.
    pub folder: String,
    /// Bytes of its files.
    pub bytes: u64,
}

impl From<&cairn_engine::BackupFolder> for Backup {
    fn from(backup: &cairn_engine::BackupFolder) -> Self {
        Self { folder: backup.folder.display().to_string(), bytes: backup.bytes }
    }
}

/// The configuration in force.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Configuration {
    /// The file that holds it, on the machine that serves.
    pub file: String,
    /// Every setting, as TOML.
    pub toml: String,
}

/// A server that runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Alive {
    /// Always `ok`.
    pub status: &'static str,
    /// Which Cairn it is.
    pub version: &'static str,
}
