//! Bodies that were compressed on the way: unpacked to be read, up to a limit, while the bytes themselves pass as they are.

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::{
    borrow::Cow,
    io::{self, Read},
};

/// Buffer of a Brotli stream.
const BROTLI_BUFFER_BYTES: usize = 4 << 10;

/// The bytes behind an encoding, up to `limit`; `None` if the encoding is not known or the bytes are broken from the start.
/// Of a stream that broke off, everything up to there.
pub(crate) fn decoded<'a>(bytes: &'a [u8], encoding: Option<&str>, limit: usize) -> Option<Cow<'a, [u8]>> {
    let encoding = encoding.map(|name| name.trim().to_ascii_lowercase()).unwrap_or_default();
    match encoding.as_str() {
        "" | "identity" => Some(Cow::Borrowed(bytes)),
        "gzip" | "x-gzip" => unpacked(MultiGzDecoder::new(bytes), limit),
        "deflate" => unpacked(ZlibDecoder::new(bytes), limit),
        "br" => unpacked(brotli_decompressor::Decompressor::new(bytes, BROTLI_BUFFER_BYTES), limit),
        "zstd" => unpacked(ruzstd::decoding::StreamingDecoder::new(bytes).ok()?, limit),
        _ => None,
    }
    .filter(|unpacked| bytes.is_empty() || !unpacked.is_empty())
}

fn unpacked(mut packed: impl Read, limit: usize) -> Option<Cow<'static, [u8]>> {
    let (mut all, mut buffer) = (Vec::new(), [0; 16 << 10]);
    loop {
        match packed.read(&mut buffer) {
            Ok(0) => return Some(Cow::Owned(all)),
            Ok(_) if all.len() >= limit => return None,
            Ok(read) => all.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Some(Cow::Owned(all)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzipped(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("written");
        encoder.finish().expect("finished")
    }

    #[test]
    fn packed_bytes_are_read_up_to_a_limit_and_unknown_ones_are_told_apart() {
        let packed = gzipped(&b"x".repeat(200_000));
        assert_eq!(decoded(&packed, Some("GZIP"), 1 << 20).map(|it| it.len()), Some(200_000));
        assert_eq!(decoded(&packed, Some("gzip"), 100_000), None, "too much comes out of it");
        assert_eq!(decoded(b"{}", None, 10).as_deref(), Some(b"{}".as_slice()));
        assert_eq!(decoded(b"{}", Some("compress"), 10), None);
        assert_eq!(decoded(b"not gzip", Some("gzip"), 10), None);
        // "hello" as Brotli writes it.
        let brotli = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];
        assert_eq!(decoded(&brotli, Some("br"), 100).as_deref(), Some(b"hello".as_slice()));
    }
}
