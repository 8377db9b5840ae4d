//! Observe: what a message adds to the numbers of its turn, and how surprising the turn is with it.

use super::learning::Learning;
use crate::{agent::Agent, meter};
use cairn_cognition::entropy::{EntropySign, entropy};
use cairn_domain::{
    EntropyPart, EntropySource, ExchangeEntropy, MILLIS_PER_DAY, Mode, Role, StandingDimension, TurnFeature,
    TurnFeatures,
};
use cairn_store::{DynamicsChange, DynamicsTurn, MessageRecord, Result, View};
use std::{f64::consts::TAU, time::Instant};

/// Bytes of a message that are counted.
const MAX_COUNTED_BYTES: usize = 20_000;
const MILLIS_PER_SECOND: f64 = 1_000.0;

/// Counts a message in its turn, learns from the turns that are over with it, and adds the surprise of the turn to the entropy of
/// its exchange.
pub(crate) fn observe_message(
    view: &mut View<'_>,
    agent: &Agent,
    record: &MessageRecord,
    measured: Option<&mut ExchangeEntropy>,
) -> Result<DynamicsChange> {
    let Some(measured) = measured.filter(|_| agent.config.dynamics.enabled) else {
        return Ok(DynamicsChange::default());
    };
    let begun = Instant::now();
    let mut learning = Learning::read(view)?;
    let known = view.dynamics_of(record.exchange)?;
    let mut turn = if let Some(turn) = known {
        turn
    } else {
        learning.finish_turns(view, record)?;
        open_turn(view, record)?
    };
    let mut features = TurnFeatures::from_numbers(&turn.features).unwrap_or_default();
    // A message that is formed again was counted before.
    if !turn.is_over && (turn.turn == 0 || turn.last_seq < record.seq) {
        count_message(&mut features, &turn, record);
        (turn.last_seq, turn.last_at) = (record.seq, turn.last_at.max(record.message.at));
    }
    if !turn.is_over {
        note_entropy(&mut features, measured);
        turn.features = features.numbers().to_vec();
    }
    add_surprise(view, agent, &learning, &turn, (&features, record), measured)?;
    let turn = (!turn.is_over).then_some(turn);
    let (over, learner) = learning.into_changes();
    meter::dynamics("observe", begun.elapsed());
    Ok(DynamicsChange { turn, over, learner })
}

/// A turn that begins, with what is known of it before a word is said.
fn open_turn(view: &mut View<'_>, record: &MessageRecord) -> Result<DynamicsTurn> {
    let message = &record.message;
    let of_session = view.newest_dynamics(&message.session)?;
    let previous = match &of_session {
        Some(turn) => Some(turn.turn),
        None => view.dynamics(1)?.first().map(|turn| turn.turn),
    };
    let mut features = TurnFeatures::default();
    for counted in [
        TurnFeature::UserWords,
        TurnFeature::AgentWords,
        TurnFeature::Questions,
        TurnFeature::ToolMessages,
        TurnFeature::ToolErrors,
    ] {
        features.set(counted, 0.0);
    }
    let before = of_session.as_ref().and_then(|turn| TurnFeatures::from_numbers(&turn.features));
    let place = before.and_then(|before| before.get(TurnFeature::TurnsBefore)).map_or(0.0, |it| it + 1.0);
    features.set(TurnFeature::TurnsBefore, f64::from(place));
    if let Some(before) = &of_session {
        let gap = (message.at.millis() - before.last_at.millis()).max(0) as f64 / MILLIS_PER_SECOND;
        features.set(TurnFeature::GapSeconds, gap);
    }
    let of_day = message.at.millis().rem_euclid(MILLIS_PER_DAY) as f64 / MILLIS_PER_DAY as f64;
    features.set(TurnFeature::HourSine, (TAU * of_day).sin());
    features.set(TurnFeature::HourCosine, (TAU * of_day).cos());
    features.set(TurnFeature::InThread, f64::from(u8::from(message.thread.is_some())));
    features.set(TurnFeature::InCode, f64::from(u8::from(message.mode == Mode::Code)));
    note_standing(view, &mut features)?;
    Ok(DynamicsTurn {
        turn: 0,
        exchange: record.exchange,
        session: message.session.clone(),
        at: message.at,
        last_seq: record.seq,
        last_at: message.at,
        previous,
        features: features.numbers().to_vec(),
        is_over: false,
        learned: None,
    })
}

