//! Pictures have no words of their own: a model that sees describes them, if there is one. Its description is found as the text of
//! any other file is, and the receipt says by which route it came.

use super::parts::parts_by_line;
use crate::{Agent, quote::beginning};
use cairn_cognition::secret::mask;
use cairn_domain::{Attachment, AttachmentKind, AttachmentPart, Privacy};
use cairn_models::{ModelRequest, Picture};
use serde_json::json;

const INSTRUCTIONS: &str = include_str!("../../../prompts/picture.txt");
/// Begins the route of a description; behind it stands which model gave it.
const ROUTE: &str = "vision";
/// A larger picture is not sent: servers refuse it.
const MAX_PICTURE_BYTES: usize = 5 << 20;
/// The longest description.
const MAX_DESCRIPTION_CHARS: usize = 4_000;
const MAX_ANSWER_TOKENS: u32 = 1_200;
/// Characters of the excerpt that later turns are shown.
const EXCERPT_CHARS: usize = 400;

impl Agent {
    /// Whether a file is a picture that a model may be shown.
    pub(super) fn may_be_described(&self, bytes: &[u8]) -> bool {
        let is_picture = infer::get(bytes).is_some_and(|it| it.mime_type().starts_with("image/"));
        is_picture && bytes.len() <= MAX_PICTURE_BYTES && self.language.may_look()
    }

    /// The receipt of a picture with what a model sees in it, and the parts of that; none if it is no picture, has words, or no
    /// model gives any. Why not stands in the note then.
    pub(super) async fn described(
        &self,
        attachment: &Attachment,
        bytes: &[u8],
    ) -> Option<(Attachment, Vec<AttachmentPart>)> {
        if attachment.kind != AttachmentKind::Image || !attachment.text.is_empty() {
            return None;
        }
        // Nobody has said what a picture shows: it counts as personal.
        let asked = self.language.ask(&question(attachment, bytes), Privacy::Personal, self.now()).await;
        let model = asked.calls.last().map_or("a model", |call| call.model.as_str()).to_owned();
        let mut seen = attachment.clone();
        let words = asked
            .answer
            .map(|answer| answer.value["description"].as_str().unwrap_or_default().trim().to_owned());
        match words {
            Ok(words) if !words.is_empty() => {
                let text = mask(&words.replace('\0', "\u{fffd}")).text.into_owned();
                let parts = parts_by_line(&text);
                seen.excerpt = beginning(&text, EXCERPT_CHARS);
                (seen.text, seen.route) = (text, format!("{ROUTE}:{model}"));
                "described by a model, not read".clone_into(&mut seen.note);
                Some((seen, parts))
            }
            failed => {
                let why =
                    failed.err().map_or_else(|| "it said nothing".to_owned(), |error| error.to_string());
                seen.note = mask(&format!("{model} did not describe it: {why}")).text.into_owned();
                Some((seen, Vec::new()))
            }
        }
    }
}

fn question(attachment: &Attachment, bytes: &[u8]) -> ModelRequest {
    ModelRequest {
        instructions: INSTRUCTIONS.trim_end().to_owned(),
        content: attachment.name.clone(),
        schema: json!({
            "type": "object",
            "properties": {"description": {"type": "string", "maxLength": MAX_DESCRIPTION_CHARS}},
            "required": ["description"],
            "additionalProperties": false,
        }),
        schema_name: "picture",
        most_tokens: MAX_ANSWER_TOKENS,
        pictures: vec![Picture::new(&attachment.mime, bytes)],
    }
}
