//! `cairn remember`: one message, durable at once, and what it becomes.

use super::Setting;
use crate::{args, failure::Failure, show};
use cairn_domain::Draft;
use cairn_engine::{ASKED, Missing};
use serde_json::json;
use std::{io::Read, time::Duration};

/// How long the command stays to embed what it kept; the next one goes on.
const EMBED_WITHIN: Duration = Duration::from_secs(2);

pub(crate) async fn remember(setting: &Setting, args: args::Remember) -> Result<(), Failure> {
    let text = if args.text == "-" { read_stdin()? } else { args.text };
    let mut draft = Draft {
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
    draft.metadata.insert(ASKED.to_owned(), json!(true));
    let agent = setting.open(Missing::Create).await?;
    let kept = agent.remember(draft).await?;
    // It is kept whatever becomes of it from here on.
    let formed = if args.no_wait { None } else { Some(agent.form_message(kept.message).await?) };
    let decisions = formed.as_ref().map_or(&[][..], |formed| &formed.decisions);
    let reasons = formed.as_ref().filter(|_| args.explain).map_or(&[][..], |formed| &formed.reasons);
    setting.answer(
        || {
            let mut value = json!({"exchange": kept.exchange, "message": kept.message, "duplicate": kept.duplicate,
                                   "decisions": decisions});
            if args.no_wait {
                value["pending"] = json!(true);
            }
            if args.explain {
                value["reasons"] = json!(reasons);
            }
            value
        },
        || {
            let (green, dim) = (show::GREEN, show::DIM);
            let word = if kept.duplicate { "already kept" } else { "kept" };
            out!("{green}{word}{green:#}  {}  {dim}{}{dim:#}", kept.message, kept.exchange);
            for (at, decision) in decisions.iter().enumerate() {
                show::decision(decision);
                reasons.get(at).into_iter().for_each(show::reasons);
            }
        },
    );
    if !args.no_wait {
        let _ = agent.embed_within(EMBED_WITHIN).await;
    }
    Ok(())
}

fn read_stdin() -> Result<String, Failure> {
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
