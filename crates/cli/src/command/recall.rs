//! `cairn recall`: one question, or a file of them.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show, show_recall};
use cairn_engine::{Agent, Effects, Missing, Question, limits::RECALL_CATCH_UP};
use cairn_wire as wire;
use serde::Deserialize;
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
};

/// A line of a batch.
#[derive(Deserialize)]
struct BatchQuestion {
    id: serde_json::Value,
    query: String,
}

pub(crate) async fn recall(invocation: &Invocation, args: args::RecallArgs) -> Result<(), Failure> {
    let template = Question {
        text: args.query.clone().unwrap_or_default(),
        after: args.after.clone(),
        k: args.k,
        thread: args.thread.clone(),
        within_thread: args.within_thread,
        session: args.session.clone(),
        sender: args.sender,
        mode: args.mode,
        as_of: args.as_of,
        kinds: args.kind.clone(),
        timeline: args.timeline,
        verbatim: false,
        no_peers: false,
        explain: args.explain,
        profile: invocation.home.config().ranking_profile(&args.profile)?,
    };
    let agent = invocation.open(Missing::Refuse).await?;
    if args.batch.is_some() {
        return batch(&agent, &args, template).await;
    }
    if !args.no_wait {
        catch_up_briefly(&agent).await;
    }
    let effects = if args.read_only { Effects::None } else { Effects::Strengthen };
    let recall = agent.answer(template, effects).await?;
    show::notes(&agent.take_notes());
    let detail = wire::Detail::asked(args.explain);
    invocation.answer(
        || wire::Recall::new(&recall, detail),
        || show_recall::print_recall(&recall, invocation.home.now(), args.explain),
    );
    if args.read_only {
        return Ok(());
    }
    Ok(agent.tidy_up().await?)
}

/// Embeds what waits for a moment: straight after `ingest` the first question is answered by more than words. What is left is
/// told with the answer, and so is an embedder that does not work.
async fn catch_up_briefly(agent: &Agent) {
    if let Ok(embedding) = agent.embedding().await
        && embedding.done < embedding.messages
    {
        let _ = agent.embed_within(RECALL_CATCH_UP).await;
    }
}

/// Answers every line with a line, in order. A line that cannot be read is reported and passed over.
async fn batch(agent: &Agent, args: &args::RecallArgs, template: Question) -> Result<(), Failure> {
    if !args.no_wait {
        // Without a model the answers say so themselves: `lexical_only`.
        let _ = super::embed::catch_up(agent).await;
    }
    let path = args.batch.as_deref().unwrap_or_else(|| "-".as_ref());
    let unreadable = |error: io::Error| {
        Failure::new(
            format!("cannot read {}: {error}", path.display()),
            "a batch has a line {\"id\",\"query\"} per question",
        )
    };
    let input: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).map_err(unreadable)?))
    };
    for (i, line) in input.lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let Ok(asked) = serde_json::from_str::<BatchQuestion>(&line) else {
            let yellow = show::YELLOW;
            err!("{yellow}skipped:{yellow:#} line {}: it is not {{\"id\",\"query\"}}", i + 1);
            continue;
        };
        let question = Question { text: asked.query, ..template.clone() };
        // Whoever asks a file of questions measures; nobody is shown the answers.
        let recall = agent.answer(question, Effects::None).await?;
        let mut answer =
            super::invocation::sorted_json(wire::Recall::new(&recall, wire::Detail::asked(args.explain)));
        answer["id"] = asked.id;
        out!("{answer}");
    }
    show::notes(&agent.take_notes());
    Ok(agent.tidy_up().await?)
}
