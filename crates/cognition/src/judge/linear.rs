//! Multinomial logistic regression: `p(class) = softmax(bias + Σ weight · (feature - mean) / scale)`.
//!
//! Fitting is deterministic: the same examples in the same order give the same model.

use std::fmt::Write as _;

/// Share of the largest curvature by which a step may go down.
const STEP: f64 = 1.0;
/// Steps of the fit. The cases are few and the penalty makes the bowl round, so this is far past where it stops moving.
const STEPS: usize = 600;
/// Decimals that are kept of a weight.
const DECIMALS: usize = 4;

/// A fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    classes: Vec<String>,
    bias: Vec<f64>,
    features: Vec<FeatureWeights>,
}

/// A feature: how it is standardized, and what it says for each class.
#[derive(Debug, Clone, PartialEq)]
struct FeatureWeights {
    name: String,
    mean: f64,
    scale: f64,
    weights: Vec<f64>,
}

/// A case to learn from.
#[derive(Debug, Clone)]
pub struct Example {
    /// The features, in the order of their names.
    pub features: Vec<f64>,
    /// The place of its class.
    pub class: usize,
    /// How much it counts.
    pub weight: f64,
}

/// A feature and how far it moved a verdict, for a person to read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The place of the feature among those of the model.
    pub place: usize,
    /// Its name.
    pub feature: String,
    /// Its contribution to the log odds of the class.
    pub weight: f64,
}

/// Why a file of weights cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadWeights(pub String);

impl LinearModel {
    /// The classes, in the order of the probabilities.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The names of the features, in the order in which they are expected.
    pub fn feature_names(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(|feature| feature.name.as_str())
    }

    /// The probability of each class.
    pub fn probabilities(&self, features: &[f64]) -> Vec<f64> {
        let mut scores = self.bias.clone();
        for (feature, value) in self.features.iter().zip(features) {
            let value = feature.standardized(*value);
            for (score, weight) in scores.iter_mut().zip(&feature.weights) {
                *score += weight * value;
            }
        }
        softmax(&mut scores);
        scores
    }

    /// The features that spoke loudest for a class, loudest first, at most `most`. What a feature says for a class is
    /// counted against what it says for the others on average.
    pub fn strongest(&self, features: &[f64], class: usize, most: usize) -> Vec<Reason> {
        let classes = self.classes.len() as f64;
        let spoke = |(place, (feature, value)): (usize, (&FeatureWeights, &f64))| {
            let average = feature.weights.iter().sum::<f64>() / classes;
            let weight = (feature.weights[class] - average) * feature.standardized(*value);
            Reason { place, feature: feature.name.clone(), weight }
        };
        let mut reasons: Vec<Reason> = self.features.iter().zip(features).enumerate().map(spoke).collect();
        reasons.retain(|reason| reason.weight > 0.0);
        reasons.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        reasons.truncate(most);
        reasons
    }

