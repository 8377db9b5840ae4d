//! The two hot loops of the vector search: in portable code, and in the SIMD instructions of the processor.
//! One of the two places with `unsafe`: see the argument at [`SimdLevel::all`].
//!
//! Every version adds the same numbers in the same order, so that no answer depends on the processor.
#![allow(unsafe_code)]

use super::half::f32_from_half;

/// Vectors per block, whose codes are interleaved: word 0 of each, then word 1 of each, and so on.
pub(super) const LANES: usize = 8;

/// Bytes of one code word of every vector in a block.
const ROW_BYTES: usize = LANES * size_of::<u64>();
/// Partial sums of a dot product, added up at the end.
const PARTIAL_SUMS: usize = 32;

/// 64 numbers of a query, to be compared with the code word of the same numbers: the sign of each, and its weight from 0 to
/// 3 in two bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueryBits {
    pub(super) positive: u64,
    pub(super) weighs_one: u64,
    pub(super) weighs_two: u64,
}

/// Instruction sets, from the least to the most capable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimdLevel {
    /// No special instructions.
    Portable,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors with a population count.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl SimdLevel {
    /// The most capable level of this processor.
    pub(super) fn best() -> Self {
        Self::all().last().copied().unwrap_or(Self::Portable)
    }

    /// Every level of this processor, the most capable last.
    ///
    /// Why the unsafe calls are sound: a function that uses wide instructions must not run on a processor that lacks
    /// them. `Avx2` and `Avx512` are made nowhere but here, after asking the processor. Inside those functions memory
    /// is only read and written through references to arrays of exactly the length of the instruction.
    pub(super) fn all() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c");
            let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq");
            match (avx2, avx512) {
                (true, true) => &[Self::Portable, Self::Avx2, Self::Avx512],
                (true, false) => &[Self::Portable, Self::Avx2],
                (false, _) => &[Self::Portable],
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        &[Self::Portable]
    }

    /// The weighted Hamming distance of every code from the query. `codes` holds a block for every `LANES` distances.
    pub(super) fn distances(self, question: &[QueryBits], codes: &[u8], distances: &mut [u16]) {
        let blocks = codes.chunks_exact((question.len() * ROW_BYTES).max(1)).map(|block| block.as_chunks().0);
        let blocks = blocks.zip(distances.as_chunks_mut().0);
        match self {
            Self::Portable => {
                blocks.for_each(|(block, distances)| *distances = block_distances(question, block));
            }
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::distances_avx2(question, blocks) },
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::distances_avx512(question, blocks) },
        }
    }

    /// The dot product of a query and a vector of as many halves.
    pub(super) fn dot_product(self, question: &[f32], halves: &[u8]) -> f32 {
        let (numbers, numbers_left) = question.as_chunks();
        let (halves, _) = halves.as_chunks();
        let (halves, halves_left) = halves.as_chunks();
        let chunks = numbers.iter().zip(halves);
        let mut sums = match self {
            Self::Portable => dot_partial_sums(chunks),
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::dot_partial_sums_avx2(chunks) },
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::dot_partial_sums_avx512(chunks) },
        };
        for (sum, (number, half)) in sums.iter_mut().zip(numbers_left.iter().zip(halves_left)) {
            *sum += number * f32_from_half(u16::from_le_bytes(*half));
        }
        let mut width = PARTIAL_SUMS;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                sums[i] += sums[i + width];
            }
        }
        sums[0]
    }
}

/// The distances of the codes of one block.
fn block_distances(question: &[QueryBits], block: &[[u8; ROW_BYTES]]) -> [u16; LANES] {
    let mut sums = [0; LANES];
    for (word, row) in question.iter().zip(block) {
        for (sum, code) in sums.iter_mut().zip(row.as_chunks().0) {
            let differing = u64::from_le_bytes(*code) ^ word.positive;
            let (one, two) = (differing & word.weighs_one, differing & word.weighs_two);
            *sum += (one.count_ones() + 2 * two.count_ones()) as u16;
        }
    }
    sums
}

/// Numbers of the query and as many halves.
type DotChunk<'a> = (&'a [f32; PARTIAL_SUMS], &'a [[u8; 2]; PARTIAL_SUMS]);

