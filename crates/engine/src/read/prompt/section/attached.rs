//! Attachments of the session or the thread: receipt, excerpt and last observation of each, never a pretense of the file. What
//! was moved, changed or deleted since is marked as a gap.

use crate::{
    continuity::{AttachmentTarget, SeenAttachment, StateCheck},
    limits::MAX_CONTEXT_ATTACHMENTS,
    quote::{beginning, name, quoted},
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_domain::{Attachment, AttachmentState, Ref};
use std::collections::HashSet;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "attached",
    priority: 10,
    header: SectionHeader::plain("Attached files:"),
    share: SectionShare::thirtieths(6, 6),
    build,
};

/// Characters of the excerpt and of the last observation.
const SHOWN_EXCERPT_CHARS: usize = 160;
const SHOWN_OBSERVATION_CHARS: usize = 160;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let briefing = situation.briefing;
        let target = AttachmentTarget { session: briefing.session.clone(), thread: briefing.thread.clone() };
        if target == AttachmentTarget::default() {
            return Ok(None);
        }
        let seen =
            situation.agent.seen_attachments(&target, MAX_CONTEXT_ATTACHMENTS, StateCheck::Quick).await?;
        // Of a file that was attached again after it was changed, only the newest receipt counts.
        let mut sources = HashSet::new();
        let newest =
            seen.iter().filter(|it| it.attachment.source.as_ref().is_none_or(|path| sources.insert(path)));
        Ok(Block::of_lines(newest.map(attachment_line).collect()))
    })
}

fn attachment_line(seen: &SeenAttachment) -> ContextLine {
    let SeenAttachment { attachment, state, turns, .. } = seen;
    let reference = Ref::Attachment(attachment.id);
    let day = turns.last().map_or(attachment.attached_at, |turn| turn.at).day();
    let excerpt = Some(&attachment.excerpt).filter(|excerpt| !excerpt.is_empty());
    let begins = excerpt.map(|it| format!(": begins {}", quoted(&beginning(it, SHOWN_EXCERPT_CHARS))));
    let said = seen.observation.as_ref().map(|(_, words)| {
        format!("; said about it last: {}", quoted(&beginning(words, SHOWN_OBSERVATION_CHARS)))
    });
    let gap = seen.verification_gap().map(|gap| format!(" {gap}"));
    let line = format!(
        "{} {day} file {} ({}){}{}{}",
        reference.short(),
        name(&attachment.name),
        facts(attachment),
        begins.unwrap_or_default(),
        said.unwrap_or_default(),
        gap.unwrap_or_default()
    );
    // A gap that has opened since the receipt was shown is news.
    let refs = match state {
        AttachmentState::There | AttachmentState::Uploaded => reference.to_string(),
        AttachmentState::Changed | AttachmentState::Moved | AttachmentState::Gone => {
            format!("{reference}#{state}")
        }
    };
    ContextLine::new(vec![refs], line)
}

/// Media type, size and, where there are some, pages or dimensions.
fn facts(attachment: &Attachment) -> String {
    let mut facts = vec![attachment.mime.clone(), format!("{} bytes", attachment.bytes)];
    if attachment.pages > 0 {
        facts.push(format!("{} page(s)", attachment.pages));
    }
    if let (Some(width), Some(height)) = (attachment.width, attachment.height) {
        facts.push(format!("{width}×{height} pixels"));
    }
    facts.join(", ")
}
