//! What work on a memory did, and how it stands.

use cairn_engine::{Health, ImportReport, IngestReport, KnowledgeReport};
use schemars::JsonSchema;
use serde::Serialize;

/// What taking in a transcript did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Ingest {
    /// Messages read.
    pub read: u64,
    /// Messages that are new.
    pub added: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// Lines that could not be read.
    pub malformed: u64,
    /// How long it took.
    pub seconds: f64,
}

impl Ingest {
    /// What was done in so many seconds.
    pub fn new(report: &IngestReport, seconds: f64) -> Self {
        let IngestReport { read, added, duplicates, malformed } = *report;
        Self { read, added, duplicates, malformed, seconds }
    }
}

/// What taking in a bundle did.
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
    /// Whether its memories came with them.
    pub memories: bool,
    /// What an operator had decided there; left out if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<ImportDecided>,
}

/// What an operator had decided where a bundle comes from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportDecided {
    /// Whether it was taken over: an operator signed in for it. If not, what was verified is a candidate and nothing is set.
    pub taken_over: bool,
    /// Beliefs that were verified.
    pub verified: u64,
    /// What was set: the mode, what is of low risk.
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

/// What reading files as knowledge did.
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
}

impl From<&KnowledgeReport> for Knowledge {
    fn from(report: &KnowledgeReport) -> Self {
        Self {
            files: report.files,
            added: report.added,
            unchanged: report.unchanged,
            superseded: report.superseded,
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    /// What.
    pub check: String,
    /// `good`, `mended`, `warning` or `bad`.
    pub health: &'static str,
    /// What was seen.
    pub detail: String,
    /// What to do, if anything.
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
    /// What does not fit.
    pub findings: Vec<Finding>,
}

/// Something that does not fit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// What.
    pub problem: String,
    /// What to do.
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

/// What taking in messages in bulk did.
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
    /// What is wrong with it.
    pub problem: String,
}

/// How something stands, check by check.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Checkup {
    /// Whether nothing is broken.
    pub ok: bool,
    /// What was looked at.
    pub checks: Vec<Check>,
}

/// What building everything derived anew did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Rebuilt {
    /// Messages rebuilt.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// What was repaired on the way.
    pub notes: Vec<String>,
}

/// Where a copy is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BackedUp {
    /// The folder, on the machine that serves.
    pub folder: String,
}

/// A server that runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Alive {
    /// Always `ok`.
    pub status: &'static str,
    /// Which Cairn it is.
    pub version: &'static str,
}
