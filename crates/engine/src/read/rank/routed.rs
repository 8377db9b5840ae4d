//! The part that the route of a question adds where memories are asked for by the profile of the seeds: memories that relations or
//! names lead to, the categories that count, and what each memory shares with the question.

use crate::read::{
    lane::{FoundMemory, MemoryFindings, RecordScorer, RelationWalk},
    question::{Fusion, Question},
};
use cairn_cognition::{
    emotion::emotion,
    entity::entities,
    fusion::{RRF_K, path_score},
    intent::question_intent,
    route::{FirstCandidates, HitOrder, RoutePlan, route_plan},
    score::Factors,
};
use cairn_domain::{Memory, RecordKind};
use cairn_store::{Result, View};
use std::collections::{HashMap, HashSet};

/// Memories from which relations are followed.
const WALKED_FROM: usize = 5;
/// Memories that a name of the question brings into the running.
const MAX_HUB_MEMORIES: u32 = 200;

/// The plan for a question that goes by routes: one for memories alone, in the profile of the seeds.
pub(crate) fn plan_of(question: &Question) -> Option<RoutePlan> {
    let by_route =
        question.profile.fusion == Fusion::ReciprocalRank && question.kinds == [RecordKind::Memory];
    by_route.then(|| route_plan(question_intent(&question.text).route))
}

/// The route of a question, as it bears on the memories in the running.
pub(crate) struct RoutedMemories {
    plan: RoutePlan,
    /// How the question feels.
    mood: f64,
    /// How many entities each memory shares with the question.
    shared_entities: HashMap<u32, usize>,
    /// How far relations lead to each memory, 0 to 1.
    reached: HashMap<u32, f64>,
}

impl RoutedMemories {
    /// Brings in what the route leads to; none if the question does not go by routes.
    pub(crate) fn read(
        view: &mut View<'_>,
        question: &Question,
        measure: &RecordScorer,
        memory_findings: &mut MemoryFindings,
    ) -> Result<Option<Self>> {
        let Some(plan) = plan_of(question) else { return Ok(None) };
        let names = named_entities(view, &question.text)?;
        let reached = match plan.first {
            FirstCandidates::Hybrid => HashMap::new(),
            FirstCandidates::Hub => {
                let mut hub = Vec::new();
                for slug in &names {
                    hub.extend(view.hub(slug, MAX_HUB_MEMORIES)?);
                }
                memory_findings.bring_in(view, &hub, question)?;
                HashMap::new()
            }
            FirstCandidates::Graph => {
                let reached = walk_from_best(view, &plan, measure, memory_findings)?;
                let numbers: Vec<u32> = reached.keys().copied().collect();
                memory_findings.bring_in(view, &numbers, question)?;
                reached
            }
        };
        let numbers: Vec<u32> = memory_findings.memories.keys().copied().collect();
        let slugs = view.slugs_of_each(&numbers)?;
        let shared = |slugs: Vec<String>| slugs.iter().filter(|slug| names.contains(*slug)).count();
        let shared_entities = numbers.into_iter().zip(slugs.into_iter().map(shared)).collect();
        Ok(Some(Self { plan, mood: emotion(&question.text).valence, shared_entities, reached }))
    }

    /// Whether a memory is of a category that the route asks for.
    pub(super) fn admits(&self, memory: &Memory) -> bool {
        self.plan.categories.is_empty() || self.plan.categories.contains(&memory.category)
    }

    /// Whether the useful ones come first.
    pub(super) fn prefers_useful(&self) -> bool {
        self.plan.order == HitOrder::Utility
    }

    /// The weights of meaning and of words.
    pub(super) fn lane_weights(&self) -> (f64, f64) {
        (self.plan.meaning, self.plan.words)
    }

    /// Adds what the route knows about a memory to the factors of its score.
    pub(super) fn add_factors(&self, number: u32, factors: &mut Factors) {
        factors.entities = self.shared_entities.get(&number).copied().unwrap_or_default();
        factors.graph = self.plan.graph * self.reached.get(&number).copied().unwrap_or_default();
        factors.utility_boost = self.plan.utility_boost;
        factors.mood = self.mood;
    }
}

/// The addresses of the entities that a text names and that are known.
fn named_entities(view: &mut View<'_>, text: &str) -> Result<HashSet<String>> {
    let mut slugs = HashSet::new();
    for mention in entities(text) {
        slugs.extend(view.entity(&mention.slug)?.map(|entity| entity.slug));
    }
    Ok(slugs)
}

/// How far relations lead from the memories that fit best to others.
fn walk_from_best(
    view: &mut View<'_>,
    plan: &RoutePlan,
    measure: &RecordScorer,
    memory_findings: &MemoryFindings,
) -> Result<HashMap<u32, f64>> {
    let fit = |one: &FoundMemory| {
        let meaning = one.lane.map_or(0.0, |lane| measure.meaning_score(lane.score as f32));
        meaning + measure.word_score(&one.record.memory.text)
    };
    let mut best: Vec<(f64, u32)> =
        memory_findings.memories.iter().map(|(number, one)| (fit(one), *number)).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let one_sure_hop = path_score(RRF_K, &[1.0]);
    let mut reached: HashMap<u32, f64> = HashMap::new();
    for (_, start) in best.into_iter().take(WALKED_FROM).filter(|(fit, _)| *fit > 0.0) {
        for walked in RelationWalk::from_memory(view, start, plan.hops, plan.along)?.reached {
            let confidences: Vec<f64> = walked.way.iter().map(|(_, confidence)| *confidence).collect();
            let share = path_score(RRF_K, &confidences) / one_sure_hop;
            let best = reached.entry(walked.memory as u32).or_default();
            *best = best.max(share);
        }
    }
    Ok(reached)
}
