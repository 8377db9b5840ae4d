//! `cairn govern record` and `cairn govern candidates`: where records stand. They change nothing.

use super::invocation::Invocation;
use crate::{failure::Failure, show};
use cairn_domain::{MaturationCandidate, StateRecord};
use cairn_engine::Missing;
use cairn_wire as wire;
use show::{BOLD, DIM};

pub(super) async fn records(
    invocation: &Invocation,
    reference: Option<String>,
    limit: u32,
) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let records = match reference {
        Some(reference) => vec![agent.state_record(&reference).await?],
        None => agent.state_records(limit).await?,
    };
    invocation.answer(
        || wire::StateRecords { records: records.clone() },
        || {
            if records.is_empty() {
                err!("there is nothing yet that may shape behavior");
            }
            records.iter().for_each(print_record);
        },
    );
    Ok(())
}

pub(super) async fn candidates(invocation: &Invocation, limit: u32) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let candidates = agent.maturation_candidates(limit).await?;
    invocation.answer(
        || wire::MaturationCandidates { candidates: candidates.clone() },
        || {
            if candidates.is_empty() {
                err!("there are no candidates");
            }
            candidates.iter().for_each(print_candidate);
        },
    );
    Ok(())
}

fn print_record(record: &StateRecord) {
    let consumers: Vec<&str> = record.allowed_consumers.iter().map(|consumer| consumer.as_str()).collect();
    let fresh = |freshness: f64| format!(", {:.0} % fresh", freshness * 100.0);
    let freshness = record.freshness.map(fresh).unwrap_or_default();
    let sources = if record.source.is_empty() { "-".to_owned() } else { record.source.join(" ") };
    out!("{BOLD}{}{BOLD:#}  {}, {}{freshness}", record.reference, record.kind, record.status);
    out!("  for       {}", consumers.join(", "));
    out!("  changes   {}", record.mutation_policy);
    out!("  rests on  {DIM}{sources}{DIM:#}");
    if let Some(rollback) = &record.rollback {
        out!("  undo      {rollback}");
    }
}

fn print_candidate(candidate: &MaturationCandidate) {
    let MaturationCandidate { reference, lane, summary, application_mode, .. } = candidate;
    out!("{BOLD}{reference}{BOLD:#}  {lane}  {}", show::one_line(summary));
    out!("  evidence  {}", show::one_line(&candidate.evidence_review));
    out!("  applied   {application_mode}: {}", candidate.later_effect_plan);
}
