//! Units: the clauses of a message that tell something, each with what is known of it, ready to be judged.

use super::clause::{Clause, clauses, telling};
use crate::{
    density::{Density, SubjectCounts, density_and_subjects},
    entity::{Mention, entities_in},
    judge::worth::{JudgedClause, SpeakerKind, TurnBefore},
    observer::{CategoryMatch, matched_categories},
    reading::Reading,
    temporal::{Foresight, foresight_in},
};
use cairn_domain::Time;
use std::ops::Range;

/// Maximum sentences of a message that are read.
const MAX_SENTENCES: usize = 200;

/// A clause of a message.
pub(super) struct MessageUnit<'t> {
    pub(super) clause: Clause<'t>,
    /// Where its words stand in the message.
    pub(super) range: Range<usize>,
    pub(super) known: KnownWords,
    /// Whether it stands in the first sentence of its message.
    pub(super) opens: bool,
}

/// Findings about some words that the judge then weighs.
#[derive(Debug, Clone)]
pub(super) struct KnownWords {
    pub(super) mentions: Vec<Mention>,
    pub(super) density: Density,
    pub(super) subjects: SubjectCounts,
    pub(super) categories: Vec<CategoryMatch>,
    pub(super) foresight: Option<Foresight>,
}

impl KnownWords {
    pub(super) fn of(stated: &Reading, said_at: Time) -> Self {
        let mentions = entities_in(stated);
        let (density, subjects) = density_and_subjects(stated.text(), mentions.len());
        Self {
            density,
            subjects,
            categories: matched_categories(stated.text(), mentions.len()),
            foresight: foresight_in(stated, said_at),
            mentions,
        }
    }
}

/// The units of a message, with how much they say together.
pub(super) struct MessageUnits<'t> {
    pub(super) units: Vec<MessageUnit<'t>>,
    told: Density,
}

impl<'t> MessageUnits<'t> {
    /// The units of a message that was said at this time.
    pub(super) fn of(message: &Reading<'t>, said_at: Time) -> Self {
        let mut units: Vec<MessageUnit> = Vec::new();
        for (at, sentence) in message.sentence_readings().take(MAX_SENTENCES).enumerate() {
            let Some(told) = telling(&sentence) else { continue };
            for clause in clauses(&told) {
                let start = clause.said.as_ptr() as usize - message.text().as_ptr() as usize;
                let known = KnownWords::of(&Reading::of(&clause.stated), said_at);
                let range = start..start + clause.said.len();
                units.push(MessageUnit { clause, range, known, opens: at == 0 });
            }
        }
        let told = match &units[..] {
            [] => Density::default(),
            [only] => only.known.density,
            several => {
                let said: Vec<&str> = several.iter().map(|unit| &*unit.clause.stated).collect();
                let said = said.join(" ");
                density_and_subjects(&said, entities_in(&Reading::of(&said)).len()).0
            }
        };
        Self { units, told }
    }

    /// Calls back with each unit as the judge sees it.
    pub(super) fn judged<R>(
        &self,
        speaker: SpeakerKind,
        before: &TurnBefore,
        mut with: impl FnMut(&MessageUnit<'t>, &JudgedClause) -> R,
    ) -> Vec<R> {
        let judged = |unit: &MessageUnit<'t>| {
            let KnownWords { mentions, density, subjects, categories, foresight } = &unit.known;
            let clause = JudgedClause {
                reading: &Reading::of(&unit.clause.stated),
                mentions,
                density: *density,
                subjects: *subjects,
                categories,
                plans: foresight.is_some(),
                speaker,
                opens: unit.opens,
                message: self.told,
                before,
            };
            with(unit, &clause)
        };
        self.units.iter().map(judged).collect()
    }
}
