//! `cairn open`, `why` and `timeline`.

use super::{attach::print_attachment, invocation::Invocation};
use crate::{failure::Failure, show, show_evidence};
use cairn_domain::Time;
use cairn_engine::{
    Agent, Audience, Decision, ExplainedMessage, ExplainedRecord, Missing, OpenedRecord, TimelineQuery,
    TimelineSubject, Why,
};
use cairn_store::{MemoryRecord, RefinementRecord};
use cairn_wire as wire;

pub(crate) async fn open(invocation: &Invocation, refs: &[String]) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let records = agent.open_records(refs, Audience::Operator).await?;
    invocation.answer(
        || records.iter().collect::<wire::Records>(),
        || {
            for opened in &records {
                match opened {
                    OpenedRecord::Messages(_, messages) => messages.iter().for_each(show::message),
                    OpenedRecord::Memory(record) => show::memory(record),
                    OpenedRecord::Belief(record) => {
                        show_evidence::print_beliefs(std::slice::from_ref(record.as_ref()));
                    }
                    OpenedRecord::Digest(record) => show::digest(record),
                    OpenedRecord::Attachment(seen) => {
                        print_attachment(seen);
                        out!("{}", seen.attachment.text);
                    }
                }
            }
        },
    );
    Ok(())
}

pub(crate) async fn why(invocation: &Invocation, reference: &str, verify: bool) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let explained = explain(invocation, &agent, reference).await?;
    if verify && !explained.sources_hold() {
        return Err(Failure::new("a source no longer says the same", "`cairn verify` lists every mismatch"));
    }
    Ok(())
}

/// Shows what a record is based on.
pub(super) async fn explain(
    invocation: &Invocation,
    agent: &Agent,
    reference: &str,
) -> Result<ExplainedRecord, Failure> {
    let explained = agent.explain(reference, Audience::Operator).await?;
    invocation.answer(
        || wire::Why::from(&explained),
        || match &explained {
            ExplainedRecord::Memory(why) => show_evidence::print_memory_evidence(why),
            ExplainedRecord::Belief(why) => show_evidence::print_belief_evidence(why),
            ExplainedRecord::Digest(why) => show_evidence::print_digest_sources(why),
            ExplainedRecord::Attachment(seen) => print_attachment(seen),
            ExplainedRecord::Messages(_, messages) => {
                for ExplainedMessage { why, memories, decisions, refinement } in messages {
                    print_message_evidence(why);
                    print_formed(memories, decisions.as_deref());
                    if let Some(RefinementRecord { state, outcome, .. }) = refinement {
                        let (bold, dim) = (show::BOLD, show::DIM);
                        out!("{bold}language model{bold:#}  {state}  {dim}{outcome}{dim:#}");
                    }
                }
            }
        },
    );
    Ok(explained)
}

fn print_message_evidence(why: &Why) {
    show::message(&why.record);
    let (bold, dim) = (show::BOLD, show::DIM);
    out!("{bold}said around it{bold:#}");
    why.before.iter().for_each(show::line);
    out!("{dim}— this message —{dim:#}");
    why.after.iter().for_each(show::line);
    let (color, verdict) = if why.archive_agrees {
        (show::GREEN, "still unchanged in the file")
    } else {
        (show::RED, "but the file has changed; run `cairn verify`")
    };
    let file = &why.archive_file;
    out!("\n{bold}archive{bold:#} {file} line {}, {color}{verdict}{color:#}", why.record.archive_line);
}

/// Prints the memories formed from a message.
fn print_formed(memories: &[MemoryRecord], decisions: Option<&[Decision]>) {
    let bold = show::BOLD;
    out!("{bold}memories formed from it{bold:#}");
    match decisions {
        None => out!("  not processed yet; run `cairn form`"),
        Some(decisions) => decisions.iter().for_each(|decision| show::decision(decision, memories)),
    }
}

pub(crate) async fn timeline(
    invocation: &Invocation,
    about: Option<String>,
    k: usize,
    as_of: Option<Time>,
) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let subject = about.map_or(TimelineSubject::Newest, TimelineSubject::QueryOrRecord);
    let messages = agent.timeline(TimelineQuery { subject, k, as_of }).await?;
    invocation.answer(
        || messages.iter().collect::<wire::Timeline>(),
        || {
            if messages.is_empty() {
                err!("no matching messages");
            }
            messages.iter().for_each(show::line);
        },
    );
    Ok(())
}
