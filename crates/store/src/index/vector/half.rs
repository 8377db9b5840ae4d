//! Half-precision numbers (IEEE 754 binary16): as precise as embedding models are, in two bytes.

/// Bytes per number.
pub(crate) const BYTES_PER_HALF: usize = 2;

/// `numbers` as little-endian halves; `None` if one is not finite or too large.
pub(crate) fn encode_halves(numbers: &[f32]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(numbers.len() * BYTES_PER_HALF);
    for number in numbers {
        bytes.extend_from_slice(&half_from_f32(*number)?.to_le_bytes());
    }
    Some(bytes)
}

/// The nearest half, ties to even.
fn half_from_f32(number: f32) -> Option<u16> {
    /// 2^-14, the smallest number with all its digits.
    const SMALLEST: u32 = 0x3880_0000;
    /// 65520, from which on the nearest half would be infinite.
    const TOO_LARGE: u32 = 0x477f_f000;
    let bits = number.to_bits();
    let (sign, size) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
    let half = match size {
        TOO_LARGE.. => return None,
        SMALLEST.. => ((size + 0x0fff + (size >> 13 & 1) - (112 << 23)) >> 13) as u16,
        _ => (f32::from_bits(size) * 16_777_216.0).round_ties_even() as u16,
    };
    Some(sign | half)
}

/// The numbers behind halves, two bytes each, the lower one first.
pub(crate) fn decode_halves(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<2>().0.iter().map(|pair| f32_from_half(u16::from_le_bytes(*pair))).collect()
}

/// The value of a finite half. Branchless, so that loops over it vectorize.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew inside every version of a loop")]
pub(crate) fn f32_from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let digits = u32::from(half & 0x7fff) << 13;
    let normal = digits + (112 << 23);
    let small = f32::from_bits(normal + (1 << 23)) - f32::from_bits(113 << 23);
    let size = if digits < 1 << 23 { small.to_bits() } else { normal };
    f32::from_bits(size | sign)
}

#[cfg(test)]
mod tests {
    use super::{encode_halves, f32_from_half, half_from_f32};

    /// covers: W-03
    #[test]
    fn every_finite_half_survives_the_way_there_and_back() {
        for half in (0..=u16::MAX).filter(|half| half & 0x7c00 != 0x7c00) {
            assert_eq!(half_from_f32(f32_from_half(half)), Some(half), "{half:#06x}");
        }
    }

    /// covers: W-03
    #[test]
    fn numbers_become_the_nearest_half() {
        for (number, half) in [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (0.1, 0x2e66),
            (65_504.0, 0x7bff),
            (65_519.0, 0x7bff),
            (5.960_464_5e-8, 0x0001),
            (2.980_232_2e-8, 0x0000),
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
        ] {
            assert_eq!(half_from_f32(number), Some(half), "{number}");
        }
        for number in [65_520.0, 1e9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(encode_halves(&[0.5, number]), None, "{number}");
        }
    }
}
