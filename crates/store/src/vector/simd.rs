//! The two loops that everything waits for: in plain code, and with the wide instructions that a processor may have.
//! One of the two places with `unsafe`: see the argument at [`Level::all`].
//!
//! Every version adds the same numbers in the same order, so that no answer depends on the processor.
#![allow(unsafe_code)]

use super::half::widen;

/// Vectors whose codes lie side by side: word 0 of each, then word 1 of each, and so on.
pub(super) const LANES: usize = 8;

/// Bytes of one word of each of them.
const ROW: usize = LANES * size_of::<u64>();
/// Sums that are kept apart until the end of a dot product.
const SUMS: usize = 32;

/// 64 numbers of a question, to be compared with the word of a code that stands for the same numbers: whether each is
/// positive, and what it weighs, 0 to 3, in two bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) positive: u64,
    pub(super) weighs_one: u64,
    pub(super) weighs_two: u64,
}

/// What a processor can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// What every processor can.
    Portable,
    /// 256 bits at once.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits at once, and counting bits in one step.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best that this processor can.
    pub(super) fn best() -> Self {
        Self::all().last().copied().unwrap_or(Self::Portable)
    }

    /// Everything that this processor can, the best last.
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

    /// What the bits weigh in which each code differs from the question: `codes` holds a block for every `LANES`
    /// distances.
    pub(super) fn distances(self, question: &[Word], codes: &[u8], distances: &mut [u16]) {
        let blocks = codes.chunks_exact((question.len() * ROW).max(1)).map(|block| block.as_chunks().0);
        let blocks = blocks.zip(distances.as_chunks_mut().0);
        match self {
            Self::Portable => blocks.for_each(|(block, distances)| *distances = count(question, block)),
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::distances_avx2(question, blocks) },
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::distances_avx512(question, blocks) },
        }
    }

    /// The dot product of a question and a vector of as many halves.
    pub(super) fn dot(self, question: &[f32], halves: &[u8]) -> f32 {
        let (numbers, numbers_left) = question.as_chunks();
        let (halves, _) = halves.as_chunks();
        let (halves, halves_left) = halves.as_chunks();
        let chunks = numbers.iter().zip(halves);
        let mut sums = match self {
            Self::Portable => multiply(chunks),
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::multiply_avx2(chunks) },
            // SAFETY: the processor was asked; see `all`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::multiply_avx512(chunks) },
        };
        for (sum, (number, half)) in sums.iter_mut().zip(numbers_left.iter().zip(halves_left)) {
            *sum += number * widen(u16::from_le_bytes(*half));
        }
        let mut width = SUMS;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                sums[i] += sums[i + width];
            }
        }
        sums[0]
    }
}

/// The distances of the codes of a block.
fn count(question: &[Word], block: &[[u8; ROW]]) -> [u16; LANES] {
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

/// Numbers and as many halves.
type Chunk<'a> = (&'a [f32; SUMS], &'a [[u8; 2]; SUMS]);

fn multiply<'a>(chunks: impl Iterator<Item = Chunk<'a>>) -> [f32; SUMS] {
    let mut sums = [0.0; SUMS];
    for (numbers, halves) in chunks {
        for i in 0..SUMS {
            sums[i] += numbers[i] * widen(u16::from_le_bytes(halves[i]));
        }
    }
    sums
}

