//! Classifies a line by its structure: prose, a list item, program output, code, markup.

use regex::{
    Regex,
    bytes::{RegexSet, RegexSetBuilder},
};
use std::sync::LazyLock;

/// Only this much of a line is read.
const MAX_LINE_BYTES: usize = 2_000;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Nothing but white space.
    Blank,
    /// Somebody's words.
    Prose,
    /// A heading, an item of a list, a row of a table, a line in bold.
    List,
    /// Output of a program.
    Log,
    /// A command typed at a prompt; its output follows.
    Prompt,
    /// Code or formulas.
    Code,
    /// Tags.
    Xml,
}

static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\$ \S|[\w.-]+@[\w.-]+[:\s]\S*\s?[$#%]\s|PS [A-Z]:\\|(?:>>>|\.\.\.) \S|[A-Z]:\\[^>]*>)")
        .expect("a pattern")
});

/// A set over ASCII: what machines write; quick to make.
fn ascii_set(patterns: &[&str]) -> RegexSet {
    RegexSetBuilder::new(patterns).unicode(false).build().expect("patterns")
}

static LOG: LazyLock<RegexSet> = LazyLock::new(|| {
    ascii_set(&[
        // Stack frames.
        r"^\s*at [\w$.<>\[\]/ ]+ ?\(.*\)",
        r"^\s+at \S+.*:\d+",
        r#"^\s*File "[^"]+", line \d+"#,
        r"^\s*\.\.\. \d+ more",
        r"^\s+at [\w.]+\(",
        r"^Traceback \(most recent",
        r"^goroutine \d+ \[",
        r"^\s+\S+\.\w{1,4}:\d+ \+0x",
        r"\bpanicked at\b",
        r"^(?:Caused by: |Unhandled exception|Exception in thread )",
        r"^\s*\d+: +0x[0-9a-f]+",
        r"^#\d+ +0x[0-9a-f]+ in ",
        r"^(?:[\w$]+\.)*(?:[A-Z]\w*)?(?:Error|Exception)\b(?:\[\w+\])?(?::|$)",
        r"^\w+\.[\w.]+(?:Error|Exception)\b",
        // Times and levels.
        r"^\W{0,3}\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d",
        r"^\W{0,2}\d\d:\d\d:\d\d[.,]?\d*\]?\s",
        r"^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d ",
        r"^\S+ \S+ \S+ \[\d{2}/\w{3}/\d{4}:",
        r"^\W{0,2}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|PASS|FAIL)(?:[:\]|]|\s+\S*[\[\d:./(])",
        r"^(?:error|warning|fatal)(?:\[\w+\])?: ",
        r"^(?:npm|yarn|pip|cargo|make|docker|git|remote|kernel|bash|zsh|sh|curl|wget|ssh|panic|ld|gcc|clang|node|python3?|sudo|systemd)(?:\[\d+\])?(?: ERR!| WARN|: )",
        r#"\b(?:level|severity)"?[=:] ?"?(?:info|warn|error|debug)"#,
        r"^[VDIWEF]/\w+: ",
        r"\bcore dumped\b",
        r"^HTTP/\d",
        r"^commit [0-9a-f]{7,}",
        r"\b[0-9a-f]{32,}\b",
        r"^\s*-{2,}>\s",
        r"^(?:Step|Epoch|Layer|Batch) \d+/\d+",
        r"(?:compiled|built|finished|completed|done|started|took)\b.*\b\d+(?:\.\d+)?\s?m?s\b\.?$",
        r"^(?:\S+\s{2,}){3,}\S",
        r"^\S+\s{2,}\S+\s{2,}\S+\s{2,}\d",
        r"\S {4,}\S",
        r"^(?:Uncaught|Unhandled)\b",
        r"^\S+\.\w{1,4}:\d+:\d+:",
        r"^[a-z][\w./-]*(?: [\w./:=]+){0,3}(?: --?[A-Za-z][\w-]*(?:=\S+)?){2,}",
        // Bars, dumps, listings, differences.
        r"\d{1,3}(?:\.\d+)?%\s?[|\[(]",
        r"(?u:[\[|][#=█▌▏▎▍▋▊▉━─>.\- ]{5,}[\]|].*\d)",
        r"(?u:[█━─═]{4,})",
        r"(?:={4,}|-{4,}) .*\d.* (?:={4,}|-{4,})",
        r"^[0-9a-fA-F]{6,16}[:\s]\s?(?:[0-9a-fA-F]{2,8}\s+){4,}",
        r"^[dlbcps-][rwxst-]{9}[+@.]?\s",
        r"^(?:diff --git |index [0-9a-f]{6,}|@@ .* @@|\+\+\+ \S|--- \S)",
        r"^\s*-->\s\S+:\d+",
        r"^\s*\d*\s+\|\s",
        r"\b\d+ (?:passed|failed|total|ignored)[,;].*\d",
        r"={3,}.*\b\d+ (?:passed|failed)\b",
        r"(?:\b[\w.-]+=\S+\s+){3,}",
        r"\b\w+=\S+(?:\s\w+=\S+)+$",
        r"\b\d+ bytes (?:from|of)\b.*\d",
        r"^\s{2,}[A-Z][a-z]+(?:ing|ed) \S+ (?:v?\d|\[)",
        r"^\s*(?:Collecting|Downloading|Installing|Unpacking|Fetching|Reading|Building) (?:\S+$|.*(?:\.\.\.|\d))",
        r"^PING \S+ \(",
        r"\b0x[0-9a-f]{6,}\b|\b[0-9a-f]{12,16}\b.*\b[0-9a-f]{12,16}\b",
        r"^(?:[A-Z]{2,}(?: [A-Z]{2,})?\s{2,}){2,}",
        r"\bexit (?:status|code) \d+",
        r#"^\s*[{\[]\s*["{\[].*[}\]],?\s*$"#,
    ])
});

