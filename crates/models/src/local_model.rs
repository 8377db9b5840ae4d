//! The local model: a small sentence model on this machine's processor, which gives each token of a text its vector.

use crate::{
    error::{ModelError, Result},
    install::files::{MODEL, MODEL_ID, TOKENIZER, check_sizes},
};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, prelude::*};
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    thread,
};
use tokenizers::Tokenizer;

/// Dimension of a token's vector.
pub(crate) const HIDDEN_SIZE: usize = 384;

/// Changes the bytes of the model before it is loaded; `Err` says why it cannot.
pub(crate) type PatchModel<'a> = &'a dyn Fn(&mut [u8]) -> std::result::Result<(), String>;

/// The local model, loaded.
pub(crate) struct LocalModel {
    model: Model,
    pub(crate) tokenizer: Tokenizer,
    /// Token numbers, attention mask and token types.
    inputs: [NodeId; 3],
    output: NodeId,
    pub(crate) all_cores: Arc<ThreadPool>,
}

impl LocalModel {
    /// Loads the model from the folder that holds its two files, as it is or `changed`, and tries it.
    pub(crate) fn load(folder: &Path, changed: Option<PatchModel<'_>>) -> Result<Self> {
        check_sizes(folder)?;
        let loaded = catch_unwind(AssertUnwindSafe(|| Self::load_files(folder, changed)));
        let loaded = loaded.unwrap_or_else(|_| Err(damaged(folder, &"it cannot be read")))?;
        let trial = loaded.token_vectors(&[0], &[0], &loaded.all_cores);
        trial.map_err(|problem| damaged(folder, &problem))?;
        Ok(loaded)
    }

    fn load_files(folder: &Path, changed: Option<PatchModel<'_>>) -> Result<Self> {
        let damage = |error: &dyn ToString| damaged(folder, error);
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let path = folder.join(MODEL.name);
        let model = match changed {
            None => options.load_file(path),
            Some(change) => {
                let mut bytes = fs::read(path).map_err(|error| damage(&error))?;
                change(&mut bytes).map_err(|problem| damage(&problem))?;
                options.load(bytes)
            }
        };
        let model = model.map_err(|error| damage(&error))?;
        let node = |name| model.node_id(name).map_err(|error| damage(&error));
        let inputs = [node("input_ids")?, node("attention_mask")?, node("token_type_ids")?];
        let output = node("last_hidden_state")?;
        let path = folder.join(TOKENIZER.name);
        let broken =
            |error: &dyn ToString| ModelError::Damaged { path: path.clone(), problem: error.to_string() };
        let mut tokenizer = Tokenizer::from_file(&path).map_err(|error| broken(&error))?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|error| broken(&error))?;
        tokenizer.set_encode_special_tokens(true);
        let all_cores = Arc::new(ThreadPool::with_num_threads(cores()));
        Ok(Self { model, tokenizer, inputs, output, all_cores })
    }

    /// The vectors of all tokens, one after another; `types` says which of two texts each token belongs to. `Err` is the
    /// problem in words.
    pub(crate) fn token_vectors(
        &self,
        tokens: &[u32],
        types: &[i32],
        threads: &Arc<ThreadPool>,
    ) -> std::result::Result<Vec<f32>, String> {
        let shape = [1, tokens.len()];
        let ids = NdTensor::from_data(shape, tokens.iter().map(|id| *id as i32).collect::<Vec<_>>());
        let (mask, types) = (NdTensor::full(shape, 1_i32), NdTensor::from_data(shape, types.to_vec()));
        let inputs = self.inputs.into_iter().zip([ids, mask, types].map(Into::into)).collect();
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(threads));
        let answer = self.model.run_n(inputs, [self.output], Some(options));
        let [hidden] = answer.map_err(|error| error.to_string())?;
        let hidden: NdTensor<f32, 3> = hidden.try_into().map_err(|_| "an answer of another shape")?;
        match hidden.size(2) {
            HIDDEN_SIZE => Ok(hidden.to_vec()),
            other => Err(format!("vectors of {other} numbers instead of {HIDDEN_SIZE}")),
        }
    }
}

fn damaged(folder: &Path, problem: &dyn ToString) -> ModelError {
    ModelError::Damaged { path: folder.join(MODEL.name), problem: problem.to_string() }
}

/// The local model could not do what it was asked to.
pub(crate) fn failed(problem: &dyn ToString) -> ModelError {
    ModelError::Failed { id: MODEL_ID.to_owned(), problem: problem.to_string() }
}

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get())
}
