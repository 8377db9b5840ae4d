//! Deciding: what is held about one key, given everything that is known of it. A belief is created, reinforced, contradicted,
//! superseded or invalidated; what it said is never rewritten.

use crate::belief::{
    config::BeliefConfig,
    gather::{EvidenceVoice, KeyGroup, KeyMember},
    weigh::{
        ClaimCandidate, claim_candidates, evidence_verdict, last_said_at, rescored_belief, voice_roots,
        winning_candidate,
    },
};
use cairn_cognition::belief::{
    claim::{Claim, agree, values_agree},
    confidence::is_outweighed,
    freshness::is_stale,
    root::weight,
    stance::stance,
    summary::summary,
};
use cairn_domain::{
    Belief, BeliefId, BeliefLane, BeliefStatus, ConfidenceParts, Consumer, Evidence, Privacy, ReceiptAction,
    ReceiptDetail, SOME_KEY, Stance, Time, WhoseWord, WriteSource,
};
use cairn_store::{BeliefChange, BeliefLink, BeliefRecord, BeliefTransition, EntityRecord, LinkEnd};

/// Decides about one key at a time, at a fixed moment. It writes nothing.
pub(super) struct BeliefDecider<'a> {
    pub(super) now: Time,
    pub(super) config: &'a BeliefConfig,
}

