//! Attachments, for programs.

use cairn_domain::{AttachmentId, AttachmentKind, AttachmentState, MessageId, Time};
use cairn_engine::{AttachOutcome, SeenAttachment};
use schemars::JsonSchema;
use serde::Serialize;

/// Attachments.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Attachments {
    /// The last to appear first.
    pub attachments: Vec<Attachment>,
}

/// A file that was attached, as it stands now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Attachment {
    /// Its receipt.
    #[serde(flatten)]
    pub receipt: AttachmentReceipt,
    /// How its file stands beside the receipt: there, changed, moved, gone, or uploaded if there is none.
    pub state: AttachmentState,
    /// Where the same content is now, if it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// Why what is known of it may not be what its file says now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_gap: Option<String>,
    /// The words that were last said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<AttachmentObservation>,
    /// The turns it appeared in, the first one first.
    pub turns: Vec<AttachmentTurn>,
}

/// The receipt of a file. The file itself is not kept.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttachmentReceipt {
    /// Its ref, a function of its content.
    #[serde(rename = "ref")]
    pub reference: AttachmentId,
    /// Its kind: text, code, data, document, image or other.
    pub kind: AttachmentKind,
    /// The file's name.
    pub name: String,
    /// Its media type, by its content.
    pub mime: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The hash of its content.
    pub sha256: String,
    /// The absolute path it was read from; none if it was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Pages, of a document that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Width of a picture in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Height of a picture in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Characters of the text that came out of it.
    pub text_chars: u64,
    /// The beginning of that text.
    pub excerpt: String,
    /// How the text was made: text, pdf, docx, html, image for dimensions alone, or none.
    pub route: String,
    /// A remark about it, if there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// When it was attached first.
    pub attached_at: Time,
}

/// The words that were last said about an attachment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttachmentObservation {
    /// The message they stand in.
    pub message: MessageId,
    /// Their beginning.
    pub text: String,
}

/// A turn that an attachment appeared in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttachmentTurn {
    /// When.
    pub at: Time,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The lasting project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The message that was said last in that run then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
}

/// The outcome of attaching files, one entry for each.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttachedFiles {
    /// In the order in which they were given.
    pub files: Vec<AttachedFile>,
}

/// The outcome for one file: a receipt, or a problem.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttachedFile {
    /// The file, as it was named.
    pub file: String,
    /// Its receipt, durable by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<AttachmentReceipt>,
    /// Whether the same content had been attached before.
    pub known: bool,
    /// Why it has no receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The next step then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An attachment with all of the text that came out of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WholeAttachment {
    /// The attachment.
    #[serde(flatten)]
    pub attachment: Attachment,
    /// All the text that came out of it.
    pub text: String,
}

impl From<&cairn_domain::Attachment> for AttachmentReceipt {
    fn from(receipt: &cairn_domain::Attachment) -> Self {
        Self {
            reference: receipt.id,
            kind: receipt.kind,
            name: receipt.name.clone(),
            mime: receipt.mime.clone(),
            bytes: receipt.bytes,
            sha256: receipt.sha256.clone(),
            source: receipt.source.clone(),
            pages: Some(receipt.pages).filter(|pages| *pages > 0),
            width: receipt.width,
            height: receipt.height,
            text_chars: receipt.text.chars().count() as u64,
            excerpt: receipt.excerpt.clone(),
            route: receipt.route.clone(),
            note: receipt.note.clone(),
            attached_at: receipt.attached_at,
        }
    }
}

impl From<&SeenAttachment> for Attachment {
    fn from(seen: &SeenAttachment) -> Self {
        let turn = |turn: &cairn_domain::AttachmentTurn| AttachmentTurn {
            at: turn.at,
            session: turn.session.clone(),
            thread: turn.thread.clone(),
            message: turn.message,
        };
        let observation = seen.observation.as_ref();
        Self {
            receipt: (&seen.attachment).into(),
            state: seen.state,
            moved_to: seen.moved_to.as_ref().map(|path| path.display().to_string()),
            verification_gap: seen.verification_gap(),
            observation: observation
                .map(|(message, text)| AttachmentObservation { message: *message, text: text.clone() }),
            turns: seen.turns.iter().map(turn).collect(),
        }
    }
}

impl From<&SeenAttachment> for WholeAttachment {
    fn from(seen: &SeenAttachment) -> Self {
        Self { attachment: seen.into(), text: seen.attachment.text.clone() }
    }
}

impl<'a> FromIterator<&'a SeenAttachment> for Attachments {
    fn from_iter<I: IntoIterator<Item = &'a SeenAttachment>>(seen: I) -> Self {
        Self { attachments: seen.into_iter().map(Attachment::from).collect() }
    }
}

impl<'a> FromIterator<&'a AttachOutcome> for AttachedFiles {
    fn from_iter<I: IntoIterator<Item = &'a AttachOutcome>>(outcomes: I) -> Self {
        Self { files: outcomes.into_iter().map(AttachedFile::from).collect() }
    }
}

impl From<&AttachOutcome> for AttachedFile {
    fn from(outcome: &AttachOutcome) -> Self {
        let (attached, refused) = (outcome.result.as_ref().ok(), outcome.result.as_ref().err());
        Self {
            file: outcome.file.clone(),
            receipt: attached.map(|it| (&it.attachment).into()),
            known: attached.is_some_and(|it| it.known),
            problem: refused.map(|it| it.problem.clone()),
            hint: refused.map(|it| it.hint.clone()),
        }
    }
}
