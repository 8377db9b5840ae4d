//! Proof: claims that the prompt invites about files, ports, the repository, processes, versions and configuration are true only
//! now. Each is to be verified, or named as unverified; where a verifier exists, its result stands beside it.

use crate::{
    Result,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
        verifier::{MachineCheck, Verified},
    },
};
use cairn_cognition::proof::{InvitedClaim, invited_claims};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "proof",
    priority: 80,
    header: SectionHeader {
        first_person: "Before you state any of this, verify it now, or say that it is unverified:",
        system: "Before any of this is stated, it must be verified now, or named as unverified:",
    },
    share: SectionShare::thirtieths(8, 0),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(obligations(situation))
}

async fn obligations<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    let Some(query) = &situation.briefing.query else { return Ok(None) };
    let mut lines = Vec::new();
    for claim in invited_claims(query) {
        let (subject, check) = subject_of(&claim);
        let result = match (check, &situation.briefing.folder) {
            (Some(check), Some(folder)) => check.run(folder).await,
            (Some(_) | None, _) => Verified::Unverified,
        };
        lines.push(ContextLine::new(Vec::new(), format!("{subject}: {result}")));
    }
    Ok(Block::of_lines(lines))
}

/// The subject of a claim in words, and what can verify it.
fn subject_of(claim: &InvitedClaim<'_>) -> (String, Option<MachineCheck>) {
    match claim {
        InvitedClaim::Path(path) => {
            (format!("path {}", crate::quote::line(path)), Some(MachineCheck::Path((*path).to_owned())))
        }
        InvitedClaim::Port(port) => (format!("port {port} of this machine"), Some(MachineCheck::Port(*port))),
        InvitedClaim::Repository => ("repository".to_owned(), Some(MachineCheck::Repository)),
        InvitedClaim::Process => ("processes that run".to_owned(), None),
        InvitedClaim::Version => ("versions".to_owned(), None),
        InvitedClaim::Configuration => ("configuration".to_owned(), None),
    }
}
