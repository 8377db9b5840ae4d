//! After something was taken in: making it searchable, and saying how much it was.

use crate::{failure::Failure, show};
use cairn_engine::{Agent, IngestReport};

/// Embeds and forms what was taken in.
pub(super) async fn catch_up(agent: &Agent) -> Result<(), Failure> {
    let embedded = super::embed::catch_up(agent).await;
    // Forming memories needs no model, so a failed embedding is reported afterward.
    super::memories::catch_up(agent).await?;
    if let Some(why) = super::memories::refine(agent).await?.stopped {
        err!("memories were formed by rules only: {why}");
    }
    embedded.map(drop)
}

pub(super) fn print_report(report: &IngestReport, seconds: f64) {
    let (green, yellow) = (show::GREEN, show::YELLOW);
    let rate = report.read as f64 / seconds.max(1e-9);
    out!(
        "{green}{} added{green:#}, {} there already, {yellow}{} malformed{yellow:#}, {seconds:.1} s ({rate:.0} messages/s)",
        report.added,
        report.duplicates,
        report.malformed
    );
    if report.erased > 0 {
        out!("{} left out: an operator has erased them", report.erased);
    }
}
