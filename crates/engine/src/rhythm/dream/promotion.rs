//! Promotion and demotion: episodes that were used, were useful or have company become knowledge; knowledge that nobody
//! used for two months and that was of no use goes to rest.

use crate::rhythm::{
    dream::{page::decide_page, utility::utility_tonight},
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::promotion::{EpisodeCompany, PROMOTED_SHARING_EPISODES, tier_change};
use cairn_domain::Memory;
use cairn_store::{MemoryChange, Result, View};
use std::collections::BTreeSet;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let shared: BTreeSet<u32> = view.shared_entities(PROMOTED_SHARING_EPISODES)?.into_iter().collect();
    // Numbers have gaps where something is dormant, so that a page may reach further than its size.
    let last = view.active(context.number(), context.config.batch)?.last().map_or(0, |record| record.number);
    let mentions = view.mentions_between(context.number(), last)?;
    let sharing: BTreeSet<u32> = mentions
        .into_iter()
        .filter(|(_, entity)| shared.contains(entity))
        .map(|(number, _)| number)
        .collect();
    // The next step lets utility drift; what is decided here must hold after it.
    let utility = utility_tonight(view, context.now)?;
    decide_page(view, context, |record| {
        let memory = Memory { utility: utility(&record.memory), ..record.memory.clone() };
        let has_company = sharing.contains(&record.number);
        let company = if has_company { EpisodeCompany::Several } else { EpisodeCompany::Few };
        let (tier, why) = tier_change(&memory, context.now, company)?;
        Some((MemoryChange::Tier(record.memory.tier, tier), why))
    })
}
