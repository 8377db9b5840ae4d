//! No bytes make a transcript reader panic or run for ever.
#![no_main]

use cairn_engine::transcript::{Format, Reader, detect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = detect(bytes);
    for format in Format::ALL {
        let _ = Reader::new(bytes, format, "fuzz").count();
    }
});
