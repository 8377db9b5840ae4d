//! The observer: what of a message is worth looking at, and what kind of thing it says.
//!
//! Its filters look at segments, not at messages, so that a sentence beside a code block or a stack trace is kept. A
//! segment is a fenced block, a block of tags, a run of lines of one kind, or a paragraph of somebody's words.

mod class;
mod line;

pub use class::{CategoryMatch, matched_categories};

use crate::{
    density::{self, density},
    injection::injected_user_order,
    lexicon::SystemClass,
    pattern::{PatternMatch, Patterns},
    sentence::is_picture,
};
use line::LineKind;
use regex::Regex;
use std::{collections::HashMap, fmt, ops::Range, sync::LazyLock};

/// Parts this short pass only if they say something.
const MAX_SHORT_CHARS: usize = 10;
/// Parts this long are documents.
const DOCUMENT_CHARS: usize = 5_000;
/// Lists this long are documents too.
const DOCUMENT_LIST_LINES: usize = 5;
/// More emoji are decoration, unless a sentence stands around them.
const MAX_EMOJI: usize = 3;
/// Words that excuse each emoji beyond [`MAX_EMOJI`].
const WORDS_PER_EMOJI: usize = 4;

/// The filter that stopped a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentFilter {
    /// Too short to say anything, or as long as a document.
    Length,
    /// Words of a host: reminders, heartbeats, notices.
    System,
    /// Orders to whoever reads it.
    Injection,
    /// A block of tags.
    Xml,
    /// Lists and headings.
    Markdown,
    /// Code and formulas.
    Code,
    /// Emoji.
    Emoji,
    /// Stack traces, logs, output of commands, progress bars.
    Log,
}

impl fmt::Display for SegmentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Length => "length",
            Self::System => "system",
            Self::Injection => "injection",
            Self::Xml => "xml",
            Self::Markdown => "markdown",
            Self::Code => "code",
            Self::Emoji => "emoji",
            Self::Log => "log",
        })
    }
}

/// A fenced block, a block of tags, a run of lines of one kind, or a paragraph of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Its words.
    pub text: &'a str,
    /// Why it was stopped; `None` if it passed.
    pub stopped: Option<StopReason>,
}

/// Why a part is not read any further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopReason {
    /// The filter that stopped it.
    pub filter: SegmentFilter,
    /// Why.
    pub why: String,
}

#[allow(clippy::unnecessary_wraps, reason = "it is what `judge` returns")]
fn stopped_by(filter: SegmentFilter, why: impl Into<String>) -> Option<StopReason> {
    Some(StopReason { filter, why: why.into() })
}

/// The words of a host, in every language.
static SYSTEM: LazyLock<Patterns<SystemClass>> = LazyLock::new(Patterns::read);