/// The same loops in wide instructions.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Chunk, LANES, ROW, SUMS, Word};
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
        question: &[Word],
        blocks: impl Iterator<Item = (&'a [[u8; ROW]], &'a mut [u16; LANES])>,
    ) {
        for (block, distances) in blocks {
            let (mut ones, mut twos) = (_mm512_setzero_si512(), _mm512_setzero_si512());
            for (word, row) in question.iter().zip(block) {
                let Word { positive, weighs_one, weighs_two } = *word;
                // SAFETY: 64 bytes are a vector, whatever they are.
                let row = unsafe { transmute::<[u8; ROW], __m512i>(*row) };
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
        question: &[Word],
        blocks: impl Iterator<Item = (&'a [[u8; ROW]], &'a mut [u16; LANES])>,
    ) {
        for (block, distances) in blocks {
            let mut sums = [_mm256_setzero_si256(); 2];
            for (word, row) in question.iter().zip(block) {
                let positive = _mm256_set1_epi64x(word.positive.cast_signed());
                let weighs_one = _mm256_set1_epi64x(word.weighs_one.cast_signed());
                let weighs_two = _mm256_set1_epi64x(word.weighs_two.cast_signed());
                // SAFETY: 64 bytes are two vectors, whatever they are.
                let row = unsafe { transmute::<[u8; ROW], [__m256i; 2]>(*row) };
                for (sum, half) in sums.iter_mut().zip(row) {
                    let differing = _mm256_xor_si256(half, positive);
                    let one = count_avx2(_mm256_and_si256(differing, weighs_one));
                    let two = count_avx2(_mm256_and_si256(differing, weighs_two));
                    let bytes = _mm256_add_epi8(one, _mm256_add_epi8(two, two));
                    *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
                }
            }
            // SAFETY: eight numbers of 64 bits are two vectors.
            let sums = unsafe { transmute::<[__m256i; 2], [u64; LANES]>(sums) };
            *distances = sums.map(|sum| sum as u16);
        }
    }

    /// How many bits are set in each byte: looked up for every four bits.
    #[target_feature(enable = "avx2")]
    fn count_avx2(bits: __m256i) -> __m256i {
        let counts = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let four = _mm256_set1_epi8(0x0f);
        let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, four));
        let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(bits), four));
        _mm256_add_epi8(low, high)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn multiply_avx512<'a>(chunks: impl Iterator<Item = Chunk<'a>>) -> [f32; SUMS] {
        let mut sums = [_mm512_setzero_ps(); 2];
        for (numbers, halves) in chunks {
            // SAFETY: 32 numbers, and 32 halves, are two vectors each.
            let numbers = unsafe { transmute::<[f32; SUMS], [__m512; 2]>(*numbers) };
            let halves = unsafe { transmute::<[[u8; 2]; SUMS], [__m256i; 2]>(*halves) };
            for i in 0..2 {
                sums[i] = _mm512_add_ps(sums[i], _mm512_mul_ps(numbers[i], _mm512_cvtph_ps(halves[i])));
            }
        }
        // SAFETY: two vectors are 32 numbers.
        unsafe { transmute::<[__m512; 2], [f32; SUMS]>(sums) }
    }

    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn multiply_avx2<'a>(chunks: impl Iterator<Item = Chunk<'a>>) -> [f32; SUMS] {
        let mut sums = [_mm256_setzero_ps(); 4];
        for (numbers, halves) in chunks {
            // SAFETY: 32 numbers, and 32 halves, are four vectors each.
            let numbers = unsafe { transmute::<[f32; SUMS], [__m256; 4]>(*numbers) };
            let halves = unsafe { transmute::<[[u8; 2]; SUMS], [__m128i; 4]>(*halves) };
            for i in 0..4 {
                sums[i] = _mm256_add_ps(sums[i], _mm256_mul_ps(numbers[i], _mm256_cvtph_ps(halves[i])));
            }
        }
        // SAFETY: four vectors are 32 numbers.
        unsafe { transmute::<[__m256; 4], [f32; SUMS]>(sums) }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::half::encode, LANES, Level, Word};

    /// covers: W-16
    #[test]
    fn wide_instructions_find_what_plain_code_finds() {
        let mut random = fastrand::Rng::with_seed(11);
        for dimension in [1, 31, 32, 64, 100, 384, 1_000] {
            let words = usize::div_ceil(dimension, 64);
            let mut word = |_| {
                let (positive, weighs_one, weighs_two) = (random.u64(..), random.u64(..), random.u64(..));
                Word { positive, weighs_one, weighs_two }
            };
            let question: Vec<Word> = (0..words).map(&mut word).collect();
            let codes: Vec<u8> = (0..5 * words * LANES * 8).map(|_| random.u8(..)).collect();
            let numbers: Vec<f32> = (0..dimension).map(|_| random.f32() - 0.5).collect();
            let tiny =
                |random: &mut fastrand::Rng| (random.f32() - 0.5) * if random.bool() { 1.0 } else { 1e-5 };
            let other: Vec<f32> = (0..dimension).map(|_| tiny(&mut random)).collect();
            let halves = encode(&other).expect("finite");
            let found = |level: &Level| {
                let mut distances = vec![0; 5 * LANES];
                level.distances(&question, &codes, &mut distances);
                (distances, level.dot(&numbers, &halves).to_bits())
            };
            let plain = found(&Level::Portable);
            let exact: f32 = numbers.iter().zip(&other).map(|(a, b)| a * b).sum();
            assert!((f32::from_bits(plain.1) - exact).abs() < 1e-2, "{dimension}");
            let differing = |word: usize| {
                let at = word * LANES * 8;
                let code = codes[at..at + 8].try_into().map(u64::from_le_bytes).expect("8 bytes");
                let Word { positive, weighs_one, weighs_two } = question[word];
                let weight = |bit: u32| (weighs_one >> bit & 1) + 2 * (weighs_two >> bit & 1);
                (0..64).map(|bit| ((code ^ positive) >> bit & 1) * weight(bit)).sum::<u64>()
            };
            assert_eq!(u64::from(plain.0[0]), (0..words).map(differing).sum::<u64>(), "{dimension}");
            for level in Level::all() {
                assert_eq!(found(level), plain, "{level:?} at {dimension}");
            }
        }
    }
}