impl BeliefDecider<'_> {
    /// The changes to the belief under a key.
    pub(super) fn decide(&self, group: &KeyGroup) -> Vec<BeliefChange> {
        let all = claim_candidates(&group.members);
        let wins = winning_candidate(&all);
        match (group.standing(), wins) {
            (None, None) if group.refused => {
                vec![not_held_receipt(&group.key, "an operator did not accept it, or took it back")]
            }
            (None, None) => vec![not_held_receipt(&group.key, "nothing that says so holds")],
            (None, Some(wins)) => {
                let after = group.newest.as_ref();
                vec![self.founded_belief(
                    group,
                    wins,
                    after,
                    &format!("first said by {}", speaker_summary(wins)),
                )]
            }
            (Some(standing), Some(wins)) if says_the_same(standing, group, wins.claim) => {
                self.continued_belief(standing, group, wins.claim, wins.corrected()).into_iter().collect()
            }
            (Some(standing), Some(wins)) => self.replaced_belief(standing, group, wins),
            (Some(standing), None) => self.unsupported_belief(standing, group).into_iter().collect(),
        }
    }

    /// A belief that is held from now on.
    fn founded_belief(
        &self,
        group: &KeyGroup,
        wins: &ClaimCandidate<'_>,
        after: Option<&BeliefRecord>,
        why: &str,
    ) -> BeliefChange {
        let (claim, memory) = (wins.claim, &wins.said_by.record.memory);
        let entity = group.about.as_ref().map(|about| self.entity_link(about));
        let mut links = self.new_links(group, claim, &[], wins.corrected());
        links.extend(entity);
        let mut tags: Vec<String> = vec![claim.facet.to_string(), claim.subject_id.clone()];
        tags.extend(claim.value.split(' ').map(str::to_owned));
        tags.dedup();
        let privacy = wins.members.iter().map(|member| member.record.memory.privacy).max();
        let founded = Belief {
            id: BeliefId::of(&group.key, &claim.value, after.map(|record| record.belief.id)),
            kind: claim.kind,
            subject_type: claim.subject_type,
            subject_id: claim.subject_id.clone(),
            key: group.key.clone(),
            value: claim.value.clone(),
            summary: summary(claim),
            detail: memory.text.clone(),
            tags,
            lane: BeliefLane::Candidate,
            status: BeliefStatus::Active,
            confidence: 0.0,
            parts: ConfidenceParts::default(),
            freshness: 0.0,
            last_supported_at: last_said_at(wins.said_by),
            last_contradicted_at: None,
            due_at: self.now,
            privacy: privacy.unwrap_or(Privacy::Open),
            allowed_consumers: Consumer::ALL.to_vec(),
            created_at: self.now,
        };
        let belief = rescored_belief(&founded, &links, self.now, self.config);
        let status = if is_stale(belief.freshness) { BeliefStatus::Stale } else { BeliefStatus::Active };
        let belief = Belief { status, ..belief };
        let told = ReceiptDetail {
            was: after.map_or_else(String::new, |record| record.belief.summary.clone()),
            becomes: belief.summary.clone(),
            reason: format!("{why}; confidence {:.2}, freshness {:.2}", belief.confidence, belief.freshness),
            ..ReceiptDetail::default()
        };
        let after = after.map(|record| record.number);
        let what = BeliefTransition::Made { belief: Box::new(belief), after, links };
        BeliefChange { what, action: ReceiptAction::Create, told }
    }

    /// More speaks for a belief, or something against it, or beside it.
    fn continued_belief(
        &self,
        standing: &BeliefRecord,
        group: &KeyGroup,
        claim: &Claim,
        corrected: Option<Time>,
    ) -> Option<BeliefChange> {
        let links = self.new_links(group, claim, &group.links, corrected);
        if links.is_empty() {
            return None;
        }
        let count = |stance: Stance| links.iter().filter(|link| link.evidence.stance == stance).count();
        let (for_it, against) = (count(Stance::Support), count(Stance::Contradict));
        let belief = self.rescored_with(standing, &links, group);
        let was = standing.belief.status;
        let status = match evidence_verdict(&belief) {
            Some(verdict) => verdict.status(),
            None if for_it > 0 && !is_outweighed(&belief.parts) => BeliefStatus::Active,
            None if is_tied(&belief) => BeliefStatus::Stale,
            None => was,
        };
        let action = match (was, status) {
            (_, BeliefStatus::Invalidated) => ReceiptAction::Invalidate,
            (BeliefStatus::Stale, BeliefStatus::Active) => ReceiptAction::Reactivate,
            (BeliefStatus::Active, BeliefStatus::Stale) => ReceiptAction::Stale,
            _ if for_it > 0 => ReceiptAction::Reinforce,
            _ if against > 0 => ReceiptAction::Contradict,
            _ => ReceiptAction::Context,
        };
        let why = format!("{for_it} more for it, {against} against it");
        Some(status_change(standing, Belief { status, ..belief }, links, action, &why))
    }

    /// The value changed: the old belief is closed as it was, and a new one takes its place. A belief that an operator
    /// verified waits for an operator instead.
    fn replaced_belief(
        &self,
        standing: &BeliefRecord,
        group: &KeyGroup,
        wins: &ClaimCandidate<'_>,
    ) -> Vec<BeliefChange> {
        let mut links = Vec::new();
        for member in &wins.members {
            links.extend(self.contradicting_link(member, &group.links, weight));
        }
        let belief = self.rescored_with(standing, &links, group);
        if standing.belief.lane == BeliefLane::Verified {
            let why =
                format!("{} says otherwise; it is verified, and an operator decides", speaker_summary(wins));
            // The user's word lets it rest until then; anybody else's lowers nothing and waits beside it.
            let status = if wins.is_a_persons() { BeliefStatus::Stale } else { standing.belief.status };
            let belief = Belief { status, ..belief };
            let stands = status_change(standing, belief, links, ReceiptAction::Contradict, &why);
            return if adds_evidence(&stands) { vec![stands] } else { Vec::new() };
        }
        let why = match wins.corrected() {
            Some(_) => format!("corrected by {}", speaker_summary(wins)),
            None => format!(
                "{} says so, and what said otherwise holds no longer or weighs less",
                speaker_summary(wins)
            ),
        };
        let belief = Belief { status: BeliefStatus::Superseded, ..belief };
        let mut replaced = status_change(standing, belief, links, ReceiptAction::Supersede, &why);
        replaced.told.becomes = summary(wins.claim);
        vec![replaced, self.founded_belief(group, wins, Some(standing), &why)]
    }

    /// Nothing that spoke for a belief holds any more: if something speaks against it, it is invalidated; else it is to be
    /// looked at again.
    fn unsupported_belief(&self, standing: &BeliefRecord, group: &KeyGroup) -> Option<BeliefChange> {
        let claim = claim_of_belief(standing, group);
        let is_against = |member: &&KeyMember| {
            let unsaid = member.claim.is_none() && replaced_something(member, group);
            let denied = member
                .claim
                .as_ref()
                .zip(claim.as_ref())
                .is_some_and(|(voice, held)| stance(held, Some(voice)) == Stance::Contradict);
            member.holds && (unsaid || denied)
        };
        let against: Vec<&KeyMember> = group.members.iter().filter(is_against).collect();
        // It weighs one more than all that it ends.
        let decisive = |_: &str| standing.belief.parts.support_weight + 1.0;
        let links: Vec<BeliefLink> = against
            .iter()
            .filter_map(|member| self.contradicting_link(member, &group.links, decisive))
            .collect();
        let belief = self.rescored_with(standing, &links, group);
        // Whatever spoke against it before has done what it may.
        if links.is_empty() && !against.is_empty() && standing.belief.lane == BeliefLane::Verified {
            return None;
        }
        if links.is_empty() {
            let why = "nothing that said so holds any more";
            let stale = Belief { status: BeliefStatus::Stale, ..belief };
            return (standing.belief.status == BeliefStatus::Active)
                .then(|| status_change(standing, stale, links, ReceiptAction::Stale, why));
        }
        let why = format!("“{}” ended it", links[0].evidence.excerpt);
        let a_person = |link: &BeliefLink| WhoseWord::of_role(&link.evidence.role) >= WhoseWord::User;
        let (status, action) = match standing.belief.lane {
            BeliefLane::Candidate => (BeliefStatus::Invalidated, ReceiptAction::Invalidate),
            BeliefLane::Verified if links.iter().any(a_person) => {
                (BeliefStatus::Stale, ReceiptAction::Contradict)
            }
            BeliefLane::Verified => (standing.belief.status, ReceiptAction::Contradict),
        };
        Some(status_change(standing, Belief { status, ..belief }, links, action, &why))
    }

    /// A belief as its links and some more make it.
    fn rescored_with(&self, standing: &BeliefRecord, links: &[BeliefLink], group: &KeyGroup) -> Belief {
        let all: Vec<BeliefLink> = group.links.iter().chain(links).cloned().collect();
        let new = |link: &BeliefLink| match link.to {
            LinkEnd::Memory(number) => group.members.iter().find(|member| member.record.number == number),
            LinkEnd::Entity(_) => None,
        };
        let strictest = links.iter().filter_map(new).map(|member| member.record.memory.privacy).max();
        let belief = rescored_belief(&standing.belief, &all, self.now, self.config);
        Belief { privacy: belief.privacy.max(strictest.unwrap_or(Privacy::Open)), ..belief }
    }

    /// The links still missing for a claim: evidence for it, against it and beside it. Words from before a correction
    /// no longer contradict.
    fn new_links(
        &self,
        group: &KeyGroup,
        claim: &Claim,
        known: &[BeliefLink],
        corrected: Option<Time>,
    ) -> Vec<BeliefLink> {
        let mut links = Vec::new();
        let stance_of = |member: &KeyMember| {
            let counts = member.holds
                && corrected.is_none_or(|since| last_said_at(member) > since || member_agrees(member, claim));
            match &member.claim {
                None if is_praise(member) => Stance::Support,
                Some(voice) if counts => stance(claim, Some(voice)),
                None if counts && replaced_something(member, group) => stance(claim, None),
                Some(_) | None => Stance::Context,
            }
        };
        let of = |wanted: Stance| group.members.iter().filter(move |member| stance_of(member) == wanted);
        let supporting: Vec<&KeyMember> = of(Stance::Support).collect();
        let voices: Vec<(&KeyMember, &EvidenceVoice)> =
            supporting.iter().flat_map(|member| member.voices.iter().map(|voice| (*member, voice))).collect();
        let roots = voice_roots(&voices.iter().map(|(_, voice)| *voice).collect::<Vec<_>>());
        for ((member, voice), root) in voices.into_iter().zip(roots) {
            let link = self.evidence_link(member, voice, Stance::Support, weight(&voice.role), root);
            if !is_linked(&link, known) && !is_linked(&link, &links) {
                links.push(link);
            }
        }
        for member in of(Stance::Contradict) {
            links.extend(self.contradicting_link(member, known, weight));
        }
        for member in of(Stance::Context) {
            let linked = known.iter().any(|link| link.to == LinkEnd::Memory(member.record.number));
            let beside = member.voices.first().filter(|_| !linked);
            let link = |voice: &EvidenceVoice| {
                self.evidence_link(member, voice, Stance::Context, weight(&voice.role), voice.origin.clone())
            };
            links.extend(beside.map(link));
        }
        links
    }

    /// A link for a memory that contradicts a belief, unless there is one already.
    fn contradicting_link(
        &self,
        member: &KeyMember,
        known: &[BeliefLink],
        weigh: impl Fn(&str) -> f64,
    ) -> Option<BeliefLink> {
        let voice = member.voices.last()?;
        let link =
            self.evidence_link(member, voice, Stance::Contradict, weigh(&voice.role), voice.origin.clone());
        (!is_linked(&link, known)).then_some(link)
    }

    fn evidence_link(
        &self,
        member: &KeyMember,
        voice: &EvidenceVoice,
        stance: Stance,
        weight: f64,
        root: String,
    ) -> BeliefLink {
        let source = member.record.memory.id.to_string();
        let (role, excerpt, recorded_at) = (voice.role.clone(), voice.excerpt.clone(), self.now);
        let evidence = Evidence { source, stance, weight, role, excerpt, root, recorded_at };
        BeliefLink { to: LinkEnd::Memory(member.record.number), evidence, said_at: voice.at }
    }

    /// The entity that a belief is about.
    fn entity_link(&self, entity: &EntityRecord) -> BeliefLink {
        let source = format!("entity://{}/{}", entity.kind, entity.slug);
        let support = Evidence::support(source, "entity", &entity.name, self.now);
        let evidence = Evidence { stance: Stance::Context, ..support };
        BeliefLink { to: LinkEnd::Entity(entity.id), evidence, said_at: entity.first_seen }
    }
}

