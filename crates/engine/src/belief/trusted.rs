//! The one gate before a model: every surface asks it which beliefs may be given as true.

use crate::{
    agent::Agent,
    belief::{config::BeliefConfig, weigh::current_freshness},
    error::Result,
};
use cairn_cognition::belief::gate::{Asking, GateReceipt, LeftOut, gate};
use cairn_domain::{Belief, BeliefId, BeliefLane, BeliefStatus, Consumer, ProvenanceMode, Time};
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

/// A decision that nobody has made yet, so that its consequences can be seen before it is.
#[derive(Debug, Clone, PartialEq)]
pub struct SupposedDecision {
    /// The belief as it stands.
    pub record: BeliefRecord,
    /// The belief as the decision would leave it; `None` if it is looked at before anything is decided.
    pub becomes: Option<Belief>,
    /// How far beliefs would be trusted.
    pub mode: ProvenanceMode,
}

impl SupposedDecision {
    /// Changes the gate's input as the decision would: verified beliefs in their order, and how many candidates it counts.
    fn apply(&self, records: &mut Vec<BeliefRecord>, candidates: &mut usize) {
        let Some(becomes) = &self.becomes else { return };
        let number = self.record.number;
        records.retain(|record| record.number != number);
        let counts =
            |belief: &Belief| belief.status == BeliefStatus::Active && belief.lane == BeliefLane::Candidate;
        *candidates = candidates.saturating_sub(usize::from(counts(&self.record.belief)));
        *candidates += usize::from(counts(becomes));
        if becomes.status == BeliefStatus::Active && becomes.lane == BeliefLane::Verified {
            records.push(BeliefRecord { belief: becomes.clone(), ..self.record.clone() });
        }
        records.sort_by(|a, b| {
            let support = |record: &BeliefRecord| (record.belief.confidence, record.belief.freshness);
            let ((sure_a, fresh_a), (sure_b, fresh_b)) = (support(a), support(b));
            sure_b.total_cmp(&sure_a).then(fresh_b.total_cmp(&fresh_a)).then(a.number.cmp(&b.number))
        });
    }
}

impl Agent {
    /// How far what is held true is trusted; an operator decides it.
    pub async fn provenance_mode(&self) -> Result<ProvenanceMode> {
        Ok(self.store.read(|view| view.provenance_mode()).await?)
    }

    /// The beliefs that may be given to a model as true. There is no other way to them.
    pub async fn trusted(&self, asking: Asking<'_>) -> Result<Trusted> {
        self.trusted_if(asking, None).await
    }

    /// The same as it would be after a decision.
    pub(crate) async fn trusted_if(
        &self,
        asking: Asking<'_>,
        supposed: Option<&SupposedDecision>,
    ) -> Result<Trusted> {
        let (now, config) = (self.now(), &self.config.beliefs);
        Ok(self.store.read(|view| trusted_view(view, asking, supposed, now, config)).await?)
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
    supposed: Option<&SupposedDecision>,
    now: Time,
    config: &BeliefConfig,
) -> cairn_store::Result<Trusted> {
    let mut mode = view.provenance_mode()?;
    let (mut records, mut candidates) = view.verified_beliefs(MAX_VERIFIED)?;
    if let Some(supposed) = supposed {
        mode = supposed.mode;
        supposed.apply(&mut records, &mut candidates);
    }
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
