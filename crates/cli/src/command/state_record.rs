//! `cairn govern state` and `cairn govern candidates`: where records stand. They change nothing.

use super::invocation::Invocation;
use crate::{failure::Failure, show};
use cairn_domain::ConsumerKind;
use cairn_engine::Missing;
use cairn_wire as wire;
use show::{BOLD, DIM};

pub(super) async fn states(
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
            for record in &records {
                let words: Vec<&str> =
                    record.allowed_consumers.iter().copied().map(ConsumerKind::as_str).collect();
                let freshness = record
                    .freshness
                    .map(|fresh| format!(", {:.0} % fresh", fresh * 100.0))
                    .unwrap_or_default();
                out!("{BOLD}{}{BOLD:#}  {}, {}{freshness}", record.reference, record.kind, record.status);
                out!("  for      {}", words.join(", "));
                out!("  changed  {}", record.mutation_policy);
                out!(
                    "  rests on {}",
                    if record.source.is_empty() { "-".to_owned() } else { record.source.join(" ") }
                );
                if let Some(rollback) = &record.rollback {
                    out!("  undo     {DIM}{rollback}{DIM:#}");
                }
            }
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
            for candidate in &candidates {
                out!(
                    "{BOLD}{}{BOLD:#}  {}  {}",
                    candidate.reference,
                    candidate.lane,
                    show::one_line(&candidate.summary)
                );
                out!("  evidence {}", candidate.evidence_review);
                out!(
                    "  applied  {}: {DIM}{}{DIM:#}",
                    candidate.application_mode,
                    candidate.later_effect_plan
                );
            }
        },
    );
    Ok(())
}
