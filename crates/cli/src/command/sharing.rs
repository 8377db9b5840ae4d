//! `cairn govern sharing` and `cairn govern trust`: who reads whose memories, and how far others are trusted.

use super::invocation::Invocation;
use crate::{failure::Failure, show};
use cairn_domain::{AgentName, MemoryShare, SharedRef, Time, TrustVerdict, WhoseWord};
use cairn_engine::{Missing, SourceAccess, TRUST_FLOOR};
use cairn_wire as wire;
use show::{BOLD, DIM, GREEN};

pub(super) async fn sharing(invocation: &Invocation) -> Result<(), Failure> {
    let report = invocation.open(Missing::Refuse).await?.sharing().await?;
    invocation.answer(
        || wire::Sharing::from(report.clone()),
        || {
            for (reader, share) in &report.shares {
                out!("{BOLD}{reader}{BOLD:#} reads {}", share_told(share));
            }
            for (writer, grant) in &report.writers {
                out!("{BOLD}{writer}{BOLD:#} may write{}", until_told(grant.until));
            }
            for source in &report.sources {
                let state = match &source.state {
                    SourceAccess::Shared(share) => format!("{} may be read here", share_told(share)),
                    SourceAccess::NotShared => "nothing is shared now".to_owned(),
                    SourceAccess::Quarantined(share) => format!("quarantined: {}", share_told(share)),
                    SourceAccess::Away => "cannot be opened now".to_owned(),
                };
                let trust = source.trust * 100.0;
                out!("from {BOLD}{}{BOLD:#}  {state}  {DIM}trusted {trust:.0} %{DIM:#}", source.owner);
            }
            for peer in &report.peers {
                let state = if peer.trust < TRUST_FLOOR { "quarantined" } else { "asked" };
                let (name, url, trust) = (&peer.name, &peer.url, peer.trust * 100.0);
                out!("peer {BOLD}{name}{BOLD:#}  {state} at {url}  {DIM}trusted {trust:.0} %{DIM:#}");
            }
        },
    );
    Ok(())
}

/// The memories that another agent shares, whether or not it is quarantined.
pub(super) async fn shared_by(invocation: &Invocation, owner: &AgentName, limit: u32) -> Result<(), Failure> {
    let memories = invocation.open(Missing::Refuse).await?.memories_shared_by(owner, limit).await?;
    invocation.answer(
        || memories.iter().cloned().collect::<wire::SharedMemories>(),
        || {
            if memories.is_empty() {
                err!("{owner} shares nothing now");
            }
            for shared in &memories {
                let memory = &shared.record.memory;
                let (day, id) = (memory.valid_from.day(), memory.id);
                out!("{day}  {}  {DIM}{owner}/{id}{DIM:#}", show::one_line(&memory.text));
            }
        },
    );
    Ok(())
}

/// Notes how a memory of another agent turned out.
pub(super) async fn trust(
    invocation: &Invocation,
    reference: SharedRef,
    verdict: TrustVerdict,
) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let trust = agent.judge_shared(&reference, verdict, WhoseWord::User).await?;
    let owner = reference.owner;
    invocation.answer(
        || wire::SourceTrust { owner: owner.clone(), trust },
        || {
            let quarantined = if trust < TRUST_FLOOR { ", and quarantined" } else { "" };
            out!("{GREEN}{verdict}{GREEN:#}  {owner} is trusted {:.0} %{quarantined}", trust * 100.0);
        },
    );
    Ok(())
}

/// The memories of a share, for people.
fn share_told(share: &MemoryShare) -> String {
    let mut told: Vec<String> = share.threads.iter().map(|name| format!("thread {name}")).collect();
    told.extend(share.categories.iter().map(|category| format!("category {category}")));
    told.extend(share.entities.iter().map(|slug| format!("entity {slug}")));
    if share.everything {
        told.push("everything".to_owned());
    }
    format!("{}{}", told.join(", "), until_told(share.until))
}

fn until_told(until: Option<Time>) -> String {
    until.map(|until| format!(" until {}", until.minute())).unwrap_or_default()
}
