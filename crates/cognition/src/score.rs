//! The score of a memory, as parts that add up to it. A factor that multiplies counts as what it adds to the sum before
//! it, so every part can be shown beside the others and nothing is left over.

use crate::{unit_interval::clamp_to_unit, utility::weighed_value};
use serde::{Deserialize, Serialize, Serializer};
use std::cmp::Ordering;

/// The weight of each factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Of likeness.
    pub similarity: f64,
    /// Of activation.
    pub activation: f64,
    /// Of importance.
    pub importance: f64,
    /// Of the fused ranks.
    pub ranks: f64,
    /// Added for each entity that the question names too.
    pub entity: f64,
    /// Added for an episode of the session that is asked in.
    pub episode: f64,
    /// Added for a memory that often comes to mind with another hit.
    pub together: f64,
    /// Times this for a memory that feels as the question does.
    pub mood: f64,
    /// Times this for a memory of the thread that is asked in.
    pub thread: f64,
    /// Times this for a memory that is dormant.
    pub dormant: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            similarity: 0.40,
            activation: 0.30,
            importance: 0.15,
            ranks: 0.15,
            entity: 0.1,
            episode: 0.15,
            together: 0.05,
            mood: 1.1,
            thread: 1.0,
            dormant: 0.5,
        }
    }
}

/// The input of a memory's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// How alike it is to the question, 0 to 1.
    pub similarity: f64,
    /// Its activation beside that of the other candidates, 0 to 1 (see [`min_max`](crate::fusion::min_max_normalized)).
    pub activation: f64,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// Its fused ranks beside those of the other candidates, 0 to 1.
    pub ranks: f64,
    /// How many entities it shares with the question.
    pub entities: usize,
    /// Whether it is an episode of the session that is asked in.
    pub same_session: bool,
    /// How useful it has been, 0 to 1.
    pub utility: f64,
    /// The factor by which the route of the question multiplies utility.
    pub utility_boost: f64,
    /// Whether it often comes to mind with another hit.
    pub together: bool,
    /// How far relations lead to it, times the weight that the route gives that.
    pub graph: f64,
    /// The weight of its sub-tier.
    pub sub_tier: f64,
    /// How the question feels, −1 to 1.
    pub mood: f64,
    /// How it felt itself, −1 to 1.
    pub valence: f64,
    /// How far its source can be trusted, 0 to 1.
    pub source_confidence: f64,
    /// Whether it belongs to the thread that is asked in.
    pub same_thread: bool,
    /// Whether it is dormant.
    pub dormant: bool,
}

impl Default for Factors {
    /// A memory of which nothing is known and nothing is special.
    fn default() -> Self {
        Self {
            similarity: 0.0,
            activation: 0.0,
            importance: 0.0,
            ranks: 0.0,
            entities: 0,
            same_session: false,
            utility: crate::utility::INITIAL_UTILITY,
            utility_boost: 0.0,
            together: false,
            graph: 0.0,
            sub_tier: 1.0,
            mood: 0.0,
            valence: 0.0,
            source_confidence: 1.0,
            same_thread: false,
            dormant: false,
        }
    }
}

