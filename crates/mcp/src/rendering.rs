//! The answer of each tool: a value for programs and a few lines for the model.

use cairn_domain::{Attachment, Belief, Digest, Memory, Message, Stance};
use cairn_engine::{
    CheckedSource, Decision, EngineError, Hit, OpenedRecord, Remembered, SeenAttachment,
    limits::{MAX_QUOTED_LINE_CHARS, MAX_TOOL_OPEN_BYTES, MAX_TOOL_RECORD_CHARS},
    quote::{self, FRAME, INTENTIONS_HEADER, PROCEDURES_HEADER},
};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A value with the lines that tell it.
pub(crate) fn rendered(value: &impl Serialize, lines: &[String]) -> CallToolResult {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    let mut result = CallToolResult::structured(value);
    result.content = vec![ContentBlock::text(lines.join("\n"))];
    result
}

/// An error and its hint, for the model to read.
pub(crate) fn failed(error: &EngineError) -> CallToolResult {
    refused(&error.to_string(), &error.hint())
}

pub(crate) fn refused(problem: &str, hint: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("error: {problem}\nhint: {hint}"))])
}

/// A record in one line.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
pub(crate) struct RecordLine {
    /// Its address: `open` gives the whole, `why` what it rests on.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// "memory", "exchange", "belief", "digest" or "attachment".
    kind: &'static str,
    /// The day it was said, since which it holds, on which it was last supported, or up to which it condenses.
    date: String,
    /// Who said it: user, assistant, tool, or a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    /// How it begins.
    line: String,
}

impl RecordLine {
    pub(crate) fn of_message(message: &Message) -> Self {
        Self {
            reference: message.id.to_string(),
            kind: "exchange",
            date: message.at.day().to_string(),
            speaker: Some(message.shown_speaker().to_owned()),
            line: quote::beginning(&message.text, MAX_QUOTED_LINE_CHARS),
        }
    }

    pub(crate) fn of_hit(hit: &Hit) -> Self {
        let mut entry = match &hit.found {
            cairn_engine::Found::Message(record) => Self::of_message(&record.message),
            cairn_engine::Found::Memory(record, _) => Self::of_memory(&record.memory),
            cairn_engine::Found::Belief(record) => Self::of_belief(&record.belief),
            cairn_engine::Found::Digest(record, _) => Self::of_digest(&record.digest),
            cairn_engine::Found::Attachment(record) => {
                let place = format!("{}, {}", record.receipt.name, record.part.place_in_words());
                Self {
                    reference: hit.found.address(),
                    ..Self::of_file(&record.receipt, &place, &record.part.text)
                }
            }
            cairn_engine::Found::Shared(shared) => Self {
                reference: hit.found.address(),
                speaker: Some(format!("agent {}", shared.owner)),
                ..Self::of_memory(&shared.record.memory)
            },
        };
        if let Some(newer) = &hit.replaced_by {
            entry.line = format!("[no longer holds, see {}] {}", newer.memory.id, entry.line);
        }
        if let Some(last) = hit.last_state {
            entry.line = format!("[older state, see {last}] {}", entry.line);
        }
        if let Some(doubt) = hit.doubts.first() {
            entry.line = format!("[may have changed, see {}] {}", doubt.memory.memory.id, entry.line);
        }
        entry
    }

    /// Words of a file that was attached.
    fn of_file(receipt: &Attachment, place: &str, words: &str) -> Self {
        let (place, words) =
            (quote::beginning(place, MAX_QUOTED_LINE_CHARS), quote::beginning(words, MAX_QUOTED_LINE_CHARS));
        Self {
            reference: receipt.id.to_string(),
            kind: "attachment",
            date: receipt.attached_at.day().to_string(),
            speaker: None,
            line: format!("[file {place}] {words}"),
        }
    }

    pub(crate) fn of_memory(memory: &Memory) -> Self {
        Self {
            reference: memory.id.to_string(),
            kind: "memory",
            date: memory.valid_from.day().to_string(),
            speaker: None,
            line: quote::beginning(&memory.text, MAX_QUOTED_LINE_CHARS),
        }
    }