/// A belief that stands otherwise than before, and why.
fn status_change(
    standing: &BeliefRecord,
    belief: Belief,
    links: Vec<BeliefLink>,
    action: ReceiptAction,
    why: &str,
) -> BeliefChange {
    let told = |belief: &Belief| format!("{}, confidence {:.2}", belief.status, belief.confidence);
    let reason = why.to_owned();
    let told = ReceiptDetail {
        was: told(&standing.belief),
        becomes: told(&belief),
        reason,
        ..ReceiptDetail::default()
    };
    let what = BeliefTransition::Moved { number: standing.number, belief: Box::new(belief), links };
    BeliefChange { what, action, told }
}

/// Whether a claim says what a belief says.
fn says_the_same(standing: &BeliefRecord, group: &KeyGroup, claim: &Claim) -> bool {
    match claim_of_belief(standing, group) {
        Some(held) => agree(&held, claim),
        None => values_agree(&standing.belief.value, &claim.value),
    }
}

/// The claim of a belief, in the words of a memory that it rests on.
fn claim_of_belief(standing: &BeliefRecord, group: &KeyGroup) -> Option<Claim> {
    let claims = || group.members.iter().filter_map(|member| Some((member, member.claim.as_ref()?)));
    let supports = |member: &KeyMember| {
        group.links.iter().any(|link| {
            link.to == LinkEnd::Memory(member.record.number) && link.evidence.stance == Stance::Support
        })
    };
    let exact = claims().find(|(_, claim)| claim.value == standing.belief.value);
    exact.or_else(|| claims().find(|(member, _)| supports(member))).map(|(_, claim)| claim.clone())
}

