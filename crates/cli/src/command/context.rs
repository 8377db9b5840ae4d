//! `cairn context`: what a prompt would get.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show};
use cairn_engine::{
    Brief, Briefing, ContextOccasion, Effects, IdentityAudience, Missing, SectionReport, SessionKind,
};
use cairn_wire as wire;

pub(crate) async fn context(invocation: &Invocation, args: args::ContextArgs) -> Result<(), Failure> {
    let args::ContextArgs { query, thread, session, mode, budget, resume, framing, explain, host } = args;
    let agent = invocation.open(Missing::Refuse).await?;
    let occasion = if resume { ContextOccasion::Resume } else { ContextOccasion::Ongoing };
    let (framing, folder) = (framing.map(Into::into), std::env::current_dir().ok());
    let (tokens, shown) = (budget, Vec::new());
    let identity = Some(IdentityAudience { host, session: SessionKind::Main });
    let briefing = Briefing {
        query,
        thread,
        session,
        mode,
        tokens,
        shown,
        occasion,
        identity,
        framing,
        folder,
        told_in: None,
    };
    // It shows what a prompt would get, and no prompt gets it.
    let brief = agent.context(&briefing, Effects::None).await?;
    show::notes(&agent.take_notes());
    invocation.answer(
        || {
            let context = wire::Context::from(&brief);
            if explain { context.explained(&brief) } else { context }
        },
        || {
            if brief.text().is_empty() {
                err!("there is nothing to give; `cairn remember TEXT` puts something in");
            } else {
                out!("{}", brief.text());
            }
            if explain {
                show_sections(&brief);
            }
        },
    );
    Ok(agent.tidy_up().await?)
}

/// The sections: whether each is there or why not, its tokens, its time and its refs.
fn show_sections(brief: &Brief) {
    let mut table = show::table(&["p", "section", "outcome", "tokens", "ms", "refs"]);
    for SectionReport { name, priority, outcome, tokens, took, refs } in &brief.sections {
        let ms = format!("{:.1}", took.as_secs_f64() * 1e3);
        let row = [
            priority.to_string(),
            (*name).to_owned(),
            outcome.as_str().to_owned(),
            tokens.to_string(),
            ms,
            refs.len().to_string(),
        ];
        table.add_row(row);
    }
    let all: f64 = brief.sections.iter().map(|section| section.took.as_secs_f64() * 1e3).sum();
    out!("\n{table}\n{all:.1} ms of the 150 ms that a prompt may wait");
}
