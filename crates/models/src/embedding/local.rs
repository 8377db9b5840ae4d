//! The local embedder: the average of the token vectors that the local model gives.
//!
//! Every text is a run of its own. Several texts in one run would share the scale that numbers are rounded to, so that
//! a vector would depend on its neighbors; and one run on each core is a third faster than wide runs over all cores.

use super::{embedder::Embedder, spec::EmbedderSpec, vector};
use crate::{
    cross_encoder::{ClauseInMessage, CrossEncoder, RivalAnswers, ShippedAdapter, TextPair},
    error::{BoxFuture, ModelError, Result},
    local_model::{HIDDEN_SIZE, LocalModel, cores, failed},
};
use rten::ThreadPool;
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A text far longer than the model reads is cut to this many characters per token before it is tokenized.
const MAX_CHARS_PER_TOKEN: usize = 32;
/// Tokens are counted up to here; the rest of a longer text is extrapolated.
const MAX_COUNTED_BYTES: usize = 100_000;
/// Texts sent to the blocking pool at once: a caller that cancels is noticed between batches.
const TEXTS_PER_BATCH: usize = 64;

/// The local model, loaded as an embedder.
pub struct LocalEmbedder {
    inner: Arc<LoadedEmbedder>,
    folder: PathBuf,
    /// Each is loaded when it is to read for the first time.
    change_reader: OnceLock<Result<CrossEncoder>>,
    answer_reader: OnceLock<Result<CrossEncoder>>,
    worth_reader: OnceLock<Result<CrossEncoder>>,
}

struct LoadedEmbedder {
    spec: EmbedderSpec,
    model: LocalModel,
}

impl LocalEmbedder {
    /// Loads the model from the folder that holds its two files, and checks that it does what `spec` says.
    pub fn load(folder: &Path, spec: EmbedderSpec) -> Result<Self> {
        if spec.dimension != HIDDEN_SIZE {
            let (id, expected) = (spec.id, spec.dimension);
            return Err(ModelError::WrongDimension { id, expected, found: HIDDEN_SIZE });
        }
        let inner = LoadedEmbedder { spec, model: LocalModel::load(folder, None)? };
        Ok(Self {
            inner: Arc::new(inner),
            folder: folder.to_owned(),
            change_reader: OnceLock::new(),
            answer_reader: OnceLock::new(),
            worth_reader: OnceLock::new(),
        })
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
                vectors.extend(done.map_err(|error| failed(&error))??);
            }
            Ok(vectors)
        })
    }

    fn count_tokens(&self, text: &str) -> usize {
        let counted = &text[..text.floor_char_boundary(MAX_COUNTED_BYTES)];
        let tokens =
            self.inner.model.tokenizer.encode_fast(counted, true).map_or(0, |encoding| encoding.len());
        if counted.len() == text.len() { tokens } else { tokens * text.len() / counted.len() }
    }

    fn change_odds(&self, pair: &TextPair<'_>) -> Option<Result<f32>> {
        let load = || CrossEncoder::load(&self.folder, ShippedAdapter::Change);
        let reader = self.change_reader.get_or_init(load).as_ref();
        Some(reader.map_err(Clone::clone).and_then(|reader| reader.change_odds(pair)))
    }

    fn newer_answer_odds(&self, rivals: &RivalAnswers<'_>) -> Option<Result<f32>> {
        let load = || CrossEncoder::load(&self.folder, ShippedAdapter::Answer);
        let reader = self.answer_reader.get_or_init(load).as_ref();
        Some(reader.map_err(Clone::clone).and_then(|reader| reader.newer_answer_odds(rivals)))
    }

    fn worth_odds(&self, text: &ClauseInMessage<'_>) -> Option<Result<f32>> {
        let load = || CrossEncoder::load(&self.folder, ShippedAdapter::Worth);
        let reader = self.worth_reader.get_or_init(load).as_ref();
        Some(reader.map_err(Clone::clone).and_then(|reader| reader.worth_odds(text)))
    }
}

impl LoadedEmbedder {
    /// The beginning of a text, with more than enough characters for the tokens that are read.
    fn truncated_text<'a>(&self, text: &'a str) -> &'a str {
        let chars = self.spec.max_tokens * MAX_CHARS_PER_TOKEN;
        text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
    }

    /// One text is spread over all cores; of several, each core takes the next.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if let [text] = texts {
            return Ok(vec![self.vector(text, &self.model.all_cores)?]);
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
            for (at, vector) in worker.map_err(|_| failed(&"a thread broke off"))?? {
                vectors[at] = vector;
            }
        }
        Ok(vectors)
    }

    fn vector(&self, text: &str, threads: &Arc<ThreadPool>) -> Result<Vec<f32>> {
        let encoded = self.model.tokenizer.encode_fast(self.truncated_text(text), true);
        let mut tokens = encoded.map_err(|error| failed(&error))?.get_ids().to_vec();
        if let (Some(end), true) = (tokens.last().copied(), tokens.len() > self.spec.max_tokens) {
            // Keep the token that ends a text.
            tokens.truncate(self.spec.max_tokens - 1);
            tokens.push(end);
        }
        let hidden = self.model.token_vectors(&tokens, &vec![0; tokens.len()], threads);
        let mut sum = vec![0.0; HIDDEN_SIZE];
        for token in hidden.map_err(|problem| failed(&problem))?.chunks(HIDDEN_SIZE) {
            for (sum, x) in sum.iter_mut().zip(token) {
                *sum += x;
            }
        }
        if vector::normalize(&mut sum) { Ok(sum) } else { Err(failed(&"a vector without a direction")) }
    }
}
