//! Review: what an operator sees before deciding about a belief. Its sources are read again, what they say is compared with
//! what it rests on, and something is recommended. Nothing is changed here.

use crate::{
    agent::Agent,
    belief::{
        explanation::{BeliefEvidence, WhyBelief},
        weigh::rescored_belief,
    },
    error::Result,
};
use cairn_cognition::belief::{
    claim::is_remark,
    verification::{Verification, verification},
};
use cairn_domain::{
    Belief, BeliefId, BeliefLane, BeliefStatus, Consumer, Evidence, Facet, Receipt, ReceiptAction,
    ReviewDecision, SourceState, Stance, Time, WhoseWord,
};
use cairn_store::{BeliefFilter, BeliefLink, BeliefRecord, LinkEnd};
use std::collections::HashSet;

/// Who speaks when an operator verifies something, and whose words echoes of that are.
const OPERATOR: &str = "operator";
/// A candidate with this many sources is recurring.
const RECURS_FROM: u32 = 3;
/// A candidate with this confidence and nothing against it is near ready.
const READY_FROM: f64 = 0.6;

/// A belief with what an operator has to know to decide about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// The belief with all that speaks for and against it.
    pub why: WhyBelief,
    /// The supporting sources with their current text.
    pub sources: Vec<Resolved>,
    /// The best that any of them says.
    pub verification: Verification,
    /// The pattern of its evidence.
    pub shape: EvidenceShape,
    /// Whether the user's own words alone, each independent source once, support it as well as [`EvidenceShape::NearReady`]
    /// asks for, and one of them says so word for word now.
    pub near_ready_in_own_words: bool,
    /// The day until which an operator put it off.
    pub deferred_until: Option<Time>,
    /// The number of the receipt that tells why, if so.
    pub deferred_by: Option<u64>,
    /// The hash of what it says, and of what its sources say: a decision is about these.
    pub confirms: String,
    /// A recommendation with its reason. Nothing follows it automatically.
    pub recommended: (Recommendation, String),
}

/// A source, read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// Its ref.
    pub source: String,
    /// The words that were quoted of it.
    pub quoted: String,
    /// Its current text; none if the source is gone.
    pub says: Option<String>,
    /// How the two compare.
    pub verification: Verification,
}

/// The pattern of a candidate's evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceShape {
    /// Something speaks against it.
    Conflicting,
    /// Nothing has spoken for it in its time.
    Decayed,
    /// Well supported, with nothing against it.
    NearReady,
    /// Said by several independent sources.
    Recurring,
    /// Said, and no more.
    Single,
}

impl EvidenceShape {
    /// As programs read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflicting => "conflicting",
            Self::Decayed => "decayed",
            Self::NearReady => "near_ready",
            Self::Recurring => "recurring",
            Self::Single => "single",
        }
    }
}

/// Which beliefs an operator is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewScope {
    /// Candidates that stand and were not put off, and verified beliefs that something has spoken against since an operator
    /// looked at them.
    Waiting,
    /// Those that were put off and those that are verified, too.
    All,
}

/// The decision suggested to an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recommendation {
    /// Verify it.
    Accept,
    /// Look again later.
    Defer,
    /// Do not accept it.
    Reject,
    /// Take it back.
    Retract,
    /// Look at its sources and verify it again.
    Reverify,
    /// Leave it as it is.
    Leave,
}

impl Recommendation {
    /// As programs read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept_verified",
            Self::Defer => "defer",
            Self::Reject => "reject",
            Self::Retract => "retract",
            Self::Reverify => "reverify",
            Self::Leave => "leave",
        }
    }
}

