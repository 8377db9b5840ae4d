//! Cognitive dynamics: the state that an agent is in while something happens, and how far a turn departs from the one that was
//! expected. The encoder is frozen, a projection that a seed draws; what changes are the running normalization of the features
//! and a small predictor of the next state, which learns from each turn once. Deterministic: the same turns in the same order
//! give the same numbers. No word is in any of them.

use cairn_domain::{TURN_FEATURES, TurnFeature, TurnFeatures};
use std::sync::LazyLock;

/// Numbers of a state.
pub const STATE_NUMBERS: usize = 64;
/// Units between one state and the next.
const HIDDEN_UNITS: usize = 32;
/// Seed from which the projection and the first weights are drawn from.
const SEED: u64 = 0x6361_6972_6e64_796e;
/// How fast the mean and the spread of a feature, and the usual surprise, follow once so many turns were seen.
const WINDOW_TURNS: u32 = 256;
/// A feature that hardly varies is not made more of than this.
const MIN_SPREAD: f32 = 0.25;
/// A feature departs by so many spreads at most.
const MAX_DEPARTURE: f32 = 6.0;
/// How far the predictor moves after one turn.
const LEARNING_RATE: f32 = 0.004;
/// How much of its last move it keeps.
const MOMENTUM: f32 = 0.9;
/// The error of one number counts for no more than this while learning: one odd turn is no lesson.
const MAX_ERROR: f32 = 2.0;
/// Turns that the predictor has to have learned from before its surprise counts.
const WARM_UP_UPDATES: u32 = 50;
/// Surprise begins to count at so many times the usual one, and counts in full at so many.
const FROM_TIMES_USUAL: f64 = 2.0;
const FULL_TIMES_USUAL: f64 = 4.0;

const WEIGHTS: usize = HIDDEN_UNITS * (STATE_NUMBERS + 1) + STATE_NUMBERS * (HIDDEN_UNITS + 1);
/// Numbers of a learner as it is stored: weights, their last moves, means and variances, turns seen, updates, usual surprise.
const STORED_NUMBERS: usize = 2 * WEIGHTS + 2 * TURN_FEATURES + 3;

/// The state of an agent in one turn.
pub type TurnState = [f32; STATE_NUMBERS];

/// The frozen projection: rows of states, columns of features.
static PROJECTION: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let mut random = SplitMix(SEED);
    let scale = (3.0 / TURN_FEATURES as f32).sqrt();
    (0..STATE_NUMBERS * TURN_FEATURES).map(|_| scale * random.signed()).collect()
});

/// Everything that changes from turn to turn.
#[derive(Debug, Clone, PartialEq)]
pub struct StateLearner {
    /// From state to hidden units, their biases, from those to the next state, its biases.
    weights: Vec<f32>,
    /// The last move of each weight.
    moves: Vec<f32>,
    means: [f32; TURN_FEATURES],
    variances: [f32; TURN_FEATURES],
    turns: u32,
    updates: u32,
    usual: f32,
}

/// The lesson of a turn that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedTurn {
    /// The state.
    pub state: TurnState,
    /// How far it is from what was expected.
    pub surprise: Surprise,
    /// The mean squared error of the prediction, if there was a turn before.
    pub loss: Option<f64>,
}

/// How far a state is from what was expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surprise {
    /// Of a predictor that never learned: it always expects the usual state.
    pub frozen: f64,
    /// Of the predictor that learns; none without a turn before.
    pub learned: Option<f64>,
}

impl Default for StateLearner {
    fn default() -> Self {
        let mut random = SplitMix(SEED.rotate_left(1));
        let scale = 1.0 / (STATE_NUMBERS as f32).sqrt();
        let mut weights = vec![0.0; WEIGHTS];
        // The second half begins at zero: before it has learned anything, it expects the usual state.
        weights[..HIDDEN_UNITS * STATE_NUMBERS].fill_with(|| scale * random.signed());
        Self {
            weights,
            moves: vec![0.0; WEIGHTS],
            means: [0.0; TURN_FEATURES],
            variances: [0.0; TURN_FEATURES],
            turns: 0,
            updates: 0,
            usual: 0.0,
        }
    }
}