    /// Fits a model. `penalty` is the weight of the squared weights against the mean log loss.
    pub fn fit(classes: &[&str], names: &[String], examples: &[Example], penalty: f64) -> Self {
        let all: f64 = examples.iter().map(|example| example.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        let mut model = Self {
            classes: classes.iter().map(|class| (*class).to_owned()).collect(),
            bias: vec![0.0; classes.len()],
            features: names
                .iter()
                .enumerate()
                .map(|(at, name)| {
                    let of = |f: &dyn Fn(f64) -> f64| {
                        examples.iter().map(|one| one.weight * f(one.features[at])).sum::<f64>() / all
                    };
                    let mean = of(&|value| value);
                    let spread = of(&|value| (value - mean).powi(2)).sqrt();
                    // A feature that never moves says nothing, and must not divide by zero.
                    let scale = if spread > 1e-9 { spread } else { 1.0 };
                    FeatureWeights {
                        name: name.clone(),
                        mean: rounded(mean),
                        scale: rounded(scale).max(1e-4),
                        weights: vec![0.0; classes.len()],
                    }
                })
                .collect(),
        };
        let rows: Vec<Vec<f64>> = examples
            .iter()
            .map(|one| model.features.iter().zip(&one.features).map(|(f, v)| f.standardized(*v)).collect())
            .collect();
        model.descend(&rows, examples, all, penalty);
        model.round();
        model
    }

    /// Accelerated gradient descent on the mean log loss with its penalty.
    fn descend(&mut self, rows: &[Vec<f64>], examples: &[Example], all: f64, penalty: f64) {
        let (classes, width) = (self.classes.len(), self.features.len() + 1);
        // The curvature of the log loss is at most half the mean squared length of a row.
        let length = |row: &Vec<f64>| 1.0 + row.iter().map(|value| value * value).sum::<f64>();
        let mean: f64 =
            rows.iter().zip(examples).map(|(row, one)| one.weight * length(row)).sum::<f64>() / all;
        let step = STEP / (0.5 * mean + penalty);
        let mut now = vec![0.0; classes * width];
        let mut before = now.clone();
        for turn in 0..STEPS {
            let momentum = turn as f64 / (turn as f64 + 3.0);
            let ahead: Vec<f64> = now.iter().zip(&before).map(|(n, b)| n + momentum * (n - b)).collect();
            let mut slope: Vec<f64> = ahead.iter().map(|weight| penalty * weight).collect();
            for class in 0..classes {
                // How often a class comes up is not held down.
                slope[class * width + width - 1] = 0.0;
            }
            for (row, one) in rows.iter().zip(examples) {
                let mut scores: Vec<f64> = (0..classes)
                    .map(|class| {
                        let weights = &ahead[class * width..(class + 1) * width];
                        weights[width - 1] + row.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
                    })
                    .collect();
                softmax(&mut scores);
                for (class, score) in scores.iter().enumerate() {
                    let error = (score - f64::from(u8::from(class == one.class))) * one.weight / all;
                    let slope = &mut slope[class * width..(class + 1) * width];
                    for (slope, value) in slope.iter_mut().zip(row) {
                        *slope += error * value;
                    }
                    slope[width - 1] += error;
                }
            }
            before = now;
            now = ahead.iter().zip(&slope).map(|(weight, slope)| weight - step * slope).collect();
        }
        for class in 0..classes {
            for (at, feature) in self.features.iter_mut().enumerate() {
                feature.weights[class] = now[class * width + at];
            }
            self.bias[class] = now[class * width + width - 1];
        }
    }

    fn round(&mut self) {
        let weights = self.features.iter_mut().flat_map(|feature| &mut feature.weights);
        for weight in weights.chain(&mut self.bias) {
            *weight = rounded(*weight);
        }
    }

    /// The model as a file of weights: a line for the classes, one for the bias, one for each feature.
    pub fn to_text(&self) -> String {
        let mut text = format!("classes\t{}\nbias", self.classes.join("\t"));
        for bias in &self.bias {
            let _ = write!(text, "\t{bias}");
        }
        for FeatureWeights { name, mean, scale, weights } in &self.features {
            let _ = write!(text, "\n{name}\t{mean}\t{scale}");
            for weight in weights {
                let _ = write!(text, "\t{weight}");
            }
        }
        text.push('\n');
        text
    }

    /// Reads a file of weights; lines that begin with `#` are left out.
    ///
    /// # Errors
    /// If a line is missing, or holds other than a name and as many numbers as there are classes.
    pub fn from_text(text: &str) -> Result<Self, BadWeights> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let mut named = |name: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix('\t'));
            line.ok_or_else(|| BadWeights(format!("the line `{name}` is missing")))
        };
        let classes: Vec<String> = named("classes")?.split('\t').map(str::to_owned).collect();
        let bias = numbers(named("bias")?, classes.len())?;
        let feature = |line: &str| {
            let (name, rest) =
                line.split_once('\t').ok_or_else(|| BadWeights(format!("no numbers: {line}")))?;
            let numbers = numbers(rest, classes.len() + 2)?;
            let (name, weights) = (name.to_owned(), numbers[2..].to_vec());
            Ok(FeatureWeights { name, mean: numbers[0], scale: numbers[1], weights })
        };
        let features = lines.map(feature).collect::<Result<Vec<_>, BadWeights>>()?;
        Ok(Self { classes, bias, features })
    }
}

impl FeatureWeights {
    fn standardized(&self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }
}

fn numbers(line: &str, wanted: usize) -> Result<Vec<f64>, BadWeights> {
    let numbers: Option<Vec<f64>> = line.split('\t').map(|number| number.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.len() == wanted && numbers.iter().all(|n| n.is_finite()));
    numbers.ok_or_else(|| BadWeights(format!("not {wanted} numbers: {line}")))
}

fn rounded(number: f64) -> f64 {
    let unit = 10_f64.powi(DECIMALS as i32);
    (number * unit).round() / unit
}

/// Turns scores into probabilities.
fn softmax(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(features: &[f64], class: usize) -> Example {
        Example { features: features.to_vec(), class, weight: 1.0 }
    }

    fn fitted() -> LinearModel {
        let examples: Vec<Example> = (0..40)
            .map(|i| {
                let x = f64::from(i) / 20.0 - 1.0;
                example(&[x, f64::from(i % 3)], usize::from(x > 0.0))
            })
            .collect();
        LinearModel::fit(&["no", "yes"], &["x".to_owned(), "noise".to_owned()], &examples, 0.01)
    }

    #[test]
    fn it_learns_what_tells_the_classes_apart_and_says_so() {
        let model = fitted();
        assert!(model.probabilities(&[0.9, 1.0])[1] > 0.9);
        assert!(model.probabilities(&[-0.9, 1.0])[1] < 0.1);
        let reasons = model.strongest(&[0.9, 1.0], 1, 1);
        assert_eq!(reasons[0].feature, "x");
        assert!(reasons[0].weight > 1.0);
    }

    #[test]
    fn a_file_of_weights_is_read_as_it_was_written() {
        let model = fitted();
        assert_eq!(LinearModel::from_text(&format!("# how it was made\n{}", model.to_text())), Ok(model));
        for bad in ["", "classes\ta\tb\n", "classes\ta\tb\nbias\t0\t1\nx\t1\n", "classes\ta\nbias\tNaN\n"] {
            assert!(LinearModel::from_text(bad).is_err(), "{bad}");
        }
    }

    /// Anchor: with no feature a model says how often each class came up.
    #[test]
    fn without_features_the_probabilities_are_the_shares() {
        let examples = [example(&[], 0), example(&[], 1), example(&[], 1), example(&[], 1)];
        let model = LinearModel::fit(&["a", "b"], &[], &examples, 0.1);
        let probabilities = model.probabilities(&[]);
        assert!((probabilities[1] - 0.75).abs() < 1e-3, "{probabilities:?}");
    }
}
