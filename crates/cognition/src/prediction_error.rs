//! The prediction-error gate: the verdict about a statement, given what is known. A memory that is like the statement is
//! not enough to change that memory: it has to be about the same matter, or unrelated things would be welded together.
//!
//! | cosine to the nearest memory | verdict |
//! |---|---|
//! | any, and it contradicts something known | supersede |
//! | below 0.70, or nothing known | create |
//! | 0.70 to 0.75 | create if it matters or was asked for; skip if that matter is known; else create |
//! | 0.75 to 0.92 | update if about the same matter, else create and relate |
//! | above 0.92 | reinforce if it says the same, update if about the same matter, else create and relate |
//!
//! Up to 0.84, memories that name mostly different entities are kept apart whatever else holds. An immutable memory is
//! never updated. In doubt the gate creates: two memories of one thing can be merged later, what was skipped is lost.

use crate::{importance::Priority, unit_interval::clamp_to_unit};
use cairn_domain::Verdict;

/// Below this similarity a statement is new.
pub const FAMILIAR_SIMILARITY: f64 = 0.70;
/// From here on a statement may add to what is known.
pub const OVERLAPPING_SIMILARITY: f64 = 0.75;
/// Up to this similarity memories with different entities are kept apart.
pub const SEPARABLE_SIMILARITY: f64 = 0.84;
/// Above this similarity a statement may say what is known.
pub const NEARLY_IDENTICAL_SIMILARITY: f64 = 0.92;
/// Memories whose entities overlap less than this name different things.
pub const MIN_ENTITY_OVERLAP: f64 = 0.5;

/// The memory that is most like a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest<'a> {
    /// The cosine between the two.
    pub similarity: f64,
    /// Whether both are about the same attribute of the same subject.
    pub same_matter: bool,
    /// Whether both say the same.
    pub same_proposition: bool,
    /// How many of their entities both name (see [`entity_overlap`]).
    pub entity_overlap: f64,
    /// Whether its text may never change.
    pub immutable: bool,
    /// Its ref, for the reason.
    pub name: &'a str,
}

/// The verdict about a statement, with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct GateDecision {
    /// The verdict.
    pub verdict: Verdict,
    /// How unexpected it was, from 0 to 1: recorded, and used as novelty.
    pub prediction_error: f64,
    /// Whether the new memory and the nearest one belong together without being one.
    pub related: bool,
    /// Why, in words.
    pub reason: String,
}

/// How unexpected a statement is, by its similarity to the nearest memory.
///
/// PE = 1 − similarity
pub fn prediction_error(similarity: f64) -> f64 {
    1.0 - clamp_to_unit(similarity)
}

/// The share of their entities (sorted, each once) that two texts both name; 1 if neither names any, because then no
/// entity tells them apart.
///
/// overlap = |A ∩ B| / |A ∪ B|
pub fn entity_overlap(a: &[String], b: &[String]) -> f64 {
    let both = crate::relation::shared_count(a, b);
    let either = a.len() + b.len() - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

/// A statement in front of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GateInput<'a> {
    /// The memory that cannot hold beside it.
    pub contradicted: Option<ContradictedMemory<'a>>,
    /// The memory that is most like it.
    pub nearest: Option<&'a Nearest<'a>>,
    /// How much it matters, from 0 to 1.
    pub importance: f64,
    /// Whether a person asked to remember it.
    pub explicit: bool,
}

/// A memory that a statement contradicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContradictedMemory<'a> {
    /// Its ref, for the reason.
    pub name: &'a str,
    /// Why both cannot hold.
    pub why: &'a str,
}

/// The verdict about a statement.
///
/// A contradiction is looked at first: "always use X" and "never use X" are nearly identical, and reinforcing would
/// strengthen exactly the wrong memory.
pub fn decide(input: GateInput) -> GateDecision {
    let GateInput { contradicted, nearest, importance, explicit } = input;
    let error = nearest.map_or(1.0, |nearest| prediction_error(nearest.similarity));
    let decision =
        |verdict, related, reason| GateDecision { verdict, prediction_error: error, related, reason };
    if let Some(ContradictedMemory { name, why }) = contradicted {
        return decision(Verdict::Supersede, false, format!("it contradicts {name}: {why}"));
    }
    let Some(nearest) = nearest else {
        return decision(Verdict::Create, false, "new: nothing like it is known".to_owned());
    };
    let (verdict, related, because) = weigh(nearest, importance, explicit);
    let Nearest { similarity, name, .. } = nearest;
    let band = band(*similarity);
    decision(verdict, related, format!("{band} {name} (similarity {similarity:.2}): {because}"))
}

/// The band of a similarity, in words.
fn band(similarity: f64) -> &'static str {
    if similarity > NEARLY_IDENTICAL_SIMILARITY {
        "nearly identical to"
    } else if similarity >= OVERLAPPING_SIMILARITY {
        "overlaps with"
    } else if similarity >= FAMILIAR_SIMILARITY {
        "resembles"
    } else {
        "unlike even the nearest,"
    }
}