/// A factor of a score. It is written under its name in snake case; a name that is no variant does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// How alike a memory is to the question.
    Similarity,
    /// How often and how lately a memory came to mind.
    Activation,
    /// How much a memory matters.
    Importance,
    /// The fused ranks of a memory in the lanes.
    Ranks,
    /// The entities a memory shares with the question.
    Entities,
    /// An episode of the session asked in.
    Episode,
    /// How useful a memory has been.
    Utility,
    /// Often recalled together with another hit.
    Together,
    /// The sub-tier of a memory.
    SubTier,
    /// A memory that feels as the question does.
    Mood,
    /// How far the source of a memory can be trusted.
    Source,
    /// The thread asked in.
    Thread,
    /// A memory that is dormant.
    Dormant,
    /// Takes away any score of a memory above 1.
    Ceiling,
    /// The meaning of the record.
    Meaning,
    /// The words the record shares with the question.
    Words,
    /// The words of the messages around a message.
    Neighbours,
    /// A session that is about the question.
    Session,
    /// Said by the one whose words are asked for.
    Subject,
    /// Said in a time the question speaks of.
    Time,
    /// A step of a run that answers a question about it.
    Step,
    /// Said recently.
    Recency,
    /// A message of which something was worth remembering.
    Kept,
    /// The meaning of what was remembered of a message.
    Remembered,
    /// Names and relations that lead from the question to the record.
    Graph,
    /// A wish that stands.
    Standing,
    /// How sure and how current a belief is.
    Held,
    /// A digest, which stays behind the words it rests on.
    Condensed,
    /// The words of a file, which stay behind what was said.
    Attached,
    /// Raised to where what it replaced was found.
    Replaces,
    /// No longer holds: put behind what replaced it.
    Replaced,
    /// The ranks in the answers to the parts of a question.
    Parts,
    /// A memory of a message of which a better one stands before it.
    Repeated,
    /// Held before what replaced it, and that is asked for.
    Former,
    /// Only asks what is asked.
    Echo,
    /// Asks, supposes, jokes or tells of others and of the past, while what is so is asked for.
    Unreal,
    /// States what is asked for of the one who asks: where they live, what they are called.
    Slot,
    /// Read together with another statement that fits: this one answers the question now.
    Answers,
    /// Read together with another statement that fits: that one answers the question now.
    AnswersLess,
}

impl Part {
    /// The name under which it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::Activation => "activation",
            Self::Importance => "importance",
            Self::Ranks => "ranks",
            Self::Entities => "entities",
            Self::Episode => "episode",
            Self::Utility => "utility",
            Self::Together => "together",
            Self::SubTier => "sub_tier",
            Self::Mood => "mood",
            Self::Source => "source",
            Self::Thread => "thread",
            Self::Dormant => "dormant",
            Self::Ceiling => "ceiling",
            Self::Meaning => "meaning",
            Self::Words => "words",
            Self::Neighbours => "neighbours",
            Self::Session => "session",
            Self::Subject => "subject",
            Self::Time => "time",
            Self::Step => "step",
            Self::Recency => "recency",
            Self::Kept => "kept",
            Self::Remembered => "remembered",
            Self::Graph => "graph",
            Self::Standing => "standing",
            Self::Held => "held",
            Self::Condensed => "condensed",
            Self::Attached => "attached",
            Self::Replaces => "replaces",
            Self::Replaced => "replaced",
            Self::Parts => "parts",
            Self::Repeated => "repeated",
            Self::Former => "former",
            Self::Echo => "echo",
            Self::Unreal => "unreal",
            Self::Slot => "slot",
            Self::Answers => "answers",
            Self::AnswersLess => "answers_less",
        }
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One part of a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScorePart {
    /// The factor.
    pub name: Part,
    /// The amount it adds to the score.
    pub adds: f64,
}

/// A score and what it is made of.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Score {
    /// Its parts, none of them nothing.
    pub parts: Vec<ScorePart>,
}

impl Score {
    /// The amount a factor adds; zero if it has no part in this score.
    pub fn part(&self, name: Part) -> f64 {
        self.parts.iter().filter(|part| part.name == name).map(|part| part.adds).sum()
    }

    /// The score: the sum of the parts in their order.
    pub fn total(&self) -> f64 {
        self.parts.iter().fold(0.0, |sum, part| sum + part.adds)
    }

    /// Adds a part; nothing leaves no part.
    pub fn add(&mut self, name: Part, adds: f64) {
        if adds != 0.0 {
            self.parts.push(ScorePart { name, adds });
        }
    }

    /// Multiplies what there is so far: the part is what that adds.
    pub fn times(&mut self, name: Part, factor: f64) {
        self.add(name, self.total() * (factor - 1.0));
    }

    /// Takes away what is above 1, to the last digit.
    fn hold(&mut self) {
        let total = self.total();
        if total > 1.0 {
            let mut above = 1.0 - total;
            while total + above > 1.0 {
                above = above.next_down();
            }
            self.add(Part::Ceiling, above);
        }
    }
}