    pub(crate) fn of_belief(belief: &Belief) -> Self {
        let (sure, says) =
            (belief.confidence * 100.0, quote::beginning(&belief.summary, MAX_QUOTED_LINE_CHARS));
        Self {
            reference: belief.id.to_string(),
            kind: "belief",
            date: belief.last_supported_at.day().to_string(),
            speaker: None,
            line: format!("[held true, {sure:.0} % sure] {says}"),
        }
    }

    pub(crate) fn of_digest(digest: &Digest) -> Self {
        Self {
            reference: digest.id().to_string(),
            kind: "digest",
            date: digest.until.day().to_string(),
            speaker: None,
            line: format!(
                "[digest of {}] {}",
                digest.condenses(),
                quote::beginning(&digest.text, MAX_QUOTED_LINE_CHARS)
            ),
        }
    }

    pub(crate) fn rendered(&self) -> String {
        let speaker = self.speaker.as_ref().map_or(String::new(), |name| format!("{}: ", quote::who(name)));
        format!("{} {} {speaker}{}", self.reference, self.date, quote::line(&self.line))
    }
}

/// The answer of `recall` and `timeline`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Found")]
pub(crate) struct FoundRecords {
    /// The records: the best first, or in the order in which they were said.
    pub(crate) hits: Vec<RecordLine>,
    /// Requests to be reminded and promises that the question calls for, a line each: tell the user.
    pub(crate) due: Vec<String>,
    /// Procedures that worked for such requests, a line each, if the question asks how something is done.
    pub(crate) procedures: Vec<String>,
    /// The next step if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl FoundRecords {
    pub(crate) fn rendered(&self) -> CallToolResult {
        let mut lines: Vec<String> = if self.hits.is_empty() {
            vec![format!("Nothing found. {}", self.hint.as_deref().unwrap_or_default())]
        } else {
            std::iter::once(FRAME.to_owned()).chain(self.hits.iter().map(RecordLine::rendered)).collect()
        };
        let mut is_framed = !self.hits.is_empty();
        for (header, told) in [(INTENTIONS_HEADER, &self.due), (PROCEDURES_HEADER, &self.procedures)] {
            if !told.is_empty() {
                lines.extend((!is_framed).then(|| FRAME.to_owned()));
                is_framed = true;
                lines.push(header.to_owned());
                lines.extend(told.iter().cloned());
            }
        }
        rendered(self, &lines)
    }
}

/// The answer of `context`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Block")]
pub(crate) struct ContextBlock {
    /// The block for the prompt; empty if there is nothing to show.
    pub(crate) context: String,
    /// The refs that stand in it.
    pub(crate) refs: Vec<String>,
}

impl ContextBlock {
    pub(crate) fn rendered(&self) -> CallToolResult {
        let nothing = "The memory knows nothing about this yet.";
        let lines = [if self.context.is_empty() { nothing.to_owned() } else { self.context.clone() }];
        rendered(self, &lines)
    }
}

/// A record in full.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Record")]
pub(crate) struct FullRecord {
    #[serde(flatten)]
    entry: RecordLine,
    /// The words; of a memory what it says now.
    text: String,
    /// Whether the end is missing because it is very long.
    cut: bool,
    /// The session it was said in.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    /// Of a memory: new, current, deprecated or superseded; of a belief: active.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Of a memory: how far its source is believed, 0 to 1; of a belief: how sure it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

impl FullRecord {
    pub(crate) fn of_message(message: &Message) -> Self {
        let text: String = message.text.chars().take(MAX_TOOL_RECORD_CHARS).collect();
        Self {
            cut: text.len() < message.text.len(),
            text,
            session: Some(message.session.clone()),
            thread: message.thread.clone(),
            status: None,
            confidence: None,
            entry: RecordLine::of_message(message),
        }
    }

    pub(crate) fn of_memory(memory: &Memory) -> Self {
        Self {
            text: memory.text.clone(),
            cut: false,
            session: memory.session.clone(),
            thread: memory.thread.clone(),
            status: Some(memory.standing().to_owned()),
            confidence: Some(memory.source_confidence),
            entry: RecordLine::of_memory(memory),
        }
    }

    pub(crate) fn of_belief(belief: &Belief) -> Self {
        let detail = if belief.detail.is_empty() { String::new() } else { format!("\n{}", belief.detail) };
        Self {
            status: Some(belief.status.to_string()),
            confidence: Some(belief.confidence),
            ..Self::of_no_session(RecordLine::of_belief(belief), format!("{}{detail}", belief.summary))
        }
    }