fn member_agrees(member: &KeyMember, claim: &Claim) -> bool {
    member.claim.as_ref().is_some_and(|voice| agree(voice, claim))
}

fn is_praise(member: &KeyMember) -> bool {
    crate::belief::gather::is_feedback(&member.record)
}

/// Whether a memory took the place of one that speaks of the key, and says nothing of it itself.
fn replaced_something(member: &KeyMember, group: &KeyGroup) -> bool {
    let by = Some(member.record.number);
    let made = member.record.memory.write_source == WriteSource::Dream;
    member.ends
        || !made
            && group.members.iter().any(|other| other.claim.is_some() && other.record.superseded_by == by)
}

/// Whether the same words of the same memory are linked already.
fn is_linked(link: &BeliefLink, known: &[BeliefLink]) -> bool {
    let same = |other: &BeliefLink| {
        (other.to, &other.evidence.root, other.evidence.stance)
            == (link.to, &link.evidence.root, link.evidence.stance)
    };
    known.iter().any(same)
}

/// Whether as much speaks against a belief as for it.
fn is_tied(belief: &Belief) -> bool {
    belief.parts.contradiction_weight > 0.0
        && belief.parts.contradiction_weight >= belief.parts.support_weight
}

fn adds_evidence(change: &BeliefChange) -> bool {
    match &change.what {
        BeliefTransition::Moved { links, .. } | BeliefTransition::Made { links, .. } => !links.is_empty(),
        BeliefTransition::Noted(_) => true,
    }
}

/// Who makes a claim.
fn speaker_summary(candidate: &ClaimCandidate<'_>) -> String {
    let role = candidate.said_by.voices.last().map_or("somebody", |voice| voice.role.as_str());
    match candidate.members.len() {
        1 => format!("{} ({role})", candidate.said_by.record.memory.id),
        more => format!("{} ({role}) and {} more", candidate.said_by.record.memory.id, more - 1),
    }
}

/// That nothing is held under a key, and why.
fn not_held_receipt(key: &str, reason: &str) -> BeliefChange {
    let told = ReceiptDetail {
        was: key.to_owned(),
        becomes: "not held".to_owned(),
        reason: reason.to_owned(),
        ..ReceiptDetail::default()
    };
    BeliefChange { what: BeliefTransition::Noted(SOME_KEY.to_owned()), action: ReceiptAction::Skip, told }
}

/// That nothing is held, and why.
pub(super) fn skip_receipt(subject: &str, reason: &str) -> BeliefChange {
    let told = ReceiptDetail { reason: reason.to_owned(), ..ReceiptDetail::default() };
    BeliefChange { what: BeliefTransition::Noted(subject.to_owned()), action: ReceiptAction::Skip, told }
}
