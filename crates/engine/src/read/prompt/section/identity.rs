//! Identity: the files that say who the agent is, each in its tag, as its operator wrote them. Given where a session begins, to
//! hosts that the configuration names, in a budget of their own.

use crate::{
    Agent, Result,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        identity_file::{IdentityFile, SessionKind},
        page::TokenCounter,
        situation::Situation,
    },
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "identity",
    priority: 0,
    header: SectionHeader::plain(""),
    share: SectionShare::thirtieths(0, 0),
    build,
};

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move { identity(situation) })
}

fn identity<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    let (agent, briefing) = (situation.agent, situation.briefing);
    let Some(audience) = briefing.identity.as_ref().filter(|_| !situation.is_asked()) else {
        return Ok(None);
    };
    let counter = agent.token_counter();
    let mut room = agent.config.context.identity_tokens;
    let mut texts = Vec::new();
    for file in agent.config.context.identity_of(&audience.host) {
        if *file == IdentityFile::Memory && audience.session == SessionKind::SubAgent {
            continue;
        }
        let Some(text) = written_text(agent, *file)? else { continue };
        let text = tagged(*file, &text, &counter, room);
        room = room.saturating_sub(counter.count(&text));
        texts.push(text);
    }
    Ok((!texts.is_empty()).then_some(Block::Tagged(texts)))
}

/// The text of a file; none if it is missing, empty or still the template.
fn written_text(agent: &Agent, file: IdentityFile) -> Result<Option<String>> {
    if !agent.identity_files()?.iter().any(|name| name == file.file_name()) {
        return Ok(None);
    }
    let text = agent.identity_file(file.file_name())?;
    let is_written = !text.trim().is_empty() && !file.is_template(&text);
    Ok(is_written.then_some(text))
}

/// A text in the tag of its file, cut after the last paragraph that has room.
fn tagged(file: IdentityFile, text: &str, counter: &TokenCounter, room: usize) -> String {
    let (tag, name) = (file.tag(), file.file_name());
    let whole = format!("<{tag}>\n{}\n</{tag}>", text.trim());
    if counter.count(&whole) <= room {
        return whole;
    }
    let cut = |text: &str| format!("<{tag}>\n{text}\n(identity/{name} goes on)\n</{tag}>");
    let ends = text.match_indices("\n\n").map(|(at, _)| text[..at].trim());
    let fitting = ends.filter(|text| counter.count(&cut(text)) <= room).last();
    cut(fitting.unwrap_or_default())
}