static CODE: LazyLock<RegexSet> = LazyLock::new(|| {
    ascii_set(&[
        r"[;{}]\s*(?://.*)?$",
        r"^\s*(?:\}|\]|\)|\{)+[,;)]*\s*$",
        r"^\s*(?:import|from|use|package|using|include|require)\s+[\w.:{}*'\x22]+",
        r"^\s*(?:pub |async |export |static |public |private )*(?:def|fn|func|function|class|struct|enum|const|let|var|interface|impl)\s+[\w$]+\s*[(={<:]",
        r"^\s*[\w.$\[\]]+\s*(?:=|\+=|:=)\s*[^=\s].*[()\[\]{}\x22'\d]$",
        r"^\s*(?:#include|#define|#!/|//|/\*|<!--|@\w+\()",
        r"^\s*(?:if|for|while|elif|else|try|except|with)\b.*:\s*$",
        r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|FROM|JOIN)\s.*(?:[;*(=]|\bFROM\b|\bTABLE\b)",
        r"\\(?:frac|text|times|cdot|sqrt|triangle|angle|left|right|sum|cap|cup|begin)\b",
        r"^\s*\\[\[\]()]",
        r"^\s*\$\$",
        r"[\w)]\s*=>\s*[{(\w]",
        r"^\s*\w+\(.*\)\s*$",
    ])
});

static LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-*+•◦▪–]\s+\S|\d{1,3}[.)]\s+\S|[a-z][.)]\s+\S|#{1,6}\s|\||>\s|\*\*[^*]+\*\*|__[^_]+__|\[[ x]\]\s|[-*_]{3,}\s*$)").expect("a pattern")
});

static TAG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>").expect("a pattern"));

static BLOB: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/_=-]{48,}").expect("a pattern"));

/// The kind of this line.
pub(super) fn line_kind(line: &str) -> LineKind {
    let line = line[..line.floor_char_boundary(MAX_LINE_BYTES)].trim_end();
    let bare = line.trim_start();
    if bare.is_empty() {
        LineKind::Blank
    } else if PROMPT.is_match(line) {
        LineKind::Prompt
    } else if matched_share(&TAG, bare) > 0.3 {
        LineKind::Xml
    } else if LOG.is_match(line.as_bytes()) || matched_share(&BLOB, bare) > 0.5 {
        LineKind::Log
    } else if CODE.is_match(line.as_bytes()) {
        LineKind::Code
    } else if LIST.is_match(line) {
        LineKind::List
    } else {
        LineKind::Prose
    }
}

/// A line that stands among output and is still somebody's: a sentence with a capital and a stop.
pub(super) fn is_sentence(line: &str) -> bool {
    let bare = line.trim();
    bare.starts_with(char::is_uppercase)
        && bare.ends_with(['.', '!', '?', ':', '…'])
        && !bare.ends_with("...")
        && bare.split_whitespace().count() >= 4
}

/// The share of a line that matches, tags and blobs without a word between.
fn matched_share(regex: &Regex, line: &str) -> f64 {
    let covered: usize =
        regex.find_iter(line).filter(|found| is_machine_text(found.as_str())).map(|found| found.len()).sum();
    covered as f64 / line.len().max(1) as f64
}

/// A tag, or a run that mixes letters with digits or cases as no word does.
fn is_machine_text(run: &str) -> bool {
    let has = |of: fn(&char) -> bool| run.chars().any(|c| of(&c));
    run.starts_with('<')
        || has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
        || has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase)
}
