//! Verified beliefs in a prompt: those the gate lets through, apart from everything that somebody only said.

use super::{
    briefing::Briefing,
    page::{BriefPage, ContextLine},
};
use crate::{Agent, Result, belief::Trusted, quote::line};
use cairn_cognition::{
    belief::gate::Asking,
    entity::{entities, slug},
    keywords::terms,
};
use cairn_domain::{Belief, Consumer, Ref};
use std::cmp::Reverse;

/// How many beliefs are looked at for one prompt.
const MAX_VERIFIED_BELIEFS: usize = 12;

impl Agent {
    /// Writes down what may be given as true in `most` tokens: what shares words with the question first, then what is best
    /// supported. What the gate did is told in any mode.
    pub(crate) async fn add_verified_beliefs(
        &self,
        page: &mut BriefPage<'_>,
        most: usize,
    ) -> Result<Trusted> {
        let projects = projects_asked_about(page.briefing);
        let asking = Asking { consumer: Consumer::ContextInjection, projects: &projects };
        let mut trusted = self.trusted(asking).await?;
        let asked = terms(page.briefing.query.as_deref().unwrap_or_default());
        let shared = |belief: &Belief| {
            let said = terms(&format!("{} {}", belief.summary, belief.tags.join(" ")));
            let is_asked =
                |term: &str| asked.counts.binary_search_by(|(known, _)| known.as_str().cmp(term)).is_ok();
            said.counts.iter().filter(|(term, _)| is_asked(term)).count()
        };
        trusted.beliefs.sort_by_cached_key(|record| Reverse(shared(&record.belief)));
        let entries = trusted
            .beliefs
            .iter()
            .take(MAX_VERIFIED_BELIEFS)
            .map(|record| belief_line(&record.belief))
            .collect();
        page.add_section("Held true, verified by your operator:", entries, most);
        Ok(trusted)
    }
}

/// The project that is asked in, and whatever the question names beside it; none where no project is asked in.
fn projects_asked_about(briefing: &Briefing) -> Vec<String> {
    let Some(thread) = &briefing.thread else { return Vec::new() };
    let query = briefing.query.as_deref().unwrap_or_default();
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
