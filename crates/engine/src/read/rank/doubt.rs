//! Doubt: what may have changed is marked with what may have changed it, which comes first where that is likely.

use super::{
    contender::{Contender, ContenderId},
    hits::{HitSelection, WEIGHED_CONTENDERS},
};
use crate::read::question::{Doubt, Fusion};
use cairn_store::{RelationRecord, Result, View};
use std::collections::HashMap;

/// From this confidence on a mark counts as a change, and what is newer comes first.
const NEWER_FIRST_CONFIDENCE: f64 = 0.52;
/// Marks that a hit is shown with.
const MAX_DOUBTS: usize = 2;

impl HitSelection<'_> {
    /// Marks what may have changed among the best, and puts what likely changed it first.
    pub(super) fn mark_doubts(&mut self, view: &mut View<'_>) -> Result<()> {
        if self.question.timeline {
            return Ok(());
        }
        let mut places: HashMap<u32, usize> = HashMap::new();
        for (place, runner) in self.runners.iter().enumerate().take(WEIGHED_CONTENDERS) {
            if runner.replaced_by.is_none() {
                places.extend(self.memories_of(runner.what).into_iter().map(|number| (number, place)));
            }
        }
        let mut numbers: Vec<u32> = places.keys().copied().collect();
        numbers.sort_unstable();
        for mark in view.marks_on(&numbers)? {
            self.mark_contender(view, places[&mark.to], &mark)?;
        }
        Ok(())
    }

    /// The memories of a contender that hold.
    fn memories_of(&self, what: ContenderId) -> Vec<u32> {
        let holding =
            |number: &u32| self.memory_findings.holds(&self.memory_findings.memories[number].record);
        match what {
            ContenderId::Message(seq) => {
                let numbers = self.memory_findings.memories_of_message(seq).map(|one| one.record.number);
                numbers.filter(holding).collect()
            }
            ContenderId::Memory(number) => Some(number).filter(holding).into_iter().collect(),
            ContenderId::Belief(_)
            | ContenderId::Digest(_)
            | ContenderId::Attachment(_)
            | ContenderId::Shared(_) => Vec::new(),
        }
    }

    fn mark_contender(&mut self, view: &mut View<'_>, place: usize, mark: &RelationRecord) -> Result<()> {
        let Some(newer) = self.memory_findings.read_memory(view, mark.from)?.map(|one| one.record.clone())
        else {
            return Ok(());
        };
        let Contender { what, doubts, .. } = &mut self.runners[place];
        let what = *what;
        if !self.memory_findings.holds(&newer) || doubts.len() >= MAX_DOUBTS {
            return Ok(());
        }
        doubts.push(Doubt { memory: Box::new(newer), reason: mark.reason.clone() });
        if mark.confidence < NEWER_FIRST_CONFIDENCE || self.question.profile.fusion != Fusion::Sum {
            return Ok(());
        }
        let Some((newer, _)) = self.stand_in_for(view, what, mark.from)? else { return Ok(()) };
        let running = self.runners.iter().position(|runner| runner.what == newer && newer != what);
        if let Some(at) = running {
            self.rank_above(at, place);
        }
        Ok(())
    }
}
