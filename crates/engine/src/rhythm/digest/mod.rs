//! Digests: what a day, a week and a month were about (`calendar`), what is known of an entity (`profile`) and of a
//! category (`category`), what is looked back on when enough has happened (`reflection`), and what old conversations were
//! about (`stretch`). Without a language model they are made of whole texts of memories, the weightiest first chosen, and
//! say nothing that is not in one; a model may say a few of them as a paragraph. Each cites what it stands on and is written
//! anew when that has changed.

pub(super) mod calendar;
pub(super) mod category;
pub(super) mod profile;
pub(super) mod reflection;
pub(super) mod stretch;

use crate::{
    Agent,
    write::{prose_question, unfit_as_prose},
};
use cairn_domain::Digest;
use cairn_store::{Batch, MemoryRecord};

/// Lines of a digest at most.
pub(super) const LINES: usize = 12;
/// Digests written in one batch.
pub(super) const PER_BATCH: usize = 20;

/// The hash of what a digest is made of.
pub(super) fn fingerprint(parts: impl IntoIterator<Item = (u32, u32)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (number, revision) in parts {
        hasher.update(&number.to_le_bytes()).update(&revision.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Digests of fewer lines say what they have to say.
const WORTH_WORDING: usize = 3;

/// Lets a language model say digests as paragraphs: a few of a batch, those of the longest spans first. What says anything
/// that the lines do not say is refused, and whatever a model does, the lines stand.
pub(super) async fn word(agent: &Agent, batch: &mut Batch, most_calls: u32) {
    // What is personal is in many digests.
    if batch.digests.is_empty() || !agent.language.may_see(true) {
        return;
    }
    let mut order: Vec<usize> = (0..batch.digests.len()).collect();
    order.sort_by_key(|at| {
        let Digest { from, until, .. } = &batch.digests[*at];
        std::cmp::Reverse(until.millis() - from.millis())
    });
    order.retain(|at| batch.digests[*at].text.lines().count() >= WORTH_WORDING);
    for at in order.into_iter().take(most_calls as usize) {
        let digest = &mut batch.digests[at];
        if let Err(why) = say(agent, digest).await {
            let note = format!("{} {} stays as its lines: {why}", digest.kind, digest.scope);
            if batch.note.is_empty() {
                batch.note = note;
            }
        }
    }
}

/// Says one digest as a paragraph, or tells why not.
async fn say(agent: &Agent, digest: &mut Digest) -> Result<(), String> {
    let lines: Vec<&str> = digest.text.lines().map(|line| line.trim_start_matches("- ")).collect();
    let about = format!("{} {} {} – {}", digest.kind, digest.scope, digest.from.day(), digest.until.day());
    let asked = agent.language.ask(&prose_question(&about, &lines), true, agent.now()).await;
    let answer = asked.answer.map_err(|error| format!("no language model answered: {error}"))?;
    let told = answer.value["text"].as_str().unwrap_or_default().trim();
    if let Some(why) = unfit_as_prose(told, &lines) {
        return Err(format!("a language model's wording was refused: {why}"));
    }
    told.clone_into(&mut digest.text);
    digest.made_by =
        asked.calls.last().map_or_else(|| "a language model".to_owned(), |call| call.model.clone());
    Ok(())
}

/// A memory as a line of a digest.
pub(super) fn line(record: &MemoryRecord, dated: bool) -> String {
    let text = record.memory.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if dated { format!("- {}: {text}", record.memory.valid_from.day()) } else { format!("- {text}") }
}
