//! The gate: what becomes of one statement, given what is known around it. Contradiction first, then likeness.

use crate::write::{
    decide::neighborhood::{Neighbor, Neighborhood},
    reasons::{Contradicted, NearestMemory, Weighed},
};
use cairn_cognition::{
    contradiction::{Saying, contradiction, same_matter, same_proposition},
    importance::{ImportanceChannels, Priority, encoding_boost, importance, novelty_channel, reward_channel},
    prediction_error::{
        self, ContradictedMemory, GateDecision, GateInput, NEARLY_IDENTICAL_SIMILARITY, Nearest,
        OVERLAPPING_SIMILARITY, entity_overlap,
    },
    statement::Statement,
};
use cairn_domain::{Memory, MemoryId, Verdict};

/// Utilities that tell what something like this is worth.
const REWARD_NEIGHBORS: usize = 5;
/// Where nothing is under way, nothing is beside the point.
const NEUTRAL_ATTENTION: f64 = 0.5;

/// A statement, as the gate looks at it.
pub(crate) struct GateCandidate<'a> {
    pub(crate) text: &'a str,
    pub(crate) statements: &'a [Statement],
    /// The slugs of its entities, sorted.
    pub(crate) entities: &'a [String],
    pub(crate) arousal: f64,
    /// A person asked to remember it.
    pub(crate) explicit: bool,
    /// Its words give orders, or come from nowhere that could know: it replaces and changes nothing.
    pub(crate) unbelieved: bool,
    /// The only memories that it may replace; `None`: whatever it cannot stand beside.
    pub(crate) replaces: Option<&'a [MemoryId]>,
}

impl GateCandidate<'_> {
    /// Whether it may replace a memory. What may not change cannot be replaced.
    pub(crate) fn may_replace(&self, memory: &Memory) -> bool {
        !memory.immutable && self.replaces.is_none_or(|only| only.contains(&memory.id))
    }
}

/// What the gate decided, and on what grounds.
pub(crate) struct GateJudgment {
    pub(crate) decision: GateDecision,
    /// The memory it is most like: what an update or a reinforcement goes to.
    pub(crate) nearest: Option<(usize, NearestMemory)>,
    /// The memory it cannot stand beside.
    pub(crate) contradicted: Option<(usize, Contradicted)>,
    pub(crate) weighed: Weighed,
    /// How strongly it was meant: it makes it last.
    pub(crate) signal: f64,
}

impl GateJudgment {
    /// The memory that the decision would change or replace.
    pub(crate) fn touches(&self) -> Option<MemoryId> {
        match self.decision.verdict {
            Verdict::Create => None,
            Verdict::Supersede => self.contradicted.as_ref().map(|(_, clash)| clash.memory),
            Verdict::Update | Verdict::Reinforce | Verdict::Skip => {
                self.nearest.as_ref().map(|(_, nearest)| nearest.memory)
            }
        }
    }
}

pub(crate) fn judge_candidate(candidate: &GateCandidate<'_>, around: &Neighborhood) -> GateJudgment {
    let saying = Saying { text: candidate.text, statements: candidate.statements };
    let nearest = nearest_neighbor(&saying, &around.near);
    let clash =
        if candidate.unbelieved { None } else { newest_contradiction(candidate, &saying, &around.near) };
    let (weighed, signal) = weigh_importance(candidate, around);
    let grounds = nearest.map(|at| {
        let near = &around.near[at];
        let Neighbor { record, similarity, entities, .. } = near;
        let known = Saying { text: &record.memory.text, statements: near.statements() };
        let found = NearestMemory {
            memory: record.memory.id,
            similarity: *similarity,
            by_words: around.by_words,
            same_matter: !candidate.unbelieved && same_matter(&known, &saying).is_some(),
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
    let contradicted = clash.as_ref().map(|(_, clash)| (clash.memory.to_string(), clash.why.as_str()));
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
        contradicted: clash,
        weighed,
        signal,
    }
}

/// The neighbour that counts as the nearest: one that says the same, else one about the same, else the most like.
fn nearest_neighbor(saying: &Saying<'_>, near: &[Neighbor]) -> Option<usize> {
    let known = |near: &Neighbor, holds: &dyn Fn(&Saying<'_>) -> bool| {
        holds(&Saying { text: &near.record.memory.text, statements: near.statements() })
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
    same.or_else(about).or(if near.is_empty() { None } else { Some(0) })
}

/// The newest memory that cannot hold beside a statement: one about the same thing, however it is worded, or one that is
/// like it.
fn newest_contradiction(
    candidate: &GateCandidate<'_>,
    saying: &Saying<'_>,
    near: &[Neighbor],
) -> Option<(usize, Contradicted)> {
    let clash = |(at, near): (usize, &Neighbor)| {
        let memory = &near.record.memory;
        if !candidate.may_replace(memory) || !near.compared {
            return None;
        }
        let known = Saying { text: &memory.text, statements: near.statements() };
        let found = contradiction(&known, saying)?;
        let (why, old, new) = (found.why, found.old, found.new);
        Some((at, Contradicted { memory: memory.id, why, old, new }))
    };
    near.iter().enumerate().filter_map(clash).max_by_key(|(at, _)| near[*at].record.memory.valid_from)
}

/// How much a statement matters, channel by channel, and how strongly it was meant.
fn weigh_importance(candidate: &GateCandidate<'_>, around: &Neighborhood) -> (Weighed, f64) {
    let utilities: Vec<f64> =
        around.near.iter().take(REWARD_NEIGHBORS).map(|near| near.record.memory.utility).collect();
    let channels = ImportanceChannels {
        novelty: novelty_channel(around.near.first().map(|near| near.similarity)),
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
