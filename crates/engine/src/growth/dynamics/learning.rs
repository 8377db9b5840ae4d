//! Learning: the learner as it is stored, and the turns that it learns from while a message is formed. What was forgotten with
//! erased words is learned again of the turns that stay.

use cairn_cognition::dynamics::{LearnedTurn, StateLearner, TurnState};
use cairn_domain::{MILLIS_PER_HOUR, TurnFeatures};
use cairn_store::{DynamicsLearner, DynamicsTurn, MessageRecord, Result, TurnNumbers, View};
use std::collections::HashMap;

/// A turn to which nothing was added for so long is over.
const OVER_AFTER_MS: i64 = MILLIS_PER_HOUR;
/// Turns that go on at once, in as many sessions.
const MAX_OPEN_TURNS: u32 = 16;
/// Turns that are learned from again after an erasure: all that are kept.
const MAX_RELEARNED_TURNS: u32 = 2_000;

/// The learner while a message is formed.
pub(super) struct Learning {
    pub(super) learner: StateLearner,
    stored: DynamicsLearner,
    /// States of turns that were just learned from.
    states: HashMap<u32, TurnState>,
    over: Vec<DynamicsTurn>,
    has_learned: bool,
}

impl Learning {
    /// The learner so far; if it was forgotten, what the turns that are kept teach.
    pub(super) fn read(view: &mut View<'_>) -> Result<Self> {
        let stored = view.dynamics_learner()?;
        let known = StateLearner::from_numbers(&stored.numbers);
        let is_known = known.is_some();
        let (states, over, has_learned) = Default::default();
        let mut learning = Self { learner: known.unwrap_or_default(), stored, states, over, has_learned };
        if !is_known {
            let mut kept = view.dynamics_after(0, MAX_RELEARNED_TURNS)?;
            kept.retain(|turn| turn.is_over);
            kept.into_iter().try_for_each(|turn| learning.learn(view, turn))?;
        }
        Ok(learning)
    }

    /// Learns from the turns that are over when a message opens another.
    pub(super) fn finish_turns(&mut self, view: &mut View<'_>, opening: &MessageRecord) -> Result<()> {
        let open = view.open_dynamics(2 * MAX_OPEN_TURNS)?;
        let superfluous = open.len().saturating_sub(MAX_OPEN_TURNS as usize);
        for (place, turn) in open.into_iter().enumerate() {
            let is_quiet = opening.message.at.millis() - turn.last_at.millis() > OVER_AFTER_MS;
            if place < superfluous || is_quiet || turn.session == opening.message.session {
                self.learn(view, turn)?;
            }
        }
        Ok(())
    }

    fn learn(&mut self, view: &mut View<'_>, mut turn: DynamicsTurn) -> Result<()> {
        let Some(features) = TurnFeatures::from_numbers(&turn.features) else { return Ok(()) };
        let before = self.state_before(view, &turn)?;
        let LearnedTurn { state, surprise, loss } = self.learner.learn(before.as_ref(), &features);
        turn.is_over = true;
        turn.learned = Some(TurnNumbers {
            state: state.to_vec(),
            frozen: surprise.frozen,
            learned: surprise.learned,
            loss,
            updates: self.learner.updates(),
        });
        self.states.insert(turn.turn, state);
        self.over.push(turn);
        self.has_learned = true;
        Ok(())
    }

    /// The state of the turn before one. That one may go on in another session.
    pub(super) fn state_before(&self, view: &mut View<'_>, turn: &DynamicsTurn) -> Result<Option<TurnState>> {
        let Some(number) = turn.previous else { return Ok(None) };
        if let Some(state) = self.states.get(&number) {
            return Ok(Some(*state));
        }
        let Some(previous) = view.dynamics_turn(number)? else { return Ok(None) };
        let learned = previous.learned.and_then(|numbers| TurnState::try_from(numbers.state.as_slice()).ok());
        let features = || TurnFeatures::from_numbers(&previous.features);
        Ok(learned.or_else(|| features().map(|features| self.learner.state(&features))))
    }

    /// The turns that were learned from, and the learner after them, one version on.
    pub(super) fn into_changes(self) -> (Vec<DynamicsTurn>, Option<DynamicsLearner>) {
        let DynamicsLearner { version, generation, .. } = self.stored;
        let numbers = self.has_learned.then(|| self.learner.to_numbers());
        let next = numbers.map(|numbers| DynamicsLearner { version: version + 1, generation, numbers });
        (self.over, next)
    }
}
