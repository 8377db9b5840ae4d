//! Measure: the entropy of an exchange with one more message. What forming the message found out is not looked for again.

use super::support::is_supported;
use crate::{agent::Agent, meter};
use cairn_cognition::{
    entropy::{EarlierTurn, EntropySign, MeasuredTurn, entropy, entropy_signs, recollections},
    principles::principles,
};
use cairn_domain::{BeliefLane, EntropyPart, EntropySource, ExchangeEntropy, MAX_ENTROPY, Role};
use cairn_store::{MessageRecord, Result, View};
use std::time::Instant;

/// Earlier messages of a session that a message is looked at beside.
const MAX_EARLIER: u32 = 12;
/// Strength of a contradiction with a memory, and with a belief that somebody verified.
const CONTRADICTS_MEMORY: f64 = 0.6;
const CONTRADICTS_BELIEF: f64 = 1.0;
/// Contributions kept of an exchange.
const MAX_PARTS: usize = 48;
/// The identity file that holds principles.
const SOUL: &str = "SOUL.md";

/// The findings of forming a message that count for entropy.
#[derive(Debug, Default)]
pub(crate) struct FormedSigns {
    /// Statements that became new memories: how likely somebody would write each down, how new it is, and its text.
    pub(crate) novel: Vec<NovelStatement>,
    /// Memories that the message replaced.
    pub(crate) replaced: Vec<u32>,
}

/// A statement that became a memory.
#[derive(Debug)]
pub(crate) struct NovelStatement {
    pub(crate) worth: f64,
    pub(crate) novelty: f64,
    pub(crate) text: String,
}

impl FormedSigns {
    /// strength = 1 − Π(1 − worth·(1 + novelty)/2)
    fn novel_concept(&self) -> Option<EntropySign> {
        let strength =
            |it: &NovelStatement| it.worth.clamp(0.0, 1.0) * f64::midpoint(1.0, it.novelty.clamp(0.0, 1.0));
        let newest = self.novel.iter().max_by(|a, b| strength(a).total_cmp(&strength(b)))?;
        let known = self.novel.iter().fold(1.0, |known, it| known * (1.0 - strength(it)));
        Some(EntropySign::new(EntropySource::NovelConcept, 1.0 - known, &newest.text))
    }
}

/// The entropy of the exchange that a message belongs to, as it is with the message; `None` if it is not measured.
pub(crate) fn measure_exchange(
    view: &mut View<'_>,
    agent: &Agent,
    record: &MessageRecord,
    formed: &FormedSigns,
) -> Result<Option<ExchangeEntropy>> {
    let config = &agent.config.coherence;
    if !config.enabled || record.message.role == Role::System {
        return Ok(None);
    }
    let begun = Instant::now();
    let message = &record.message;
    let earlier = view.of_session(&message.session, Some(record.seq), MAX_EARLIER)?;
    let turns: Vec<EarlierTurn<'_>> = earlier
        .iter()
        .map(|before| EarlierTurn {
            role: before.message.role,
            text: &before.message.text,
            at: before.message.at,
        })
        .collect();
    let principles = principles(&agent.identity_file(SOUL).unwrap_or_default());
    let turn = MeasuredTurn {
        role: message.role,
        text: &message.text,
        at: message.at,
        earlier: &turns,
        principles: &principles,
    };
    let mut signs = entropy_signs(&turn);
    signs.extend(formed.novel_concept());
    signs.extend(contradiction(view, &message.text, &formed.replaced)?);
    if message.role == Role::Assistant {
        signs.extend(confabulation(view, record)?);
    }
    let known = view.exchange_entropy(record.exchange)?;
    let mut parts = known.map_or_else(Vec::new, |known| known.parts);
    // A message that is formed again is measured again, and surprise is that of the whole turn.
    parts.retain(|part| part.message != message.id && part.source != EntropySource::Surprise);
    parts.extend(signs.into_iter().map(|EntropySign { source, strength, saw }| EntropyPart {
        source,
        strength,
        saw,
        message: message.id,
    }));
    parts.truncate(MAX_PARTS);
    let sum = entropy(&parts, |source| config.weights.of(source));
    meter::coherence(begun.elapsed(), sum / MAX_ENTROPY);
    let (exchange, session, at) = (record.exchange, message.session.clone(), message.at);
    Ok(Some(ExchangeEntropy { exchange, session, at, entropy: sum, parts }))
}

/// Words that cannot stand beside a memory; worse, beside a belief that somebody verified. Of the record only its ref is kept:
/// its words may be erased without these.
fn contradiction(view: &mut View<'_>, text: &str, replaced: &[u32]) -> Result<Option<EntropySign>> {
    let mut found: Option<(f64, String)> = None;
    for record in view.memories_at(replaced)? {
        let mut against = (CONTRADICTS_MEMORY, record.memory.id.to_string());
        for key in view.keys_resting_on(record.number)? {
            let belief = view.newest_belief(&key)?;
            if let Some(belief) = belief.filter(|held| held.belief.lane == BeliefLane::Verified) {
                against = (CONTRADICTS_BELIEF, belief.belief.id.to_string());
            }
        }
        if found.as_ref().is_none_or(|(known, _)| *known < against.0) {
            found = Some(against);
        }
    }
    let sign = |(strength, record)| {
        EntropySign::new(EntropySource::Contradiction, strength, &format!("against {record}: {text}"))
    };
    Ok(found.map(sign))
}

/// A claim to remember what no record supports.
fn confabulation(view: &mut View<'_>, record: &MessageRecord) -> Result<Option<EntropySign>> {
    for claim in recollections(&record.message.text) {
        if !is_supported(view, &claim, record.seq)? {
            return Ok(Some(EntropySign::new(EntropySource::Confabulation, 1.0, &claim.sentence)));
        }
    }
    Ok(None)
}
