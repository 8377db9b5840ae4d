//! Damaged files: whatever is broken in them, every reader comes to an end and none panics.

use crate::support::Fixture;
use cairn_importer::{Form, Source, gather, recognize_file};
use jiff::tz::TimeZone;
use serde_json::json;
use std::fs;

/// A small generator of numbers, always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// covers: C-158
#[test]
fn damaged_files_are_read_to_their_end_by_every_reader() {
    let fixture = Fixture::new();
    let sample = json!({"agents": [{"name": "a", "messages": [{"role": "user", "content": "x", "created_at": "2026-01-01T00:00:00Z"}]}],
        "blocks": [{"label": "human", "value": "x"}], "mapping": {"a": {"message": {"content": {"parts": ["x"]}}}},
        "chat_messages": [{"uuid": "u", "content": [{"type": "text", "text": "x"}]}], "type": "entity", "observations": ["x"]});
    let database = fixture.database(
        "store.db",
        "CREATE TABLE points(id, point); INSERT INTO points VALUES('1', x'80042e');
        CREATE TABLE vectors(id, payload); INSERT INTO vectors VALUES('1', '{\"data\":\"x\"}');",
    );
    let archive =
        fixture.zip("export.zip", &[("conversations.json", json!([sample])), ("manifest.json", json!({}))]);
    let whole = [
        sample.to_string().into_bytes(),
        fs::read(database).expect("a file"),
        fs::read(archive).expect("a file"),
    ];
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for round in 0..60 {
        let mut bytes = whole[round % whole.len()].clone();
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(bytes.len());
            match numbers.below(3) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = b"{}[]\",:0\\"[numbers.below(9)],
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (round % 8)),
            }
        }
        let path = fixture.write("damaged.json", &bytes);
        let _ = recognize_file(&path);
        for form in Form::FILES {
            let _ = gather(&Source { form, path: path.clone() }, &[], &TimeZone::UTC, &mut |_| {});
        }
    }
}