impl StateLearner {
    /// Turns it has learned from.
    pub fn updates(&self) -> u32 {
        self.updates
    }

    /// The learned surprise of late; none before enough was learned.
    pub fn usual(&self) -> Option<f64> {
        (self.updates >= WARM_UP_UPDATES).then_some(f64::from(self.usual))
    }

    /// The state of a turn: its features, each by how far it departs from its mean, through the frozen projection.
    ///
    /// state = P·z, z = clamp((feature − mean)/max(spread, ¼), ±6), counts and seconds as ln(1 + x), 0 if not known
    pub fn state(&self, features: &TurnFeatures) -> TurnState {
        let mut departures = [0.0; TURN_FEATURES];
        for feature in TurnFeature::ALL {
            let at = feature as usize;
            let Some(value) = felt(features, feature) else { continue };
            let spread = self.variances[at].sqrt().max(MIN_SPREAD);
            departures[at] = ((value - self.means[at]) / spread).clamp(-MAX_DEPARTURE, MAX_DEPARTURE);
        }
        let mut state = [0.0; STATE_NUMBERS];
        for (number, row) in state.iter_mut().zip(PROJECTION.chunks_exact(TURN_FEATURES)) {
            *number = row.iter().zip(&departures).map(|(weight, departure)| weight * departure).sum();
        }
        state
    }

    /// The state that is expected after another.
    pub fn expected(&self, before: &TurnState) -> TurnState {
        self.predicted(before).1
    }

    /// How far a state is from what was expected after the one before.
    ///
    /// surprise = √(Σ (expected − state)²/64); the frozen one expects 0
    pub fn surprise(&self, before: Option<&TurnState>, state: &TurnState) -> Surprise {
        let learned = before.map(|before| distance(&self.expected(before), state));
        Surprise { frozen: distance(&[0.0; STATE_NUMBERS], state), learned }
    }

    /// How strongly a surprise counts as a contribution to entropy.
    ///
    /// strength = clamp((surprise/usual − 2)/(4 − 2), 0, 1)
    pub fn strength(&self, surprise: f64) -> Option<f64> {
        let usual = self.usual().filter(|usual| *usual > 0.0)?;
        let strength = (surprise / usual - FROM_TIMES_USUAL) / (FULL_TIMES_USUAL - FROM_TIMES_USUAL);
        (strength > 0.0).then_some(strength.min(1.0))
    }

    /// Learns from a turn that is over: what is usual, and what comes after the state before.
    pub fn learn(&mut self, before: Option<&TurnState>, features: &TurnFeatures) -> LearnedTurn {
        self.turns += 1;
        let rate = 1.0 / self.turns.min(WINDOW_TURNS) as f32;
        for feature in TurnFeature::ALL {
            let at = feature as usize;
            let Some(value) = felt(features, feature) else { continue };
            let departure = value - self.means[at];
            self.means[at] += rate * departure;
            self.variances[at] = (1.0 - rate) * (self.variances[at] + rate * departure * departure);
        }
        let state = self.state(features);
        let surprise = self.surprise(before, &state);
        let loss = surprise.learned.map(|learned| learned * learned);
        if let Some((before, learned)) = before.zip(surprise.learned) {
            self.update(before, &state, self.lesson(learned));
            self.updates += 1;
            self.usual += (learned as f32 - self.usual) / self.updates.min(WINDOW_TURNS) as f32;
        }
        LearnedTurn { state, surprise, loss }
    }

    /// How much of a step a turn is worth: an odd one is told, and teaches little.
    ///
    /// lesson = min(1, 2·usual/surprise)²
    fn lesson(&self, surprise: f64) -> f32 {
        let usual = self.usual().unwrap_or(surprise);
        (FROM_TIMES_USUAL * usual / surprise.max(f64::MIN_POSITIVE)).min(1.0).powi(2) as f32
    }

