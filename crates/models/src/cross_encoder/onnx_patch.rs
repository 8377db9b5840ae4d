//! Patching: an ONNX file of the local model whose weights are changed in place by an adapter.
//!
//! Only the values of tensors change and never their sizes, so every other byte stays where it is. Matrices are int8 with a
//! scale for each column; one is read back to numbers, gets its change added and is rounded again.

use super::adapter::{Adapter, LowRankChange};
use std::{collections::HashMap, ops::Range, str};

/// Where the values of a tensor lie in the file.
#[derive(Debug, Default, Clone)]
struct TensorPlace {
    /// Its values as bytes.
    raw: Range<usize>,
    /// Its values as a packed list of numbers.
    floats: Range<usize>,
}

/// The largest value of a quantized weight.
const MAX_QUANTIZED: f32 = 127.0;

/// Applies an adapter to the bytes of a model; `Err` says what the model lacks.
pub(super) fn patch_model(model: &mut [u8], adapter: &Adapter) -> Result<(), String> {
    let places = find_places(model)?;
    for (node, change) in &adapter.matrices {
        let weights = places.weights_of.get(node).ok_or_else(|| format!("it has no node {node}"))?;
        let tensor = |suffix: &str| places.tensor(&format!("{weights}{suffix}"));
        patch_matrix(model, &tensor("_quantized")?.raw, &tensor("_scale")?.floats, change)
            .ok_or_else(|| format!("the weights of {node} have another shape"))?;
    }
    for (name, values) in &adapter.vectors {
        let place = places.tensor(name)?.raw;
        if place.len() != values.len() * size_of::<f32>() {
            return Err(format!("{name} has another length"));
        }
        write_floats(&mut model[place], values);
    }
    Ok(())
}

/// Adds a change to a matrix of inputs × outputs; `None` if the shapes do not fit.
fn patch_matrix(
    model: &mut [u8],
    quantized: &Range<usize>,
    scales: &Range<usize>,
    change: &LowRankChange,
) -> Option<()> {
    let (inputs, outputs) = (change.inputs(), change.outputs());
    if quantized.len() != inputs * outputs || scales.len() != outputs * size_of::<f32>() {
        return None;
    }
    let old_scales = read_floats(&model[scales.clone()]);
    let quantized = &mut model[quantized.clone()];
    let mut weights = change.product();
    let mut new_scales = vec![f32::MIN_POSITIVE; outputs];
    for (row, known) in weights.chunks_exact_mut(outputs).zip(quantized.chunks_exact(outputs)) {
        let columns = row.iter_mut().zip(known).zip(old_scales.iter().zip(&mut new_scales));
        for ((weight, known), (old_scale, new_scale)) in columns {
            *weight += f32::from(known.cast_signed()) * old_scale;
            *new_scale = new_scale.max(weight.abs() / MAX_QUANTIZED);
        }
    }
    for (row, known) in weights.chunks_exact(outputs).zip(quantized.chunks_exact_mut(outputs)) {
        for ((weight, known), scale) in row.iter().zip(known).zip(&new_scales) {
            // Half away from zero; no weight is above its scale times the largest value.
            let value = weight / scale;
            *known = ((value + 0.5_f32.copysign(value)) as i8).cast_unsigned();
        }
    }
    write_floats(&mut model[scales.clone()], &new_scales);
    Some(())
}

fn read_floats(bytes: &[u8]) -> Vec<f32> {
    let (values, _) = bytes.as_chunks();
    values.iter().map(|value| f32::from_le_bytes(*value)).collect()
}

fn write_floats(bytes: &mut [u8], values: &[f32]) {
    let (places, _) = bytes.as_chunks_mut();
    for (place, value) in places.iter_mut().zip(values) {
        *place = value.to_le_bytes();
    }
}

/// Where the weights of a model lie.
#[derive(Default)]
struct ModelPlaces {
    tensors: HashMap<String, TensorPlace>,
    /// For each node that multiplies with a quantized matrix: the name of the matrix.
    weights_of: HashMap<String, String>,
}

impl ModelPlaces {
    fn tensor(&self, name: &str) -> Result<TensorPlace, String> {
        self.tensors.get(name).cloned().ok_or_else(|| format!("it has no tensor {name}"))
    }
}

