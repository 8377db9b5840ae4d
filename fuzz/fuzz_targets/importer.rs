//! No bytes make a reader of another product's files panic or run for ever, whichever form they are taken for.
#![no_main]

use cairn_importer::{Form, Source, gather, recognize_file};
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use std::fs;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["file.json", "store.pkl", "export.tar.gz"] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        let _ = recognize_file(&path);
        for form in Form::FILES {
            let source = Source { form, path: path.clone() };
            let _ = gather(&source, &[], &TimeZone::UTC, &mut |_| {});
        }
    }
});
