//! Patterns that develop: what several inquiries came to, how far each is from being proposed, and what became of it.

use super::{crystallization::passage_of, proposal::ProposalEvidence};
use crate::{agent::Agent, error::Result, read::IdentityFile, stored_json::from_stored_json};
use cairn_cognition::{
    alignment::{Alignment, alignment},
    principles::principles,
};
use cairn_domain::{Day, MILLIS_PER_DAY, ProposalId, ProposalStatus, Time};
use cairn_store::{ProposalRecord, VectorRecord, View};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Vectors and proposals that are looked at.
const MAX_VECTORS_SEARCHED: u32 = 1_000;
const MAX_PROPOSALS_SEARCHED: u32 = 1_000;

/// A pattern: growth vectors that say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowthPattern {
    /// The sentence.
    pub text: String,
    /// How many inquiries came to it.
    pub times: usize,
    /// The memories behind it, each once.
    pub refs: Vec<String>,
    /// How far it is.
    pub fate: PatternFate,
}

/// How far a pattern is on its way into SOUL.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternFate {
    /// It settles.
    Settling {
        /// How many inquiries came to it.
        times: usize,
        /// Inquiries that must come to it.
        needed: usize,
        /// Days that must have passed since the first.
        days: u32,
        /// The day on which they have.
        on: Day,
    },
    /// It conflicts with this principle of SOUL.md.
    HeldBack(String),
    /// It was proposed.
    Proposed {
        /// The proposal.
        id: ProposalId,
        /// Where that stands.
        status: ProposalStatus,
        /// When an operator decided.
        decided: Option<Day>,
    },
}

impl PatternFate {
    /// Whether it was not proposed yet.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Proposed { .. })
    }

    /// The proposal that came of it.
    pub fn proposal(&self) -> Option<(ProposalId, ProposalStatus)> {
        match self {
            Self::Proposed { id, status, .. } => Some((*id, *status)),
            Self::Settling { .. } | Self::HeldBack(_) => None,
        }
    }

    /// The same in words.
    pub fn told(&self) -> String {
        match self {
            Self::Settling { times, needed, days, on } => {
                let inquiries = if *needed == 1 { "inquiry" } else { "inquiries" };
                let days_word = if *days == 1 { "day" } else { "days" };
                format!("{times} of {needed} {inquiries}, {days} {days_word} on {on}")
            }
            Self::HeldBack(principle) => {
                format!("held back: conflicts with {}", crate::quote::quoted(principle))
            }
            Self::Proposed { id, status, decided } => {
                let on = decided.map_or_else(String::new, |day| day.to_string());
                match status {
                    ProposalStatus::Pending => format!("waits as {id}"),
                    ProposalStatus::Accepted => format!("part of SOUL.md since {on} ({id})"),
                    ProposalStatus::Rejected => format!("rejected on {on} ({id})"),
                    ProposalStatus::RolledBack => format!("taken back on {on} ({id})"),
                    ProposalStatus::Expired => format!("nobody decided about {id} in time"),
                }
            }
        }
    }
}

/// The grounds on which the fates of patterns are told.
struct Gates<'a> {
    principles: Vec<String>,
    /// Proposals with the day of the last decision, the newest first.
    proposals: &'a [(ProposalRecord, Option<Day>)],
    needed: usize,
    days: u32,
    now: Time,
}

impl Agent {
    /// The sentences that several inquiries came to, the one that most came to first, and how far each is.
    pub async fn growth_patterns(&self) -> Result<Vec<GrowthPattern>> {
        let soul = self.identity_text(IdentityFile::Soul.file_name())?;
        let read = |view: &mut View<'_>| {
            let mut proposals = Vec::new();
            for proposal in view.proposals(MAX_PROPOSALS_SEARCHED)? {
                let decided = proposal.receipt.map(|number| view.receipt(number)).transpose()?.flatten();
                proposals.push((proposal, decided.map(|receipt| receipt.at.day())));
            }
            Ok((view.growth_vectors(MAX_VECTORS_SEARCHED)?, proposals))
        };
        let (vectors, proposals) = self.store.read(read).await?;
        let gates = Gates {
            principles: principles(&soul),
            proposals: &proposals,
            needed: self.config.growth.min_vectors as usize,
            days: self.config.growth.min_days,
            now: self.now(),
        };
        let mut by_text: BTreeMap<&str, Vec<&VectorRecord>> = BTreeMap::new();
        for vector in &vectors {
            by_text.entry(&vector.text).or_default().push(vector);
        }
        let found = by_text.into_iter().map(|(text, vectors)| pattern(text, &vectors, &gates));
        let mut found = found.collect::<Result<Vec<GrowthPattern>>>()?;
        found.sort_by_key(|pattern| Reverse(pattern.times));
        Ok(found)
    }
}

fn pattern(text: &str, vectors: &[&VectorRecord], gates: &Gates<'_>) -> Result<GrowthPattern> {
    let (mut refs, mut seen) = (Vec::new(), BTreeSet::new());
    for vector in vectors {
        let evidence: Vec<ProposalEvidence> = from_stored_json("the evidence", &vector.evidence)?;
        let memories = evidence.into_iter().map(|one| one.reference).filter(|one| one.starts_with("mem_"));
        refs.extend(memories.filter(|one| seen.insert(one.clone())));
    }
    Ok(GrowthPattern { text: text.to_owned(), times: vectors.len(), refs, fate: fate(text, vectors, gates) })
}

fn fate(text: &str, vectors: &[&VectorRecord], gates: &Gates<'_>) -> PatternFate {
    let status = |one: &ProposalRecord| one.status.at(one.expires_at, gates.now);
    let passage = passage_of(text);
    let part_of = |one: &ProposalRecord| {
        vectors.iter().any(|vector| vector.proposal == Some(one.id))
            || one.text == passage && status(one) != ProposalStatus::Expired
    };
    if let Some((proposal, decided)) = gates.proposals.iter().find(|(one, _)| part_of(one)) {
        return PatternFate::Proposed { id: proposal.id, status: status(proposal), decided: *decided };
    }
    let opposed = alignment(text, &gates.principles).into_iter();
    if let Some(conflict) = opposed.into_iter().find(|one| one.alignment == Alignment::Conflicts) {
        return PatternFate::HeldBack(conflict.passage);
    }
    let first = vectors.iter().map(|vector| vector.made_at).min().unwrap_or(gates.now);
    let on = Time::from_millis(first.millis() + i64::from(gates.days) * MILLIS_PER_DAY).day();
    PatternFate::Settling { times: vectors.len(), needed: gates.needed, days: gates.days, on }
}
