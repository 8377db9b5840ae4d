//! Diversity: of many good hits those that do not say the same.

use crate::keywords::Terms;
use std::collections::HashSet;

/// How much relevance counts, and the rest for being different.
pub const MMR_LAMBDA: f64 = 0.7;

/// The places of at most `k` hits, chosen one after the other by what each adds to those chosen before it:
///
/// MMR(d) = λ·relevance(d) − (1 − λ)·max similarity(d, chosen)
///
/// Of equals the one that stands first is chosen. `similarity` is asked for once for each hit and each chosen one.
pub fn most_diverse(
    relevance: &[f64],
    k: usize,
    lambda: f64,
    similarity: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let mut left: Vec<(usize, f64)> = (0..relevance.len()).map(|hit| (hit, 0.0)).collect();
    let mut chosen = Vec::with_capacity(k.min(left.len()));
    while chosen.len() < k && !left.is_empty() {
        let worth = |(hit, like): &(usize, f64)| lambda * relevance[*hit] - (1.0 - lambda) * like;
        let mut best = 0;
        for place in 1..left.len() {
            if worth(&left[place]).total_cmp(&worth(&left[best])).is_gt() {
                best = place;
            }
        }
        let (next, _) = left.remove(best);
        for (hit, like) in &mut left {
            *like = like.max(similarity(*hit, next));
        }
        chosen.push(next);
    }
    chosen
}

/// The places of hits, the best first, in the order for whoever asks for many: the `first` of them as they stand, then the
/// best of each group that has not come up, then the others. What is of no group stays where it stands among the others.
pub fn spread_over_groups(groups: &[Option<u32>], first: usize) -> Vec<usize> {
    let first = first.min(groups.len());
    let mut shown: HashSet<u32> = groups[..first].iter().flatten().copied().collect();
    let comes_up = |hit: &usize| groups[*hit].is_some_and(|group| shown.insert(group));
    let (new, others): (Vec<usize>, Vec<usize>) = (first..groups.len()).partition(comes_up);
    (0..first).chain(new).chain(others).collect()
}

/// How alike two texts are by their terms.
///
/// likeness = Σ a·b / (|a|·|b|)
pub fn term_likeness(a: &Terms, b: &Terms) -> f64 {
    let (mut shared, mut one, mut other) = (0.0, a.counts.iter().peekable(), b.counts.iter().peekable());
    while let (Some((left, x)), Some((right, y))) = (one.peek(), other.peek()) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => drop(one.next()),
            std::cmp::Ordering::Greater => drop(other.next()),
            std::cmp::Ordering::Equal => {
                shared += f64::from(*x) * f64::from(*y);
                one.next();
                other.next();
            }
        }
    }
    let length = |terms: &Terms| terms.counts.iter().map(|(_, n)| f64::from(*n).powi(2)).sum::<f64>().sqrt();
    let lengths = length(a) * length(b);
    if lengths > 0.0 { (shared / lengths).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: C-44, C-50, C-51, C-52
    #[test]
    fn what_says_the_same_comes_later() {
        // 0 and 1 say the same; 2 is worth less and says something else.
        let alike = |a: usize, b: usize| if a + b == 1 { 1.0 } else { 0.0 };
        assert_eq!(most_diverse(&[0.9, 0.89, 0.6], 3, MMR_LAMBDA, alike), [0, 2, 1]);
        assert_eq!(most_diverse(&[0.9, 0.89, 0.6], 3, 1.0, alike), [0, 1, 2], "relevance alone");
        assert_eq!(most_diverse(&[0.9, 0.89, 0.4], 3, MMR_LAMBDA, |_, _| 0.0), [0, 1, 2]);
        assert_eq!(most_diverse(&[0.5, 0.5, 0.5], 2, MMR_LAMBDA, |_, _| 1.0), [0, 1], "the first of equals");
        assert_eq!(most_diverse(&[0.1, 0.9], 9, MMR_LAMBDA, |_, _| 0.0), [1, 0]);
        assert!(most_diverse(&[], 3, MMR_LAMBDA, |_, _| 0.0).is_empty());
    }

    #[test]
    fn beyond_the_first_every_group_comes_up_before_any_comes_again() {
        let groups = [Some(1), Some(2), Some(1), Some(3), Some(4), Some(4), Some(4)];
        assert_eq!(spread_over_groups(&groups, 2), [0, 1, 3, 4, 2, 5, 6]);
        assert_eq!(spread_over_groups(&groups, 0), [0, 1, 3, 4, 2, 5, 6], "none has come up");
        assert_eq!(spread_over_groups(&groups, 9), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(spread_over_groups(&[None; 7], 2), [0, 1, 2, 3, 4, 5, 6], "of no group");
        assert!(spread_over_groups(&[], 3).is_empty());
    }

    proptest! {
        #[test]
        fn broad_hits_are_the_same_hits_and_the_first_stay(
            hits in 0..40_usize,
            first in 0..50_usize,
        ) {
            let groups: Vec<Option<u32>> = (0..hits).map(|at| (at % 7 > 0).then_some(at as u32 % 7)).collect();
            let order = spread_over_groups(&groups, first);
            prop_assert!(order.iter().take(first).enumerate().all(|(at, hit)| at == *hit));
            let mut all = order.clone();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..hits));
        }
    }

    /// covers: C-53
    #[test]
    fn texts_are_alike_by_their_terms() {
        let terms = |counts: &[(&str, u32)]| Terms {
            counts: counts.iter().map(|(term, count)| ((*term).to_owned(), *count)).collect(),
            length: 0,
        };
        let red = terms(&[("kite", 1), ("red", 1)]);
        assert!((term_likeness(&red, &red) - 1.0).abs() < 1e-12);
        assert!((term_likeness(&red, &terms(&[("kite", 2), ("whale", 2)])) - 0.5).abs() < 1e-12);
        assert!(
            (term_likeness(&terms(&[("kite", 3), ("red", 4)]), &terms(&[("red", 9)])) - 0.8).abs() < 1e-12
        );
        assert!(term_likeness(&red, &terms(&[("blue", 1), ("whale", 1)])).abs() < 1e-12);
        assert!(term_likeness(&red, &Terms::default()).abs() < 1e-12);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn each_is_chosen_once(relevance in prop::collection::vec(0.0_f64..1.0, 0..40), k in 0_usize..50) {
            let found = most_diverse(&relevance, k, MMR_LAMBDA, |a, b| if (a + b) % 3 == 0 { 0.8 } else { 0.1 });
            let mut sorted = found.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), k.min(relevance.len()));
            prop_assert_eq!(found.len(), sorted.len());
        }
    }
}