    /// One step of gradient descent with momentum on the squared error.
    ///
    /// move ← 0.9·move − 0.004·lesson·∂(½ Σ error²)/∂weight; weight ← weight + move
    fn update(&mut self, before: &TurnState, state: &TurnState, lesson: f32) {
        let (hidden, expected) = self.predicted(before);
        let mut errors = [0.0; STATE_NUMBERS];
        for (error, (expected, actual)) in errors.iter_mut().zip(expected.iter().zip(state)) {
            *error = (expected - actual).clamp(-MAX_ERROR, MAX_ERROR);
        }
        let mut of_hidden = [0.0; HIDDEN_UNITS];
        let (first, second) = self.weights.split_at(HIDDEN_UNITS * (STATE_NUMBERS + 1));
        debug_assert_eq!(first.len() + second.len(), WEIGHTS);
        for (row, error) in second.chunks_exact(HIDDEN_UNITS).zip(&errors) {
            for (sum, weight) in of_hidden.iter_mut().zip(row) {
                *sum += weight * error;
            }
        }
        // The slope of x/(1 + |x|) is (1 − |h|)².
        for (sum, unit) in of_hidden.iter_mut().zip(&hidden) {
            *sum *= (1.0 - unit.abs()).powi(2);
        }
        let slopes = of_hidden.iter().flat_map(|unit| before.iter().map(move |number| unit * number));
        let slopes = slopes.chain(of_hidden.iter().copied());
        let slopes =
            slopes.chain(errors.iter().flat_map(|error| hidden.iter().map(move |unit| error * unit)));
        let slopes = slopes.chain(errors.iter().copied());
        for ((weight, step), slope) in self.weights.iter_mut().zip(&mut self.moves).zip(slopes) {
            *step = MOMENTUM * *step - LEARNING_RATE * lesson * slope;
            *weight += *step;
        }
    }

    /// The hidden units and the state that is expected after another.
    ///
    /// h = softsign(W₁·before + b₁), softsign(x) = x/(1 + |x|); expected = W₂·h + b₂
    fn predicted(&self, before: &TurnState) -> ([f32; HIDDEN_UNITS], TurnState) {
        let (first, rest) = self.weights.split_at(HIDDEN_UNITS * STATE_NUMBERS);
        let (first_biases, rest) = rest.split_at(HIDDEN_UNITS);
        let (second, second_biases) = rest.split_at(STATE_NUMBERS * HIDDEN_UNITS);
        let mut hidden = [0.0; HIDDEN_UNITS];
        for ((unit, row), bias) in hidden.iter_mut().zip(first.chunks_exact(STATE_NUMBERS)).zip(first_biases)
        {
            let sum = bias + row.iter().zip(before).map(|(weight, number)| weight * number).sum::<f32>();
            *unit = sum / (1.0 + sum.abs());
        }
        let mut expected = [0.0; STATE_NUMBERS];
        for ((number, row), bias) in
            expected.iter_mut().zip(second.chunks_exact(HIDDEN_UNITS)).zip(second_biases)
        {
            *number = bias + row.iter().zip(&hidden).map(|(weight, unit)| weight * unit).sum::<f32>();
        }
        (hidden, expected)
    }

    /// The numbers as they are stored.
    pub fn to_numbers(&self) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(STORED_NUMBERS);
        for part in [&self.weights[..], &self.moves, &self.means, &self.variances] {
            numbers.extend_from_slice(part);
        }
        numbers.extend([self.turns as f32, self.updates as f32, self.usual]);
        numbers
    }

    /// Reads stored numbers; `None` if they are not those of this encoder and predictor.
    pub fn from_numbers(numbers: &[f32]) -> Option<Self> {
        if numbers.len() != STORED_NUMBERS || numbers.iter().any(|number| !number.is_finite()) {
            return None;
        }
        let (weights, rest) = numbers.split_at(WEIGHTS);
        let (moves, rest) = rest.split_at(WEIGHTS);
        let (means, rest) = rest.split_at(TURN_FEATURES);
        let (variances, rest) = rest.split_at(TURN_FEATURES);
        let &[turns, updates, usual] = rest else { return None };
        Some(Self {
            weights: weights.to_vec(),
            moves: moves.to_vec(),
            means: means.try_into().ok()?,
            variances: variances.try_into().ok()?,
            turns: turns as u32,
            updates: updates as u32,
            usual,
        })
    }
}

