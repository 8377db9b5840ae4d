//! Prints records for people: colors, tables, matching words in bold. Pipes get no color.

use anstyle::{AnsiColor, Style};
use cairn_cognition::{keywords::query_terms, log_excerpt::searched_output};
use cairn_domain::{Receipt, ReceiptDetail, Status, Tier, Verdict, is_invisible_control, visible};
use cairn_engine::{Decision, Reasons, Weighed, past_plan};
use cairn_store::{DigestRecord, MemoryRecord, MessageRecord};
use comfy_table::{ContentArrangement, Table, presets};
use std::{collections::HashSet, fmt::Write as _, io::Write as _};

pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// Characters of a message shown in a list.
const SNIPPET_CHARS: usize = 280;
/// A text of which no more than this would be left out at the end is shown to its end: the last words may be the answer.
const SNIPPET_SLACK: usize = 80;
/// Lines from which on a long text is read as an output.
const MIN_OUTPUT_LINES: usize = 100;
/// Words within which matching words stand close together.
const CLOSE_WORDS: usize = 24;
/// Bytes of a message that are searched for a matching word.
const MAX_SEARCHED_BYTES: usize = 64 << 10;

/// Prints a line; see `out!`.
pub(crate) fn print(line: std::fmt::Arguments<'_>) {
    if writeln!(anstream::stdout(), "{}", harmless(&line.to_string())).is_err() {
        std::process::exit(0);
    }
}

/// Prints a line on standard error; see `err!`.
pub(crate) fn print_error(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{}", harmless(&line.to_string()));
}

/// Prints a value as JSON. What a terminal would obey is escaped, so that programs read the same value.
pub(crate) fn print_json(value: &serde_json::Value) {
    let mut line = String::new();
    for c in value.to_string().chars() {
        if is_invisible_control(c) {
            let _ = write!(line, "\\u{:04x}", u32::from(c));
        } else {
            line.push(c);
        }
    }
    out!("{line}");
}

/// A line that a terminal only shows: everything in it that could control one is replaced, but for our own colors.
fn harmless(line: &str) -> String {
    if !line.contains(is_invisible_control) {
        return line.to_owned();
    }
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\x1b') {
        shown.push_str(&visible(&rest[..at]));
        let color = own_color(&rest[at..]);
        shown.push_str(if color > 0 { &rest[at..at + color] } else { "\u{fffd}" });
        rest = &rest[at + color.max(1)..];
    }
    shown + &visible(rest)
}

/// The length of one of our colors at the beginning of a text; 0 if there is none.
fn own_color(text: &str) -> usize {
    let color = |style: &Style| [style.render().to_string(), style.render_reset().to_string()];
    let colors = [RED, GREEN, YELLOW, CYAN, BOLD, DIM];
    let codes = colors.iter().flat_map(color).filter(|code| !code.is_empty());
    codes.filter(|code| text.starts_with(code.as_str())).map(|code| code.len()).max().unwrap_or(0)
}

/// A table with these column names.
pub(crate) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(columns);
    table
}

pub(crate) fn bar(score: f64) -> String {
    const WIDTH: usize = 10;
    let full = ((score.clamp(0.0, 1.0) * WIDTH as f64).round() as usize).min(WIDTH);
    format!("{GREEN}{}{GREEN:#}{DIM}{}{DIM:#} {score:.2}", "█".repeat(full), "░".repeat(WIDTH - full))
}

