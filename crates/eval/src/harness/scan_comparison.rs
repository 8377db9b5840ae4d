//! The quick scan of vectors beside the exact one.

use cairn_engine::{Agent, EngineError};

/// Nearest messages compared.
pub(crate) const SCANNED: usize = 10;

/// How many of the exactly nearest messages the quick scan found, and how many there were.
#[derive(Default)]
pub(crate) struct ScanComparison {
    found: usize,
    wanted: usize,
}

impl ScanComparison {
    /// Compares both for one question.
    pub(crate) async fn compare(&mut self, agent: &Agent, question: &str) -> Result<(), EngineError> {
        let (quick, exact) = agent.compare_scans(question, SCANNED).await?;
        self.found += exact.iter().filter(|seq| quick.contains(seq)).count();
        self.wanted += exact.len();
        Ok(())
    }

    /// The share that was found; `None` if there was nothing to find.
    pub(crate) fn recall(&self) -> Option<f64> {
        (self.wanted > 0).then(|| self.found as f64 / self.wanted as f64)
    }
}
