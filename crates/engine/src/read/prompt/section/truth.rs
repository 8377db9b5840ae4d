//! Truth: verified beliefs, those the gate lets through, apart from everything that somebody only said.

use crate::{
    Result,
    quote::line,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_cognition::{
    belief::gate::Asking,
    entity::{entities, slug},
    keywords::terms,
};
use cairn_domain::{Belief, Consumer, Ref};
use std::cmp::Reverse;

pub(super) const SECTION: ContextSection = ContextSection {
    name: "truth",
    priority: 8,
    header: SectionHeader {
        first_person: "Held true, verified by your operator:",
        system: "Held true, verified by the operator:",
    },
    share: SectionShare::thirtieths(6, 6),
    build,
};

/// How many beliefs are looked at for one prompt.
const MAX_VERIFIED_BELIEFS: usize = 12;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(verified_beliefs(situation))
}

/// Beliefs that may be given as true: what shares words with the question first, then what is best supported. What the gate did
/// is told in any mode.
async fn verified_beliefs<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    if situation.is_restart() {
        return Ok(None);
    }
    let query = situation.briefing.query.as_deref().unwrap_or_default();
    let projects = projects_asked_about(situation.briefing.thread.as_deref(), query);
    let asking = Asking { consumer: Consumer::ContextInjection, projects: &projects };
    let mut trusted = situation.agent.trusted_if(asking, situation.supposed).await?;
    let asked = terms(query);
    let shared = |belief: &Belief| {
        let said = terms(&format!("{} {}", belief.summary, belief.tags.join(" ")));
        let is_asked =
            |term: &str| asked.counts.binary_search_by(|(known, _)| known.as_str().cmp(term)).is_ok();
        said.counts.iter().filter(|(term, _)| is_asked(term)).count()
    };
    trusted.beliefs.sort_by_cached_key(|record| Reverse(shared(&record.belief)));
    let told = trusted.beliefs.iter().take(MAX_VERIFIED_BELIEFS);
    let lines = told.map(|record| belief_line(&record.belief)).collect();
    situation.keep_gate(trusted);
    Ok(Block::of_lines(lines))
}

/// The project that is asked in, and whatever the question names beside it; none where no project is asked in.
fn projects_asked_about(thread: Option<&str>, query: &str) -> Vec<String> {
    let Some(thread) = thread else { return Vec::new() };
    let mut projects = vec![slug(thread)];
    projects.extend(query.split_whitespace().map(slug));
    projects.extend(entities(query).into_iter().map(|mention| mention.slug));
    projects
}

/// A belief on a line: what it says, how well it is supported, by how much and until when.
fn belief_line(belief: &Belief) -> ContextLine {
    let (says, confidence) = (line(&belief.summary), belief.confidence * 100.0);
    let (sources, last) = (belief.parts.source_count, belief.last_supported_at.day());
    let sources = if sources == 1 { "1 source".to_owned() } else { format!("{sources} sources") };
    let reference = Ref::Belief(belief.id);
    let line =
        format!("{} {says} ({confidence:.0} % sure, {sources}, last supported {last})", reference.short());
    ContextLine::new(vec![belief.id.to_string()], line)
}
