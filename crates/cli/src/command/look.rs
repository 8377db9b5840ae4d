//! `cairn open`, `why` and `timeline`: what stands behind a hit.

use super::Setting;
use crate::{failure::Failure, json, show};
use cairn_domain::{Ref, Time};
use cairn_engine::{Missing, Question, Timeline, Why};
use serde_json::{Value, json};

pub(crate) async fn open(setting: &Setting, refs: &[String]) -> Result<(), Failure> {
    let refs = refs.iter().map(|text| text.parse()).collect::<Result<Vec<Ref>, _>>()?;
    let agent = setting.open(Missing::Refuse).await?;
    let mut records = Vec::new();
    for reference in refs {
        records.push((reference, agent.open_ref(reference).await?));
    }
    let record = |(reference, messages): &(Ref, Vec<_>)| json!({"ref": reference.to_string(), "messages": messages.iter().map(json::message).collect::<Value>()});
    setting.answer(
        || json!({"records": records.iter().map(record).collect::<Value>()}),
        || records.iter().flat_map(|(_, messages)| messages).for_each(show::message),
    );
    Ok(())
}

pub(crate) async fn why(setting: &Setting, reference: &str, verify: bool) -> Result<(), Failure> {
    let reference: Ref = reference.parse()?;
    let agent = setting.open(Missing::Refuse).await?;
    let answers = agent.why(reference).await?;
    setting.answer(
        || json!({"ref": reference.to_string(), "evidence": answers.iter().map(json::why).collect::<Value>()}),
        || answers.iter().for_each(show_why),
    );
    let holds = answers.iter().all(|why| why.archive_agrees);
    if verify && !holds {
        return Err(Failure::new(
            "a source no longer says the same",
            "`cairn verify` shows all that does not fit",
        ));
    }
    Ok(())
}

fn show_why(why: &Why) {
    show::message(&why.record);
    let (bold, dim) = (show::BOLD, show::DIM);
    out!("{bold}said around it{bold:#}");
    why.before.iter().for_each(show::line);
    out!("{dim}— this message —{dim:#}");
    why.after.iter().for_each(show::line);
    let (colour, verdict) = if why.archive_agrees {
        (show::GREEN, "and the file still says so")
    } else {
        (show::RED, "but the file says something else now; run `cairn verify`")
    };
    let file = &why.archive_file;
    out!("\n{bold}archive{bold:#} {file} line {}, {colour}{verdict}{colour:#}", why.record.archive_line);
}

pub(crate) async fn timeline(
    setting: &Setting,
    about: Option<String>,
    k: usize,
    as_of: Option<Time>,
) -> Result<(), Failure> {
    let timeline = match about {
        None => Timeline::Newest { k, as_of },
        Some(about) => {
            if let Ok(reference) = about.parse() {
                Timeline::Around(reference)
            } else {
                let profile = setting.home.config().recall;
                Timeline::Question(Box::new(Question { k, as_of, profile, ..Question::new(about) }))
            }
        }
    };
    let agent = setting.open(Missing::Refuse).await?;
    let messages = agent.timeline(timeline).await?;
    setting.answer(
        || json!({"entries": messages.iter().map(json::message).collect::<Value>()}),
        || {
            if messages.is_empty() {
                anstream::eprintln!("nothing was said about that yet");
            }
            messages.iter().for_each(show::line);
        },
    );
    Ok(())
}
