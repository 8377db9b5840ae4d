//! The log: one line a turn in `logs/cognitive-dynamics.jsonl`, derived from the rows of the turns. Whoever forms a message writes
//! the turns that the file does not have yet, so that a process that was killed loses none. A line says of which generation of
//! the learner it is: a file of an earlier one is removed, for words were erased since.

use crate::{Agent, meter};
use cairn_domain::{ExchangeId, Time, TurnFeature, TurnFeatures};
use cairn_store::DynamicsTurn;
use serde::Serialize;
use std::time::Instant;

/// Turns written at a time; the rest follows with the next message.
const MAX_LINES: u32 = 256;
/// Digits of a number of a state.
const STATE_DIGITS: f32 = 1e4;

/// One line.
#[derive(Serialize)]
struct LogLine {
    at: Time,
    turn: u32,
    generation: i64,
    exchange: ExchangeId,
    surprise_frozen: f64,
    surprise_learned: Option<f64>,
    learner_loss: Option<f64>,
    learner_updates: u32,
    missing: Vec<TurnFeature>,
    state: Vec<f32>,
}

impl Agent {
    /// Brings the log up to date. Nothing fails because of it.
    pub(crate) async fn write_dynamics_log(&self) {
        let begun = Instant::now();
        let _ = self.try_write_dynamics_log().await;
        meter::dynamics("log", begun.elapsed());
    }

    async fn try_write_dynamics_log(&self) -> crate::Result<()> {
        let unwritable = |error| crate::EngineError::file("write", &self.dynamics_log.file.path)(error);
        let log = &self.dynamics_log;
        let Some(_claimed) = log.claim().map_err(unwritable)? else { return Ok(()) };
        let end = log.end().map_err(unwritable)?;
        let read = move |view: &mut cairn_store::View<'_>| {
            let generation = view.dynamics_learner()?.generation;
            let after = end.as_ref().filter(|end| end.generation == generation).map(|end| end.turn);
            let is_outdated = end.is_some() && after.is_none();
            Ok((generation, is_outdated, view.dynamics_after(after.unwrap_or(0), MAX_LINES)?))
        };
        let (generation, is_outdated, turns) = self.store.read_on_writer(read).await?;
        if is_outdated {
            log.file.remove().map_err(unwritable)?;
        }
        // A turn that goes on is written when it is over, and those after it with it: lines are in order.
        let over = turns.iter().take_while(|turn| turn.is_over);
        let lines: String = over.filter_map(|turn| line(turn, generation)).collect();
        if lines.is_empty() {
            return Ok(());
        }
        log.file.append(self.now(), &lines).map_err(unwritable)?;
        // Whoever erased something in between has removed a file that had not these lines yet.
        if self.store.read_on_writer(|view| view.dynamics_learner()).await?.generation != generation {
            log.file.remove().map_err(unwritable)?;
        }
        Ok(())
    }
}

fn line(turn: &DynamicsTurn, generation: i64) -> Option<String> {
    let numbers = turn.learned.as_ref()?;
    let line = LogLine {
        at: turn.at,
        turn: turn.turn,
        generation,
        exchange: turn.exchange,
        surprise_frozen: numbers.frozen,
        surprise_learned: numbers.learned,
        learner_loss: numbers.loss,
        learner_updates: numbers.updates,
        missing: TurnFeatures::from_numbers(&turn.features)?.missing(),
        state: numbers.state.iter().map(|number| (number * STATE_DIGITS).round() / STATE_DIGITS).collect(),
    };
    serde_json::to_string(&line).ok().map(|line| line + "\n")
}
