//! `cairn context`: what a prompt would get.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show};
use cairn_engine::{Briefing, ContextOccasion, Effects, Missing};
use cairn_wire as wire;

pub(crate) async fn context(invocation: &Invocation, args: args::ContextArgs) -> Result<(), Failure> {
    let args::ContextArgs { query, thread, session, mode, budget, resume } = args;
    let agent = invocation.open(Missing::Refuse).await?;
    let occasion = if resume { ContextOccasion::Resume } else { ContextOccasion::Ongoing };
    let briefing = Briefing { query, thread, session, mode, tokens: budget, shown: Vec::new(), occasion };
    // It shows what a prompt would get, and no prompt gets it.
    let brief = agent.context(&briefing, Effects::None).await?;
    show::notes(&agent.take_notes());
    invocation.answer(
        || wire::Context::from(&brief),
        || {
            if brief.lines.is_empty() {
                err!("there is nothing to give; `cairn remember TEXT` puts something in");
            } else {
                out!("{}", brief.text());
            }
        },
    );
    Ok(agent.tidy_up().await?)
}
