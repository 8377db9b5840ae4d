//! Beliefs as people and programs see them: listed, and explained down to the words for and against.

use crate::{
    agent::Agent,
    belief::weigh::current_freshness,
    error::{EngineError, Result},
    read::{CheckedSource, source},
};
use cairn_cognition::belief::freshness::due;
use cairn_domain::{Belief, BeliefId, BeliefStatus, Receipt, Time};
use cairn_store::{BeliefFilter, BeliefLink, BeliefRecord, LinkEnd, MemoryRecord, View};

/// How far the chain of what was held before is followed.
const MAX_CHAIN_LENGTH: usize = 100;

/// A belief with everything behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyBelief {
    /// The belief.
    pub record: BeliefRecord,
    /// How current it is by now.
    pub freshness: f64,
    /// The parts of its confidence, in words.
    pub in_words: String,
    /// The evidence for and against it.
    pub evidence: Vec<BeliefEvidence>,
    /// The beliefs it replaced, newest first.
    pub before: Vec<BeliefRecord>,
    /// The belief that replaced it.
    pub after: Option<BeliefRecord>,
    /// Everything that was done about it, the oldest first.
    pub receipts: Vec<Receipt>,
    /// The findings that would change it, as sentences.
    pub would_change: Vec<String>,
}

/// A piece of evidence, followed down to the words.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefEvidence {
    /// The link.
    pub link: BeliefLink,
    /// The memory it names; none for an entity.
    pub memory: Option<MemoryRecord>,
    /// The sources of that memory, read again just now.
    pub sources: Vec<CheckedSource>,
}

impl Agent {
    /// Beliefs, the best supported first, each with its current freshness.
    pub async fn beliefs(&self, filter: BeliefFilter, limit: u32) -> Result<Vec<BeliefRecord>> {
        let now = self.now();
        let mut records = self.store.read(|view| view.beliefs(&filter, limit)).await?;
        for record in &mut records {
            record.belief.freshness = current_freshness(&record.belief, now, &self.config.beliefs);
        }
        Ok(records)
    }

    /// One belief.
    pub async fn belief(&self, id: BeliefId) -> Result<BeliefRecord> {
        let found = self.store.read(|view| view.belief(id)).await?;
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }

    /// A belief with its evidence down to the verbatim words, its history, and the findings that would change it.
    pub async fn why_belief(&self, id: BeliefId) -> Result<WhyBelief> {
        let (now, config) = (self.now(), &self.config.beliefs);
        let found = self
            .store
            .read(|view| {
                let Some(record) = view.belief(id)? else { return Ok(None) };
                let links = view.links_of(record.number)?;
                let evidence = links
                    .into_iter()
                    .map(|link| evidence_with_sources(view, link))
                    .collect::<cairn_store::Result<Vec<_>>>()?;
                let before = supersession_chain(view, record.supersedes)?;
                let after = view.successor(record.number)?;
                let receipts = view.receipts_of(&id.to_string())?;
                let freshness = current_freshness(&record.belief, now, config);
                let stale_on =
                    due(record.belief.last_supported_at, config.cadence_days.of(record.belief.kind));
                Ok(Some(WhyBelief {
                    freshness,
                    in_words: confidence_in_words(&record.belief, now),
                    would_change: possible_changes(&record.belief, stale_on, now),
                    evidence,
                    before,
                    after,
                    receipts,
                    record,
                }))
            })
            .await?;
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }
}

fn evidence_with_sources(view: &mut View<'_>, link: BeliefLink) -> cairn_store::Result<BeliefEvidence> {
    let LinkEnd::Memory(number) = link.to else {
        return Ok(BeliefEvidence { link, memory: None, sources: Vec::new() });
    };
    let memory = view.memories_at(&[number])?.pop();
    let quoted = link.evidence.quote_hash();
    let words = view.evidence_of(number)?.into_iter().filter(|one| one.quote_hash() == quoted);
    // The words that are meant, not everything else that the memory has heard since.
    let sources = words.take(1).map(|one| source(view, one)).collect::<cairn_store::Result<_>>()?;
    Ok(BeliefEvidence { link, memory, sources })
}

fn supersession_chain(
    view: &mut View<'_>,
    mut before: Option<u32>,
) -> cairn_store::Result<Vec<BeliefRecord>> {
    let mut chain = Vec::new();
    while let Some(number) = before.filter(|_| chain.len() < MAX_CHAIN_LENGTH) {
        let Some(record) = view.belief_at(number)? else { break };
        before = record.supersedes;
        chain.push(record);
    }
    Ok(chain)
}

/// "5 sources of 3 kinds, last support 2 days ago, one contradiction".
fn confidence_in_words(belief: &Belief, now: Time) -> String {
    let many = |count: u64, one: &str, more: &str| match count {
        0 => format!("no {one}"),
        1 => format!("one {one}"),
        _ => format!("{count} {more}"),
    };
    let parts = &belief.parts;
    let sources = many(u64::from(parts.source_count), "source", "sources");
    let kinds = match parts.source_diversity {
        0 | 1 => String::new(),
        kinds => format!(" of {kinds} kinds"),
    };
    let days = belief.last_supported_at.days_until(now) as u64;
    let last = match days {
        0 => "last support today".to_owned(),
        days => format!("last support {} ago", many(days, "day", "days")),
    };
    let against = match belief.last_contradicted_at {
        None => "no contradiction".to_owned(),
        Some(_) => format!("contradicted with a weight of {:.1}", parts.contradiction_weight),
    };
    let confirmed = if parts.operator_confirmed { ", confirmed by an operator" } else { "" };
    format!("{sources}{kinds}, {last}, {against}{confirmed}")
}

fn possible_changes(belief: &Belief, stale_on: Time, now: Time) -> Vec<String> {
    if !belief.status.stands() {
        return vec![format!(
            "nothing: it is {}, and what is held again is a belief of its own",
            belief.status
        )];
    }
    let parts = &belief.parts;
    let missing = (parts.support_weight - parts.contradiction_weight).max(0.0);
    let mut would = vec![
        "a correction by the user replaces it at once".to_owned(),
        format!("more than {missing:.1} of weight against it invalidates it"),
    ];
    would.push(match belief.status {
        BeliefStatus::Stale => "new support makes it active again".to_owned(),
        _ if stale_on > now => format!("without new support it is stale from {} on", stale_on.minute()),
        _ => "it is overdue: `cairn rhythms run revalidation` looks at it again".to_owned(),
    });
    would
}
