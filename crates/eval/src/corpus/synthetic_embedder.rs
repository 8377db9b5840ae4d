//! Vectors from a seed: clustered as those of real texts are, made in microseconds. They go by the name of the local
//! embedder, so that a process that knows nothing of this searches them as if they were real.

use cairn_engine::models::{BoxFuture, Embedder, EmbedderSpec, ModelError, local_spec};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Texts gather around this many centres.
const CLUSTERS: u64 = 400;
/// How far a text lies from its centre.
const SPREAD: f32 = 0.9;

/// An embedder that reads nothing but a hash of the text.
pub(crate) struct SyntheticEmbedder {
    spec: EmbedderSpec,
}

impl Default for SyntheticEmbedder {
    fn default() -> Self {
        Self { spec: local_spec() }
    }
}

impl SyntheticEmbedder {
    fn vector(&self, text: &str) -> Vec<f32> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(text);
        let mut centre = fastrand::Rng::with_seed(hash % CLUSTERS);
        let mut own = fastrand::Rng::with_seed(hash);
        // The sum of four even numbers is bell-shaped enough.
        let bell = |random: &mut fastrand::Rng| (0..4).map(|_| random.f32() - 0.5).sum::<f32>();
        let mut vector: Vec<f32> =
            (0..self.spec.dimension).map(|_| bell(&mut centre) + SPREAD * bell(&mut own)).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        for x in &mut vector {
            *x /= length;
        }
        vector
    }
}

impl Embedder for SyntheticEmbedder {
    fn spec(&self) -> &EmbedderSpec {
        &self.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        Box::pin(async move { Ok(texts.iter().map(|text| self.vector(text)).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}
