//! Stances: what a memory does for a claim, and which of several claims is held. The user's word counts first, then
//! corrections, then what weighs more, then what was said last.

use super::claim::{Claim, agree, denied_by};
use cairn_domain::{Stance, Time};

/// Whether a memory supports or contradicts a held claim that it speaks of. `voice` is its own claim under the same key;
/// `None` if it only ended or replaced a memory that supported the claim. A memory that no longer counts does neither, and
/// is not asked.
pub fn stance(held: &Claim, voice: Option<&Claim>) -> Stance {
    match voice {
        // One that denies something else stands beside it.
        Some(voice) if voice.denies && !denied_by(held, voice) => Stance::Context,
        Some(voice) if agree(held, voice) => Stance::Support,
        Some(_) | None => Stance::Contradict,
    }
}

/// The evidence behind one of several claims of a key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Backing {
    /// When each independent source said so, and how much that counts.
    pub said: Vec<(Time, f64)>,
    /// When somebody last said that this is so instead of something else.
    pub corrected: Option<Time>,
    /// Whether the user is among those who said so.
    pub is_a_persons: bool,
}

impl Backing {
    /// How much was said after `since`.
    fn weight_after(&self, since: Option<Time>) -> f64 {
        self.said
            .iter()
            .filter(|(at, _)| since.is_none_or(|since| *at > since))
            .map(|(_, weight)| weight)
            .sum()
    }

    fn last(&self) -> Option<Time> {
        self.said.iter().map(|(at, _)| *at).max()
    }
}

/// Which claim is held. What the user says comes before what others say, however often. What was said before the last
/// correction of something else counts for nothing; of the rest what weighs more is held, of equals what was said last.
pub fn winner(backings: &[Backing]) -> Option<usize> {
    let corrected = backings.iter().enumerate().filter_map(|(at, one)| Some((one.corrected?, at))).max();
    let weight = |at: usize| match corrected {
        Some((since, by)) if by != at => backings[at].weight_after(Some(since)),
        Some(_) | None => backings[at].weight_after(None),
    };
    let a_person_is_heard = (0..backings.len()).any(|at| weight(at) > 0.0 && backings[at].is_a_persons);
    let heard = (0..backings.len())
        .filter(|at| weight(*at) > 0.0 && (backings[*at].is_a_persons || !a_person_is_heard));
    heard.max_by(|a, b| {
        weight(*a)
            .total_cmp(&weight(*b))
            .then_with(|| backings[*a].last().cmp(&backings[*b].last()))
            .then_with(|| b.cmp(a))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::claim::claims;
    use proptest::prelude::*;

    fn one(text: &str) -> Claim {
        let mut found = claims(text, |_| None);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.remove(0)
    }

    /// covers: K-36, K-37, K-38, K-43
    #[test]
    fn a_memory_speaks_for_against_or_beside() {
        for (held, said, expected) in [
            ("User lives in Oslo.", "User lives in Oslo.", Stance::Support),
            ("User lives in Oslo.", "Kullanıcı Oslo'da yaşıyor.", Stance::Support),
            ("User lives in Oslo.", "User lives in Bergen.", Stance::Contradict),
            ("User lives in Oslo.", "User does not live in Oslo.", Stance::Contradict),
            ("User lives in Oslo.", "User does not live in Rome.", Stance::Context),
            ("User likes jazz.", "User does not like jazz.", Stance::Contradict),
            ("User does not like jazz.", "User can't stand jazz.", Stance::Support),
        ] {
            let (held, voice) = (one(held), one(said));
            assert_eq!(held.key, voice.key, "{said}");
            assert_eq!(stance(&held, Some(&voice)), expected, "{} / {said}", held.sentence);
        }
        let held = one("User smokes.");
        assert_eq!(stance(&held, None), Stance::Contradict);
    }

    fn backing(said: &[(i64, f64)], corrected: Option<i64>) -> Backing {
        let said = said.iter().map(|(at, weight)| (Time::from_millis(*at), *weight)).collect();
        Backing { said, corrected: corrected.map(Time::from_millis), is_a_persons: true }
    }

    /// covers: X-K5, K-86
    #[test]
    fn corrections_come_first_then_weight_then_the_last_word() {
        for (what, backings, expected) in [
            ("nothing was said", vec![], None),
            ("one", vec![backing(&[(1, 1.0)], None)], Some(0)),
            (
                "more weighs more",
                vec![backing(&[(1, 1.0), (2, 1.0)], None), backing(&[(9, 1.0)], None)],
                Some(0),
            ),
            ("a tie", vec![backing(&[(1, 1.0)], None), backing(&[(9, 1.0)], None)], Some(1)),
            (
                "a correction beats any number of older words",
                vec![backing(&[(1, 1.0), (2, 1.0), (3, 1.0)], None), backing(&[(9, 1.0)], Some(9))],
                Some(1),
            ),
            (
                "what is said after it counts",
                vec![backing(&[(1, 1.0), (10, 1.0), (11, 1.0)], None), backing(&[(9, 1.0)], Some(9))],
                Some(0),
            ),
            (
                "the last of two corrections",
                vec![backing(&[(4, 1.0)], Some(4)), backing(&[(9, 0.5)], Some(9))],
                Some(1),
            ),
            (
                "an agent's word against the user's",
                vec![backing(&[(1, 1.0)], None), backing(&[(9, 0.5)], None)],
                Some(0),
            ),
        ] {
            assert_eq!(winner(&backings), expected, "{what}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The order in which claims are looked at does not matter, unless nothing tells them apart.
        #[test]
        fn the_order_does_not_matter(
            said in prop::collection::vec(prop::collection::vec(0_i64..1_000, 1..4), 1..5),
            corrected in prop::option::of(0_usize..5),
        ) {
            let backings: Vec<Backing> = said.iter().enumerate().map(|(at, said)| {
                let last = said.iter().max().copied();
                let said: Vec<(i64, f64)> = said.iter().map(|at| (*at, 1.0)).collect();
                backing(&said, last.filter(|_| corrected == Some(at)))
            }).collect();
            let turned: Vec<Backing> = backings.iter().rev().cloned().collect();
            let (first, second) = (winner(&backings), winner(&turned));
            let of = |backings: &[Backing], at: Option<usize>| at.map(|at| {
                let one = &backings[at];
                (one.said.len(), one.last(), one.corrected)
            });
            prop_assert_eq!(of(&backings, first), of(&turned, second));
        }
    }
}