/// The part of a text around its first matching word, on one line. Only the beginning of a very long text is searched.
pub(crate) fn snippet(text: &str, terms: &[String]) -> String {
    // Of a long output the lines that matter, wherever they stand.
    let is_output = text.lines().nth(MIN_OUTPUT_LINES).is_some();
    let text = if is_output { searched_output(text) } else { text.into() };
    let text = one_line(&text[..text.floor_char_boundary(MAX_SEARCHED_BYTES)]);
    if text.chars().count() <= SNIPPET_CHARS + SNIPPET_SLACK {
        return text;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let begin = best_place(&words, terms).saturating_sub(8);
    let mut out = if begin > 0 { "…".to_owned() } else { String::new() };
    for (at, word) in words.iter().enumerate().skip(begin) {
        let is_full = out.chars().count() + word.chars().count() > SNIPPET_CHARS;
        if is_full && words[at..].join(" ").chars().count() > SNIPPET_SLACK {
            return out + " …";
        }
        if !out.is_empty() && !out.ends_with('…') {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The first place from which on the most of the terms stand close together.
fn best_place(words: &[&str], terms: &[String]) -> usize {
    let found: Vec<(usize, Vec<String>)> = words
        .iter()
        .enumerate()
        .map(|(at, word)| (at, query_terms(word).into_iter().filter(|term| terms.contains(term)).collect()))
        .filter(|(_, found): &(usize, Vec<String>)| !found.is_empty())
        .collect();
    let near = |from: usize| {
        let begin = found[from].0;
        let near = found[from..].iter().take_while(|(at, _)| at - begin < CLOSE_WORDS);
        near.flat_map(|(_, terms)| terms).collect::<HashSet<_>>().len()
    };
    // Of equal ones the first.
    let best = (0..found.len()).rev().max_by_key(|from| near(*from));
    best.map_or(0, |from| found[from].0)
}

pub(crate) fn matches(word: &str, terms: &[String]) -> bool {
    query_terms(word).iter().any(|term| terms.contains(term))
}

/// A message in full.
pub(crate) fn message(record: &MessageRecord) {
    let message = &record.message;
    let thread = message.thread.as_ref().map_or(String::new(), |thread| format!(" · thread {thread}"));
    out!("{BOLD}{}{BOLD:#}", message.id);
    out!(
        "{DIM}{} · {} ({}) · session {}{thread}{DIM:#}",
        message.at.minute(),
        message.shown_speaker(),
        message.role,
        message.session
    );
    out!("{}\n", message.text);
}

/// A message on one line.
pub(crate) fn line(record: &MessageRecord) {
    let message = &record.message;
    out!(
        "{DIM}{}{DIM:#}  {CYAN}{}{CYAN:#}  {}  {DIM}{}{DIM:#}",
        message.at.minute(),
        message.shown_speaker(),
        snippet(&message.text, &[]),
        message.id
    );
}

/// A digest in full.
pub(crate) fn digest(record: &DigestRecord) {
    let digest = &record.digest;
    let scope = if digest.scope.is_empty() { "everything" } else { &digest.scope };
    out!(
        "{BOLD}{} of {scope}{BOLD:#}  {DIM}{} – {}, version {}, {}{DIM:#}",
        digest.kind,
        digest.from.day(),
        digest.until.day(),
        record.version,
        record.id
    );
    out!("{}\n", digest.text);
}

/// Bytes for people.
pub(crate) fn bytes(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// Prints the repairs made along the way.
pub(crate) fn notes(notes: &[String]) {
    for note in notes {
        err!("{YELLOW}note:{YELLOW:#} {note}");
    }
}

/// A decision about a statement, with the texts of its memory and of the one it replaces.
pub(crate) fn decision(decision: &Decision, known: &[MemoryRecord]) {
    let color = match decision.verdict {
        Verdict::Skip => DIM,
        Verdict::Supersede => YELLOW,
        Verdict::Create | Verdict::Update | Verdict::Reinforce => GREEN,
    };
    let text = |id| {
        let known = known.iter().find(|record| record.memory.id == id)?;
        Some(format!("{}{}", one_line(&known.memory.text), inactive_label(known)))
    };
    let (verdict, reason) = (decision.verdict, &decision.reason);
    match decision.memory.map(|id| (id, text(id))) {
        None => out!("  {color}{verdict:<9}{color:#} {DIM}{reason}{DIM:#}"),
        Some((id, None)) => out!("  {color}{verdict:<9}{color:#} {id}  {DIM}{reason}{DIM:#}"),
        Some((id, Some(text))) => {
            out!("  {color}{verdict:<9}{color:#} {text}");
            out!("            {id}  {DIM}{reason}{DIM:#}");
        }
    }
    if let Some(old) = decision.supersedes {
        let old_text = known.iter().find(|record| record.memory.id == old).map(|record| &record.memory.text);
        let said = old_text.map_or(String::new(), |text| format!("  {text}"));
        out!("            {DIM}replaces {old}{said}{DIM:#}");
    }
}

/// Words as they stand on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why a memory is no longer active.
pub(crate) fn inactive_label(record: &MemoryRecord) -> String {
    let ended = record.memory.valid_until.filter(|_| record.memory.status == Status::Superseded);
    if let Some(plan) = ended.and_then(|until| past_plan(record, until)) {
        return format!("  {YELLOW}{plan}{YELLOW:#}");
    }
    match (record.memory.status, record.memory.tier) {
        _ if record.memory.is_forgotten() => format!("  {YELLOW}forgotten{YELLOW:#}"),
        (Status::Superseded, _) => format!("  {YELLOW}superseded{YELLOW:#}"),
        (_, Tier::Dormant) => format!("  {YELLOW}dormant{YELLOW:#}"),
        _ => String::new(),
    }
}

/// A memory in one line and its ref.
pub(crate) fn memory_line(record: &MemoryRecord) {
    let (memory, gone) = (&record.memory, inactive_label(record));
    let pinned = if memory.pinned { "  pinned" } else { "" };
    out!("{}  {}{gone}{pinned}", memory.valid_from.minute(), one_line(&memory.text));
    out!("    {DIM}{}  {}, importance {:.2}{DIM:#}", memory.id, memory.category, memory.importance);
}

/// A memory in full.
pub(crate) fn memory(record: &MemoryRecord) {
    let memory = &record.memory;
    out!("{BOLD}{}{BOLD:#}", memory.text);
    let until = memory.valid_until.map_or(String::new(), |until| format!(" until {}", until.minute()));
    out!(
        "  {}  {CYAN}{}{CYAN:#}, {}, {}, {}; holds from {}{until}",
        memory.id,
        memory.category,
        memory.standing(),
        memory.tier,
        memory.layer,
        memory.valid_from.minute()
    );
    out!(
        "  {DIM}importance {:.2}, utility {:.2}, stability {:.1} days, storage {:.1}, used {} time(s), from {} with confidence \
         {:.2}{}{}{}{DIM:#}",
        memory.importance,
        memory.utility,
        memory.stability,
        memory.storage,
        memory.accesses,
        memory.data_source,
        memory.source_confidence,
        if memory.pinned { ", pinned" } else { "" },
        if memory.immutable { ", immutable" } else { "" },
        if memory.flashbulb { ", flashbulb" } else { "" },
    );
}

/// Every step that led to a decision.
pub(crate) fn reasons(reasons: &Reasons) {
    out!("{BOLD}because{BOLD:#}");
    for filtered in &reasons.filters {
        match &filtered.stopped_by {
            Some(filter) => out!("  filter     “{}” stopped by {filter}: {}", filtered.segment, filtered.why),
            None => out!("  filter     “{}” passed", filtered.segment),
        }
    }
    for class in &reasons.classes {
        out!("  class      {} {:.2}, by “{}”", class.category, class.confidence, class.because);
    }
    if !reasons.entities.is_empty() {
        out!("  entities   {}", reasons.entities.join(" "));
    }
    // What was stopped before was not looked at any further.
    if reasons.verdict.is_none() {
        return;
    }
    let (felt, counted) = (&reasons.emotion, &reasons.density);
    let emotion = felt.emotion.map_or(String::new(), |emotion| format!(", {emotion}"));
    out!(
        "  emotion    valence {:+.2}, arousal {:.2}, urgency {:.2}{emotion}",
        felt.valence,
        felt.arousal,
        felt.urgency
    );
    out!(
        "  density    {} = {} entities + {} facts + {} times + {} corrections",
        counted.entities + counted.facts + counted.temporal + counted.corrections,
        counted.entities,
        counted.facts,
        counted.temporal,
        counted.corrections
    );
    for said in &reasons.statements {
        let not = if said.negated { "not " } else { "" };
        out!("  says       {} · {} · {not}{}", said.subject, said.attribute, said.value);
    }
    if let Some(model) = &reasons.worded_by {
        out!("  worded     by {model}");
    }
    if let Some(foresight) = &reasons.foresight {
        out!("  holds      until {}, by “{}”", foresight.until.minute(), foresight.words);
    }
    if let Some(nearest) = &reasons.nearest {
        let by = if nearest.by_words { " by words" } else { "" };
        let about = if nearest.same_proposition {
            ", says the same"
        } else if nearest.same_matter {
            ", about the same"
        } else {
            ""
        };
        out!("  nearest    {} {:.2}{by}{about}", nearest.memory, nearest.similarity);
    }
    if let Some(clash) = &reasons.contradiction {
        out!("  against    {}: {}", clash.memory, clash.why);
    }
    let weighed = &reasons.importance;
    if !weighed.priority.is_empty() {
        importance(weighed);
    }
    if let Some(verdict) = reasons.verdict {
        out!("  verdict    {verdict}, prediction error {:.2}: {}", reasons.prediction_error, reasons.reason);
    }
}

/// How much a statement matters, channel by channel.
fn importance(weighed: &Weighed) {
    out!(
        "  importance {:.2} {} = (.25 × {:.2} novelty + .30 × {:.2} arousal + .25 × {:.2} reward + .20 × {:.2} attention) × {:.2}",
        weighed.importance,
        weighed.priority,
        weighed.novelty,
        weighed.arousal,
        weighed.reward,
        weighed.attention,
        weighed.boost
    );
}

/// The receipt of a decision, below its first line.
pub(crate) fn print_receipt(receipt: &Receipt) {
    let ReceiptDetail { was, becomes, reason, undo } = &receipt.told;
    out!("  was     {was}");
    out!("  becomes {becomes}");
    out!("  receipt {} by {}: {reason}", receipt.number, receipt.actor);
    if undo.starts_with("cairn") {
        out!("  undo    {DIM}{undo}{DIM:#}");
    }
}

/// Figures, a line each.
pub(crate) fn measured(rows: Vec<(String, String)>) {
    let mut table = table(&["what", "measured"]);
    for (what, measured) in rows {
        table.add_row([what, measured]);
    }
    out!("{table}");
}
