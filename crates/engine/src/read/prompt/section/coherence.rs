//! Coherence: the entropy of the last exchange of the session, what it was found in, and, above the threshold, the principles
//! to hold on to.

use crate::{
    Result,
    quote::quoted,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, LineBlock, LineGroup, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_cognition::{keywords::query_terms, principles::principles};
use cairn_domain::{EntropyPart, EntropySource, ExchangeEntropy, MILLIS_PER_HOUR};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "coherence",
    priority: 5,
    header: SectionHeader { first_person: "[YOUR COHERENCE]", system: "[STABILITY CONTEXT]" },
    share: SectionShare::thirtieths(3, 3),
    build,
};

/// A measurement that is older says nothing about now.
const MAX_AGE_MS: i64 = 6 * MILLIS_PER_HOUR;
/// Principles that are shown.
const MAX_ANCHORS: usize = 3;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(coherence(situation))
}

async fn coherence<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    let config = &situation.agent.config.coherence;
    let Some(session) = situation.briefing.session.as_deref().filter(|_| config.enabled) else {
        return Ok(None);
    };
    let Some(state) = situation.agent.coherence_state(session).await? else { return Ok(None) };
    let newest = &state.newest;
    let is_anchored = newest.entropy > config.anchors_above;
    let flags: Vec<&EntropyPart> = newest.parts.iter().filter(|part| advice(part.source).is_some()).collect();
    let is_old = situation.now.millis() - newest.at.millis() > MAX_AGE_MS;
    if is_old || situation.is_restart() || (!is_anchored && flags.is_empty()) {
        return Ok(None);
    }
    let mut sources: Vec<&str> = newest.parts.iter().map(|part| part.source.as_str()).collect();
    sources.dedup();
    let about = format!("Entropy {:.2} ({}): {}.", newest.entropy, state.level, sources.join(", "));
    let flag = |part: &&EntropyPart| {
        let text = format!("{} {}", advice(part.source)?, quoted(&part.saw));
        Some(ContextLine::new(vec![part.message.to_string()], text))
    };
    let mut lines: Vec<ContextLine> = flags.iter().filter_map(flag).collect();
    if is_anchored {
        let soul = situation.agent.identity_file("SOUL.md").unwrap_or_default();
        // A line whose ref was shown before is left out, and an anchor is no record.
        let anchor = |it: &str| ContextLine::new(Vec::new(), format!("Anchor: {it}"));
        lines.extend(anchors(&principles(&soul), newest).into_iter().map(anchor));
    }
    if lines.is_empty() {
        return Ok(Some(Block::of_header(about)));
    }
    Ok(Some(Block::Lines(LineBlock { about, groups: vec![LineGroup { title: "", lines }], most: None })))
}

/// Advice about a source that the agent itself can mend.
fn advice(source: EntropySource) -> Option<&'static str> {
    match source {
        EntropySource::Loop => Some("The same move was made again; try another:"),
        EntropySource::Confabulation => Some("No record supports this; look it up before saying so:"),
        EntropySource::PrincipleTension => Some("This goes against a principle:"),
        EntropySource::Correction
        | EntropySource::Contradiction
        | EntropySource::IdentityChallenge
        | EntropySource::NovelConcept
        | EntropySource::StrongEmotion
        | EntropySource::Paradox
        | EntropySource::TemporalMismatch
        | EntropySource::QualityDecay
        | EntropySource::Surprise => None,
    }
}

/// The principles that share the most words with what was seen; of equals the first.
fn anchors<'a>(principles: &'a [String], newest: &ExchangeEntropy) -> Vec<&'a str> {
    let seen: Vec<String> = newest.parts.iter().flat_map(|part| query_terms(&part.saw)).collect();
    let shared = |it: &&String| query_terms(it).iter().filter(|term| seen.contains(term)).count();
    let mut sorted: Vec<&String> = principles.iter().collect();
    sorted.sort_by_key(|it| std::cmp::Reverse(shared(it)));
    sorted.into_iter().take(MAX_ANCHORS).map(String::as_str).collect()
}
