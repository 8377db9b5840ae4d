//! Contenders for an answer, and their order.

use crate::read::question::{Doubt, Explanation};
use cairn_cognition::score::{HitPlace, HitStanding, better_first};
use cairn_domain::Time;

/// The id of a contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ContenderId {
    /// A message, by seq.
    Message(u32),
    /// A memory, by number.
    Memory(u32),
    /// A belief, by number.
    Belief(u32),
    /// A version of a digest, by number.
    Digest(u32),
    /// A part of an attachment, by number.
    Attachment(u32),
    /// A memory of another agent, by its place among those that were found.
    Shared(u32),
}

impl ContenderId {
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Message(number)
            | Self::Memory(number)
            | Self::Belief(number)
            | Self::Digest(number)
            | Self::Attachment(number)
            | Self::Shared(number) => number,
        }
    }

    /// The seq of a message.
    pub(super) fn seq(self) -> Option<u32> {
        match self {
            Self::Message(seq) => Some(seq),
            Self::Memory(_) | Self::Belief(_) | Self::Digest(_) | Self::Attachment(_) | Self::Shared(_) => {
                None
            }
        }
    }

    /// Its order among equal scores, as far as the kind of record decides it.
    fn standing(self) -> HitStanding {
        match self {
            Self::Belief(_) => HitStanding::Belief,
            Self::Memory(_) => HitStanding::Memory,
            Self::Shared(_) => HitStanding::Shared,
            Self::Message(_) => HitStanding::Exchange,
            Self::Digest(_) => HitStanding::Digest,
            Self::Attachment(_) => HitStanding::Attachment,
        }
    }
}

/// The part of the ranking that a contender belongs to. The head is the same however many hits are asked for, and all of it
/// stands before the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RankingPart {
    Head,
    Tail,
}

pub(super) struct Contender {
    pub(super) what: ContenderId,
    /// When it was said, began to hold, was last supported, or ended.
    pub(super) at: Time,
    pub(super) explanation: Explanation,
    pub(super) part: RankingPart,
    /// The memory that holds instead.
    pub(super) replaced_by: Option<u32>,
    /// Newer memories that may have changed it.
    pub(super) doubts: Vec<Doubt>,
    /// The number of the session that a message was said in.
    pub(super) session: Option<u32>,
    /// Its order among equal scores.
    pub(super) standing: HitStanding,
}

impl Contender {
    pub(super) fn new(what: ContenderId, at: Time, explanation: Explanation) -> Self {
        Self {
            what,
            at,
            explanation,
            part: RankingPart::Head,
            replaced_by: None,
            doubts: Vec::new(),
            session: None,
            standing: what.standing(),
        }
    }

    pub(super) fn total(&self) -> f64 {
        self.explanation.score.total()
    }
}

/// The head before the tail, in each the best first; of equals what is truer, then what was said, or written down, later.
pub(super) fn sort_contenders(runners: &mut [Contender]) {
    let place = |runner: &Contender| HitPlace { score: runner.total(), standing: runner.standing };
    let later = |runner: &Contender| (runner.at, runner.what.number());
    runners.sort_by(|a, b| {
        let by_score = || better_first(place(a), place(b));
        a.part.cmp(&b.part).then_with(by_score).then_with(|| later(b).cmp(&later(a)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_cognition::score::{Part, Score};

    /// covers: K-10, K-78, X-B13
    #[test]
    fn of_equal_scores_the_truer_comes_first_and_then_the_later() {
        let runner = |what, at: i64, worth: f64| {
            let mut score = Score::default();
            score.add(Part::Words, worth);
            Contender::new(what, Time::from_millis(at), Explanation { score, ..Explanation::default() })
        };
        let tail = Contender { part: RankingPart::Tail, ..runner(ContenderId::Message(8), 9, 0.9) };
        let mut runners = vec![
            tail,
            runner(ContenderId::Digest(1), 9, 0.5),
            runner(ContenderId::Message(2), 1, 0.5),
            runner(ContenderId::Message(3), 8, 0.5),
            runner(ContenderId::Memory(4), 1, 0.5),
            runner(ContenderId::Digest(5), 0, 0.6),
            runner(ContenderId::Belief(6), 0, 0.5),
            runner(ContenderId::Message(7), 1, 0.5),
        ];
        sort_contenders(&mut runners);
        let order: Vec<u32> = runners.iter().map(|runner| runner.what.number()).collect();
        assert_eq!(order, [5, 6, 4, 3, 7, 2, 1, 8]);
    }
}
