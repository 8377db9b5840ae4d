//! The change judge: how a new statement stands to a known one, with a probability for each answer and its reasons in
//! words. It only judges: whose word counts and what is done about it is decided by whoever asks.
//!
//! A side is prepared once ([`ChangeSide`]) and judged against many. The weights are made by [`train_change_judge`] from
//! labeled cases. Without vectors there is no judge: how alike two statements are is most of what it goes by, and the rules
//! ([`crate::contradiction`]) decide alone.

mod cues;
mod feature;
mod features;
mod overlap;
mod reasons;
mod relation;
mod self_correction;
mod side;
mod training;
mod words;

pub use features::{PairTopic, feature_names, is_unreal, pair_topic};
pub use relation::{CHANGE_RELATIONS, ChangeRelation};
pub use self_correction::{SelfCorrection, self_correction};
pub use side::{ChangePair, ChangeSide, ChangeText, PairCosines, StatementTeller};
pub use training::{
    CaseMessage, ChangeCase, LabeledPair, PairOrigin, PlainTalk, TextVectors, change_texts, labeled_pairs,
    talk_pairs, train_change_judge,
};

use super::linear::LinearModel;
use features::{ChangeFeatures, change_features, far_apart, says_the_same};
use reasons::spoken_reasons;
use std::sync::LazyLock;

/// From this probability of [`ChangeRelation::Replaces`] on the known statement is replaced. `cairn eval updates` says how
/// many changes that finds, and how often it is wrong.
pub const REPLACE_FROM: f64 = 0.78;
/// From this probability on the known statement is marked as one that may have changed.
pub const DOUBT_FROM: f64 = 0.55;
/// How a reading of both texts is joined with the judgment by features: chosen on cases that neither had learned
/// from.
const READING_WEIGHT: f64 = 0.5;
const FEATURES_WEIGHT: f64 = 0.45;
const READING_BIAS: f64 = 0.1;
/// The same where only the reading says that both are about the same thing: the features have little to say there.
const READING_ALONE_BIAS: f64 = -1.0;
/// Probabilities beyond this are no more certain than that.
const SUREST: f64 = 0.99;
/// The reason that a model gives which read both texts.
const READS_AS_CHANGE: &str = "both read together tell of a change";
/// Maximum reasons of a verdict.
const MAX_REASONS: usize = 3;
/// Features that are looked at for reasons: several may say the same in words.
const MAX_SPEAKING_FEATURES: usize = 12;

static JUDGE: LazyLock<LinearModel> = LazyLock::new(|| shipped(include_str!("../../judges/change.tsv")));

/// Panics on weights that cannot be read, so a test reads them.
fn shipped(text: &str) -> LinearModel {
    LinearModel::from_text(text).unwrap_or_else(|error| panic!("the weights of the change judge: {error:?}"))
}

/// How a pair was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeVerdict {
    /// The probability of each of [`CHANGE_RELATIONS`].
    pub probabilities: [f64; CHANGE_RELATIONS.len()],
    /// The strongest reasons for the most probable relation, in words.
    pub reasons: Vec<String>,
}

impl ChangeVerdict {
    /// The most probable relation.
    pub fn relation(&self) -> ChangeRelation {
        let better = |best: usize, at: usize| {
            if self.probabilities[at] > self.probabilities[best] { at } else { best }
        };
        CHANGE_RELATIONS[(1..CHANGE_RELATIONS.len()).fold(0, better)]
    }

    /// The probability of a relation.
    pub fn probability(&self, relation: ChangeRelation) -> f64 {
        self.probabilities[relation as usize]
    }

    /// Joins the judgment with what a model says that read both texts at once: the log-odds of a replacement.
    pub fn read_as(&mut self, odds: f64, topic: PairTopic) {
        let replaces = ChangeRelation::Replaces as usize;
        let known = self.probabilities[replaces];
        let probability = self.replaces_if_read(odds, topic);
        let rest = (1.0 - probability) / (1.0 - known).max(f64::EPSILON);
        for value in &mut self.probabilities {
            *value *= rest;
        }
        self.probabilities[replaces] = probability;
        if odds > 0.0 {
            self.reasons.insert(0, READS_AS_CHANGE.to_owned());
            self.reasons.truncate(MAX_REASONS);
        }
    }

    /// The probability of a replacement that such a reading would leave.
    ///
    /// log-odds = 0.5 · odds + 0.45 · log(p / (1 − p)) + 0.1
    ///
    /// Where nothing but the reading shows a common topic:
    ///
    /// log-odds = odds − 1
    pub fn replaces_if_read(&self, odds: f64, topic: PairTopic) -> f64 {
        let bounded = self.probability(ChangeRelation::Replaces).clamp(1.0 - SUREST, SUREST);
        let by_features = (bounded / (1.0 - bounded)).ln();
        let joined = match topic {
            PairTopic::MayBeShared => READING_WEIGHT * odds + FEATURES_WEIGHT * by_features + READING_BIAS,
            PairTopic::Unseen => odds + READING_ALONE_BIAS,
        };
        1.0 / (1.0 + (-joined).exp())
    }

    /// How much the probability of a replacement justifies.
    pub fn strength(&self) -> ChangeStrength {
        match self.probability(ChangeRelation::Replaces) {
            probability if probability >= REPLACE_FROM => ChangeStrength::Replaces,
            probability if probability >= DOUBT_FROM => ChangeStrength::Doubtful,
            _ => ChangeStrength::None,
        }
    }
}

/// The consequence that a verdict justifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStrength {
    /// The known statement no longer holds.
    Replaces,
    /// The known statement may have changed.
    Doubtful,
    /// Nothing says that it changed.
    None,
}

/// Judges a pair.
///
/// p(relation) = softmax(bias + Σ weight · (feature − mean) / scale)
pub fn judge_change(pair: &ChangePair<'_>) -> ChangeVerdict {
    if far_apart(pair) {
        let reasons = vec!["no word and no meaning in common".to_owned()];
        return ChangeVerdict { probabilities: [0.0, 0.0, 0.0, 0.0, 1.0], reasons };
    }
    if says_the_same(pair) {
        let reasons = vec!["says the same".to_owned()];
        return ChangeVerdict { probabilities: [1.0, 0.0, 0.0, 0.0, 0.0], reasons };
    }
    let ChangeFeatures { features, values } = change_features(pair);
    let mut probabilities = [0.0; CHANGE_RELATIONS.len()];
    for (place, probability) in probabilities.iter_mut().zip(JUDGE.probabilities(&values)) {
        *place = probability;
    }
    if pair.new.tells_nothing_of_now() {
        // Of 462 labeled changes two are told in a question; who remembers how it once was changes nothing.
        probabilities[ChangeRelation::Beside as usize] += probabilities[ChangeRelation::Replaces as usize];
        probabilities[ChangeRelation::Replaces as usize] = 0.0;
    }
    let mut verdict = ChangeVerdict { probabilities, reasons: Vec::new() };
    // A verdict that is acted on as a change is explained as one, whatever else is likely.
    let explained = match verdict.strength() {
        ChangeStrength::Replaces | ChangeStrength::Doubtful => ChangeRelation::Replaces,
        ChangeStrength::None => verdict.relation(),
    };
    let strongest = JUDGE.strongest(&values, explained as usize, MAX_SPEAKING_FEATURES);
    let strongest = strongest.iter().map(|reason| features[reason.place]);
    verdict.reasons = spoken_reasons(pair, strongest, MAX_REASONS);
    verdict
}

#[cfg(test)]
mod tests;
