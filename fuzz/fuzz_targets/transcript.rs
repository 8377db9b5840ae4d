//! No bytes make a transcript reader panic or run for ever.
#![no_main]

use cairn_engine::transcript::{Format, TranscriptReader, detect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = detect(bytes);
    for format in Format::ALL {
        let _ = TranscriptReader::new(bytes, format, "fuzz").count();
    }
});