/// The verdict without a contradiction, whether a relation is due, and why.
fn weigh(nearest: &Nearest, importance: f64, explicit: bool) -> (Verdict, bool, &'static str) {
    let similarity = nearest.similarity;
    if similarity >= OVERLAPPING_SIMILARITY && nearest.same_proposition {
        return (Verdict::Reinforce, false, "it says the same");
    }
    if similarity > NEARLY_IDENTICAL_SIMILARITY {
        return merge(nearest);
    }
    let apart = similarity <= SEPARABLE_SIMILARITY && nearest.entity_overlap < MIN_ENTITY_OVERLAP;
    if similarity >= OVERLAPPING_SIMILARITY {
        if apart {
            return (Verdict::Create, true, "it names other things");
        }
        return merge(nearest);
    }
    if similarity >= FAMILIAR_SIMILARITY {
        return gap(nearest, importance, explicit);
    }
    (Verdict::Create, false, "it is new")
}

/// Between new and overlapping: skipped only where nothing is lost by it, that is if the same is known already.
fn gap(nearest: &Nearest, importance: f64, explicit: bool) -> (Verdict, bool, &'static str) {
    if explicit {
        (Verdict::Create, false, "a person asked to remember it")
    } else if importance >= Priority::HIGH {
        (Verdict::Create, false, "it matters")
    } else if nearest.same_proposition {
        (Verdict::Skip, false, "it says the same and matters little")
    } else {
        (Verdict::Create, false, "it says something else")
    }
}