/// The score of a memory, from 0 to 1:
///
/// base = 0.40·similarity + 0.30·activation + 0.15·importance + 0.15·ranks
/// score = min(1, (base + 0.1·entities + 0.15·episode + boost·utility + 0.05·together + graph) · sub-tier · mood · source · thread · dormant)
pub fn score(factors: &Factors, weights: &Weights) -> Score {
    let mut score = Score::default();
    score.add(Part::Similarity, weights.similarity * clamp_to_unit(factors.similarity));
    score.add(Part::Activation, weights.activation * clamp_to_unit(factors.activation));
    score.add(Part::Importance, weights.importance * clamp_to_unit(factors.importance));
    score.add(Part::Ranks, weights.ranks * clamp_to_unit(factors.ranks));
    score.add(Part::Entities, weights.entity * factors.entities as f64);
    score.add(Part::Episode, if factors.same_session { weights.episode } else { 0.0 });
    score.add(Part::Utility, factors.utility_boost * clamp_to_unit(factors.utility));
    score.add(Part::Together, if factors.together { weights.together } else { 0.0 });
    score.add(Part::Graph, factors.graph);
    score.times(Part::SubTier, factors.sub_tier);
    score.times(Part::Mood, if is_congruent(factors.mood, factors.valence) { weights.mood } else { 1.0 });
    score.times(Part::Source, source_factor(factors.source_confidence));
    score.times(Part::Thread, if factors.same_thread { weights.thread } else { 1.0 });
    score.times(Part::Dormant, if factors.dormant { weights.dormant } else { 1.0 });
    score.hold();
    score
}

/// The factor by which trust in a source multiplies a score; a source that is hardly trusted counts half.
///
/// source = 0.8 + 0.2·confidence, or 0.5 below 0.3
pub fn source_factor(confidence: f64) -> f64 {
    if confidence < 0.3 { 0.5 } else { 0.8 + 0.2 * clamp_to_unit(confidence) }
}

/// Whether a memory feels as the question does: both good or both bad.
pub fn is_congruent(mood: f64, valence: f64) -> bool {
    mood * valence > 0.0
}

/// The order of memories on routes that ask for useful ones.
///
/// rerank = 0.6·similarity + 0.2·utility + 0.2·importance + boost·utility
pub fn rerank(factors: &Factors) -> Score {
    let (utility, importance) = (clamp_to_unit(factors.utility), clamp_to_unit(factors.importance));
    let mut score = Score::default();
    score.add(Part::Similarity, weighed_value(clamp_to_unit(factors.similarity), 0.0, 0.0));
    score.add(Part::Utility, weighed_value(0.0, utility, 0.0) + factors.utility_boost * utility);
    score.add(Part::Importance, weighed_value(0.0, 0.0, importance));
    score.hold();
    score
}

/// The kind of a hit; of two with the same score the one that stands first here comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitStanding {
    /// A verified belief.
    Belief,
    /// A memory that is always at hand.
    Hot,
    /// A memory.
    Memory,
    /// An exchange that was said.
    Exchange,
    /// A memory that another agent shares.
    Shared,
    /// A stretch of a file.
    Attachment,
    /// A generated text.
    Digest,
}

/// Where a hit comes among others.
#[derive(Debug, Clone, Copy)]
pub struct HitPlace {
    /// Its score.
    pub score: f64,
    /// Its standing, which decides between equals.
    pub standing: HitStanding,
}

