//! `cairn compact`: what stands twice goes to rest, and what is not needed is given back.

use super::{Setting, rhythm};
use crate::{failure::Failure, show};
use cairn_engine::{Missing, Reclaimed};
use cairn_wire as wire;

/// The rhythm that looks for what stands twice.
const COMPACTION: &str = "compaction";

pub(crate) async fn compact(setting: &Setting, dry_run: bool) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let before = agent.stats().await?.disk_bytes;
    let (report, reclaimed) = if dry_run {
        let report = setting.home.try_rhythm(&setting.agent, COMPACTION, &mut |_| {}).await?;
        let after = before.saturating_sub(agent.unneeded_bytes().await?);
        (report, Reclaimed { before, after })
    } else {
        let report = agent.run_rhythm(COMPACTION, &mut |_| {}).await?;
        (report, Reclaimed { before, ..agent.reclaim().await? })
    };
    setting.answer(
        || wire::Compacted {
            run: wire::RhythmRun::new(&report, dry_run),
            bytes_before: reclaimed.before,
            bytes_after: reclaimed.after,
            bytes_reclaimed: reclaimed.bytes(),
        },
        || {
            rhythm::told(&report);
            rhythm::changes(&report, if dry_run { usize::MAX } else { 20 });
            let word = if dry_run { "would be given back" } else { "given back" };
            out!("{} of {} {word}", show::bytes(reclaimed.bytes()), show::bytes(reclaimed.before));
            if dry_run {
                anstream::eprintln!("nothing was changed");
            }
        },
    );
    Ok(())
}
