//! Labeled cases: changes told in people's own words, messages with what is worth keeping of them, and texts with secrets.
//! JSON Lines, packed or not; `crates/eval/data/README.md` describes them.

use super::dataset::open_lines;
use cairn_domain::{Draft, Role, Time, TriggerKind};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    io::{self, BufRead},
    path::Path,
};

/// A short conversation in which something changes, or only seems to.
#[derive(Debug, Clone, Deserialize)]
pub struct ChangeLine {
    /// Its name.
    pub id: String,
    /// The language of its words.
    pub lang: String,
    /// Whether something changes.
    pub kind: ChangeKind,
    /// How the change is told, or why there is none.
    pub why: String,
    /// The conversation.
    pub messages: Vec<CaseLine>,
    /// A question about what holds at the end.
    pub question: String,
    /// Words that the answer must all have.
    pub answer: Vec<String>,
    /// Words of what held before.
    pub retired: Vec<String>,
    /// The place of the older message.
    pub old: usize,
    /// The place of the newer message.
    pub new: usize,
    /// How the newer message stands to the older one, if the file says so.
    #[serde(default)]
    pub relation: Option<RelationLabel>,
    /// Whether it is for training or for reporting, if the file says so.
    #[serde(default)]
    pub split: Option<Split>,
}

/// How a newer message stands to an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationLabel {
    /// It says the same again.
    Repeats,
    /// It says the same and more.
    Refines,
    /// The older one holds no longer.
    Replaces,
    /// Both hold.
    Beside,
    /// They have nothing to do with each other.
    Unrelated,
}

/// Whether a case tells a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The older statement holds no longer.
    Update,
    /// Both hold, or the newer one says nothing of the kind.
    NoUpdate,
}

/// The use of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Judges learn from it, and rules are written on it.
    Train,
    /// Figures are reported on it.
    Held,
}

/// A text that holds secrets, or only looks as if it did.
#[derive(Debug, Clone, Deserialize)]
pub struct SecretLine {
    /// Its name.
    pub id: String,
    /// The language of its words.
    pub lang: String,
    /// The kind of text the secrets are in or look like.
    pub form: String,
    /// The text: each secret stands in `⟦…⟧`; `⟨⟩` is nothing, and keeps what looks like a maker's token from standing in
    /// a file.
    pub text: String,
    /// Whether rules may be written on it, if the file says so.
    #[serde(default)]
    pub split: Option<Split>,
}

/// A message that tells an intention, or only looks as if it did.
#[derive(Debug, Clone, Deserialize)]
pub struct IntentionLine {
    /// Its name.
    pub id: String,
    /// The language of its words.
    pub lang: String,
    /// Who says it.
    pub role: Role,
    /// When, on the speaker's clock.
    pub at: Time,
    /// The words.
    pub text: String,
    /// The kind of its trigger; none if nothing is intended.
    #[serde(default)]
    pub trigger: Option<TriggerKind>,
    /// The day it is for, as 2026-11-20.
    #[serde(default)]
    pub due: Option<String>,
    /// Whether rules may be written on it, if the file says so.
    #[serde(default)]
    pub split: Option<Split>,
}

/// A text that wants to become the user's word, or a plain one that only looks like that.
#[derive(Debug, Clone, Deserialize)]
pub struct PoisonLine {
    /// Its name.
    pub id: String,
    /// The language of its words.
    pub lang: String,
    /// The kind of text.
    pub form: String,
    /// Who brings it.
    pub role: Role,
    /// The text.
    pub text: String,
    /// The words that must not become the user's; none if it is no attack.
    #[serde(default)]
    pub claim: Option<String>,
    /// Of what is no attack, words that must not become somebody else's.
    #[serde(default)]
    pub keeps: Option<String>,
    /// Whether rules may be written on it, if the file says so.
    #[serde(default)]
    pub split: Option<Split>,
}

/// A message of a labeled case.
#[derive(Debug, Clone, Deserialize)]
pub struct CaseLine {
    /// When it was said.
    pub at: Time,
    /// The session it was said in.
    pub session: String,
    /// Who spoke.
    pub role: Role,
    /// The speaker's name, if they have one.
    #[serde(default)]
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
}

/// A message with what a thoughtful assistant would write down of it.
#[derive(Debug, Clone, Deserialize)]
pub struct KeepLine {
    /// The collection it comes from.
    pub set: String,
    /// The conversation that it is a part of, where there are several.
    #[serde(default)]
    pub conversation: String,
    /// Its name, unique in its conversation.
    pub id: String,
    /// The message.
    #[serde(flatten)]
    pub message: CaseLine,
    /// 0: nothing of it, 1: useful, 2: must not be lost.
    pub keep: u8,
    /// The ideal memories.
    #[serde(default)]
    pub notes: Vec<KeepNote>,
    /// Pieces of the text with what each is worth, if the file says so.
    #[serde(default)]
    pub clauses: Vec<KeepClause>,
    /// Whether it is for training or for reporting, if the file says so.
    #[serde(default)]
    pub split: Option<Split>,
}

/// An ideal memory.
#[derive(Debug, Clone, Deserialize)]
pub struct KeepNote {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// The words.
    pub text: String,
}

/// A piece of a message with its worth.
#[derive(Debug, Clone, Deserialize)]
pub struct KeepClause {
    /// The exact words.
    pub text: String,
    /// As of the message.
    pub keep: u8,
    /// The kind of statement it makes.
    #[serde(rename = "type")]
    pub kind: String,
}

impl ChangeLine {
    /// How the newer message stands to the older one: as labeled, else as follows from the kind of the case.
    pub fn relation(&self) -> RelationLabel {
        self.relation.unwrap_or(match (self.kind, self.why.as_str()) {
            (ChangeKind::Update, _) => RelationLabel::Replaces,
            (ChangeKind::NoUpdate, "restate") => RelationLabel::Repeats,
            (ChangeKind::NoUpdate, "detail") => RelationLabel::Refines,
            (ChangeKind::NoUpdate, _) => RelationLabel::Beside,
        })
    }
}

impl CaseLine {
    /// The message as the engine gets it.
    pub fn draft(&self, id: String) -> Draft {
        Draft {
            source_id: Some(id),
            session: Some(self.session.clone()),
            role: self.role,
            speaker: self.speaker.clone(),
            at: Some(self.at),
            text: self.text.clone(),
            ..Draft::default()
        }
    }
}

/// Reads cases, one a line.
///
/// # Errors
/// If the file cannot be read, or a line is no case.
pub fn read_cases<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let lines = open_lines(path)?.lines().enumerate();
    let case = |(at, line): (usize, io::Result<String>)| {
        serde_json::from_str(&line?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", at + 1)))
    };
    lines.map(case).collect()
}
