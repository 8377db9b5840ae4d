//! Routes: how much each way of finding counts for each route of a question, and what is special about it.

use crate::intent::Route;
use cairn_domain::{Category, RelationKind};
use serde::{Deserialize, Serialize};

/// How a question of one route is answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Plan {
    /// Where candidates come from first.
    pub first: First,
    /// What meaning weighs.
    pub meaning: f64,
    /// What words weigh.
    pub words: f64,
    /// How many hits, at most.
    pub limit: usize,
    /// How hits are put in order.
    pub order: Order,
    /// What utility is multiplied with before it is added to the score.
    pub utility_boost: f64,
    /// Whether what no longer holds is given too, marked as such.
    pub superseded: bool,
    /// Only memories of these categories; all if empty.
    pub categories: &'static [Category],
    /// Along which relations the graph is walked.
    pub along: &'static [RelationKind],
    /// How far.
    pub hops: u32,
}

/// Where candidates come from first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum First {
    /// Meaning and words together.
    Hybrid,
    /// What the best of those lead to.
    Graph,
    /// What is known about the entities of the question.
    Hub,
}

/// How hits are put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The best score first.
    Relevance,
    /// What began to hold last comes first.
    Newest,
    /// The most useful first.
    Utility,
}

/// The table of routes.
pub fn plan(route: Route) -> Plan {
    let hybrid = Plan {
        first: First::Hybrid,
        meaning: 0.5,
        words: 0.5,
        limit: 10,
        order: Order::Relevance,
        utility_boost: 0.0,
        superseded: false,
        categories: &[],
        along: &[],
        hops: 0,
    };
    match route {
        Route::Factual => Plan { meaning: 0.6, words: 0.4, utility_boost: 0.2, ..hybrid },
        Route::Temporal => {
            Plan { meaning: 0.4, words: 0.6, limit: 15, order: Order::Newest, superseded: true, ..hybrid }
        }
        Route::Causal => Plan {
            first: First::Graph,
            meaning: 0.3,
            words: 0.3,
            limit: 20,
            along: &[RelationKind::Causes, RelationKind::Elaborates],
            hops: 2,
            ..hybrid
        },
        Route::EntityProfile => {
            Plan { first: First::Hub, limit: 15, order: Order::Utility, utility_boost: 0.3, ..hybrid }
        }
        Route::Preference => Plan {
            order: Order::Utility,
            categories: &[Category::Preference, Category::Correction],
            ..hybrid
        },
        Route::General => Plan { utility_boost: 0.2, ..hybrid },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-137, C-138, C-139, C-140, C-141, C-142, C-191
    #[test]
    fn the_table_is_that_of_the_seed() {
        for (route, first, meaning, words, limit, order, boost) in [
            (Route::Factual, First::Hybrid, 0.6, 0.4, 10, Order::Relevance, 0.2),
            (Route::Temporal, First::Hybrid, 0.4, 0.6, 15, Order::Newest, 0.0),
            (Route::Causal, First::Graph, 0.3, 0.3, 20, Order::Relevance, 0.0),
            (Route::EntityProfile, First::Hub, 0.5, 0.5, 15, Order::Utility, 0.3),
            (Route::Preference, First::Hybrid, 0.5, 0.5, 10, Order::Utility, 0.0),
            (Route::General, First::Hybrid, 0.5, 0.5, 10, Order::Relevance, 0.2),
        ] {
            let plan = plan(route);
            assert_eq!((plan.first, plan.limit, plan.order), (first, limit, order), "{route:?}");
            let weights = [plan.meaning - meaning, plan.words - words, plan.utility_boost - boost];
            assert!(weights.iter().all(|off| off.abs() < 1e-12), "{route:?}");
            assert_eq!(plan.superseded, route == Route::Temporal);
            assert_eq!(plan.categories.is_empty(), route != Route::Preference);
            assert_eq!(plan.hops, if route == Route::Causal { 2 } else { 0 });
        }
        assert_eq!(plan(Route::Preference).categories, [Category::Preference, Category::Correction]);
        assert_eq!(plan(Route::Causal).along, [RelationKind::Causes, RelationKind::Elaborates]);
    }
}