impl Agent {
    /// Beliefs for an operator to look at, the best supported first; those that nothing has spoken for in their time come
    /// after the fresh ones, and what was said once in passing after what fills a slot.
    pub async fn to_review(
        &self,
        scope: ReviewScope,
        limit: u32,
    ) -> Result<Vec<(BeliefRecord, EvidenceShape)>> {
        let now = self.now();
        let deferred = self.store.read(|view| view.deferrals(now)).await?;
        let records = self.beliefs(BeliefFilter::default(), u32::MAX >> 1).await?;
        let mut disputed = HashSet::new();
        for record in records.iter().filter(|record| record.belief.lane == BeliefLane::Verified) {
            if is_disputed(&self.store.read(|view| view.links_of(record.number)).await?) {
                disputed.insert(record.number);
            }
        }
        let shape = |record: &BeliefRecord| match record.belief.lane {
            BeliefLane::Verified if disputed.contains(&record.number) => EvidenceShape::Conflicting,
            _ => evidence_shape(&record.belief, record.belief.freshness),
        };
        let waits = |record: &BeliefRecord| {
            let waits = match record.belief.lane {
                BeliefLane::Candidate => true,
                BeliefLane::Verified => disputed.contains(&record.number),
            };
            scope == ReviewScope::All || (waits && !deferred.contains(&record.number))
        };
        let mut waiting: Vec<(BeliefRecord, EvidenceShape)> =
            records.iter().filter(|record| waits(record)).map(|it| (it.clone(), shape(it))).collect();
        waiting.sort_by(|(a, a_shape), (b, b_shape)| {
            let last = |belief: &Belief, shape: &EvidenceShape| {
                (*shape == EvidenceShape::Decayed, is_said_in_passing(belief))
            };
            let strength = evidence_strength(&b.belief).total_cmp(&evidence_strength(&a.belief));
            last(&a.belief, a_shape).cmp(&last(&b.belief, b_shape)).then(strength)
        });
        waiting.truncate(limit as usize);
        Ok(waiting)
    }

    /// Everything that an operator has to know to decide about a belief. Changes nothing.
    pub async fn review(&self, id: BeliefId) -> Result<Review> {
        let why = self.why_belief(id).await?;
        let sources = resolved_sources(&why.evidence);
        let missing = Verification { state: SourceState::Missing, coverage: 0.0 };
        let best = sources
            .iter()
            .map(|source| source.verification)
            .fold(missing, |best, one| if one.is_better_than(&best) { one } else { best });
        let (now, number) = (self.now(), why.record.number);
        let deferral = self.store.read(|view| view.deferral(number)).await?.filter(|(until, _)| *until > now);
        let (deferred_until, deferred_by) = deferral.unzip();
        let shape = evidence_shape(&why.record.belief, why.freshness);
        let confirms = confirmation_hash(&why.record.belief, &sources);
        let recommended = recommendation_for(&why.record.belief, shape, &best);
        let near_ready_in_own_words = self.is_near_ready_in_own_words(&why);
        Ok(Review {
            why,
            sources,
            verification: best,
            shape,
            near_ready_in_own_words,
            deferred_until,
            deferred_by,
            confirms,
            recommended,
        })
    }

    /// Whether what the user said is enough, whatever others said for it; what anybody said against it counts.
    fn is_near_ready_in_own_words(&self, why: &WhyBelief) -> bool {
        let own = |one: &&BeliefEvidence| {
            let Evidence { stance, role, .. } = &one.link.evidence;
            *stance != Stance::Support || WhoseWord::of_role(role) == WhoseWord::User
        };
        let evidence: Vec<BeliefEvidence> = why.evidence.iter().filter(own).cloned().collect();
        let links: Vec<BeliefLink> = evidence.iter().map(|one| one.link.clone()).collect();
        let belief = rescored_belief(&why.record.belief, &links, self.now(), &self.config.beliefs);
        let is_disputed = links.iter().any(|link| link.evidence.stance == Stance::Contradict);
        let says_so = |source: &Resolved| source.verification.state == SourceState::ExactMatch;
        !is_disputed
            && evidence_shape(&belief, belief.freshness) == EvidenceShape::NearReady
            && resolved_sources(&evidence).iter().any(says_so)
    }

    /// A belief as it is once an operator has verified it, and what speaks for it then: an operator's word is a source.
    pub fn verified(&self, review: &Review) -> Option<(Belief, BeliefLink)> {
        let now = self.now();
        let supports =
            |one: &&BeliefEvidence| one.link.evidence.stance == Stance::Support && one.memory.is_some();
        let best = review.why.evidence.iter().rev().find(supports)?;
        let evidence = Evidence {
            weight: 0.0,
            role: OPERATOR.to_owned(),
            root: OPERATOR.to_owned(),
            recorded_at: now,
            ..best.link.evidence.clone()
        };
        let link = BeliefLink { to: best.link.to, evidence, said_at: now };
        let mut links: Vec<BeliefLink> = review.why.evidence.iter().map(|one| one.link.clone()).collect();
        links.push(link.clone());
        let belief = rescored_belief(&review.why.record.belief, &links, now, &self.config.beliefs);
        Some((Belief { lane: BeliefLane::Verified, status: BeliefStatus::Active, ..belief }, link))
    }