    pub(crate) fn of_digest(digest: &Digest) -> Self {
        Self::of_no_session(RecordLine::of_digest(digest), digest.text.clone())
    }

    pub(crate) fn of_attachment(seen: &SeenAttachment) -> Self {
        let receipt = &seen.attachment;
        let text: String = receipt.text.chars().take(MAX_TOOL_RECORD_CHARS).collect();
        Self {
            cut: text.len() < receipt.text.len(),
            status: Some(seen.state.to_string()),
            ..Self::of_no_session(RecordLine::of_file(receipt, &receipt.name, &receipt.excerpt), text)
        }
    }

    fn of_no_session(entry: RecordLine, text: String) -> Self {
        Self { entry, text, cut: false, session: None, thread: None, status: None, confidence: None }
    }

    fn rendered(&self) -> String {
        let RecordLine { reference, date, speaker, .. } = &self.entry;
        let status = || self.status.clone().unwrap_or_default();
        let who = speaker.as_deref().map_or_else(status, quote::who);
        let (text, _) = quote::whole(&self.text, MAX_TOOL_RECORD_CHARS);
        let note = if self.cut { "\n(the end is left out: it is very long)" } else { "" };
        format!("{reference} {date} {who}\n{text}{note}")
    }
}

/// The answer of `open`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Opened")]
pub(crate) struct OpenedRecords {
    /// The records, in the order in which they were asked for.
    pub(crate) records: Vec<FullRecord>,
    /// Refs that were left out because the answer was long enough already: ask for them again.
    pub(crate) left_out: Vec<String>,
}

impl OpenedRecords {
    /// Whether there is enough in it already.
    pub(crate) fn is_full(&self) -> bool {
        self.records.iter().map(|record| record.text.len()).sum::<usize>() >= MAX_TOOL_OPEN_BYTES
    }

    /// Adds a record; the messages of an exchange one by one.
    pub(crate) fn add(&mut self, opened: &OpenedRecord) {
        match opened {
            OpenedRecord::Memory(record) => self.records.push(FullRecord::of_memory(&record.memory)),
            OpenedRecord::Belief(record) => self.records.push(FullRecord::of_belief(&record.belief)),
            OpenedRecord::Digest(record) => self.records.push(FullRecord::of_digest(&record.digest)),
            OpenedRecord::Attachment(seen) => self.records.push(FullRecord::of_attachment(seen)),
            OpenedRecord::Messages(_, messages) => {
                self.records.extend(messages.iter().map(|record| FullRecord::of_message(&record.message)));
            }
        }
    }

    pub(crate) fn rendered(&self) -> CallToolResult {
        let mut lines = vec![FRAME.to_owned()];
        lines.extend(self.records.iter().map(FullRecord::rendered));
        if !self.left_out.is_empty() {
            lines.push(format!("left out, ask again: {}", self.left_out.join(" ")));
        }
        rendered(self, &lines)
    }
}

/// The answer of `remember` and `correct`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Kept")]
pub(crate) struct KeptMessage {
    /// The words as they are archived.
    pub(crate) message: String,
    /// Whether they were there already.
    pub(crate) duplicate: bool,
    /// The decision about each statement of them.
    pub(crate) decisions: Vec<DecisionLine>,
}

/// The decision about one statement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Decided")]
pub(crate) struct DecisionLine {
    /// create, update, reinforce, supersede or skip.
    verdict: String,
    /// Why.
    reason: String,
    /// The memory it became or strengthened.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    /// The memory that holds no longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    supersedes: Option<String>,
}

impl DecisionLine {
    pub(crate) fn of(decision: &Decision) -> Self {
        Self {
            verdict: decision.verdict.to_string(),
            reason: decision.reason.clone(),
            memory: decision.memory.map(|id| id.to_string()),
            supersedes: decision.supersedes.map(|id| id.to_string()),
        }
    }

    fn rendered(&self) -> String {
        let memory = self.memory.as_ref().map_or(String::new(), |memory| format!(" {memory}"));
        let replaced = self.supersedes.as_ref().map_or(String::new(), |old| format!(" in place of {old}"));
        format!(
            "{}{memory}{replaced} ({})",
            self.verdict,
            quote::beginning(&self.reason, MAX_QUOTED_LINE_CHARS)
        )
    }
}

impl KeptMessage {
    pub(crate) fn new<'d>(kept: &Remembered, decisions: impl IntoIterator<Item = &'d Decision>) -> Self {
        let decisions = decisions.into_iter().map(DecisionLine::of).collect();
        Self { message: kept.message.to_string(), duplicate: kept.duplicate, decisions }
    }