fn dot_partial_sums<'a>(chunks: impl Iterator<Item = DotChunk<'a>>) -> [f32; PARTIAL_SUMS] {
    let mut sums = [0.0; PARTIAL_SUMS];
    for (numbers, halves) in chunks {
        for i in 0..PARTIAL_SUMS {
            sums[i] += numbers[i] * f32_from_half(u16::from_le_bytes(halves[i]));
        }
    }
    sums
}

/// The same loops in SIMD instructions.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{DotChunk, LANES, PARTIAL_SUMS, QueryBits, ROW_BYTES};
    use std::{
        arch::x86_64::{
            __m128i, __m256, __m256i, __m512, __m512i, _mm256_add_epi8, _mm256_add_epi64, _mm256_add_ps,
            _mm256_and_si256, _mm256_cvtph_ps, _mm256_mul_ps, _mm256_sad_epu8, _mm256_set1_epi8,
            _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setzero_ps, _mm256_setzero_si256,
            _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_xor_si256, _mm512_add_epi64, _mm512_add_ps,
            _mm512_and_si512, _mm512_cvtepi64_epi16, _mm512_cvtph_ps, _mm512_mul_ps, _mm512_popcnt_epi64,
            _mm512_set1_epi64, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_xor_si512,
        },
        mem::transmute,
    };

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn distances_avx512<'a>(
        question: &[QueryBits],
        blocks: impl Iterator<Item = (&'a [[u8; ROW_BYTES]], &'a mut [u16; LANES])>,
    ) {
        for (block, distances) in blocks {
            let (mut ones, mut twos) = (_mm512_setzero_si512(), _mm512_setzero_si512());
            for (word, row) in question.iter().zip(block) {
                let QueryBits { positive, weighs_one, weighs_two } = *word;
                // SAFETY: 64 bytes are a vector, whatever they are.
                let row = unsafe { transmute::<[u8; ROW_BYTES], __m512i>(*row) };
                let differing = _mm512_xor_si512(row, _mm512_set1_epi64(positive.cast_signed()));
                let one = _mm512_and_si512(differing, _mm512_set1_epi64(weighs_one.cast_signed()));
                let two = _mm512_and_si512(differing, _mm512_set1_epi64(weighs_two.cast_signed()));
                ones = _mm512_add_epi64(ones, _mm512_popcnt_epi64(one));
                twos = _mm512_add_epi64(twos, _mm512_popcnt_epi64(two));
            }
            let sums = _mm512_cvtepi64_epi16(_mm512_add_epi64(ones, _mm512_add_epi64(twos, twos)));
            // SAFETY: eight numbers of 16 bits are a vector.
            *distances = unsafe { transmute::<__m128i, [u16; LANES]>(sums) };
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn distances_avx2<'a>(
        question: &[QueryBits],
        blocks: impl Iterator<Item = (&'a [[u8; ROW_BYTES]], &'a mut [u16; LANES])>,
    ) {
        for (block, distances) in blocks {
            let mut sums = [_mm256_setzero_si256(); 2];
            for (word, row) in question.iter().zip(block) {
                let positive = _mm256_set1_epi64x(word.positive.cast_signed());
                let weighs_one = _mm256_set1_epi64x(word.weighs_one.cast_signed());
                let weighs_two = _mm256_set1_epi64x(word.weighs_two.cast_signed());
                // SAFETY: 64 bytes are two vectors, whatever they are.
                let row = unsafe { transmute::<[u8; ROW_BYTES], [__m256i; 2]>(*row) };
                for (sum, half) in sums.iter_mut().zip(row) {
                    let differing = _mm256_xor_si256(half, positive);
                    let one = bits_per_byte_avx2(_mm256_and_si256(differing, weighs_one));
                    let two = bits_per_byte_avx2(_mm256_and_si256(differing, weighs_two));
                    let bytes = _mm256_add_epi8(one, _mm256_add_epi8(two, two));
                    *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
                }
            }
            // SAFETY: eight numbers of 64 bits are two vectors.
            let sums = unsafe { transmute::<[__m256i; 2], [u64; LANES]>(sums) };
            *distances = sums.map(|sum| sum as u16);
        }
    }

    /// The number of bits set in each byte, by table lookup for every four bits.
    #[target_feature(enable = "avx2")]
    fn bits_per_byte_avx2(bits: __m256i) -> __m256i {
        let counts = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let four = _mm256_set1_epi8(0x0f);
        let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, four));
        let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(bits), four));
        _mm256_add_epi8(low, high)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn dot_partial_sums_avx512<'a>(
        chunks: impl Iterator<Item = DotChunk<'a>>,
    ) -> [f32; PARTIAL_SUMS] {
        let mut sums = [_mm512_setzero_ps(); 2];
        for (numbers, halves) in chunks {
            // SAFETY: 32 numbers, and 32 halves, are two vectors each.
            let numbers = unsafe { transmute::<[f32; PARTIAL_SUMS], [__m512; 2]>(*numbers) };
            let halves = unsafe { transmute::<[[u8; 2]; PARTIAL_SUMS], [__m256i; 2]>(*halves) };
            for i in 0..2 {
                sums[i] = _mm512_add_ps(sums[i], _mm512_mul_ps(numbers[i], _mm512_cvtph_ps(halves[i])));
            }
        }
        // SAFETY: two vectors are 32 numbers.
        unsafe { transmute::<[__m512; 2], [f32; PARTIAL_SUMS]>(sums) }
    }

    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn dot_partial_sums_avx2<'a>(
        chunks: impl Iterator<Item = DotChunk<'a>>,
    ) -> [f32; PARTIAL_SUMS] {
        let mut sums = [_mm256_setzero_ps(); 4];
        for (numbers, halves) in chunks {
            // SAFETY: 32 numbers, and 32 halves, are four vectors each.
            let numbers = unsafe { transmute::<[f32; PARTIAL_SUMS], [__m256; 4]>(*numbers) };
            let halves = unsafe { transmute::<[[u8; 2]; PARTIAL_SUMS], [__m128i; 4]>(*halves) };
            for i in 0..4 {
                sums[i] = _mm256_add_ps(sums[i], _mm256_mul_ps(numbers[i], _mm256_cvtph_ps(halves[i])));
            }
        }
        // SAFETY: four vectors are 32 numbers.
        unsafe { transmute::<[__m256; 4], [f32; PARTIAL_SUMS]>(sums) }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::half::encode_halves, LANES, QueryBits, SimdLevel};

    /// covers: W-16
    #[test]
    fn wide_instructions_find_what_plain_code_finds() {
        let mut random = fastrand::Rng::with_seed(11);
        for dimension in [1, 31, 32, 64, 100, 384, 1_000] {
            let code_words = usize::div_ceil(dimension, 64);
            let mut word = |_| {
                let (positive, weighs_one, weighs_two) = (random.u64(..), random.u64(..), random.u64(..));
                QueryBits { positive, weighs_one, weighs_two }
            };
            let question: Vec<QueryBits> = (0..code_words).map(&mut word).collect();
            let codes: Vec<u8> = (0..5 * code_words * LANES * 8).map(|_| random.u8(..)).collect();
            let numbers: Vec<f32> = (0..dimension).map(|_| random.f32() - 0.5).collect();
            let tiny =
                |random: &mut fastrand::Rng| (random.f32() - 0.5) * if random.bool() { 1.0 } else { 1e-5 };
            let other: Vec<f32> = (0..dimension).map(|_| tiny(&mut random)).collect();
            let halves = encode_halves(&other).expect("finite");
            let found = |level: &SimdLevel| {
                let mut distances = vec![0; 5 * LANES];
                level.distances(&question, &codes, &mut distances);
                (distances, level.dot_product(&numbers, &halves).to_bits())
            };
            let plain = found(&SimdLevel::Portable);
            let exact: f32 = numbers.iter().zip(&other).map(|(a, b)| a * b).sum();
            assert!((f32::from_bits(plain.1) - exact).abs() < 1e-2, "{dimension}");
            let differing = |word: usize| {
                let at = word * LANES * 8;
                let code = codes[at..at + 8].try_into().map(u64::from_le_bytes).expect("8 bytes");
                let QueryBits { positive, weighs_one, weighs_two } = question[word];
                let weight = |bit: u32| (weighs_one >> bit & 1) + 2 * (weighs_two >> bit & 1);
                (0..64).map(|bit| ((code ^ positive) >> bit & 1) * weight(bit)).sum::<u64>()
            };
            assert_eq!(u64::from(plain.0[0]), (0..code_words).map(differing).sum::<u64>(), "{dimension}");
            for level in SimdLevel::all() {
                assert_eq!(found(level), plain, "{level:?} at {dimension}");
            }
        }
    }
}
