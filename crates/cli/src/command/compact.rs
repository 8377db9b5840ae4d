//! `cairn compact`: retires duplicate memories and frees disk space.

use super::{invocation::Invocation, rhythm};
use crate::{failure::Failure, show};
use cairn_engine::{Missing, Reclaimed};
use cairn_wire as wire;

/// The rhythm that retires duplicates.
const COMPACTION: &str = "compaction";

pub(crate) async fn compact(invocation: &Invocation, dry_run: bool) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let before = agent.stats().await?.disk_bytes;
    let (report, reclaimed) = if dry_run {
        let report = invocation.home.try_rhythm(&invocation.agent, COMPACTION, &mut |_| {}).await?;
        let after = before.saturating_sub(agent.unneeded_bytes().await?);
        (report, Reclaimed { before, after })
    } else {
        let report = agent.run_rhythm(COMPACTION, &mut |_| {}).await?;
        (report, Reclaimed { before, ..agent.reclaim().await? })
    };
    invocation.answer(
        || wire::Compacted {
            run: wire::RhythmRun::new(&report, dry_run),
            bytes_before: reclaimed.before,
            bytes_after: reclaimed.after,
            bytes_reclaimed: reclaimed.bytes(),
        },
        || {
            rhythm::print_report(&report);
            rhythm::print_changes(&report, if dry_run { usize::MAX } else { 20 });
            let word = if dry_run { "would be freed" } else { "freed" };
            out!("{} of {} {word}", show::bytes(reclaimed.bytes()), show::bytes(reclaimed.before));
            if dry_run {
                err!("nothing was changed");
            }
        },
    );
    Ok(())
}
