//! `cairn correct` and `cairn feedback`: what is wrong, and what was of use. On the command line it is the user who speaks.

use super::{Setting, remember::read_stdin};
use crate::{args::Helpful, failure::Failure, show};
use cairn_domain::{Draft, Role};
use cairn_engine::{ASKED, Missing, Outcome};
use serde_json::json;

pub(crate) async fn correct(setting: &Setting, reference: &str, text: String) -> Result<(), Failure> {
    let text = if text == "-" { read_stdin()? } else { text };
    let mut draft = Draft::new(Role::User, text);
    draft.metadata.insert(ASKED.to_owned(), json!(true));
    let agent = setting.open(Missing::Refuse).await?;
    let reference = agent.resolve(reference).await?;
    let correction = agent.correct(reference, draft).await?;
    let (kept, decisions) = (&correction.message, &correction.formed.decisions);
    let mut known = Vec::new();
    for id in decisions.iter().flat_map(|decision| [decision.memory, decision.supersedes]).flatten() {
        known.push(agent.memory(id).await?);
    }
    setting.answer(
        || cairn_wire::Remembered::new(kept, Some(&correction.formed), false),
        || {
            let (green, dim) = (show::GREEN, show::DIM);
            let word = if kept.duplicate { "already corrected" } else { "corrected" };
            out!("{green}{word}{green:#}  {}  {dim}{}{dim:#}", kept.message, kept.exchange);
            for decision in decisions {
                show::decision(decision, &known);
            }
        },
    );
    Ok(agent.tidy_up().await?)
}

pub(crate) async fn feedback(setting: &Setting, reference: &str, verdict: Helpful) -> Result<(), Failure> {
    let outcome = match verdict {
        Helpful::Helpful => Outcome::Success,
        Helpful::Unhelpful => Outcome::Failure,
    };
    let agent = setting.open(Missing::Refuse).await?;
    let reference = agent.resolve(reference).await?;
    let memories = agent.feedback(reference, outcome).await?;
    setting.answer(
        || cairn_wire::Feedback {
            reference: reference.to_string(),
            memories: memories.iter().map(cairn_wire::Memory::from).collect(),
        },
        || {
            for record in &memories {
                let (dim, memory) = (show::DIM, &record.memory);
                out!("utility {:.2}  {}  {dim}{}{dim:#}", memory.utility, memory.text, memory.id);
            }
        },
    );
    Ok(())
}
