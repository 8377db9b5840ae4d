//! What may be given to a model as true: the one gate, asked by every surface before it gives anything.

use super::weigh::fresh;
use crate::{Agent, Result};
use cairn_cognition::belief::gate::{Asking, GateReceipt, LeftOut, gate};
use cairn_domain::{Belief, ProvenanceMode};
use cairn_store::BeliefRecord;

/// Verified beliefs that are looked at, the best supported first; candidates are only counted.
const LOOKED_AT: u32 = 5_000;

/// What passed the gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    /// What may be given as true, the best supported first; nothing but in `enforce`.
    pub beliefs: Vec<BeliefRecord>,
    /// In `diagnostic`, what would be given in `enforce`.
    pub would: Vec<BeliefRecord>,
    /// What the gate did: in `observe` it proves that nothing was given.
    pub receipt: GateReceipt,
}

impl Agent {
    /// How far what is held true is trusted; an operator decides it.
    pub async fn provenance_mode(&self) -> Result<ProvenanceMode> {
        Ok(self.store.read(|view| view.provenance_mode()).await?)
    }

    /// The beliefs that may be given to a model as true. There is no other way to them.
    pub async fn trusted(&self, asking: Asking<'_>) -> Result<Trusted> {
        let (now, config) = (self.now(), &self.config.beliefs);
        let read = self.store.read(|view| Ok((view.provenance_mode()?, view.verified_beliefs(LOOKED_AT)?)));
        let (mode, (records, candidates)) = read.await?;
        let held = records.iter().map(|record| (&record.belief, fresh(&record.belief, now, config)));
        let mut gated = gate(mode, held, asking);
        if candidates > 0 {
            gated.receipt.looked_at += candidates;
            *gated.receipt.left_out.entry(LeftOut::Candidate).or_default() += candidates;
        }
        let some = |wanted: &[&Belief]| -> Vec<BeliefRecord> {
            let is_wanted =
                |record: &&BeliefRecord| wanted.iter().any(|belief| belief.id == record.belief.id);
            records.iter().filter(is_wanted).cloned().collect()
        };
        let would = match mode {
            ProvenanceMode::Diagnostic => some(&gated.would),
            ProvenanceMode::Observe | ProvenanceMode::Enforce => Vec::new(),
        };
        Ok(Trusted { beliefs: some(&gated.trusted), would, receipt: gated.receipt })
    }
}