    pub(crate) fn rendered(&self) -> CallToolResult {
        let word = if self.duplicate { "kept already as" } else { "kept as" };
        let mut lines = vec![format!("{word} {}", self.message)];
        lines.extend(self.decisions.iter().map(DecisionLine::rendered));
        rendered(self, &lines)
    }
}

/// The answer of `feedback`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Useful")]
pub(crate) struct UsefulMemories {
    /// The memories that it counts for.
    pub(crate) memories: Vec<MemoryUtility>,
}

/// How useful a memory counts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Utility")]
pub(crate) struct MemoryUtility {
    /// Which.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// From 0 to 1; one nobody has used has 0.5.
    pub(crate) utility: f64,
}

impl UsefulMemories {
    pub(crate) fn rendered(&self) -> CallToolResult {
        let told = |it: &MemoryUtility| format!("{} counts as useful by {:.2}", it.reference, it.utility);
        let lines: Vec<String> = self.memories.iter().map(told).collect();
        self::rendered(self, &lines)
    }
}

/// The answer of `why`: the reasons and sources of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reasons")]
pub(crate) struct RecordReasons {
    /// The record.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// Its text.
    pub(crate) text: String,
    /// Why it is there.
    pub(crate) because: String,
    /// The words it rests on, or that were said around it.
    pub(crate) evidence: Vec<SourceLine>,
    /// Records that replaced it, that it replaced, or that it belongs to.
    pub(crate) related: Vec<RelatedLine>,
    /// The memories that a message became, or that a belief or a digest stands on.
    pub(crate) memories: Vec<RecordLine>,
}

/// One source.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rests")]
pub(crate) struct SourceLine {
    /// Its address: a message, or lines of a file.
    pub(crate) source: String,
    /// support, contradict or context.
    pub(crate) stance: String,
    /// When it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<String>,
    /// Who said it.
    pub(crate) speaker: String,
    /// The verbatim words.
    pub(crate) excerpt: String,
    /// Whether the source, read again just now, still says so.
    pub(crate) holds: bool,
}

impl SourceLine {
    /// A source with its stance.
    pub(crate) fn on(source: &CheckedSource, stance: Stance) -> Self {
        let CheckedSource { evidence, message, holds, .. } = source;
        let said = message.as_ref().map(|record| &record.message);
        Self {
            source: evidence.source.clone(),
            stance: stance.to_string(),
            date: said.map(|message| message.at.day().to_string()),
            speaker: said.map_or_else(|| evidence.role.clone(), |it| it.shown_speaker().to_owned()),
            excerpt: evidence.excerpt.clone(),
            holds: *holds,
        }
    }
}

/// Another memory that a memory belongs to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Belongs")]
pub(crate) struct RelatedLine {
    /// supersedes, contradicts, causes, elaborates, `same_entity`, `related_to`; with `_by` where the other does it.
    pub(crate) relation: String,
    /// The other.
    pub(crate) memory: RecordLine,
}

impl RecordReasons {
    pub(crate) fn rendered(&self) -> CallToolResult {
        let mut lines = vec![FRAME.to_owned(), format!("{} {}", self.reference, quote::line(&self.text))];
        if !self.because.is_empty() {
            lines.push(format!("because: {}", quote::beginning(&self.because, MAX_QUOTED_LINE_CHARS)));
        }
        for rests in &self.evidence {
            let holds = if rests.holds { "" } else { " (the source says something else now)" };
            let date = rests.date.as_deref().unwrap_or_default();
            let (source, stance, speaker) = (&rests.source, &rests.stance, quote::who(&rests.speaker));
            lines.push(format!("{stance} {source} {date} {speaker}: {}{holds}", quote::line(&rests.excerpt)));
        }
        lines.extend(self.related.iter().map(|it| format!("{} {}", it.relation, it.memory.rendered())));
        lines.extend(self.memories.iter().map(|memory| format!("became {}", memory.rendered())));
        rendered(self, &lines)
    }
}