/// An update, where the text of the nearest memory may and should change.
fn merge(nearest: &Nearest) -> (Verdict, bool, &'static str) {
    match (nearest.same_matter, nearest.immutable) {
        (true, false) => (Verdict::Update, false, "it adds to the same matter"),
        (true, true) => (Verdict::Create, true, "it adds to the same matter, but that memory never changes"),
        (false, _) => (Verdict::Create, true, "it is about another matter"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decided(
        contradicted: Option<(&str, &str)>,
        nearest: Option<&Nearest>,
        importance: f64,
        explicit: bool,
    ) -> GateDecision {
        let contradicted = contradicted.map(|(name, why)| ContradictedMemory { name, why });
        decide(GateInput { contradicted, nearest, importance, explicit })
    }

    /// One row a case: similarity, what holds of the nearest memory (`m` same matter, `p` same proposition, `e` the same
    /// entities, `i` immutable, `x` asked for by a person), importance, verdict; `+` after it if a relation is due.
    fn check(table: &str) {
        for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let [similarity, holds, importance, expected] = cells[..] else { panic!("{row}") };
            let nearest = Nearest {
                similarity: similarity.parse().expect("a number"),
                same_matter: holds.contains('m'),
                same_proposition: holds.contains('p'),
                entity_overlap: if holds.contains('e') { 0.5 } else { 0.49 },
                immutable: holds.contains('i'),
                name: "mem_a",
            };
            let importance = importance.parse().expect("a number");
            let decision = decided(None, Some(&nearest), importance, holds.contains('x'));
            let found = format!("{}{}", decision.verdict, if decision.related { " +" } else { "" });
            assert_eq!(found, expected, "{row}: {}", decision.reason);
        }
    }

    /// covers: C-19, C-20, X-C3
    #[test]
    fn below_the_overlap_only_what_is_known_and_matters_little_is_skipped() {
        check(
            "-1    | mpe  | 0.1  | create
             0     | mpe  | 0.1  | create
             0.699 | mpe  | 0.1  | create
             0.70  | mpe  | 0.1  | skip
             0.70  | me   | 0.59 | create
             0.70  | pe   | 0.59 | skip
             0.70  | pe   | 0.6  | create
             0.70  | pex  | 0.1  | create
             0.70  | p    | 0.1  | skip
             0.70  | m    | 0.1  | create
             0.70  | e    | 0.1  | create
             0.749 | mpe  | 0.59 | skip
             0.749 | me   | 0.59 | create
             0.749 | mpei | 0.1  | skip",
        );
    }

    /// covers: C-21, X-C3, X-P7
    #[test]
    fn in_the_overlap_only_the_same_matter_is_updated() {
        check(
            "0.75  | me   | 0.1  | update
             0.75  | me   | 0.9  | update
             0.75  | m    | 0.1  | create +
             0.75  | e    | 0.1  | create +
             0.75  | mex  | 0.1  | update
             0.84  | m    | 0.1  | create +
             0.841 | m    | 0.1  | update
             0.84  | me   | 0.1  | update
             0.92  | me   | 0.1  | update
             0.92  | mpe  | 0.1  | reinforce
             0.75  | p    | 0.1  | reinforce
             0.92  | e    | 0.9  | create +
             0.92  | mei  | 0.1  | create +
             0.92  | mpei | 0.1  | reinforce
             0.92  | ei   | 0.1  | create +",
        );
    }

    /// covers: C-22, C-24, X-C3
    #[test]
    fn above_the_overlap_only_the_same_proposition_is_reinforced() {
        check(
            "0.921 | p    | 0.1  | reinforce
             0.921 | mpe  | 0.1  | reinforce
             0.921 | mpei | 0.1  | reinforce
             0.921 | m    | 0.1  | update
             0.921 | mi   | 0.1  | create +
             0.921 | e    | 0.1  | create +
             1     | mpe  | 0.1  | reinforce
             1     | e    | 0.1  | create +",
        );
    }

    fn alike(similarity: f64) -> Nearest<'static> {
        Nearest {
            similarity,
            same_matter: true,
            same_proposition: true,
            entity_overlap: 1.0,
            immutable: false,
            name: "mem_a",
        }
    }

    /// covers: C-23, X-C3
    #[test]
    fn a_contradiction_is_looked_at_first() {
        for similarity in [-0.2, 0.61, 0.72, 0.80, 0.928, 1.0] {
            let found = decided(Some(("mem_b", "the city differs")), Some(&alike(similarity)), 0.0, false);
            assert_eq!(found.verdict, Verdict::Supersede, "{similarity}");
            assert_eq!(found.reason, "it contradicts mem_b: the city differs");
        }
        let alone = decided(Some(("mem_b", "the city differs")), None, 0.0, false);
        assert_eq!(alone.verdict, Verdict::Supersede);
    }

    /// covers: C-18, X-C3
    #[test]
    fn the_error_is_what_similarity_leaves() {
        for (similarity, error) in
            [(0.7, 0.3), (1.0, 0.0), (0.0, 1.0), (-0.5, 1.0), (1.000_1, 0.0), (f64::NAN, 1.0)]
        {
            let found = decided(None, Some(&alike(similarity)), 0.5, false).prediction_error;
            assert!((found - error).abs() < 1e-12, "{similarity}");
        }
        assert!((decided(None, None, 0.5, false).prediction_error - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_reason_is_understood_without_the_code() {
        for (similarity, reason) in [
            (0.412, "unlike even the nearest, mem_a (similarity 0.41): it is new"),
            (0.70, "resembles mem_a (similarity 0.70): it says the same and matters little"),
            (0.75, "overlaps with mem_a (similarity 0.75): it says the same"),
            (0.92, "overlaps with mem_a (similarity 0.92): it says the same"),
            (0.95, "nearly identical to mem_a (similarity 0.95): it says the same"),
        ] {
            assert_eq!(decided(None, Some(&alike(similarity)), 0.1, false).reason, reason);
        }
        assert_eq!(decided(None, None, 0.1, false).reason, "new: nothing like it is known");
    }

    #[test]
    fn entities_overlap_by_their_share() {
        let list = |names: &str| names.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (a, b, expected) in [
            ("", "", 1.0),
            ("ankara", "", 0.0),
            ("ankara", "ankara", 1.0),
            ("ankara redis", "ankara", 0.5),
            ("ankara redis", "ankara kafka", 1.0 / 3.0),
        ] {
            assert!((entity_overlap(&list(a), &list(b)) - expected).abs() < 1e-12, "{a} / {b}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_024, ..ProptestConfig::default() })]

        /// covers: C-24, X-P7
        #[test]
        fn every_statement_has_one_verdict_and_nothing_is_welded_or_lost(
            similarity in prop_oneof![-1.0_f64..1.0, 0.69_f64..1.0, prop::num::f64::ANY],
            (same_matter, same_proposition, immutable) in any::<(bool, bool, bool)>(),
            entity_overlap in 0.0_f64..=1.0,
            importance in prop_oneof![0.0_f64..=1.0, prop::num::f64::ANY],
            explicit in any::<bool>(),
        ) {
            let nearest =
                Nearest { similarity, same_matter, same_proposition, entity_overlap, immutable, name: "mem_a" };
            let found = decided(None, Some(&nearest), importance, explicit);
            prop_assert_eq!(&found, &decided(None, Some(&nearest), importance, explicit));
            prop_assert!((0.0..=1.0).contains(&found.prediction_error));
            let fits = match found.verdict {
                Verdict::Create => true,
                Verdict::Update => same_matter && !immutable && similarity >= OVERLAPPING_SIMILARITY,
                Verdict::Reinforce => same_proposition && similarity >= OVERLAPPING_SIMILARITY,
                Verdict::Skip => (same_matter || same_proposition) && !explicit && similarity < OVERLAPPING_SIMILARITY,
                Verdict::Supersede => false,
            };
            prop_assert!(fits, "{:?} for {:?}", found, nearest);
        }
    }
}
