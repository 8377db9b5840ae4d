//! `cairn remember`: one message, durable at once, and what it becomes.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show};
use cairn_domain::Draft;
use cairn_engine::{FormMemories, Missing};
use std::{
    io::Read,
    time::{Duration, Instant},
};

/// How long the command stays for vectors of what it kept; the next one goes on.
const EMBED_WITHIN: Duration = Duration::from_secs(3);

pub(crate) async fn remember(invocation: &Invocation, args: args::RememberArgs) -> Result<(), Failure> {
    let text = if args.text == "-" { read_stdin()? } else { args.text };
    let draft = Draft {
        source_id: args.id,
        session: args.session,
        thread: args.thread,
        mode: args.mode,
        role: args.role,
        speaker: args.speaker,
        at: args.at,
        text,
        ..Draft::default()
    };
    let form = if args.no_wait { FormMemories::Later } else { FormMemories::Now };
    let begun = Instant::now();
    let (agent, remembered) = if let Some(owner) = args.into {
        let agent = invocation.home.agent(&owner, Missing::Refuse).await?;
        let remembered = agent.remember_from(&invocation.agent, draft, form).await?;
        (agent, remembered)
    } else {
        let agent = invocation.open(Missing::Create).await?;
        let remembered = agent.remember_on_request(draft, form).await?;
        (agent, remembered)
    };
    let (kept, formed) = (&remembered.message, &remembered.formed);
    let decisions = formed.as_ref().map_or(&[][..], |formed| &formed.decisions);
    let mut known = Vec::new();
    for id in decisions.iter().flat_map(|decision| [decision.memory, decision.supersedes]).flatten() {
        known.push(agent.memory(id).await?);
    }
    let reasons = formed.as_ref().filter(|_| args.explain).map_or(&[][..], |formed| &formed.reasons);
    invocation.answer(
        || cairn_wire::Remembered::new(&remembered, cairn_wire::Detail::asked(args.explain)),
        || {
            let (green, dim) = (show::GREEN, show::DIM);
            let word = if kept.duplicate { "already kept" } else { "kept" };
            out!("{green}{word}{green:#}  {}  {dim}{}{dim:#}", kept.message, kept.exchange);
            for (at, decision) in decisions.iter().enumerate() {
                show::decision(decision, &known);
                reasons.get(at).into_iter().for_each(show::reasons);
            }
        },
    );
    let left = EMBED_WITHIN.saturating_sub(begun.elapsed());
    if !args.no_wait && !left.is_zero() {
        let _ = agent.embed_within(left).await;
    }
    Ok(())
}

pub(crate) fn read_stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(1 << 30).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("cannot read standard input: {error}"), "pipe the text in"))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::usage(
            "standard input is not UTF-8 text",
            "convert it first, for example with iconv -t UTF-8",
        )
    })
}
