//! A message.

use cairn_domain::{ExchangeId, MessageId, Metadata, Mode, Role, Time};
use cairn_engine::transcript::is_made_up;
use cairn_store::MessageRecord;
use schemars::JsonSchema;
use serde::Serialize;

/// A message in full, as it was said.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Message {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: MessageId,
    /// Always `exchange`.
    pub kind: &'static str,
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// The caller's own ids.
    pub source_ids: Vec<String>,
    /// The run it was said in.
    pub session: String,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The posture it was said in.
    pub mode: Mode,
    /// Who spoke, by their part.
    pub role: Role,
    /// Who spoke, by name.
    pub speaker: String,
    /// When it was said.
    pub at: Time,
    /// When it was first kept.
    pub recorded_at: Time,
    /// The words.
    pub text: String,
    /// Anything else the caller sent along.
    pub metadata: Metadata,
}

impl From<&MessageRecord> for Message {
    fn from(record: &MessageRecord) -> Self {
        let message = &record.message;
        Self {
            reference: message.id,
            kind: "exchange",
            exchange: record.exchange,
            source_ids: source_ids(record),
            session: message.session.clone(),
            thread: message.thread.clone(),
            mode: message.mode,
            role: message.role,
            speaker: message.speaker.clone(),
            at: message.at,
            recorded_at: message.recorded_at,
            text: message.text.clone(),
            metadata: message.metadata.clone(),
        }
    }
}

/// The caller's own ids; those that a transcript without ids was given do not count.
pub(crate) fn source_ids(record: &MessageRecord) -> Vec<String> {
    record.message.source_id.iter().filter(|id| !is_made_up(id)).cloned().collect()
}
