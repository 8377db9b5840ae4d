//! Routes: how much each way of finding counts for each route of a question, and what is special about it.

use crate::intent::Route;
use cairn_domain::{Category, RelationKind};
use serde::{Deserialize, Serialize};

/// How a question of one route is answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RoutePlan {
    /// Where candidates come from first.
    pub first: FirstCandidates,
    /// Weight of the dense lane.
    pub meaning: f64,
    /// Weight of the keyword lane.
    pub words: f64,
    /// Maximum hits.
    pub limit: usize,
    /// How hits are put in order.
    pub order: HitOrder,
    /// Factor of utility before it is added to the score.
    pub utility_boost: f64,
    /// Whether superseded memories are included, marked as such.
    pub superseded: bool,
    /// Only memories of these categories; all if empty.
    pub categories: &'static [Category],
    /// Weight of what such a walk reaches.
    pub graph: f64,
    /// Relations along which the graph is walked.
    pub along: &'static [RelationKind],
    /// Maximum hops of that walk.
    pub hops: u32,
}

/// Where candidates come from first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstCandidates {
    /// Meaning and words together.
    Hybrid,
    /// Memories that the best of those lead to.
    Graph,
    /// Memories about the entities of the question.
    Hub,
}

/// How hits are put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitOrder {
    /// The best score first.
    Relevance,
    /// The most recently valid first.
    Newest,
    /// The most useful first.
    Utility,
}

/// The table of routes.
pub fn route_plan(route: Route) -> RoutePlan {
    let hybrid = RoutePlan {
        first: FirstCandidates::Hybrid,
        meaning: 0.5,
        words: 0.5,
        limit: 10,
        order: HitOrder::Relevance,
        utility_boost: 0.0,
        superseded: false,
        categories: &[],
        graph: 0.0,
        along: &[],
        hops: 0,
    };
    match route {
        Route::Factual => RoutePlan { meaning: 0.6, words: 0.4, utility_boost: 0.2, ..hybrid },
        Route::Temporal => RoutePlan {
            meaning: 0.4,
            words: 0.6,
            limit: 15,
            order: HitOrder::Newest,
            superseded: true,
            ..hybrid
        },
        Route::Causal => RoutePlan {
            first: FirstCandidates::Graph,
            meaning: 0.3,
            words: 0.3,
            limit: 20,
            graph: 0.4,
            along: &[RelationKind::Causes, RelationKind::Elaborates],
            hops: 2,
            ..hybrid
        },
        Route::EntityProfile => RoutePlan {
            first: FirstCandidates::Hub,
            limit: 15,
            order: HitOrder::Utility,
            utility_boost: 0.3,
            ..hybrid
        },
        Route::Preference => RoutePlan {
            order: HitOrder::Utility,
            categories: &[Category::Preference, Category::Correction],
            ..hybrid
        },
        Route::General => RoutePlan { utility_boost: 0.2, ..hybrid },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-137, C-138, C-139, C-140, C-141, C-142, C-191
    #[test]
    fn the_table_is_that_of_the_seed() {
        for (route, first, meaning, words, limit, order, boost) in [
            (Route::Factual, FirstCandidates::Hybrid, 0.6, 0.4, 10, HitOrder::Relevance, 0.2),
            (Route::Temporal, FirstCandidates::Hybrid, 0.4, 0.6, 15, HitOrder::Newest, 0.0),
            (Route::Causal, FirstCandidates::Graph, 0.3, 0.3, 20, HitOrder::Relevance, 0.0),
            (Route::EntityProfile, FirstCandidates::Hub, 0.5, 0.5, 15, HitOrder::Utility, 0.3),
            (Route::Preference, FirstCandidates::Hybrid, 0.5, 0.5, 10, HitOrder::Utility, 0.0),
            (Route::General, FirstCandidates::Hybrid, 0.5, 0.5, 10, HitOrder::Relevance, 0.2),
        ] {
            let plan = route_plan(route);
            assert_eq!((plan.first, plan.limit, plan.order), (first, limit, order), "{route:?}");
            let weights = [plan.meaning - meaning, plan.words - words, plan.utility_boost - boost];
            assert!(weights.iter().all(|off| off.abs() < 1e-12), "{route:?}");
            assert_eq!(plan.superseded, route == Route::Temporal);
            assert_eq!(plan.categories.is_empty(), route != Route::Preference);
            assert_eq!(plan.hops, if route == Route::Causal { 2 } else { 0 });
        }
        assert_eq!(route_plan(Route::Preference).categories, [Category::Preference, Category::Correction]);
        assert_eq!(route_plan(Route::Causal).along, [RelationKind::Causes, RelationKind::Elaborates]);
    }
}
