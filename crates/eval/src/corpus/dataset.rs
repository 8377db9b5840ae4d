//! Conversations with questions: JSON Lines, packed or not. A line is a message
//! `{"type":"message","conversation","id","session","at","role","speaker","text"}` or a question
//! `{"type":"question","conversation","id","category","question","evidence":[ids],"latest"?:[ids]}`.

use cairn_domain::{Draft, Role, Time};
use serde::{Deserialize, Deserializer};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// A line of a data set.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum DatasetLine {
    Message(DatasetMessage),
    Question(DatasetQuestion),
}

/// A message of a conversation.
#[derive(Debug, Clone, Deserialize)]
pub struct DatasetMessage {
    conversation: String,
    /// Its id, unique within the conversation.
    pub id: String,
    /// The session it was said in.
    pub session: String,
    at: Time,
    /// Who spoke.
    pub role: Role,
    speaker: String,
    /// The words.
    pub text: String,
}

/// A question about a conversation.
#[derive(Debug, Clone, Deserialize)]
pub struct DatasetQuestion {
    conversation: String,
    /// The kind of question: for the report only, never shown to the engine.
    pub category: String,
    /// The words.
    pub question: String,
    /// Ids of the messages that answer it.
    pub evidence: Vec<String>,
    /// Of these, the ids of those with the newest value, if it is about something that has changed.
    #[serde(default)]
    pub latest: Vec<String>,
    /// Its name.
    #[serde(default)]
    pub id: String,
    /// When it is asked, if that matters.
    #[serde(default)]
    pub at: Option<Time>,
    /// Words that an answer has all of: a list, or one text.
    #[serde(default, deserialize_with = "one_or_several")]
    pub answer: Vec<String>,
    /// Words of what held before, or was only asked for.
    #[serde(default)]
    pub retired: Vec<String>,
    /// Whether the answer is a date or a sum that no message spells out.
    #[serde(default)]
    pub derived: bool,
    /// The name of the question asked just before, which names the subject.
    #[serde(default)]
    pub before: Option<String>,
}

/// A list of texts, or one text.
fn one_or_several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Texts::deserialize(from)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    })
}

/// A conversation and what is asked about it.
#[derive(Debug, Clone, Default)]
pub struct DatasetConversation {
    /// The messages, in order.
    pub messages: Vec<DatasetMessage>,
    /// The questions about them.
    pub questions: Vec<DatasetQuestion>,
}

impl DatasetMessage {
    /// The message as the engine gets it.
    pub fn draft(&self) -> Draft {
        Draft {
            source_id: Some(self.id.clone()),
            session: Some(self.session.clone()),
            role: self.role,
            speaker: Some(self.speaker.clone()),
            at: Some(self.at),
            text: self.text.clone(),
            ..Draft::default()
        }
    }
}

/// The questions of a file, whatever else stands in it.
///
/// # Errors
/// If the file cannot be read, or a question in it is none.
pub fn read_questions(path: &Path) -> io::Result<Vec<DatasetQuestion>> {
    let mut questions = Vec::new();
    for (i, line) in open_lines(path)?.lines().enumerate() {
        let unreadable =
            |error| io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", i + 1));
        let line: serde_json::Value = serde_json::from_str(&line?).map_err(unreadable)?;
        if line.get("question").is_some() {
            questions.push(serde_json::from_value(line).map_err(unreadable)?);
        }
    }
    Ok(questions)
}

/// Opens a file of lines, packed or not.
pub(crate) fn open_lines(path: &Path) -> io::Result<BufReader<Box<dyn Read>>> {
    let mut file = BufReader::new(File::open(path)?);
    let packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let input: Box<dyn Read> =
        if packed { Box::new(flate2::bufread::MultiGzDecoder::new(file)) } else { Box::new(file) };
    Ok(BufReader::new(input))
}

/// Reads a data set, conversation by conversation.
pub fn read(path: &Path) -> io::Result<Vec<DatasetConversation>> {
    let mut conversations: BTreeMap<String, DatasetConversation> = BTreeMap::new();
    for (i, line) in open_lines(path)?.lines().enumerate() {
        let unreadable =
            |error| io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", i + 1));
        match serde_json::from_str(&line?).map_err(unreadable)? {
            DatasetLine::Message(message) => {
                conversations.entry(message.conversation.clone()).or_default().messages.push(message);
            }
            DatasetLine::Question(question) => {
                conversations.entry(question.conversation.clone()).or_default().questions.push(question);
            }
        }
    }
    Ok(conversations.into_values().collect())
}

/// All conversations as one life: ids and sessions carry their conversation's name, so nothing collides.
pub fn pooled(conversations: Vec<DatasetConversation>) -> DatasetConversation {
    let mut life = DatasetConversation::default();
    for conversation in conversations {
        for mut message in conversation.messages {
            message.id = format!("{}/{}", message.conversation, message.id);
            message.session = format!("{}/{}", message.conversation, message.session);
            life.messages.push(message);
        }
        for mut question in conversation.questions {
            for ids in [&mut question.evidence, &mut question.latest] {
                *ids = ids.iter().map(|id| format!("{}/{id}", question.conversation)).collect();
            }
            life.questions.push(question);
        }
    }
    life
}