static OPENING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*<([A-Za-z][\w:.-]*)[^<>]*>").expect("a pattern"));
static CLOSING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"</([A-Za-z][\w:.-]*)\s*>").expect("a pattern"));
static SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`[^`\n]+`").expect("a pattern"));

/// The kind of a run of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Prose,
    List,
    Log,
    Code,
    Tags,
}

/// The parts of a message in order, each with the reason if it was stopped.
pub fn message_segments(text: &str) -> Vec<Segment<'_>> {
    let blocks = with_short_blocks_joined(text, message_blocks(text));
    let is_document = blocks.iter().any(|(block, _)| *block == BlockKind::List);
    let pieces = blocks.into_iter().flat_map(|(block, range)| block_segments(block, &text[range]));
    let judged = pieces.map(|(block, piece)| {
        let between = is_document && block == BlockKind::Prose && is_explanation(piece);
        let stopped = stop_reason(block, piece);
        let explains = || {
            stopped_by(SegmentFilter::Markdown, "words between lists that speak of nobody")
                .filter(|_| between)
        };
        Segment { text: piece, stopped: stopped.or_else(explains) }
    });
    judged.collect()
}

/// A message as runs of lines.
fn message_blocks(text: &str) -> Vec<(BlockKind, Range<usize>)> {
    let closings = closing_tags(text);
    let lists = text.lines().filter(|line| line::line_kind(line) == LineKind::List).count();
    let mut blocks = BlockBuilder { done: Vec::new(), gap: true, lists: lists >= DOCUMENT_LIST_LINES };
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let line = &text[at..end];
        let opened = OPENING.captures(line).and_then(|found| found.get(1));
        let closed = opened.and_then(|name| {
            let ends = closings.get(name.as_str())?;
            ends.get(ends.partition_point(|end| *end <= at)).copied()
        });
        at = match (fence_mark(line), closed) {
            (Some(mark), _) => blocks.put(BlockKind::Code, at..fence_end(text, end, mark)),
            (None, Some(close)) => {
                let rest = line_end(text, close);
                let close = if text[close..rest].trim().is_empty() { rest } else { close };
                blocks.put(BlockKind::Tags, at..close)
            }
            (None, None) => {
                blocks.line(line, at..end);
                end
            }
        };
    }
    blocks.done
}

/// Where each tag is closed.
fn closing_tags(text: &str) -> HashMap<&str, Vec<usize>> {
    let mut closings: HashMap<&str, Vec<usize>> = HashMap::new();
    for found in CLOSING.captures_iter(text) {
        if let (Some(whole), Some(name)) = (found.get(0), found.get(1)) {
            closings.entry(name.as_str()).or_default().push(whole.end());
        }
    }
    closings
}

/// Where the line at `at` ends, its break included.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// The mark of a line that opens or closes a fenced block.
fn fence_mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark) && !line[3..].contains(mark))
}

/// Where the fenced block ends whose first line ends at `at`: at its mark, or at the end of the text.
fn fence_end(text: &str, mut at: usize, mark: &str) -> usize {
    while at < text.len() {
        let end = line_end(text, at);
        if text[at..end].trim_start().starts_with(mark) {
            return end;
        }
        at = end;
    }
    at
}

/// Runs of lines while they are found.
struct BlockBuilder {
    done: Vec<(BlockKind, Range<usize>)>,
    /// A blank line was the last.
    gap: bool,
    /// The message holds enough lines of lists for them to be blocks of their own.
    lists: bool,
}

impl BlockBuilder {
    /// Adds a block that nothing continues, and says where it ends.
    fn put(&mut self, block: BlockKind, range: Range<usize>) -> usize {
        let end = range.end;
        self.done.push((block, range));
        self.gap = true;
        end
    }

    /// Adds a line to the last block if it continues it, else begins one.
    fn line(&mut self, line: &str, range: Range<usize>) {
        let kind = line::line_kind(line);
        let last = self.done.last().map(|(block, _)| *block);
        let near = last.filter(|_| !self.gap);
        let indented = line.starts_with("  ") || line.starts_with('\t');
        let block = match kind {
            LineKind::Blank => {
                self.gap = true;
                return;
            }
            LineKind::Log | LineKind::Prompt => BlockKind::Log,
            LineKind::Xml => BlockKind::Tags,
            LineKind::Code if density::is_of_speaker(line) => BlockKind::Prose,
            LineKind::Code => BlockKind::Code,
            LineKind::List if self.lists => BlockKind::List,
            LineKind::List | LineKind::Prose => match near {
                Some(BlockKind::Log) if !line::is_sentence(line) && !density::is_of_speaker(line) => {
                    BlockKind::Log
                }
                Some(block @ (BlockKind::Code | BlockKind::List)) if indented => block,
                _ => BlockKind::Prose,
            },
        };
        // Lists, code and tags go on over a blank line; a paragraph and a log end there.
        let over_gap = matches!(block, BlockKind::List | BlockKind::Code | BlockKind::Tags);
        let continued = if over_gap { last } else { near };
        match self.done.last_mut() {
            Some((_, whole)) if continued == Some(block) => whole.end = range.end,
            _ => self.done.push((block, range)),
        }
        self.gap = false;
    }
}

/// Joins a paragraph of a few characters with the paragraph beside it, so that it is understood with it.
fn with_short_blocks_joined(
    text: &str,
    blocks: Vec<(BlockKind, Range<usize>)>,
) -> Vec<(BlockKind, Range<usize>)> {
    let is_short = |range: &Range<usize>| text[range.clone()].trim().chars().nth(MAX_SHORT_CHARS).is_none();
    let mut joined: Vec<(BlockKind, Range<usize>)> = Vec::with_capacity(blocks.len());
    for (block, range) in blocks {
        match joined.last_mut() {
            Some((BlockKind::Prose, before))
                if block == BlockKind::Prose && (is_short(&range) || is_short(before)) =>
            {
                before.end = range.end;
            }
            _ => joined.push((block, range)),
        }
    }
    joined
}

/// A block as parts: a long one of several lines is cut between lines.
fn block_segments(block: BlockKind, text: &str) -> Vec<(BlockKind, &str)> {
    let text = text.trim();
    if block != BlockKind::Prose || text.len() < DOCUMENT_CHARS || !text.contains('\n') {
        return vec![(block, text)];
    }
    let (mut pieces, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let end = line_end(text, at);
        if end - begin >= DOCUMENT_CHARS && at > begin {
            pieces.push((block, text[begin..at].trim()));
            begin = at;
        }
        at = end;
    }
    pieces.push((block, text[begin..].trim()));
    pieces.retain(|(_, piece)| !piece.is_empty());
    pieces
}

/// Whether words in a document explain it: they speak of nobody, or are quoted as an example.
fn is_explanation(text: &str) -> bool {
    text.starts_with(['"', '“', '>', '*']) || !density::tells_of_a_person(text)
}

/// Why a part is stopped, if it is.
fn stop_reason(block: BlockKind, text: &str) -> Option<StopReason> {
    if let Some(words) = host_notice(block, text) {
        return stopped_by(SegmentFilter::System, format!("a host says it: {words}"));
    }
    match block {
        BlockKind::Tags => return stopped_by(SegmentFilter::Xml, "a block of tags"),
        BlockKind::Log => return stopped_by(SegmentFilter::Log, "output of a program"),
        BlockKind::Code => return stopped_by(SegmentFilter::Code, "code or formulas"),
        BlockKind::List => {
            return stopped_by(
                SegmentFilter::Markdown,
                format!("a list or headings, {DOCUMENT_LIST_LINES} lines or more"),
            );
        }
        BlockKind::Prose => {}
    }
    let chars = text.chars().count();
    if chars >= DOCUMENT_CHARS {
        return stopped_by(
            SegmentFilter::Length,
            format!("{chars} characters without a break: a document, not a statement"),
        );
    }
    if let Some(found) = injected_user_order(text) {
        return stopped_by(SegmentFilter::Injection, format!("{}: {}", found.kind, found.words));
    }
    let code: usize = SPAN.find_iter(text).map(|span| span.len()).sum();
    if code * 2 > text.len() {
        return stopped_by(SegmentFilter::Code, "more code than words");
    }
    let emoji = text.chars().filter(|c| is_picture(*c) && !matches!(*c as u32, 0xFE0F | 0x200D)).count();
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    if emoji > MAX_EMOJI && words < emoji * WORDS_PER_EMOJI {
        return stopped_by(SegmentFilter::Emoji, format!("{emoji} emoji for {words} words"));
    }
    if chars <= MAX_SHORT_CHARS && density(text, 0).total() < density::MIN_DENSITY {
        return stopped_by(
            SegmentFilter::Length,
            format!("{chars} characters that say nothing by themselves"),
        );
    }
    None
}

/// The words by which a host gives itself away at the beginning of a segment.
fn host_notice(block: BlockKind, text: &str) -> Option<&str> {
    let head = &text[..text.floor_char_boundary(200)];
    let tag = OPENING.captures(head).and_then(|found| found.get(1)).filter(|_| block == BlockKind::Tags);
    let is_notice = |found: &PatternMatch<_>| found.class == SystemClass::Notice && found.range.start == 0;
    let is_tag = |name: &str| {
        SYSTEM.find(name).any(|found| found.class == SystemClass::Tag && found.range == (0..name.len()))
    };
    match tag {
        Some(name) if is_tag(name.as_str()) => Some(name.as_str()),
        _ => SYSTEM.find(head).find(is_notice).map(|found| &head[found.range]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments that passed, and the filters that stopped the others.
    fn judged(text: &str) -> (Vec<&str>, Vec<SegmentFilter>) {
        let segments = message_segments(text);
        let passed = segments.iter().filter(|s| s.stopped.is_none()).map(|s| s.text).collect();
        (passed, segments.iter().filter_map(|s| Some(s.stopped.as_ref()?.filter)).collect())
    }

    /// covers: C-60, C-61, C-63, C-64, C-65, C-66
    #[test]
    fn each_filter_stops_what_it_is_for_and_says_why() {
        let long = "word ".repeat(1_200);
        for (text, filter) in [
            ("Fine so", "length"),
            (long.as_str(), "length"),
            ("<system-reminder>\nPlan mode.\n\nStill on.\n</system-reminder>", "system"),
            ("[system] Session resumed after a pause.", "system"),
            ("HEARTBEAT_OK", "system"),
            ("[Sistem bildirimi] Oturum yeniden açıldı.", "system"),
            ("<note>\n<to>Ana</to>\n</note>", "xml"),
            ("<div class=\"a\"><p>hi</p></div>", "xml"),
            ("# Plan\n- one\n- two\n\n- three\n- **four**", "markdown"),
            ("```\nlet x = 1;\n```", "code"),
            ("~~~\nnever closed", "code"),
            ("`cargo build --workspace --locked` ok", "code"),
            ("Party 🎉🎉🎉🎉 tonight", "emoji"),
            ("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: x", "log"),
            ("    at go (app.js:1:2)\n    at main (app.js:9:1)", "log"),
            ("2024-05-11 08:12:44 ERROR db gone\n2024-05-11 08:12:45 INFO retry", "log"),
            ("$ git status\nOn branch main\nnothing to commit", "log"),
            ("Downloading: 45%|████▌     | 450/1000", "log"),
            ("iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4", "log"),
        ] {
            let segments = message_segments(text);
            assert_eq!(segments.len(), 1, "{text}: {segments:?}");
            let stop = segments[0].stopped.as_ref().unwrap_or_else(|| panic!("{text} passed"));
            assert_eq!(stop.filter.to_string(), filter, "{text}: {stop:?}");
            assert!(!stop.why.is_empty());
        }
    }

    /// covers: C-59, X-C22
    #[test]
    fn somebodys_words_pass_beside_what_is_stopped() {
        for (text, passed, stopped) in [
            ("My cat is Max.", vec!["My cat is Max."], vec![]),
            ("I'm Ana, 31", vec!["I'm Ana, 31"], vec![]),
            (
                "This only happens on version 2.3\n\nError: boom\n    at go (app.js:1:2)\n\nIt began on Monday.",
                vec!["This only happens on version 2.3", "It began on Monday."],
                vec![SegmentFilter::Log],
            ),
            (
                "My build breaks on the M3 laptop:\n```\nld: symbol not found\n```\nIt works on Intel.",
                vec!["My build breaks on the M3 laptop:", "It works on Intel."],
                vec![SegmentFilter::Code],
            ),
            (
                "My packing list for Oslo:\n- a\n- b\n- c\n- d\n- e",
                vec!["My packing list for Oslo:"],
                vec![SegmentFilter::Markdown],
            ),
            ("We need:\n- two eggs\n- flour", vec!["We need:\n- two eggs\n- flour"], vec![]),
            ("<p>x</p>\n\nMy site runs on Hugo.", vec!["My site runs on Hugo."], vec![SegmentFilter::Xml]),
            (
                "We finally got married in Rome in the rain, with all of our friends and both dogs 🎉🎉 🎉🎉",
                vec![
                    "We finally got married in Rome in the rain, with all of our friends and both dogs 🎉🎉 🎉🎉",
                ],
                vec![],
            ),
            ("Hi Bo!\n\nI moved to Graz.", vec!["Hi Bo!\n\nI moved to Graz."], vec![]),
        ] {
            assert_eq!(judged(text), (passed, stopped), "{text}");
        }
    }

    #[test]
    fn an_explanation_between_lists_is_part_of_the_document() {
        let text = "Staying organised matters.\n\n### Steps\n- a\n- b\n- c\n- d\n\nGood tools help.\n\nI moved my blog to Hugo.";
        let (passed, stopped) = judged(text);
        assert_eq!(passed, ["I moved my blog to Hugo."]);
        assert!(stopped.iter().all(|filter| *filter == SegmentFilter::Markdown));
    }

    /// covers: C-60
    #[test]
    fn a_long_text_is_cut_between_its_lines() {
        let text = "I walked along the river with my dog that day.\n".repeat(300);
        let (passed, stopped) = judged(&text);
        assert!(passed.len() > 2 && stopped.is_empty(), "{stopped:?}");
        assert!(passed.iter().all(|piece| piece.chars().count() < DOCUMENT_CHARS));
    }

    /// covers: C-158
    #[test]
    fn odd_and_large_messages_are_judged_too() {
        assert_eq!(message_segments(""), []);
        assert_eq!(message_segments(" \n\r\n\t "), []);
        let large = [
            "[".repeat(1_000_000),
            "<a>\n".repeat(100_000),
            "</a>".repeat(100_000),
            "```\n".repeat(100_001),
            "\n".repeat(1_000_000),
            "- x\n\n".repeat(100_000),
            "x\n\n".repeat(100_000),
            "é🎉 ".repeat(200_000),
            "\u{0}\u{feff}".repeat(100_000),
        ];
        for text in &large {
            let segments = message_segments(text);
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            let said: usize = segments.iter().map(|segment| letters(segment.text)).sum();
            assert_eq!(said, letters(text), "{:?}", text.chars().take(9).collect::<String>());
        }
    }
}
