//! `cairn attach` and `cairn attachments`: receipts of files, and how the files stand now.

use super::invocation::Invocation;
use crate::{
    args::{AttachArgs, AttachmentsArgs, TurnArgs},
    failure::Failure,
    show,
};
use cairn_domain::{Attachment, AttachmentState};
use cairn_engine::{AttachOutcome, AttachmentTarget, Missing, SeenAttachment};
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM, GREEN, RED, YELLOW};
use std::time::Duration;

/// How long the command stays for vectors of the text; the next one goes on.
const EMBED_WITHIN: Duration = Duration::from_secs(3);

fn target(turn: TurnArgs) -> AttachmentTarget {
    AttachmentTarget { session: turn.session, thread: turn.thread }
}

pub(crate) async fn attach(invocation: &Invocation, args: AttachArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Create).await?;
    let outcomes = agent.attach_files(&args.files, &target(args.turn)).await?;
    invocation.answer(
        || outcomes.iter().collect::<wire::AttachedFiles>(),
        || outcomes.iter().for_each(print_outcome),
    );
    let refused: Vec<&AttachOutcome> = outcomes.iter().filter(|outcome| outcome.result.is_err()).collect();
    if refused.len() < outcomes.len() {
        let _ = agent.embed_within(EMBED_WITHIN).await;
    }
    match &refused[..] {
        [] => Ok(()),
        [AttachOutcome { result: Err(only), .. }] => {
            Err(Failure::new(only.problem.clone(), only.hint.clone()))
        }
        several => Err(Failure::new(
            format!("{} of {} files were not attached", several.len(), outcomes.len()),
            "see above; the others have their receipts",
        )),
    }
}

fn print_outcome(outcome: &AttachOutcome) {
    match &outcome.result {
        Ok(attached) => {
            let receipt = &attached.attachment;
            let word = if attached.known { "known" } else { "attached" };
            out!(
                "{GREEN}{word}{GREEN:#}  {}  {BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}",
                receipt.id,
                receipt.name,
                facts(receipt)
            );
            print_note(receipt);
        }
        Err(refused) => err!("{RED}refused{RED:#}  {}  {DIM}{}{DIM:#}", refused.problem, refused.hint),
    }
}

fn print_note(receipt: &Attachment) {
    if !receipt.note.is_empty() {
        out!("  {YELLOW}note:{YELLOW:#} {}", receipt.note);
    }
}

/// Media type, size and what else is known of a file.
fn facts(receipt: &Attachment) -> String {
    let mut facts = vec![receipt.mime.clone(), format!("{} bytes", receipt.bytes)];
    facts.extend(Some(receipt.pages).filter(|pages| *pages > 0).map(|pages| format!("{pages} page(s)")));
    let pixels = receipt.width.zip(receipt.height);
    facts.extend(pixels.map(|(width, height)| format!("{width}×{height} pixels")));
    let chars = receipt.text.chars().count();
    facts.extend(Some(chars).filter(|chars| *chars > 0).map(|chars| format!("{chars} characters of text")));
    facts.join(", ")
}

pub(crate) async fn attachments(invocation: &Invocation, args: AttachmentsArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let seen = agent.attachments(&target(args.turn), args.limit.limit as u32).await?;
    invocation.answer(|| seen.iter().collect::<wire::Attachments>(), || print_list(&seen));
    Ok(())
}

fn print_list(seen: &[SeenAttachment]) {
    if seen.is_empty() {
        err!("nothing is attached; `cairn attach FILE` attaches a file");
        return;
    }
    let mut table = show::table(&["ref", "file", "state", "attached", "bytes", "type", "turns"]);
    for SeenAttachment { attachment, state, turns, .. } in seen {
        table.add_row([
            attachment.id.to_string(),
            attachment.name.clone(),
            state.to_string(),
            attachment.attached_at.minute(),
            attachment.bytes.to_string(),
            attachment.mime.clone(),
            turns.len().to_string(),
        ]);
    }
    out!("{table}");
}

/// Prints an attachment with how its file stands now.
pub(crate) fn print_attachment(seen: &SeenAttachment) {
    let SeenAttachment { attachment, state, turns, .. } = seen;
    out!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}  {}", attachment.name, facts(attachment), attachment.id);
    out!("sha256  {}", attachment.sha256);
    let color = match state {
        AttachmentState::There | AttachmentState::Uploaded => GREEN,
        AttachmentState::Changed | AttachmentState::Moved | AttachmentState::Gone => YELLOW,
    };
    out!("source  {}  {color}{state}{color:#}", attachment.source.as_deref().unwrap_or("-"));
    if let Some(gap) = seen.verification_gap() {
        out!("{YELLOW}{gap}{YELLOW:#}");
    }
    print_note(attachment);
    if !attachment.excerpt.is_empty() {
        out!("{BOLD}begins{BOLD:#}  {}", attachment.excerpt);
    }
    if let Some((message, words)) = &seen.observation {
        out!("{BOLD}said about it last{BOLD:#}  {words}  {DIM}{message}{DIM:#}");
    }
    out!("{BOLD}turns{BOLD:#}");
    for turn in turns {
        let session = turn.session.as_deref().unwrap_or("-");
        let thread = turn.thread.as_ref().map_or_else(String::new, |thread| format!(" · {thread}"));
        let message = turn.message.map_or_else(String::new, |message| message.to_string());
        out!("  {}  {CYAN}{session}{CYAN:#}{thread}  {DIM}{message}{DIM:#}", turn.at.minute());
    }
}
