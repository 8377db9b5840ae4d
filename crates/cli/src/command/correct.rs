//! `cairn correct` and `cairn feedback`: what is wrong, and what was of use. On the command line it is the user who speaks.

use super::{invocation::Invocation, remember::read_stdin};
use crate::{args::HelpfulArg, failure::Failure, show};
use cairn_engine::{Audience, CorrectedBy, CorrectionDraft, Missing, UseOutcome};

pub(crate) async fn correct(invocation: &Invocation, reference: &str, text: String) -> Result<(), Failure> {
    let text = if text == "-" { read_stdin()? } else { text };
    let agent = invocation.open(Missing::Refuse).await?;
    let reference = agent.resolve(reference).await?;
    let correction = CorrectionDraft { text, by: CorrectedBy::User, at: None };
    let correction = agent.correct_record(reference, correction, Audience::Operator).await?;
    let (kept, decisions) = (&correction.message, &correction.formed.decisions);
    let mut known = Vec::new();
    for id in decisions.iter().flat_map(|decision| [decision.memory, decision.supersedes]).flatten() {
        known.push(agent.memory(id).await?);
    }
    invocation.answer(
        || cairn_wire::Remembered::from(&correction),
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

pub(crate) async fn feedback(
    invocation: &Invocation,
    reference: &str,
    verdict: HelpfulArg,
) -> Result<(), Failure> {
    let outcome = match verdict {
        HelpfulArg::Helpful => UseOutcome::Success,
        HelpfulArg::Unhelpful => UseOutcome::Failure,
    };
    let agent = invocation.open(Missing::Refuse).await?;
    let reference = agent.resolve(reference).await?;
    let memories = agent.rate_record(reference, outcome, Audience::Operator).await?;
    invocation.answer(
        || cairn_wire::Feedback::new(reference, &memories),
        || {
            for record in &memories {
                let (dim, memory) = (show::DIM, &record.memory);
                out!("utility {:.2}  {}  {dim}{}{dim:#}", memory.utility, memory.text, memory.id);
            }
        },
    );
    Ok(())
}
