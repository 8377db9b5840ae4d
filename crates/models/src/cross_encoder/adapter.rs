//! An adapter: what training changed in the local model, small enough to ship. Each matrix changes by a product of two thin
//! ones, rounded to bytes; vectors are given whole, as bfloat16 values. It is a safetensors file, written by
//! `scripts/train-adapter`.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::NdTensorView;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::collections::BTreeMap;

/// A change of the local model, and what is made of its answer.
#[derive(Debug)]
pub(super) struct Adapter {
    /// By the name of the node that multiplies with the matrix.
    pub(super) matrices: BTreeMap<String, LowRankChange>,
    /// Vectors that replace those of the model, by name.
    pub(super) vectors: BTreeMap<String, Vec<f32>>,
    /// Weighs the vector of the first token and the average over all tokens.
    pub(super) head: Vec<f32>,
    pub(super) head_bias: f32,
}

/// The change of a matrix of inputs × outputs: `down` (inputs × rank) times `up` (rank × outputs).
#[derive(Debug)]
pub(super) struct LowRankChange {
    down: Vec<f32>,
    up: Vec<f32>,
    rank: usize,
}

impl LowRankChange {
    /// Of two thin matrices with this many columns, inputs × rank and outputs × rank.
    pub(super) fn of(down: Vec<f32>, up: &[f32], rank: usize) -> Self {
        let column = |at: usize| up.iter().skip(at).step_by(rank);
        Self { down, up: (0..rank).flat_map(column).copied().collect(), rank }
    }

    pub(super) fn inputs(&self) -> usize {
        self.down.len() / self.rank
    }

    pub(super) fn outputs(&self) -> usize {
        self.up.len() / self.rank
    }

    /// The change of the whole matrix.
    pub(super) fn product(&self) -> Vec<f32> {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let mut product = vec![0.0; inputs * outputs];
        let down = NdTensorView::from_data([inputs, self.rank], self.down.as_slice());
        let up = NdTensorView::from_data([self.rank, outputs], self.up.as_slice());
        let (down, up) = (GemmInputA::Unpacked(down), GemmInputB::Unpacked(up));
        GemmExecutor::<f32, f32, f32>::new()
            .gemm(&mut product, down, up, GemmOptions::default())
            .expect("both matrices are as long as their shapes");
        product
    }
}

impl Adapter {
    /// Reads an adapter file; `Err` says what is wrong with it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let (mut matrices, mut vectors) = (BTreeMap::new(), BTreeMap::new());
        for (name, tensor) in file.tensors() {
            if let Some(node) = name.strip_suffix(".down") {
                let change = thin_matrix(&file, node, "down").zip(thin_matrix(&file, node, "up"));
                let ((down, rank), (up, _)) = change
                    .filter(|(down, up)| down.1 == up.1)
                    .ok_or_else(|| format!("{node} is not whole"))?;
                matrices.insert(node.to_owned(), LowRankChange::of(down, &up, rank));
            } else if let Some(values) = bfloat_values(&tensor) {
                vectors.insert(name, values);
            }
        }
        let head = vectors.remove("head.weight").ok_or("it has no head.weight")?;
        let head_bias = vectors.remove("head.bias").and_then(|bias| bias.first().copied());
        Ok(Self { matrices, vectors, head, head_bias: head_bias.ok_or("it has no head.bias")? })
    }
}

/// One of the two thin matrices of a change, with its rank: bytes, and a scale for each column.
fn thin_matrix(file: &SafeTensors<'_>, node: &str, part: &str) -> Option<(Vec<f32>, usize)> {
    let (bytes, scale) =
        (file.tensor(&format!("{node}.{part}")).ok()?, file.tensor(&format!("{node}.{part}.scale")).ok()?);
    if bytes.dtype() != Dtype::I8 || scale.dtype() != Dtype::F32 {
        return None;
    }
    let scale: Vec<f32> = scale.data().as_chunks().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
    let rank = scale.len();
    if rank == 0 || bytes.shape().get(1) != Some(&rank) {
        return None;
    }
    let values = bytes.data().iter().enumerate();
    Some((values.map(|(at, value)| f32::from(value.cast_signed()) * scale[at % rank]).collect(), rank))
}

fn bfloat_values(tensor: &TensorView<'_>) -> Option<Vec<f32>> {
    let widen = |value: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*value)) << 16);
    (tensor.dtype() == Dtype::BF16).then(|| tensor.data().as_chunks().0.iter().map(widen).collect())
}
