//! Weighing: which claims there are about a key and what speaks for each, which is held, and how well a belief stands on
//! what it rests on.

use crate::belief::{
    config::BeliefConfig,
    gather::{EvidenceVoice, KeyMember},
};
use cairn_cognition::belief::{
    claim::{Claim, agree},
    confidence::{confidence, is_outweighed, recency},
    freshness::{LastWord, due, freshness, is_stale},
    root::{QuotedSource, roots, weight},
    stance::{Backing, winner},
};
use cairn_domain::{Belief, BeliefLane, BeliefStatus, ConfidenceParts, Stance, Time, WhoseWord};
use cairn_store::BeliefLink;
use std::collections::BTreeMap;

/// One of several claims about a key, and who makes it.
pub(super) struct ClaimCandidate<'g> {
    pub(super) claim: &'g Claim,
    /// The memory that says so last.
    pub(super) said_by: &'g KeyMember,
    /// Memories that agree and hold.
    pub(super) members: Vec<&'g KeyMember>,
    backing: Backing,
}

impl ClaimCandidate<'_> {
    /// Whether the user says so, and not only somebody else.
    pub(super) fn is_a_persons(&self) -> bool {
        self.backing.is_a_persons
    }

    /// When somebody last said that this is so instead of something else.
    pub(super) fn corrected(&self) -> Option<Time> {
        self.backing.corrected
    }
}

/// The claims about a key that somebody makes and that hold, in the order in which they were first made.
pub(super) fn claim_candidates<'g>(members: &'g [KeyMember]) -> Vec<ClaimCandidate<'g>> {
    let mut found: Vec<ClaimCandidate<'g>> = Vec::new();
    for member in members.iter().filter(|member| member.holds) {
        let Some(claim) = member.claim.as_ref().filter(|claim| !claim.denies) else { continue };
        if let Some(one) = found.iter_mut().find(|one| agree(one.claim, claim)) {
            one.members.push(member);
            if last_said_at(member) >= last_said_at(one.said_by) {
                one.said_by = member;
            }
        } else {
            let (members, backing) = (vec![member], Backing::default());
            found.push(ClaimCandidate { claim, said_by: member, members, backing });
        }
    }
    for one in &mut found {
        one.backing = candidate_backing(&one.members);
        // In the words of whoever said it last.
        one.claim = one.said_by.claim.as_ref().unwrap_or(one.claim);
    }
    found
}

/// Which of several claims is held.
pub(super) fn winning_candidate<'c, 'g>(
    candidates: &'c [ClaimCandidate<'g>],
) -> Option<&'c ClaimCandidate<'g>> {
    let backings: Vec<Backing> = candidates.iter().map(|one| one.backing.clone()).collect();
    winner(&backings).map(|at| &candidates[at])
}

/// When a memory was last said.
pub(super) fn last_said_at(member: &KeyMember) -> Time {
    member.voices.last().map_or(member.record.memory.valid_from, |voice| voice.at)
}

/// The support for a claim, each independent source counted once.
fn candidate_backing(members: &[&KeyMember]) -> Backing {
    let voices: Vec<&EvidenceVoice> = members.iter().flat_map(|member| &member.voices).collect();
    let mut said: BTreeMap<String, (Time, f64)> = BTreeMap::new();
    for (root, voice) in voice_roots(&voices).into_iter().zip(&voices) {
        let known = said.entry(root).or_insert((voice.at, 0.0));
        *known = (known.0.max(voice.at), known.1.max(weight(&voice.role)));
    }
    let corrected = voices.iter().filter(|voice| voice.corrects).map(|voice| voice.at).max();
    let word = voices.iter().map(|voice| WhoseWord::of_role(&voice.role)).max();
    let is_a_persons = word.is_some_and(|word| word >= WhoseWord::User);
    Backing { said: said.into_values().collect(), corrected, is_a_persons }
}

/// The root of each voice, all of which say the same.
pub(super) fn voice_roots(voices: &[&EvidenceVoice]) -> Vec<String> {
    let sources: Vec<QuotedSource<'_>> = voices
        .iter()
        .map(|voice| QuotedSource {
            origin: &voice.origin,
            role: &voice.role,
            quote_hash: &voice.quote_hash,
            at: voice.at,
        })
        .collect();
    roots(&sources)
}

