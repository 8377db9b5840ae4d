//! Cues of remarks: words by which a sentence is worth telling somebody who comes back to a talk, in the languages that people
//! write in. They count only with what a sentence is worth otherwise: in chatter they say nothing.

use regex::Regex;
use std::sync::LazyLock;

/// The kind of sentence that a cue gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkCue {
    /// The speaker will do something.
    Promise,
    /// Something is to be done, or is meant to be.
    Commitment,
    /// Something was decided, changed or set right.
    Decision,
    /// Something that was to be done is done …
    Done,
    /// … or is not, or not yet, or only if something else is.
    Undone,
}

static CUES: LazyLock<Vec<(RemarkCue, Regex)>> = LazyLock::new(|| {
    let text = include_str!("../lexicon/remarks.txt");
    let sections = text.split("\n[").skip(1).filter_map(|section| section.split_once("]\n"));
    sections.map(|(class, entries)| (cue(class), pattern(entries))).collect()
});

fn cue(class: &str) -> RemarkCue {
    match class {
        "promise" => RemarkCue::Promise,
        "commitment" => RemarkCue::Commitment,
        "decision" => RemarkCue::Decision,
        "done" => RemarkCue::Done,
        "undone" => RemarkCue::Undone,
        other => unreachable!("`{other}` is no class of remarks.txt"),
    }
}

fn pattern(entries: &str) -> Regex {
    let whole = |entry: &str| match entry.strip_suffix('*') {
        Some(beginning) => regex::escape(beginning),
        None => format!(r"{}\b", regex::escape(entry)),
    };
    let entries: Vec<String> = entries.lines().map(whole).collect();
    Regex::new(&format!(r"(?i)\b(?:{})", entries.join("|"))).expect("a pattern")
}

/// The cues that stand in a text, each once.
pub fn remark_cues(text: &str) -> Vec<RemarkCue> {
    let text = text.replace('’', "'");
    CUES.iter().filter(|(_, pattern)| pattern.is_match(&text)).map(|(cue, _)| *cue).collect()
}

#[cfg(test)]
mod tests {
    use super::{RemarkCue::*, remark_cues};

    #[test]
    fn cues_are_whole_words_in_four_languages() {
        for (text, cues) in [
            ("I’ll ask her.", &[Promise][..]),
            ("We need to order tubes.", &[Commitment]),
            ("We switched to SQLite.", &[Decision]),
            ("The willow is old.", &[]),
            ("Ich muss zum Zahnarzt.", &[Commitment]),
            ("Se lo recuerdo el miércoles.", &[Promise]),
            ("Vazgeçtim, olmuyor.", &[Decision]),
            ("I sent the invoice.", &[Done]),
            ("Faturayı gönderdim.", &[Done]),
        ] {
            assert_eq!(remark_cues(text), cues, "{text}");
        }
    }
}
