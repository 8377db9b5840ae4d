//! The gate: what becomes of one statement, given what is known around it. Contradiction first, then likeness.

use crate::write::{
    decide::{
        candidate::GateCandidate,
        change::{ChangeMark, FoundChanges, mark_reason},
        neighborhood::{Neighbor, Neighborhood},
    },
    reasons::{Contradicted, NearestMemory, Weighed},
};
use cairn_cognition::{
    contradiction::{Saying, same_matter, same_proposition},
    importance::{ImportanceChannels, Priority, encoding_boost, importance, novelty_channel, reward_channel},
    judge::change::REPLACE_FROM,
    prediction_error::{
        self, ContradictedMemory, GateDecision, GateInput, NEARLY_IDENTICAL_SIMILARITY, Nearest,
        OVERLAPPING_SIMILARITY, entity_overlap,
    },
};
use cairn_domain::{MemoryId, Verdict};

/// Utilities that tell what something like this is worth.
const REWARD_NEIGHBORS: usize = 5;
/// Where nothing is under way, nothing is beside the point.
const NEUTRAL_ATTENTION: f64 = 0.5;

/// The gate's decision, with its grounds.
pub(crate) struct GateJudgment {
    pub(crate) decision: GateDecision,
    /// The memory it is most like: what an update or a reinforcement goes to.
    pub(crate) nearest: Option<(usize, NearestMemory)>,
    /// The memories it cannot stand beside: the newest first.
    pub(crate) replaced: Vec<(usize, Contradicted)>,
    /// Memories that may have changed by it, and stay as they are.
    pub(crate) marks: Vec<ChangeMark>,
    pub(crate) weighed: Weighed,
    /// How strongly it was meant: it makes it last.
    pub(crate) signal: f64,
}

impl GateJudgment {
    /// The memory that the decision would change or replace.
    pub(crate) fn touches(&self) -> Option<MemoryId> {
        match self.decision.verdict {
            Verdict::Create => None,
            Verdict::Supersede => self.replaced.first().map(|(_, clash)| clash.memory),
            Verdict::Update | Verdict::Reinforce | Verdict::Skip => {
                self.nearest.as_ref().map(|(_, nearest)| nearest.memory)
            }
        }
    }
}

impl GateJudgment {
    /// Lets a correction stand beside the memory that it names, which is somebody's whose word it may not replace: that
    /// memory is marked, and neither its text nor its strength changes.
    pub(crate) fn stand_beside(
        &mut self,
        named: Option<usize>,
        candidate: &GateCandidate<'_>,
        around: &Neighborhood,
    ) {
        let Some(place) = named else { return };
        self.replaced.retain(|(at, _)| *at != place);
        self.marks.retain(|mark| mark.place != place);
        let reason = mark_reason(candidate, &around.near[place], "it was corrected");
        self.marks.insert(0, ChangeMark { place, confidence: REPLACE_FROM, reason });
        "it stands beside what it corrects, which only the user replaces"
            .clone_into(&mut self.decision.reason);
        self.decision.verdict = if self.replaced.is_empty() { Verdict::Create } else { Verdict::Supersede };
    }
}

pub(crate) fn judge_candidate(
    candidate: &GateCandidate<'_>,
    around: &Neighborhood,
    changes: FoundChanges,
) -> GateJudgment {
    let FoundChanges { replaced, marks } = changes;
    let saying = Saying { text: candidate.text, statements: candidate.statements };
    let nearest = nearest_neighbor(&saying, around.like(), candidate);
    let (weighed, signal) = weigh_importance(candidate, around);
    let grounds = nearest.map(|at| {
        let near = &around.near[at];
        let Neighbor { record, similarity, entities, .. } = near;
        let known = Saying { text: &record.memory.text, statements: near.statements() };
        let found = NearestMemory {
            memory: record.memory.id,
            similarity: *similarity,
            by_words: around.by_words,
            same_matter: !candidate.unbelieved
                && candidate.may_join(&record.memory)
                && same_matter(&known, &saying).is_some(),
            same_proposition: same_proposition(&known, &saying),
        };
        (at, found, entity_overlap(entities, candidate.entities))
    });
    let name = grounds.as_ref().map(|(_, found, _)| found.memory.to_string());
    let known = grounds.as_ref().zip(name.as_deref()).map(|((at, found, overlap), name)| Nearest {
        similarity: found.similarity,
        same_matter: found.same_matter,
        same_proposition: found.same_proposition,
        entity_overlap: *overlap,
        immutable: around.near[*at].record.memory.immutable,
        name,
    });
    let contradicted = replaced.first().map(|(_, clash)| (clash.memory.to_string(), clash.why.as_str()));
    let contradicted = contradicted.as_ref().map(|(name, why)| ContradictedMemory { name, why });
    let decision = prediction_error::decide(GateInput {
        contradicted,
        nearest: known.as_ref(),
        importance: weighed.importance,
        explicit: candidate.explicit,
    });
    GateJudgment {
        decision,
        nearest: grounds.map(|(at, found, _)| (at, found)),
        replaced,
        marks,
        weighed,
        signal,
    }
}

/// The neighbour that counts as the nearest: one that says the same, else one about the same, else the most like; of those
/// that the candidate's words may be counted for.
fn nearest_neighbor(saying: &Saying<'_>, near: &[Neighbor], candidate: &GateCandidate<'_>) -> Option<usize> {
    let counts = |near: &Neighbor| candidate.may_attest(&near.record.memory);
    let known = |near: &Neighbor, holds: &dyn Fn(&Saying<'_>) -> bool| {
        counts(near) && holds(&Saying { text: &near.record.memory.text, statements: near.statements() })
    };
    let same = near.iter().position(|near| {
        near.similarity > NEARLY_IDENTICAL_SIMILARITY && known(near, &|known| same_proposition(known, saying))
    });
    let about = || {
        near.iter().position(|near| {
            near.similarity >= OVERLAPPING_SIMILARITY
                && known(near, &|known| same_matter(known, saying).is_some())
        })
    };
    same.or_else(about).or_else(|| near.iter().position(counts))
}

/// How much a statement matters, channel by channel, and how strongly it was meant.
fn weigh_importance(candidate: &GateCandidate<'_>, around: &Neighborhood) -> (Weighed, f64) {
    let utilities: Vec<f64> =
        around.like().iter().take(REWARD_NEIGHBORS).map(|near| near.record.memory.utility).collect();
    let channels = ImportanceChannels {
        novelty: novelty_channel(around.like().first().map(|near| near.similarity)),
        arousal: candidate.arousal,
        reward: reward_channel(&utilities),
        attention: around.attention.unwrap_or(NEUTRAL_ATTENTION).clamp(0.0, 1.0),
    };
    let signal = channels.signal(if candidate.explicit { 1.0 } else { 0.0 });
    let importance = importance(&channels, signal);
    let weighed = Weighed {
        novelty: channels.novelty,
        arousal: channels.arousal,
        reward: channels.reward,
        attention: channels.attention,
        boost: encoding_boost(signal),
        importance,
        priority: Priority::of(importance).as_str().to_owned(),
    };
    (weighed, signal)
}
