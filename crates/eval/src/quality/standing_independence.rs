//! Whether the dimensions of standing measure different things: a simulated year in which somebody's four traits are drawn
//! anew each day, independently (ones that wander would correlate by chance), and show in what they say. Told are the
//! correlations between the daily changes of the dimensions, and of each with the trait behind it; and how many example sentences
//! move a dimension that is not theirs.

use cairn_cognition::standing::{StandingPattern, standing_patterns, standing_signs, weighed_day};
use cairn_domain::{MILLIS_PER_DAY, MessageId, StandingDimension, StandingEvidence, Time};
use serde_json::{Value, json};

/// Days of the simulated year.
const DAYS: usize = 365;
/// Sentences of a day that show a trait, for each dimension.
const SENTENCES_PER_DAY: usize = 2;
const DIMENSIONS: usize = StandingDimension::ALL.len();

/// Figures of the simulated year.
#[derive(Debug, Clone, PartialEq)]
pub struct IndependenceReport {
    /// The correlation of the daily changes of each two dimensions.
    pub between: Vec<(StandingDimension, StandingDimension, f64)>,
    /// The correlation of each dimension's daily change with the trait behind it.
    pub validity: Vec<(StandingDimension, f64)>,
    /// Example sentences, and those that also move a dimension that is not theirs.
    pub examples: usize,
    /// The latter.
    pub elsewhere: usize,
}

/// Lives the year of a seed.
pub fn run(seed: u64) -> IndependenceReport {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut lived: [Vec<f64>; DIMENSIONS] = Default::default();
    let mut measured: [Vec<f64>; DIMENSIONS] = Default::default();
    for day in 0..DAYS {
        let mut said: Vec<&str> = Vec::new();
        for (place, dimension) in StandingDimension::ALL.into_iter().enumerate() {
            let strength = random.f64() * 2.0 - 1.0;
            for _ in 0..SENTENCES_PER_DAY {
                let rises = random.f64() * 2.0 - 1.0 < strength;
                said.extend(sentence(&mut random, dimension, rises));
            }
            lived[place].push(strength);
        }
        let at = Time::from_millis(day as i64 * MILLIS_PER_DAY);
        let evidence: Vec<StandingEvidence> = said.iter().flat_map(|text| signs(text, at)).collect();
        for (place, dimension) in StandingDimension::ALL.into_iter().enumerate() {
            let of: Vec<_> = evidence.iter().filter(|it| it.dimension == dimension).cloned().collect();
            measured[place].push(weighed_day(&of).0);
        }
    }
    let all = StandingDimension::ALL;
    let pairs = (0..DIMENSIONS).flat_map(|one| (one + 1..DIMENSIONS).map(move |other| (one, other)));
    let (examples, elsewhere) = cross_talk();
    IndependenceReport {
        between: pairs.map(|(a, b)| (all[a], all[b], correlation(&measured[a], &measured[b]))).collect(),
        validity: (0..DIMENSIONS).map(|at| (all[at], correlation(&measured[at], &lived[at]))).collect(),
        examples,
        elsewhere,
    }
}

/// An example sentence of a pattern of a dimension that moves it up or down.
fn sentence(random: &mut fastrand::Rng, dimension: StandingDimension, rises: bool) -> Option<&'static str> {
    let fits = |pattern: &&StandingPattern| {
        pattern.dimension == dimension
            && (pattern.direction.step() > 0.0) == rises
            && pattern.direction.step() != 0.0
    };
    let fitting: Vec<&StandingPattern> = standing_patterns().iter().filter(fits).collect();
    let pattern = random.choice(fitting)?;
    random.choice(&pattern.examples).copied()
}

fn signs(text: &str, at: Time) -> Vec<StandingEvidence> {
    let evidence = |sign: cairn_cognition::standing::StandingSign| StandingEvidence {
        message: MessageId::from_bytes([0; 16]),
        subject: "user".to_owned(),
        pattern: sign.pattern.name.to_owned(),
        dimension: sign.pattern.dimension,
        direction: sign.pattern.direction,
        confidence: sign.confidence,
        saw: sign.saw,
        at,
    };
    standing_signs(text).into_iter().map(evidence).collect()
}

/// Example sentences, and how many of them also move another dimension.
fn cross_talk() -> (usize, usize) {
    let (mut all, mut elsewhere) = (0, 0);
    for pattern in standing_patterns() {
        for text in &pattern.examples {
            all += 1;
            let moves = |sign: &cairn_cognition::standing::StandingSign| {
                sign.pattern.dimension != pattern.dimension && sign.pattern.direction.step() != 0.0
            };
            elsewhere += usize::from(standing_signs(text).iter().any(moves));
        }
    }
    (all, elsewhere)
}

/// Pearson's r; 0 where one of them does not move.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        both += (a - mean_a) * (b - mean_b);
        of_a += (a - mean_a).powi(2);
        of_b += (b - mean_b).powi(2);
    }
    if of_a * of_b > 0.0 { both / (of_a * of_b).sqrt() } else { 0.0 }
}

impl IndependenceReport {
    /// The strongest correlation between two dimensions, whichever its sign.
    pub fn strongest(&self) -> f64 {
        self.between.iter().map(|(_, _, r)| r.abs()).fold(0.0, f64::max)
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let between = self.between.iter().map(|(a, b, r)| (format!("{a} with {b}"), format!("{r:+.2}")));
        let validity = self
            .validity
            .iter()
            .map(|(it, r)| (format!("{it} with the trait behind it"), format!("{r:+.2}")));
        let crossed = format!("{} of {}", self.elsewhere, self.examples);
        between
            .chain(validity)
            .chain([("examples that move another dimension".to_owned(), crossed)])
            .collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let between: Vec<Value> =
            self.between.iter().map(|(a, b, r)| json!({"one": a, "other": b, "r": r})).collect();
        let validity: Vec<Value> =
            self.validity.iter().map(|(it, r)| json!({"dimension": it, "r": r})).collect();
        json!({"question": "standing", "between": between, "validity": validity, "strongest": self.strongest(),
            "examples": self.examples, "elsewhere": self.elsewhere})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-230
    #[test]
    fn over_a_year_each_dimension_follows_its_own_trait_and_no_other() {
        for seed in [1, 2, 3] {
            let report = run(seed);
            assert!(report.strongest() < 0.3, "{:?}", report.rows());
            assert!(report.validity.iter().all(|(_, r)| *r > 0.3), "{:?}", report.rows());
            assert_eq!(report.elsewhere, 0, "{:?}", report.rows());
        }
        assert_eq!(run(1), run(1));
    }
}
