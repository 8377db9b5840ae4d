//! `cairn open`, `why` and `timeline`: what stands behind a hit.

use super::Setting;
use crate::{failure::Failure, show};
use cairn_domain::{Ref, Time};
use cairn_engine::{Decision, Missing, Question, Timeline, Why};
use cairn_store::{BeliefRecord, DigestRecord, MemoryRecord, MessageRecord};
use cairn_wire as wire;

/// What a ref names.
enum Opened {
    Messages(Ref, Vec<MessageRecord>),
    Memory(Box<MemoryRecord>),
    Belief(Box<BeliefRecord>),
    Digest(Box<DigestRecord>),
}

pub(crate) async fn open(setting: &Setting, refs: &[String]) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let mut named = Vec::new();
    for written in refs {
        named.push(agent.resolve(written).await?);
    }
    let mut records = Vec::new();
    for reference in named {
        records.push(match reference {
            Ref::Memory(id) => Opened::Memory(Box::new(agent.memory(id).await?)),
            Ref::Belief(id) => Opened::Belief(Box::new(agent.belief(id).await?)),
            Ref::Digest(id) => Opened::Digest(Box::new(agent.digest(id).await?)),
            Ref::Message(_) | Ref::Exchange(_) => {
                Opened::Messages(reference, agent.open_ref(reference).await?)
            }
        });
    }
    let value = |opened: &Opened| match opened {
        Opened::Messages(reference, messages) => wire::Opened::Messages {
            reference: reference.to_string(),
            messages: messages.iter().map(wire::Message::from).collect(),
        },
        Opened::Memory(record) => wire::Opened::Memory(Box::new(record.as_ref().into())),
        Opened::Belief(record) => wire::Opened::Belief(Box::new(record.as_ref().into())),
        Opened::Digest(record) => wire::Opened::Digest(Box::new(record.as_ref().into())),
    };
    setting.answer(
        || records.iter().map(value).collect::<wire::Records>(),
        || {
            for opened in &records {
                match opened {
                    Opened::Messages(_, messages) => messages.iter().for_each(show::message),
                    Opened::Memory(record) => show::memory(record),
                    Opened::Belief(record) => super::beliefs::table(std::slice::from_ref(record.as_ref())),
                    Opened::Digest(record) => show::digest(record),
                }
            }
        },
    );
    Ok(())
}

pub(crate) async fn why(setting: &Setting, reference: &str, verify: bool) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let reference = agent.resolve(reference).await?;
    if let Ref::Memory(id) = reference {
        return super::memories::why(setting, &agent, id, verify).await;
    }
    if let Ref::Belief(id) = reference {
        return super::beliefs::why(setting, &agent, id, verify).await;
    }
    if let Ref::Digest(id) = reference {
        return super::rhythm::why_digest(setting, &agent, id).await;
    }
    let answers = agent.why(reference).await?;
    let mut formed = Vec::with_capacity(answers.len());
    for answer in &answers {
        formed.push(agent.formed_from(answer.record.message.id).await?);
    }
    let evidence = || answers.iter().zip(&formed).map(|(why, formed)| wire::WhyMessage::new(why, formed));
    setting.answer(
        || wire::WhyMessages { reference: reference.to_string(), evidence: evidence().collect() },
        || {
            for (why, (memories, decisions)) in answers.iter().zip(&formed) {
                show_why(why);
                show_formed(memories, decisions.as_deref());
            }
        },
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

/// What a message became.
fn show_formed(memories: &[MemoryRecord], decisions: Option<&[Decision]>) {
    let bold = show::BOLD;
    out!("{bold}became{bold:#}");
    match decisions {
        None => out!("  nobody has looked at it yet; `cairn form` does"),
        Some(decisions) => decisions.iter().for_each(|decision| show::decision(decision, memories)),
    }
}

pub(crate) async fn timeline(
    setting: &Setting,
    about: Option<String>,
    k: usize,
    as_of: Option<Time>,
) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let timeline = match about {
        None => Timeline::Newest { k, as_of },
        Some(about) => {
            if let Ok(reference) = agent.resolve(&about).await {
                Timeline::Around(reference)
            } else {
                let profile = setting.home.config().recall;
                Timeline::Question(Box::new(Question { k, as_of, profile, ..Question::new(about) }))
            }
        }
    };
    let messages = agent.timeline(timeline).await?;
    setting.answer(
        || messages.iter().collect::<wire::Timeline>(),
        || {
            if messages.is_empty() {
                anstream::eprintln!("nothing was said about that yet");
            }
            messages.iter().for_each(show::line);
        },
    );
    Ok(())
}
