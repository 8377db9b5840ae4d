//! The one gate before a model: every surface asks it which beliefs may be given as true.

use crate::{
    agent::Agent,
    belief::{config::BeliefConfig, weigh::current_freshness},
    error::Result,
};
use cairn_cognition::belief::gate::{Asking, GateReceipt, LeftOut, gate};
use cairn_domain::{Belief, BeliefId, Consumer, ProvenanceMode, Time};
use cairn_store::{BeliefRecord, View};
use std::collections::HashSet;

/// Verified beliefs that are looked at, the best supported first; candidates are only counted.
const MAX_VERIFIED: u32 = 5_000;

/// The beliefs that passed the gate, with its receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    /// Beliefs that may be given as true, the best supported first; empty in every mode but `enforce`.
    pub beliefs: Vec<BeliefRecord>,
    /// In `diagnostic`, what would be given in `enforce`.
    pub would: Vec<BeliefRecord>,
    /// A record of the gate's work: in `observe` it proves that nothing was given.
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
        Ok(self.store.read(|view| trusted_view(view, asking, now, config)).await?)
    }

    /// One of them; `None` if the gate lets it through to nobody.
    pub async fn trusted_belief(&self, id: BeliefId) -> Result<Option<Belief>> {
        let (now, config) = (self.now(), &self.config.beliefs);
        let found = self.store.read(|view| {
            let (mode, record) = (view.provenance_mode()?, view.belief(id)?);
            let found = Consumer::ALL.into_iter().find_map(|consumer| {
                let records = record.iter().cloned().collect();
                pass_gate(mode, records, consumer.into(), now, config).beliefs.pop()
            });
            Ok(found.map(|record| record.belief))
        });
        Ok(found.await?)
    }
}

/// The same within a read transaction, each belief with its current freshness.
fn trusted_view(
    view: &mut View<'_>,
    asking: Asking<'_>,
    now: Time,
    config: &BeliefConfig,
) -> cairn_store::Result<Trusted> {
    let (mode, (records, candidates)) = (view.provenance_mode()?, view.verified_beliefs(MAX_VERIFIED)?);
    let mut trusted = pass_gate(mode, records, asking, now, config);
    if candidates > 0 {
        trusted.receipt.looked_at += candidates;
        *trusted.receipt.left_out.entry(LeftOut::Candidate).or_default() += candidates;
    }
    Ok(trusted)
}

/// The beliefs that pass, each with its freshness brought up to date.
pub(crate) fn pass_gate(
    mode: ProvenanceMode,
    mut records: Vec<BeliefRecord>,
    asking: Asking<'_>,
    now: Time,
    config: &BeliefConfig,
) -> Trusted {
    for record in &mut records {
        record.belief.freshness = current_freshness(&record.belief, now, config);
    }
    let held = records.iter().map(|record| (&record.belief, record.belief.freshness));
    let gated = gate(mode, held, asking);
    let some = |wanted: &[&Belief]| -> Vec<BeliefRecord> {
        let wanted: HashSet<BeliefId> = wanted.iter().map(|belief| belief.id).collect();
        records.iter().filter(|record| wanted.contains(&record.belief.id)).cloned().collect()
    };
    let would = match mode {
        ProvenanceMode::Diagnostic => some(&gated.would),
        ProvenanceMode::Observe | ProvenanceMode::Enforce => Vec::new(),
    };
    Trusted { beliefs: some(&gated.trusted), would, receipt: gated.receipt }
}
