//! Leases that have ended: told where a session begins, if the operator wants the agent to know.

use crate::{
    govern::StandingLease,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_domain::LeaseAudience;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "leases",
    priority: 10,
    header: SectionHeader::plain("Leases:"),
    share: SectionShare::thirtieths(0, 2),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        if !situation.is_start() {
            return Ok(None);
        }
        let leases = situation.agent.leases().await?;
        let told = leases.iter().filter(|lease| lease.is_told_to(LeaseAudience::Agent, situation.now));
        let lines = told.filter_map(StandingLease::end_told);
        Ok(Block::of_lines(lines.map(|line| ContextLine::new(Vec::new(), line)).collect()))
    })
}
