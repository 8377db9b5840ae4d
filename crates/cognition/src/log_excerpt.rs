//! Long outputs of tools: what of a log is searched. Most lines of a log say the same with other numbers; what is asked for later
//! are errors, results, changed values and names. Nothing is lost by this: the output itself is kept as it was.

use crate::{lexicon::RunEventsClass, run::tells_event};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// Outputs up to this many bytes are searched whole.
pub const MAX_WHOLE_OUTPUT_BYTES: usize = 8 << 10;
/// Bytes of a longer one that are searched.
pub const MAX_EXCERPT_BYTES: usize = MAX_WHOLE_OUTPUT_BYTES;
/// Bytes at the beginning and at the end that are always searched.
const END_BYTES: usize = 1 << 10;
/// Bytes of a line that are looked at.
const MAX_LINE_BYTES: usize = 300;
/// Lines of a log that are looked at, from each end.
const MAX_LINES_READ: usize = 20_000;
/// Lines of one shape that are searched: those that differ in their numbers alone.
const MAX_LINES_OF_SHAPE: usize = 2;

/// The worth of a line: an error tells most, then a result or a changed value, then a name, then anything said once.
const ERROR_WORTH: u32 = 8;
const RESULT_WORTH: u32 = 4;
const NAME_WORTH: u32 = 2;

/// The part of an output that is searched: all of it, or the lines of a long one that matter, in their order.
pub fn searched_output(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_WHOLE_OUTPUT_BYTES {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.lines().collect();
    let read = |at: &usize| *at < MAX_LINES_READ || lines.len() - at <= MAX_LINES_READ;
    let mut shapes: HashMap<String, usize> = HashMap::new();
    let mut worth: Vec<(u32, usize)> = Vec::new();
    for at in (0..lines.len()).filter(read) {
        let line = head(lines[at]);
        let times = shapes.entry(shape(line)).or_default();
        *times += 1;
        if !line.trim().is_empty() && *times <= MAX_LINES_OF_SHAPE {
            worth.push((line_worth(line), at));
        }
    }
    let mut chosen = HashSet::new();
    let mut room = MAX_EXCERPT_BYTES;
    let mut choose = |at: usize, room: &mut usize| {
        let bytes = head(lines[at]).len() + 1;
        if bytes <= *room && chosen.insert(at) {
            *room -= bytes;
        }
    };
    for ends in [(0..lines.len()).collect::<Vec<_>>(), (0..lines.len()).rev().collect()] {
        let mut end = END_BYTES;
        for at in ends {
            let bytes = head(lines[at]).len() + 1;
            if bytes > end {
                break;
            }
            end -= bytes;
            choose(at, &mut room);
        }
    }
    worth.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)));
    for (_, at) in worth {
        choose(at, &mut room);
    }
    let mut chosen: Vec<usize> = chosen.into_iter().collect();
    chosen.sort_unstable();
    Cow::Owned(chosen.into_iter().map(|at| head(lines[at])).collect::<Vec<_>>().join("\n"))
}

fn head(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_LINE_BYTES)]
}

/// A line without its numbers.
fn shape(line: &str) -> String {
    let mut shape = String::with_capacity(line.len());
    for c in line.chars() {
        let c = if c.is_ascii_hexdigit() && (c.is_ascii_digit() || shape.ends_with('0')) { '0' } else { c };
        if c != '0' || !shape.ends_with('0') {
            shape.push(c);
        }
    }
    shape
}

fn line_worth(line: &str) -> u32 {
    let lower = line.trim_start();
    let changed =
        lower.starts_with(['+', '-']) || line.contains("->") || line.contains("=>") || line.contains(" = ");
    let named = line.contains('/') || line.contains("::") || line.contains("()") || line.contains('@');
    let result = tells_event(line, RunEventsClass::Result) || changed;
    let worth = |holds: bool, worth: u32| if holds { worth } else { 0 };
    1 + worth(tells_event(line, RunEventsClass::Fail), ERROR_WORTH)
        + worth(result, RESULT_WORTH)
        + worth(named, NAME_WORTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-259
    #[test]
    fn of_a_long_log_errors_results_values_and_names_are_searched_and_the_rest_is_bounded() {
        let mut log: Vec<String> =
            (0..4_000).map(|n| format!("2026-11-18 06:{n:05} worker 7 heartbeat {n}")).collect();
        log[1_234] = "error[E0502]: cannot borrow `steps` as mutable".to_owned();
        log[2_345] = "timeout_ms: 250 -> 900".to_owned();
        log[3_000] = "test result: 16 passed; 1 failed".to_owned();
        log[3_100] = "compiling crates/billing/src/ledger.rs".to_owned();
        let log = log.join("\n");
        assert!(log.len() > 100_000);
        let searched = searched_output(&log);
        assert!(searched.len() <= MAX_EXCERPT_BYTES);
        for kept in ["E0502", "250 -> 900", "16 passed", "ledger.rs", "heartbeat 0", "heartbeat 3999"] {
            assert!(searched.contains(kept), "{kept}");
        }
    }

    #[test]
    fn a_short_output_is_searched_whole_and_anything_can_be_cut() {
        assert_eq!(searched_output("1 failed\n9 passed"), "1 failed\n9 passed");
        for text in ["ş".repeat(20_000), "\n".repeat(20_000), "x\n".repeat(300_000)] {
            assert!(searched_output(&text).len() <= MAX_EXCERPT_BYTES);
        }
    }
}