/// A feature as it is felt: of counts and durations it matters how many times more they are.
fn felt(features: &TurnFeatures, feature: TurnFeature) -> Option<f32> {
    let value = features.get(feature)?;
    Some(if feature.is_counted() { value.max(0.0).ln_1p() } else { value })
}

/// √(Σ (a − b)²/64)
fn distance(a: &TurnState, b: &TurnState) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    (squares / STATE_NUMBERS as f64).sqrt()
}

/// Random numbers that stay the same whatever library is used: what they drew is frozen.
struct SplitMix(u64);

impl SplitMix {
    /// From −1 to 1.
    fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn of one of two kinds that take turns, with a little noise.
    fn turn(place: u32, random: &mut SplitMix) -> TurnFeatures {
        let mut features = TurnFeatures::default();
        let is_work = place % 2 == 1;
        let vary = |mean: f32, random: &mut SplitMix| f64::from(mean * (1.0 + 0.2 * random.signed()));
        features.set(TurnFeature::UserWords, vary(if is_work { 60.0 } else { 8.0 }, random));
        features.set(TurnFeature::AgentWords, vary(if is_work { 300.0 } else { 20.0 }, random));
        features.set(TurnFeature::ToolMessages, if is_work { 6.0 } else { 0.0 });
        features.set(TurnFeature::Correction, 0.0);
        features
    }

    fn lived(turns: u32) -> (StateLearner, Vec<LearnedTurn>) {
        let (mut learner, mut random) = (StateLearner::default(), SplitMix(7));
        let mut over: Vec<LearnedTurn> = Vec::new();
        for place in 0..turns {
            let before = over.last().map(|turn| turn.state);
            over.push(learner.learn(before.as_ref(), &turn(place, &mut random)));
        }
        (learner, over)
    }

    /// covers: W-218, W-219, W-220, X-W16
    #[test]
    fn what_alternates_is_expected_after_a_while_and_a_break_is_not() {
        let (mut learner, over) = lived(400);
        let mean =
            |turns: &[LearnedTurn]| turns.iter().filter_map(|it| it.loss).sum::<f64>() / turns.len() as f64;
        let (first, last) = (mean(&over[1..101]), mean(&over[300..]));
        assert!(last < first / 2.0, "{first} then {last}");
        assert_eq!(learner.updates(), 399);
        let frozen = over[300..].iter().map(|it| it.surprise.frozen).sum::<f64>() / 100.0;
        let usual = learner.usual().expect("enough was learned");
        assert!(
            usual < frozen,
            "expecting something is better than expecting nothing: {usual} beside {frozen}"
        );
        let mut odd = turn(400, &mut SplitMix(9));
        odd.set(TurnFeature::Correction, 1.0);
        odd.set(TurnFeature::ToolErrors, 5.0);
        let before = over.last().expect("turns").state;
        let state = learner.state(&odd);
        let surprise = learner.surprise(Some(&before), &state).learned.expect("there was one before");
        assert!(
            surprise > 2.0 * usual && learner.strength(surprise) > Some(0.3),
            "{surprise} beside {usual}"
        );
        assert_eq!(learner.strength(usual), None, "what is usual is no contribution");
        assert_eq!(learner.learn(None, &odd).loss, None);
    }

    /// covers: X-W16
    #[test]
    fn the_same_turns_give_the_same_numbers_whether_kept_in_mind_or_stored() {
        let (learner, over) = lived(60);
        assert_eq!((learner.clone(), over), lived(60));
        let numbers = learner.to_numbers();
        assert_eq!(StateLearner::from_numbers(&numbers), Some(learner));
        assert_eq!(StateLearner::from_numbers(&numbers[1..]), None);
        // The projection is frozen: another one would make stored states worthless.
        assert!((PROJECTION[0] - FIRST_OF_PROJECTION).abs() < 1e-6, "{}", PROJECTION[0]);
    }

    const FIRST_OF_PROJECTION: f32 = 0.176_808;
}
