//! Lets a language model, where there is one, reword the lines of a digest as a paragraph.

use crate::{
    agent::Agent,
    write::{prose_question, unfit_as_prose},
};
use cairn_domain::{Digest, Privacy};
use cairn_store::RhythmBatch;

/// Digests of fewer lines say what they have to say.
const MIN_LINES_TO_REWORD: usize = 3;

/// Lets a language model say digests as paragraphs: a few of a batch, those of the longest spans first. What says anything
/// that the lines do not say is refused, and whatever a model does, the lines stand.
pub(crate) async fn reword_digests(agent: &Agent, batch: &mut RhythmBatch, most_calls: u32) {
    // Many digests hold personal data.
    if batch.digests.is_empty() || !agent.language.may_see(Privacy::Personal) {
        return;
    }
    let mut order: Vec<usize> = (0..batch.digests.len()).collect();
    order.sort_by_key(|at| {
        let Digest { from, until, .. } = &batch.digests[*at];
        std::cmp::Reverse(until.millis() - from.millis())
    });
    order.retain(|at| batch.digests[*at].text.lines().count() >= MIN_LINES_TO_REWORD);
    for at in order.into_iter().take(most_calls as usize) {
        let digest = &mut batch.digests[at];
        if let Err(why) = reword_digest(agent, digest).await {
            let note = format!("{} {} stays as its lines: {why}", digest.kind, digest.scope);
            if batch.note.is_empty() {
                batch.note = note;
            }
        }
    }
}

/// Says one digest as a paragraph, or tells why not.
async fn reword_digest(agent: &Agent, digest: &mut Digest) -> Result<(), String> {
    let lines: Vec<&str> = digest.text.lines().map(|line| line.trim_start_matches("- ")).collect();
    let about = format!("{} {} {} – {}", digest.kind, digest.scope, digest.from.day(), digest.until.day());
    let asked = agent.language.ask(&prose_question(&about, &lines), Privacy::Personal, agent.now()).await;
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
