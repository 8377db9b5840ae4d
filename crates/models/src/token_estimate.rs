//! How many tokens a text has, for servers that alone know their tokenizer.

/// Few texts have shorter tokens on average, so that the estimate is on the safe side.
pub(crate) const BYTES_PER_TOKEN: usize = 3;

/// An upper estimate of the tokens in so many bytes of text.
pub(crate) fn estimated_tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}