    /// A candidate that says the same as a belief that no longer stands, on what that rested on, without an operator's word.
    pub fn candidate_again(&self, review: &Review) -> (Belief, Vec<BeliefLink>) {
        let links = review.why.evidence.iter().map(|one| one.link.clone());
        let links: Vec<BeliefLink> = links.filter(|link| link.evidence.role != OPERATOR).collect();
        let (now, old) = (self.now(), &review.why.record.belief);
        let fresh = Belief {
            id: BeliefId::of(&old.key, &old.value, Some(old.id)),
            lane: BeliefLane::Candidate,
            status: BeliefStatus::Active,
            allowed_consumers: Consumer::ALL.to_vec(),
            created_at: now,
            ..old.clone()
        };
        (rescored_belief(&fresh, &links, now, &self.config.beliefs), links)
    }

    /// The receipts about a subject, oldest first.
    pub async fn receipts_of(&self, subject: &str) -> Result<Vec<Receipt>> {
        Ok(self.store.read(|view| view.receipts_of(subject)).await?)
    }

    /// The newest receipts of the ledger, the newest first.
    pub async fn receipts(&self, limit: u32) -> Result<Vec<Receipt>> {
        Ok(self.store.read(|view| view.receipts(limit)).await?)
    }

    /// The receipt with this number.
    pub async fn receipt(&self, number: u64) -> Result<Option<Receipt>> {
        Ok(self.store.read(|view| view.receipt(number)).await?)
    }
}

/// How much speaks for a belief, less what speaks against it: the order of what waits.
fn evidence_strength(belief: &Belief) -> f64 {
    belief.confidence * f64::from(belief.parts.source_count.max(1)).sqrt() - belief.parts.contradiction_weight
}

/// Whether a belief rests on one source that only says what somebody does, has or is, and fills no slot.
fn is_said_in_passing(belief: &Belief) -> bool {
    let slot = belief.key.rsplit(':').next().unwrap_or_default();
    let facet = slot.split('.').next().and_then(|facet| facet.parse().ok());
    belief.parts.source_count < 2 && facet.is_none_or(|facet: Facet| is_remark(facet, &belief.value))
}

fn resolved_sources(evidence: &[BeliefEvidence]) -> Vec<Resolved> {
    let supports = evidence.iter().filter(|one| {
        one.link.evidence.stance == Stance::Support && matches!(one.link.to, LinkEnd::Memory(_))
    });
    let mut found: Vec<Resolved> = Vec::new();
    for one in supports {
        let quoted = one.link.evidence.excerpt.clone();
        let resolved = match one.sources.first() {
            None => Resolved {
                source: one.link.evidence.source.clone(),
                verification: verification(&quoted, None),
                quoted,
                says: None,
            },
            Some(source) => {
                let says = match &source.message {
                    Some(record) => Some(record.message.text.clone()),
                    // A file was read again just now; if it holds the words, that is what it says.
                    None => source.holds.then(|| source.evidence.excerpt.clone()),
                };
                let verification = verification(&quoted, says.as_deref());
                Resolved { source: source.evidence.source.clone(), quoted, says, verification }
            }
        };
        if !found.contains(&resolved) {
            found.push(resolved);
        }
    }
    found
}

/// Whether something has spoken against a belief since an operator last looked at it, whoever it was.
fn is_disputed(links: &[BeliefLink]) -> bool {
    let newest = |wanted: &dyn Fn(&Evidence) -> bool| {
        let links = links.iter().map(|link| &link.evidence).filter(|one| wanted(one));
        links.map(|one| one.recorded_at).max()
    };
    let against = newest(&|one| one.stance == Stance::Contradict);
    let looked_at = newest(&|one| one.role == OPERATOR);
    against.is_some() && against >= looked_at
}

fn evidence_shape(belief: &Belief, freshness: f64) -> EvidenceShape {
    let parts = &belief.parts;
    if parts.contradiction_weight > 0.0 {
        EvidenceShape::Conflicting
    } else if belief.status == BeliefStatus::Stale || cairn_cognition::belief::freshness::is_stale(freshness)
    {
        EvidenceShape::Decayed
    } else if belief.confidence >= READY_FROM {
        EvidenceShape::NearReady
    } else if parts.source_count >= RECURS_FROM {
        EvidenceShape::Recurring
    } else {
        EvidenceShape::Single
    }
}