fn find_places(model: &[u8]) -> Result<ModelPlaces, String> {
    let broken = || "it is not an ONNX file".to_owned();
    let mut places = ModelPlaces::default();
    let graph = fields(model, 0..model.len())
        .ok_or_else(broken)?
        .into_iter()
        .find(|(number, _)| *number == onnx::MODEL_GRAPH)
        .ok_or_else(broken)?
        .1;
    for (number, range) in fields(model, graph).ok_or_else(broken)? {
        match number {
            onnx::GRAPH_NODE => read_node(model, range, &mut places).ok_or_else(broken)?,
            onnx::GRAPH_TENSOR => read_tensor(model, range, &mut places).ok_or_else(broken)?,
            _ => {}
        }
    }
    Ok(places)
}

fn read_node(model: &[u8], node: Range<usize>, places: &mut ModelPlaces) -> Option<()> {
    let (mut inputs, mut name, mut operation) = (Vec::new(), "", "");
    for (number, range) in fields(model, node)? {
        let text = || str::from_utf8(&model[range.clone()]).ok();
        match number {
            onnx::NODE_INPUT => inputs.push(text()?),
            onnx::NODE_NAME => name = text()?,
            onnx::NODE_OPERATION => operation = text()?,
            _ => {}
        }
    }
    if operation == "MatMulInteger" {
        let weights = inputs.get(1)?.strip_suffix("_quantized")?;
        places.weights_of.insert(name.to_owned(), weights.to_owned());
    }
    Some(())
}

fn read_tensor(model: &[u8], tensor: Range<usize>, places: &mut ModelPlaces) -> Option<()> {
    let (mut name, mut place) = ("", TensorPlace::default());
    for (number, range) in fields(model, tensor)? {
        match number {
            onnx::TENSOR_NAME => name = str::from_utf8(&model[range]).ok()?,
            onnx::TENSOR_RAW => place.raw = range,
            onnx::TENSOR_FLOATS => place.floats = range,
            _ => {}
        }
    }
    places.tensors.insert(name.to_owned(), place);
    Some(())
}

/// Numbers of the fields of ONNX's messages.
mod onnx {
    pub(super) const MODEL_GRAPH: u64 = 7;
    pub(super) const GRAPH_NODE: u64 = 1;
    pub(super) const GRAPH_TENSOR: u64 = 5;
    pub(super) const NODE_INPUT: u64 = 1;
    pub(super) const NODE_NAME: u64 = 3;
    pub(super) const NODE_OPERATION: u64 = 4;
    pub(super) const TENSOR_FLOATS: u64 = 4;
    pub(super) const TENSOR_NAME: u64 = 8;
    pub(super) const TENSOR_RAW: u64 = 9;
}

/// The fields of a protobuf message: their numbers, and where their values lie.
fn fields(bytes: &[u8], message: Range<usize>) -> Option<Vec<(u64, Range<usize>)>> {
    let (mut at, mut found) = (message.start, Vec::new());
    while at < message.end {
        let key = varint(bytes, &mut at)?;
        let length = match key & 7 {
            0 => {
                let start = at;
                varint(bytes, &mut at)?;
                found.push((key >> 3, start..at));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(bytes, &mut at)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let end = at.checked_add(length).filter(|end| *end <= message.end)?;
        found.push((key >> 3, at..end));
        at = end;
    }
    Some(found)
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_matrix_gets_its_change_and_is_rounded_to_a_new_scale() {
        // 2 inputs × 2 outputs: [[1.0, 2.0], [0.5, -2.0]] in steps of 0.01 and 0.02.
        let mut model: Vec<u8> = [100_i8, 100, 50, -100].map(i8::cast_unsigned).to_vec();
        model.extend([0.01_f32, 0.02].map(f32::to_le_bytes).concat());
        // Adds 1 × 1.54 + 0 × 9 and 1 × 0 + 0 × 9 to the first row, and nothing to the second.
        let change = LowRankChange::of(vec![1.0, 0.0, 0.0, 0.0], &[1.54, 9.0, 0.0, 9.0], 2);
        patch_matrix(&mut model, &(0..4), &(4..12), &change).expect("it fits");
        let scales = read_floats(&model[4..]);
        assert!((scales[0] - 0.02).abs() < 1e-6 && (scales[1] - 2.0 / 127.0).abs() < 1e-6, "{scales:?}");
        assert_eq!(
            model[..4].iter().map(|value| value.cast_signed()).collect::<Vec<_>>(),
            [127, 127, 25, -127]
        );
        assert!(patch_matrix(&mut model, &(0..3), &(4..12), &change).is_none(), "another shape");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let (matrices, vectors) = (BTreeMap::new(), BTreeMap::new());
        let adapter = Adapter { matrices, vectors, head: Vec::new(), head_bias: 0.0 };
        for mut broken in [Vec::new(), b"not a model".to_vec(), vec![0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]] {
            assert!(patch_model(&mut broken, &adapter).is_err());
        }
    }
}