fn note_standing(view: &mut View<'_>, features: &mut TurnFeatures) -> Result<()> {
    let mut change = None;
    for dimension in StandingDimension::ALL {
        let feature = match dimension {
            StandingDimension::CourageGrounding => TurnFeature::CourageGrounding,
            StandingDimension::CourageSelf => TurnFeature::CourageSelf,
            StandingDimension::Word => TurnFeature::Word,
            StandingDimension::Brand => TurnFeature::Brand,
        };
        if let Some(weighed) = view.standing_scores(dimension, 1)?.first() {
            features.set(feature, weighed.score);
            change = Some(change.unwrap_or(0.0) + weighed.change);
        }
    }
    if let Some(change) = change {
        features.set(TurnFeature::StandingChange, change);
    }
    Ok(())
}

fn count_message(features: &mut TurnFeatures, turn: &DynamicsTurn, record: &MessageRecord) {
    let message = &record.message;
    let text = &message.text[..message.text.floor_char_boundary(MAX_COUNTED_BYTES)];
    let words = text.split_whitespace().count();
    match message.role {
        Role::User => {
            features.count(TurnFeature::UserWords, words);
            features.count(TurnFeature::Questions, text.matches('?').count());
        }
        Role::Assistant => {
            features.count(TurnFeature::AgentWords, words);
            if features.get(TurnFeature::AnswerSeconds).is_none() {
                let waited = (message.at.millis() - turn.at.millis()).max(0) as f64 / MILLIS_PER_SECOND;
                features.set(TurnFeature::AnswerSeconds, waited);
            }
        }
        Role::Tool => {
            features.count(TurnFeature::ToolMessages, 1);
            let is_error = message.metadata.get("is_error").is_some_and(|it| it == true);
            features.count(TurnFeature::ToolErrors, usize::from(is_error));
        }
        Role::System => {}
    }
}

fn note_entropy(features: &mut TurnFeatures, measured: &ExchangeEntropy) {
    for source in EntropySource::ALL {
        let Some(feature) = TurnFeature::of_source(source) else { continue };
        let of_source = measured.parts.iter().filter(|part| part.source == source);
        features.set(feature, of_source.map(|part| part.strength).fold(0.0, f64::max));
    }
    features.set(TurnFeature::Entropy, measured.entropy);
}

/// Adds the surprise of a turn that the agent has answered: before that, half of it is missing.
fn add_surprise(
    view: &mut View<'_>,
    agent: &Agent,
    learning: &Learning,
    turn: &DynamicsTurn,
    (features, record): (&TurnFeatures, &MessageRecord),
    measured: &mut ExchangeEntropy,
) -> Result<()> {
    let learner = &learning.learner;
    let Some(usual) = learner.usual().filter(|_| features.get(TurnFeature::AnswerSeconds).is_some()) else {
        return Ok(());
    };
    let surprise = if let Some(numbers) = &turn.learned {
        numbers.learned
    } else {
        let before = learning.state_before(view, turn)?;
        learner.surprise(before.as_ref(), &learner.state(features)).learned
    };
    let strength = surprise.and_then(|surprise| learner.strength(surprise));
    let Some((surprise, strength)) = surprise.zip(strength) else { return Ok(()) };
    let saw = format!("{surprise:.2}, usually {usual:.2}");
    let EntropySign { source, strength, saw } = EntropySign::new(EntropySource::Surprise, strength, &saw);
    measured.parts.push(EntropyPart { source, strength, saw, message: record.message.id });
    measured.entropy = entropy(&measured.parts, |source| agent.config.coherence.weights.of(source));
    Ok(())
}
