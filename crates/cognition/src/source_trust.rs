//! How far an agent is trusted whose memories another reads: by how often what it shares was confirmed and contradicted.

use cairn_domain::{TrustJudgment, TrustVerdict, WhoseWord};
use std::collections::BTreeMap;

/// Trust from which what a source shares is quoted; below it is quarantined.
pub const TRUST_FLOOR: f64 = 0.3;
/// Judgments of each kind that are counted before there is any.
const PRIOR_JUDGMENTS: f64 = 2.0;

/// Trust in a source, 0 to 1: half before anything was judged.
///
/// trust = (2 + confirmed)/(4 + confirmed + contradicted), at most what an operator lets it have
///
/// Each memory counts once, by its last judgment. The user's word on it decides; an agent's only lowers trust.
pub fn source_trust(judgments: &[TrustJudgment], at_most: f64) -> f64 {
    let mut last: BTreeMap<[u8; 16], (WhoseWord, TrustVerdict)> = BTreeMap::new();
    for judgment in judgments {
        let decided = last.get(judgment.memory.bytes()).is_some_and(|(by, _)| *by == WhoseWord::User);
        if judgment.by == WhoseWord::User || !decided {
            last.insert(*judgment.memory.bytes(), (judgment.by, judgment.verdict));
        }
    }
    let count = |verdict: TrustVerdict, counts: fn(WhoseWord) -> bool| {
        last.values().filter(|(by, said)| *said == verdict && counts(*by)).count() as f64
    };
    let confirmed = count(TrustVerdict::Confirmed, |by| by == WhoseWord::User);
    let contradicted = count(TrustVerdict::Contradicted, |_| true);
    let trust = (PRIOR_JUDGMENTS + confirmed) / (2.0 * PRIOR_JUDGMENTS + confirmed + contradicted);
    trust.min(at_most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::MemoryId;
    use proptest::prelude::*;

    fn judgment(memory: u8, verdict: TrustVerdict, by: WhoseWord) -> TrustJudgment {
        TrustJudgment { memory: MemoryId::from_bytes([memory; 16]), verdict, by }
    }

    /// covers: C-248
    #[test]
    fn trust_is_earned_and_lost_memory_by_memory() {
        use TrustVerdict::{Confirmed, Contradicted};
        use WhoseWord::{Agent, User};
        let trust = |judgments: &[(u8, TrustVerdict, WhoseWord)], at_most: f64| {
            let all: Vec<TrustJudgment> =
                judgments.iter().map(|(memory, verdict, by)| judgment(*memory, *verdict, *by)).collect();
            source_trust(&all, at_most)
        };
        for (judgments, at_most, expected) in [
            (&[][..], 1.0, 0.5),
            (&[(1, Confirmed, User), (2, Confirmed, User)][..], 1.0, 4.0 / 6.0),
            (&[(1, Confirmed, User), (1, Confirmed, User)][..], 1.0, 0.6),
            (&[(1, Confirmed, Agent)][..], 1.0, 0.5),
            (&[(1, Contradicted, Agent)][..], 1.0, 0.4),
            (&[(1, Contradicted, Agent), (1, Confirmed, User)][..], 1.0, 0.6),
            (&[(1, Confirmed, User), (1, Contradicted, Agent)][..], 1.0, 0.6),
            (
                &[(1, Contradicted, User), (2, Contradicted, User), (3, Contradicted, User)][..],
                1.0,
                2.0 / 7.0,
            ),
            (&[(1, Confirmed, User), (2, Confirmed, User)][..], 0.55, 0.55),
        ] {
            assert!((trust(judgments, at_most) - expected).abs() < 1e-12, "{judgments:?}");
        }
        let thrice: Vec<_> = (0..3).map(|memory| (memory, Contradicted, User)).collect();
        assert!(
            trust(&thrice, 1.0) < TRUST_FLOOR,
            "three contradictions and nothing else quarantine a source"
        );
    }

    proptest! {
        #[test]
        fn a_contradiction_never_raises_trust(
            said in prop::collection::vec((0_u8..6, any::<bool>(), any::<bool>()), 0..20), memory in 0_u8..6,
        ) {
            let word = |user| if user { WhoseWord::User } else { WhoseWord::Agent };
            let verdict = |good| if good { TrustVerdict::Confirmed } else { TrustVerdict::Contradicted };
            let mut all: Vec<TrustJudgment> =
                said.iter().map(|(memory, good, user)| judgment(*memory, verdict(*good), word(*user))).collect();
            let before = source_trust(&all, 1.0);
            all.push(judgment(memory, TrustVerdict::Contradicted, WhoseWord::User));
            prop_assert!(source_trust(&all, 1.0) <= before);
            prop_assert!((0.0..=1.0).contains(&before));
        }
    }
}