/// The parts of confidence that the links of a belief add up to, echoes counted once.
pub(super) fn confidence_parts(links: &[BeliefLink], now: Time) -> ConfidenceParts {
    let held = supporting_word(links);
    let counts = |link: &BeliefLink| {
        link.evidence.stance != Stance::Contradict
            || WhoseWord::of_role(&link.evidence.role).weighs_against(held)
    };
    let by_root = |stance: Stance| {
        let mut roots: BTreeMap<&str, (f64, &str)> = BTreeMap::new();
        for link in links.iter().filter(|link| link.evidence.stance == stance && counts(link)) {
            let known = roots.entry(&link.evidence.root).or_insert((0.0, &link.evidence.role));
            known.0 = known.0.max(link.evidence.weight);
        }
        roots
    };
    let (support, contradiction) = (by_root(Stance::Support), by_root(Stance::Contradict));
    let mut kinds: Vec<&str> = support.values().map(|(_, role)| *role).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let last = last_linked_at(links, Stance::Support);
    ConfidenceParts {
        source_count: support.len() as u32,
        source_diversity: kinds.len() as u32,
        support_weight: support.values().map(|(weight, _)| weight).sum(),
        contradiction_weight: contradiction.values().map(|(weight, _)| weight).sum(),
        recency_weight: recency(last.map(|last| last.days_until(now))),
        operator_confirmed: kinds.contains(&"operator"),
    }
}

/// The highest word that speaks for a belief.
fn supporting_word(links: &[BeliefLink]) -> WhoseWord {
    let supports = links.iter().filter(|link| link.evidence.stance == Stance::Support);
    supports.map(|link| WhoseWord::of_role(&link.evidence.role)).max().unwrap_or(WhoseWord::Outside)
}

/// When somebody last spoke against a belief whose word weighs against it.
fn last_contradicted_at(links: &[BeliefLink]) -> Option<Time> {
    let held = supporting_word(links);
    let weighs = |link: &&BeliefLink| {
        link.evidence.stance == Stance::Contradict
            && WhoseWord::of_role(&link.evidence.role).weighs_against(held)
    };
    links.iter().filter(weighs).map(|link| link.said_at).max()
}

/// When something last spoke for a belief, or against it.
pub(super) fn last_linked_at(links: &[BeliefLink], stance: Stance) -> Option<Time> {
    links.iter().filter(|link| link.evidence.stance == stance).map(|link| link.said_at).max()
}

/// A belief with the numbers that its links amount to.
pub(crate) fn rescored_belief(
    belief: &Belief,
    links: &[BeliefLink],
    now: Time,
    config: &BeliefConfig,
) -> Belief {
    let parts = confidence_parts(links, now);
    let last_supported_at = last_linked_at(links, Stance::Support).unwrap_or(belief.last_supported_at);
    let last_contradicted_at = last_contradicted_at(links);
    let scored = Belief {
        confidence: confidence(&parts, &config.weights),
        parts,
        last_supported_at,
        last_contradicted_at,
        due_at: due(last_supported_at, config.cadence_days.of(belief.kind)),
        ..belief.clone()
    };
    Belief { freshness: current_freshness(&scored, now, config), ..scored }
}

/// Why a belief no longer stands as it did, by its evidence alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvidenceVerdict {
    /// More speaks against it than for it.
    Outweighed,
    /// Nothing spoke for it within its cadence.
    Stale,
}

impl EvidenceVerdict {
    /// The status that follows.
    pub(super) fn status(self) -> BeliefStatus {
        match self {
            Self::Outweighed => BeliefStatus::Invalidated,
            Self::Stale => BeliefStatus::Stale,
        }
    }
}

/// Whether a belief falls, given its evidence and its freshness. What an operator has verified is never invalidated here.
pub(super) fn evidence_verdict(belief: &Belief) -> Option<EvidenceVerdict> {
    if belief.lane == BeliefLane::Candidate && is_outweighed(&belief.parts) {
        Some(EvidenceVerdict::Outweighed)
    } else {
        is_stale(belief.freshness).then_some(EvidenceVerdict::Stale)
    }
}

/// How current a belief is.
pub(super) fn current_freshness(belief: &Belief, now: Time, config: &BeliefConfig) -> f64 {
    let against = belief.last_contradicted_at.is_some_and(|at| at >= belief.last_supported_at);
    let last_word = if against { LastWord::Against } else { LastWord::For };
    let days = belief.last_supported_at.days_until(now);
    freshness(days, config.cadence_days.of(belief.kind), last_word)
}
