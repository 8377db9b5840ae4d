//! `cairn recall`: one question, or a file of them.

use super::Setting;
use crate::{args, failure::Failure, show};
use cairn_engine::{Agent, Missing, Profile, Question};
use cairn_wire as wire;
use serde::Deserialize;
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
};

/// A line of a batch.
#[derive(Deserialize)]
struct Asked {
    id: serde_json::Value,
    query: String,
}

pub(crate) async fn recall(setting: &Setting, args: args::Recall) -> Result<(), Failure> {
    let template = Question {
        text: args.query.clone().unwrap_or_default(),
        k: args.k,
        thread: args.thread.clone(),
        within_thread: args.within_thread,
        session: args.session.clone(),
        sender: args.sender,
        mode: args.mode,
        as_of: args.as_of,
        kinds: args.kind.clone(),
        timeline: args.timeline,
        explain: args.explain,
        profile: Profile::named(&args.profile, setting.home.config())?,
    };
    let agent = setting.open(Missing::Refuse).await?;
    if args.batch.is_some() {
        return batch(&agent, &args, template).await;
    }
    let recall = answer(&agent, template, args.timeline).await?;
    show::notes(&agent.take_notes());
    setting.answer(|| wire::Recall::new(&recall, args.explain), || show::recall(&recall, args.explain));
    if !args.read_only {
        agent.given(&recall).await?;
    }
    Ok(agent.tidy_up().await?)
}

/// The answer, best hit first or in the order in which things were said.
async fn answer(agent: &Agent, question: Question, timeline: bool) -> Result<cairn_engine::Recall, Failure> {
    let mut recall = agent.recall(question).await?;
    if timeline {
        recall.hits.sort_by_key(|hit| (hit.found.at(), hit.found.message().map(|record| record.seq)));
    }
    Ok(recall)
}

/// Answers every line with a line, in order. A line that cannot be read is reported and passed over.
async fn batch(agent: &Agent, args: &args::Recall, template: Question) -> Result<(), Failure> {
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
        let Ok(asked) = serde_json::from_str::<Asked>(&line) else {
            let yellow = show::YELLOW;
            anstream::eprintln!("{yellow}skipped:{yellow:#} line {}: it is not {{\"id\",\"query\"}}", i + 1);
            continue;
        };
        let question = Question { text: asked.query, ..template.clone() };
        let recall = answer(agent, question, args.timeline).await?;
        let mut answer = super::in_order(wire::Recall::new(&recall, args.explain));
        answer["id"] = asked.id;
        out!("{answer}");
    }
    show::notes(&agent.take_notes());
    Ok(agent.tidy_up().await?)
}