/// Two halves: of what the belief says, and of what its sources say.
fn confirmation_hash(belief: &Belief, sources: &[Resolved]) -> String {
    let half = |parts: &[&str]| {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..12].to_owned()
    };
    let text = half(&[&belief.key, &belief.value, &belief.summary]);
    let said: Vec<&str> = sources
        .iter()
        .flat_map(|source| {
            let state = source.verification.state.as_str();
            [
                source.source.as_str(),
                source.quoted.as_str(),
                source.says.as_deref().unwrap_or_default(),
                state,
            ]
        })
        .collect();
    format!("{text}-{}", half(&said))
}

fn recommendation_for(
    belief: &Belief,
    shape: EvidenceShape,
    best: &Verification,
) -> (Recommendation, String) {
    use Recommendation::{Accept, Defer, Leave, Reject, Retract, Reverify};
    let state = best.state;
    match (belief.status.stands(), belief.lane, shape) {
        (false, _, _) => (Leave, format!("it is {}", belief.status)),
        (true, BeliefLane::Verified, _) => match state {
            SourceState::ExactMatch => (Leave, "its source still says so".to_owned()),
            SourceState::PartiallyOverlaps => {
                (Reverify, format!("its source says {:.0} % of it", best.coverage * 100.0))
            }
            SourceState::Drifted => (Retract, "its source says something else now".to_owned()),
            SourceState::Missing => (Retract, "its source is gone".to_owned()),
        },
        (true, BeliefLane::Candidate, _) if !best.is_enough() => {
            (Reject, format!("no source says so well enough: {state}, {:.0} %", best.coverage * 100.0))
        }
        (true, BeliefLane::Candidate, EvidenceShape::Conflicting) => {
            (Defer, "something speaks against it".to_owned())
        }
        (true, BeliefLane::Candidate, EvidenceShape::Decayed) => {
            (Defer, "nothing has spoken for it in its time".to_owned())
        }
        (true, BeliefLane::Candidate, EvidenceShape::Single) if is_said_in_passing(belief) => {
            (Defer, "it was said once, in passing: wait until it is said again".to_owned())
        }
        (
            true,
            BeliefLane::Candidate,
            EvidenceShape::NearReady | EvidenceShape::Recurring | EvidenceShape::Single,
        ) => (
            Accept,
            format!("a source says so word for word or nearly, and nothing speaks against it ({state})"),
        ),
    }
}

impl Review {
    /// Why this decision cannot be made about this belief; none if it can.
    pub fn refuses(&self, decision: ReviewDecision) -> Option<String> {
        let belief = &self.why.record.belief;
        if !belief.status.stands() {
            return Some(format!(
                "{} is {}: only active or stale beliefs can be reviewed",
                belief.id, belief.status
            ));
        }
        match (decision, belief.lane) {
            (
                ReviewDecision::AcceptVerified | ReviewDecision::Reject | ReviewDecision::Defer,
                BeliefLane::Verified,
            ) => Some(format!("{} is verified already", belief.id)),
            (ReviewDecision::Retract, BeliefLane::Candidate) => {
                Some(format!("{} was never verified", belief.id))
            }
            (ReviewDecision::AcceptVerified, BeliefLane::Candidate) if !self.verification.is_enough() => {
                let (state, share) = (self.verification.state, self.verification.coverage * 100.0);
                Some(format!(
                    "no source of {} says so well enough: {state}, {share:.0} % of its words",
                    belief.id
                ))
            }
            (
                ReviewDecision::AcceptVerified | ReviewDecision::Reject | ReviewDecision::Defer,
                BeliefLane::Candidate,
            )
            | (ReviewDecision::Retract, BeliefLane::Verified) => None,
        }
    }

    /// The receipt action that records a decision.
    pub fn action(decision: ReviewDecision) -> ReceiptAction {
        match decision {
            ReviewDecision::AcceptVerified => ReceiptAction::AcceptVerified,
            ReviewDecision::Reject => ReceiptAction::Reject,
            ReviewDecision::Defer => ReceiptAction::Defer,
            ReviewDecision::Retract => ReceiptAction::Retract,
        }
    }
}

#[cfg(test)]
mod tests;
