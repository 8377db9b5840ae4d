//! The gate: what becomes of one statement, given what is known around it. Contradiction first, then likeness.

use super::{
    neighbourhood::{Neighbour, Neighbourhood},
    reasons::{Contradicted, NearestMemory, Weighed},
};
use cairn_cognition::{
    contradiction::{Saying, contradiction, same_matter, same_proposition},
    importance::{Channels, Priority, boost, importance, novelty, reward},
    prediction_error::{self, Decision, NEARLY_IDENTICAL, Nearest, OVERLAPPING, entity_overlap},
    statement::Statement,
};
use cairn_domain::{Memory, MemoryId, Verdict};

/// Utilities that tell what something like this is worth.
const REWARD_FROM: usize = 5;
/// Where nothing is under way, nothing is beside the point.
const NEUTRAL: f64 = 0.5;

/// A statement, as the gate looks at it.
pub(super) struct Candidate<'a> {
    pub(super) text: &'a str,
    pub(super) statements: &'a [Statement],
    /// The slugs of its entities, sorted.
    pub(super) entities: &'a [String],
    pub(super) arousal: f64,
    /// A person asked to remember it.
    pub(super) explicit: bool,
    /// Its words give orders, or come from nowhere that could know: it replaces and changes nothing.
    pub(super) unbelieved: bool,
    /// The only memories that it may replace; `None`: whatever it cannot stand beside.
    pub(super) replaces: Option<&'a [MemoryId]>,
}

impl Candidate<'_> {
    /// Whether it may replace a memory. What may not change cannot be replaced.
    pub(super) fn may_replace(&self, memory: &Memory) -> bool {
        !memory.immutable && self.replaces.is_none_or(|only| only.contains(&memory.id))
    }
}

/// What the gate decided, and on what grounds.
pub(super) struct Judged {
    pub(super) decision: Decision,
    /// The memory it is most like: what an update or a reinforcement goes to.
    pub(super) nearest: Option<(usize, NearestMemory)>,
    /// The memory it cannot stand beside.
    pub(super) contradicted: Option<(usize, Contradicted)>,
    pub(super) weighed: Weighed,
    /// How strongly it was meant: it makes it last.
    pub(super) signal: f64,
}

impl Judged {
    /// The memory that the decision would change or replace.
    pub(super) fn touches(&self) -> Option<MemoryId> {
        match self.decision.verdict {
            Verdict::Create => None,
            Verdict::Supersede => self.contradicted.as_ref().map(|(_, clash)| clash.memory),
            Verdict::Update | Verdict::Reinforce | Verdict::Skip => {
                self.nearest.as_ref().map(|(_, nearest)| nearest.memory)
            }
        }
    }
}

pub(super) fn judge(candidate: &Candidate<'_>, around: &Neighbourhood) -> Judged {
    let saying = Saying { text: candidate.text, statements: candidate.statements };
    let nearest = nearest(&saying, &around.near);
    let clash = if candidate.unbelieved { None } else { clash(candidate, &saying, &around.near) };
    let (weighed, signal) = weigh(candidate, around);
    let grounds = nearest.map(|at| {
        let near = &around.near[at];
        let Neighbour { record, similarity, entities, .. } = near;
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
    let contradicted = contradicted.as_ref().map(|(name, why)| (name.as_str(), *why));
    let decision =
        prediction_error::decide(contradicted, known.as_ref(), weighed.importance, candidate.explicit);
    Judged {
        decision,
        nearest: grounds.map(|(at, found, _)| (at, found)),
        contradicted: clash,
        weighed,
        signal,
    }
}

/// The neighbour that counts as the nearest: one that says the same, else one about the same, else the most like.
fn nearest(saying: &Saying<'_>, near: &[Neighbour]) -> Option<usize> {
    let known = |near: &Neighbour, holds: &dyn Fn(&Saying<'_>) -> bool| {
        holds(&Saying { text: &near.record.memory.text, statements: near.statements() })
    };
    let same = near.iter().position(|near| {
        near.similarity > NEARLY_IDENTICAL && known(near, &|known| same_proposition(known, saying))
    });
    let about = || {
        near.iter().position(|near| {
            near.similarity >= OVERLAPPING && known(near, &|known| same_matter(known, saying).is_some())
        })
    };
    same.or_else(about).or(if near.is_empty() { None } else { Some(0) })
}

/// The newest memory that cannot hold beside a statement: one about the same thing, however it is worded, or one that is
/// like it.
fn clash(
    candidate: &Candidate<'_>,
    saying: &Saying<'_>,
    near: &[Neighbour],
) -> Option<(usize, Contradicted)> {
    let clash = |(at, near): (usize, &Neighbour)| {
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
fn weigh(candidate: &Candidate<'_>, around: &Neighbourhood) -> (Weighed, f64) {
    let utilities: Vec<f64> =
        around.near.iter().take(REWARD_FROM).map(|near| near.record.memory.utility).collect();
    let channels = Channels {
        novelty: novelty(around.near.first().map(|near| near.similarity)),
        arousal: candidate.arousal,
        reward: reward(&utilities),
        attention: around.attention.unwrap_or(NEUTRAL).clamp(0.0, 1.0),
    };
    let signal = channels.signal(if candidate.explicit { 1.0 } else { 0.0 });
    let importance = importance(&channels, signal);
    let weighed = Weighed {
        novelty: channels.novelty,
        arousal: channels.arousal,
        reward: channels.reward,
        attention: channels.attention,
        boost: boost(signal),
        importance,
        priority: Priority::of(importance).as_str().to_owned(),
    };
    (weighed, signal)
}
