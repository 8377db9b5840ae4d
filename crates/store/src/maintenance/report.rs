//! The report of a verification.

/// Findings beyond this many are dropped.
const MAX_FINDINGS: usize = 100;

pub(super) const REBUILD: &str = "run `cairn rebuild`";
pub(super) const MAKE_VECTORS_AGAIN: &str =
    "run `cairn rebuild`: it keeps the vectors that fit; the others are made again by and by";

/// Counts of everything that was checked, and the findings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerificationReport {
    /// Messages compared with their archive line.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// Seals checked.
    pub seals: u64,
    /// Vectors looked at.
    pub vectors: u64,
    /// Beliefs whose words were looked for.
    pub beliefs: u64,
    /// Receipts of the ledger that follow each other.
    pub receipts: u64,
    /// Receipts whose words an operator erased.
    pub erased: u64,
    /// Problems; empty when all is well.
    pub findings: Vec<VerificationFinding>,
}

/// A problem that verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationFinding {
    /// The problem, for people.
    pub problem: String,
    /// The next step, for people.
    pub hint: &'static str,
}

impl VerificationFinding {
    /// Whether rebuilding everything that is derived from the archive repairs it.
    pub fn is_mended_by_rebuilding(&self) -> bool {
        [REBUILD, MAKE_VECTORS_AGAIN].contains(&self.hint)
    }
}

impl VerificationReport {
    pub(super) fn found(&mut self, problem: String, hint: &'static str) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(VerificationFinding { problem, hint });
        }
    }
}
