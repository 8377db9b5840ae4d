//! `cairn context`: what a prompt would get.

use super::Setting;
use crate::{args, failure::Failure, show};
use cairn_engine::{Briefing, Missing};
use cairn_wire as wire;

pub(crate) async fn context(setting: &Setting, args: args::Context) -> Result<(), Failure> {
    let args::Context { query, thread, session, mode, budget } = args;
    let agent = setting.open(Missing::Refuse).await?;
    let briefing = Briefing { query, thread, session, mode, tokens: budget, shown: Vec::new() };
    let brief = agent.brief(&briefing).await?;
    show::notes(&agent.take_notes());
    setting.answer(
        || wire::Context::from(&brief),
        || {
            if brief.lines.is_empty() {
                anstream::eprintln!("there is nothing to give; `cairn remember TEXT` puts something in");
            } else {
                out!("{}", brief.text());
            }
        },
    );
    Ok(agent.tidy_up().await?)
}
