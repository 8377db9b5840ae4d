//! The local embedder: a small sentence model on this machine's processor.
//!
//! Every text is a run of its own. Several texts in one run would share the scale that numbers are rounded to, so that
//! a vector would depend on its neighbors; and one run on each core is a third faster than wide runs over all cores.

use super::{embedder::Embedder, spec::EmbedderSpec, vector};
use crate::{
    error::{BoxFuture, ModelError, Result},
    install::files::{MODEL, TOKENIZER, check_sizes},
};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, prelude::*};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};
use tokenizers::Tokenizer;

/// A text far longer than the model reads is cut to this many characters per token before it is tokenized.
const MAX_CHARS_PER_TOKEN: usize = 32;
/// Tokens are counted up to here; the rest of a longer text is extrapolated.
const MAX_COUNTED_BYTES: usize = 100_000;
/// Texts sent to the blocking pool at once: a caller that cancels is noticed between batches.
const TEXTS_PER_BATCH: usize = 64;

/// The local model, loaded.
pub struct LocalEmbedder {
    inner: Arc<LoadedModel>,
}

struct LoadedModel {
    spec: EmbedderSpec,
    model: Model,
    tokenizer: Tokenizer,
    /// Token numbers, attention mask and token types.
    inputs: [NodeId; 3],
    output: NodeId,
    all_cores: Arc<ThreadPool>,
}

impl LocalEmbedder {
    /// Loads the model from the folder that holds its two files, and checks that it does what `spec` says.
    pub fn load(folder: &Path, spec: EmbedderSpec) -> Result<Self> {
        check_sizes(folder)?;
        let loaded = catch_unwind(AssertUnwindSafe(|| LoadedModel::load(folder, spec)));
        let inner = loaded.unwrap_or_else(|_| Err(damaged(folder, &"it cannot be read")))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// One vector of unit length for each text, on the calling thread.
    pub fn embed_blocking(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.inner.embed(texts)
    }
}

impl Embedder for LocalEmbedder {
    fn spec(&self) -> &EmbedderSpec {
        &self.inner.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(TEXTS_PER_BATCH) {
                let inner = Arc::clone(&self.inner);
                let batch: Vec<String> =
                    batch.iter().map(|text| inner.truncated_text(text).to_owned()).collect();
                let work = move || inner.embed(&batch.iter().map(String::as_str).collect::<Vec<_>>());
                let done = tokio::task::spawn_blocking(work).await;
                vectors.extend(done.map_err(|error| self.inner.failed(&error))??);
            }
            Ok(vectors)
        })
    }

    fn count_tokens(&self, text: &str) -> usize {
        let counted = &text[..text.floor_char_boundary(MAX_COUNTED_BYTES)];
        let tokens = self.inner.tokenizer.encode_fast(counted, true).map_or(0, |encoding| encoding.len());
        if counted.len() == text.len() { tokens } else { tokens * text.len() / counted.len() }
    }
}

fn damaged(folder: &Path, problem: &dyn ToString) -> ModelError {
    ModelError::Damaged { path: folder.join(MODEL.name), problem: problem.to_string() }
}

impl LoadedModel {
    fn load(folder: &Path, spec: EmbedderSpec) -> Result<Self> {
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let model = options.load_file(folder.join(MODEL.name)).map_err(|error| damaged(folder, &error))?;
        let node = |name| model.node_id(name).map_err(|error| damaged(folder, &error));
        let inputs = [node("input_ids")?, node("attention_mask")?, node("token_type_ids")?];
        let output = node("last_hidden_state")?;
        let path = folder.join(TOKENIZER.name);
        let broken =
            |error: &dyn ToString| ModelError::Damaged { path: path.clone(), problem: error.to_string() };
        let mut tokenizer = Tokenizer::from_file(&path).map_err(|error| broken(&error))?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|error| broken(&error))?;
        tokenizer.set_encode_special_tokens(true);
        let all_cores = Arc::new(ThreadPool::with_num_threads(cores()));
        let inner = Self { spec, model, tokenizer, inputs, output, all_cores };
        inner.embed(&["a trial"]).map_err(|error| match error {
            ModelError::Failed { problem, .. } => damaged(folder, &problem),
            other => other,
        })?;
        Ok(inner)
    }

    fn failed(&self, problem: &dyn ToString) -> ModelError {
        ModelError::Failed { id: self.spec.id.clone(), problem: problem.to_string() }
    }

    /// The beginning of a text, with more than enough characters for the tokens that are read.
    fn truncated_text<'a>(&self, text: &'a str) -> &'a str {
        let chars = self.spec.max_tokens * MAX_CHARS_PER_TOKEN;
        text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
    }

    /// One text is spread over all cores; of several, each core takes the next.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if let [text] = texts {
            return Ok(vec![self.vector(text, &self.all_cores)?]);
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let one_core = Arc::new(ThreadPool::with_num_threads(1));
            let mut vectors = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(text) = texts.get(at) else { return Ok(vectors) };
                vectors.push((at, self.vector(text, &one_core)?));
            }
        };
        let workers = cores().min(texts.len());
        let ended: Vec<thread::Result<Result<Vec<_>>>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(|worker| worker.join()).collect()
        });
        let mut vectors = vec![Vec::new(); texts.len()];
        for worker in ended {
            for (at, vector) in worker.map_err(|_| self.failed(&"a thread broke off"))?? {
                vectors[at] = vector;
            }
        }
        Ok(vectors)
    }

    fn vector(&self, text: &str, threads: &Arc<ThreadPool>) -> Result<Vec<f32>> {
        let encoded = self
            .tokenizer
            .encode_fast(self.truncated_text(text), true)
            .map_err(|error| self.failed(&error))?;
        let mut tokens = encoded.get_ids().to_vec();
        if let (Some(end), true) = (tokens.last().copied(), tokens.len() > self.spec.max_tokens) {
            // Keep the token that ends a text.
            tokens.truncate(self.spec.max_tokens - 1);
            tokens.push(end);
        }
        let mut vector = self.run_model(&tokens, threads)?;
        if vector::normalize(&mut vector) {
            Ok(vector)
        } else {
            Err(self.failed(&"a vector without a direction"))
        }
    }

    /// Runs the model and sums the vectors of all tokens; the caller normalizes the sum.
    fn run_model(&self, tokens: &[u32], threads: &Arc<ThreadPool>) -> Result<Vec<f32>> {
        let shape = [1, tokens.len()];
        let ids = NdTensor::from_data(shape, tokens.iter().map(|id| *id as i32).collect::<Vec<_>>());
        let (mask, types) = (NdTensor::full(shape, 1_i32), NdTensor::<i32, 2>::zeros(shape));
        let inputs = self.inputs.into_iter().zip([ids, mask, types].map(Into::into)).collect();
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(threads));
        let answer = self.model.run_n(inputs, [self.output], Some(options));
        let [hidden] = answer.map_err(|error| self.failed(&error))?;
        let hidden: NdTensor<f32, 3> =
            hidden.try_into().map_err(|_| self.failed(&"an answer of another shape"))?;
        let found = hidden.size(2);
        if found != self.spec.dimension {
            let (id, expected) = (self.spec.id.clone(), self.spec.dimension);
            return Err(ModelError::WrongDimension { id, expected, found });
        }
        let mut sum = vec![0.0; found];
        for token in hidden.to_vec().chunks(found) {
            for (sum, x) in sum.iter_mut().zip(token) {
                *sum += x;
            }
        }
        Ok(sum)
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get())
}