/// The better first: by score, then by standing.
pub fn better_first(a: HitPlace, b: HitPlace) -> Ordering {
    b.score.total_cmp(&a.score).then(a.standing.cmp(&b.standing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(factors: &Factors) -> f64 {
        score(factors, &Weights::default()).total()
    }

    /// covers: C-38, C-39, C-40, C-41, C-42, C-43, C-196, C-206, C-245, X-C5, X-C13, X-C21
    #[test]
    fn each_factor_counts_what_the_seeds_say() {
        let base = Factors { similarity: 0.5, ..Factors::default() };
        for (factors, expected) in [
            (Factors::default(), 0.0),
            (base, 0.2),
            (Factors { similarity: 1.0, activation: 1.0, importance: 1.0, ranks: 1.0, ..base }, 1.0),
            (Factors { activation: 0.5, ..base }, 0.35),
            (Factors { importance: 0.4, ..base }, 0.26),
            (Factors { ranks: 1.0, ..base }, 0.35),
            (Factors { entities: 2, ..base }, 0.4),
            (Factors { same_session: true, ..base }, 0.35),
            (Factors { together: true, ..base }, 0.25),
            (Factors { utility_boost: 0.2, utility: 0.8, ..base }, 0.36),
            (Factors { sub_tier: 1.1, ..base }, 0.22),
            (Factors { sub_tier: 0.9, ..base }, 0.18),
            (Factors { mood: 0.5, valence: 0.5, ..base }, 0.22),
            (Factors { mood: -0.5, valence: -0.1, ..base }, 0.22),
            (Factors { mood: 0.5, valence: -0.5, ..base }, 0.2),
            (Factors { mood: 0.0, valence: 0.9, ..base }, 0.2),
            (Factors { source_confidence: 0.5, ..base }, 0.18),
            (Factors { source_confidence: 0.2, ..base }, 0.1),
            (Factors { dormant: true, ..base }, 0.1),
            (Factors { entities: 20, ..base }, 1.0),
        ] {
            assert!((total(&factors) - expected).abs() < 1e-12, "{factors:?}: {}", total(&factors));
        }
        let threaded = Weights { thread: 1.8, ..Weights::default() };
        let found = score(&Factors { same_thread: true, ..base }, &threaded);
        assert!((found.total() - 0.36).abs() < 1e-12);
        assert_eq!(
            found.parts.iter().map(|part| part.name).collect::<Vec<_>>(),
            [Part::Similarity, Part::Thread]
        );
    }

    /// covers: C-101, C-137, X-C5
    #[test]
    fn a_useful_memory_gains_where_the_route_asks_for_it() {
        let plain = Factors { similarity: 1.0, utility: 0.5, importance: 0.5, ..Factors::default() };
        assert!((rerank(&plain).total() - 0.8).abs() < 1e-12);
        assert!((rerank(&Factors { utility_boost: 0.3, ..plain }).total() - 0.95).abs() < 1e-12);
    }

    /// covers: X-B13
    #[test]
    fn of_two_equal_scores_the_truer_comes_first() {
        let hits = [(0.5, HitStanding::Digest), (0.5, HitStanding::Belief), (0.9, HitStanding::Exchange)];
        let mut hits = hits.map(|(score, standing)| HitPlace { score, standing });
        hits.sort_by(|a, b| better_first(*a, *b));
        assert_eq!(
            hits.map(|hit| hit.standing),
            [HitStanding::Exchange, HitStanding::Belief, HitStanding::Digest]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: X-C14
        #[test]
        fn the_parts_add_up_and_the_score_stays_between_0_and_1(
            (similarity, activation, importance, ranks) in (-1.0_f64..2.0, 0.0_f64..1.0, 0.0_f64..1.0, 0.0_f64..1.0),
            (entities, same_session, together, dormant) in (0_usize..12, any::<bool>(), any::<bool>(), any::<bool>()),
            graph in 0.0_f64..0.4,
            (utility, utility_boost, source_confidence) in (0.0_f64..1.0, 0.0_f64..0.5, -0.5_f64..1.5),
            (mood, valence, sub_tier, same_thread) in (-1.0_f64..1.0, -1.0_f64..1.0, 0.9_f64..1.1, any::<bool>()),
        ) {
            let factors = Factors {
                similarity, activation, importance, ranks, entities, same_session, utility, utility_boost, together, graph,
                sub_tier, mood, valence, source_confidence, same_thread, dormant,
            };
            let weights = Weights { thread: 1.8, ..Weights::default() };
            let found = score(&factors, &weights);
            let mut sum = 0.0;
            for part in &found.parts {
                sum += part.adds;
            }
            prop_assert_eq!(sum.to_bits(), found.total().to_bits());
            prop_assert!((0.0..=1.0).contains(&found.total()), "{:?}", found);
        }
    }
}
