//! Bytes as hexadecimal digits: how hashes, marks and keys are written as text.

/// The digits of some bytes, two for each, in small letters.
pub fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// The bytes that the digits of a text stand for, in small or capital letters; `None` if it is anything else.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| u8::try_from((digit(*pair.first()?)? << 4) | digit(*pair.get(1)?)?).ok();
    text.as_bytes().chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_back_and_nothing_else_is_read() {
        let bytes = [0, 1, 15, 16, 0xab, 255];
        assert_eq!(to_hex(&bytes), "00010f10abff");
        for (text, read) in [
            ("00010f10abff", Some(bytes.to_vec())),
            ("00010F10ABFF", Some(bytes.to_vec())),
            ("", Some(Vec::new())),
            ("abc", None),
            ("+f", None),
            ("é", None),
            ("zz", None),
        ] {
            assert_eq!(from_hex(text), read, "{text}");
        }
    }
}
