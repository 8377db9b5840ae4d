//! Strategic forgetting: the five rules in their order, above a floor that holds for every category. What goes, goes
//! dormant. The second rule (foresight) and the fourth (redundancy) have steps of their own.

use crate::rhythm::{
    dream::page::decide_page,
    step_context::{StepContext, StepDecision},
    watermark::{self, applied},
};
use cairn_cognition::{
    forgetting::{has_faded, is_in_demand, is_useless, may_go_dormant, surplus_memories},
    judge::change::REPLACE_FROM,
    promotion::{is_held, strength_of},
    relation::prunable_relations,
    retention::RetentionCurve,
    utility::weighed_value,
};
use cairn_domain::{Memory, RelationKind, Tier, Time};
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Result, RhythmBatch, View};

/// Memories whose relations are pruned in one batch.
const CROWDED_PER_BATCH: u32 = 8;
/// A place is a rule and how far that came.
const PLACES_PER_RULE: i64 = 1 << 40;
/// Memories read at a time while the least useful are looked for.
const PAGE_MEMORIES: u32 = 1_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let (rule, at) = (context.place / PLACES_PER_RULE, context.place % PLACES_PER_RULE);
    let within = StepContext { place: at, layer: None, ..*context };
    let (decided, rules_left) = match rule {
        0 => (forget_contradicted(view, &within)?, true),
        1 => (forget_useless(view, &within)?, true),
        2 => (forget_surplus(view, &within)?, true),
        _ => (prune_crowded_relations(view, &within)?, false),
    };
    let next = match decided.next {
        Some(at) => Some(rule * PLACES_PER_RULE + at),
        None => rules_left.then_some((rule + 1) * PLACES_PER_RULE),
    };
    Ok(StepDecision { batch: decided.batch, next })
}

/// Whether a rule may let a memory go at all.
fn may_be_forgotten(memory: &Memory, now: Time) -> bool {
    !is_held(memory) && may_go_dormant(memory.category, memory.valid_from.days_until(now))
}

fn goes_dormant(record: &MemoryRecord, reason: String) -> MemoryEffect {
    let what = MemoryChange::Tier(record.memory.tier, Tier::Dormant);
    MemoryEffect { on: MemoryEnd::Known(record.number), what, reason }
}

/// Rule 1: of two that contradict each other surely the older goes. What only may have changed stays, and so does the user's
/// own word beside what somebody else says.
fn forget_contradicted(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let pairs = view.relations_of_kind(RelationKind::Contradicts, context.number(), context.config.batch)?;
    let full = pairs.len() as u32 == context.config.batch;
    let last = pairs.last().map(|(relation, ..)| relation.from);
    let mut batch = RhythmBatch { looked_at: pairs.len() as u32, ..RhythmBatch::default() };
    for (relation, from, to) in &pairs {
        let at = |record: &MemoryRecord| (record.memory.valid_from, record.number);
        let (older, newer) = if at(from) < at(to) { (from, to) } else { (to, from) };
        let gone = batch.effects.iter().any(|effect| {
            effect.on == MemoryEnd::Known(older.number) || effect.on == MemoryEnd::Known(newer.number)
        });
        let word = |record: &MemoryRecord| record.memory.data_source.whose_word();
        let is_sure = relation.confidence >= REPLACE_FROM && word(newer).weighs_against(word(older));
        if !gone && is_sure && may_be_forgotten(&older.memory, context.now) {
            let reason = format!("rule 1: it contradicts {}, which is newer", newer.memory.id);
            batch.effects.push(goes_dormant(older, reason));
        }
    }
    // A memory with more contradictions than a page has room for is looked at once.
    Ok(StepDecision::continue_after(batch, last.filter(|_| full)))
}

/// Rule 3: what was of no use and is not used goes, and so does what has faded away although a night before could have
/// made a theme of it.
fn forget_useless(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let themes = applied(view, watermark::CONSOLIDATION, context.now)?;
    let had_its_night =
        |memory: &Memory| themes.is_due && themes.until.is_some_and(|until| memory.recorded_at < until);
    decide_page(view, context, |record| {
        let memory = &record.memory;
        let idle = memory.accessed_at.days_until(context.now);
        let retention = strength_of(memory).retrieval(context.now, RetentionCurve::Seed);
        let why = if is_useless(memory.utility, idle) {
            format!("utility {:.2}", memory.utility)
        } else if has_faded(retention, idle) && had_its_night(memory) {
            format!("retention {retention:.2}")
        } else {
            return None;
        };
        let rests = || {
            (
                MemoryChange::Tier(memory.tier, Tier::Dormant),
                format!("rule 3: {why}, unused for {idle:.0} days"),
            )
        };
        may_be_forgotten(memory, context.now).then(rests)
    })
}

/// Rule 5: where there are too many, the least useful go. The place is how many are still to go, plus one.
fn forget_surplus(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let (active, threshold) = view.active_memories()?;
    let to_go = if context.place > 0 {
        context.place as u64 - 1
    } else {
        surplus_memories(active, context.config.most_active)
    };
    if to_go == 0 {
        return Ok(StepDecision::nothing(""));
    }
    let now = (to_go as usize).min(context.config.batch as usize);
    let mut least: Vec<(f64, MemoryRecord)> = Vec::new();
    let (mut number, mut looked_at) = (0, 0);
    loop {
        let records = view.active(number, PAGE_MEMORIES)?;
        let Some(end) = records.last() else { break };
        (number, looked_at) = (end.number + 1, looked_at + records.len() as u32);
        let may = records.into_iter().filter(|record| {
            may_be_forgotten(&record.memory, context.now) && !is_in_demand(record.memory.accesses, threshold)
        });
        least.extend(
            may.map(|record| (weighed_value(0.0, record.memory.utility, record.memory.importance), record)),
        );
        least.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.number.cmp(&b.1.number)));
        least.truncate(now);
    }
    let reason =
        format!("rule 5: {active} memories were active, of {} that may be", context.config.most_active);
    let effects: Vec<MemoryEffect> = least
        .iter()
        .map(|(worth, record)| goes_dormant(record, format!("{reason}; worth {worth:.2}")))
        .collect();
    let left = to_go as i64 - effects.len() as i64;
    // Where nothing more may go, nothing more goes.
    let next = (!effects.is_empty() && left > 0).then_some(left + 1);
    Ok(StepDecision { batch: RhythmBatch { looked_at, effects, ..RhythmBatch::default() }, next })
}

/// Relations beyond what a memory may have: the least sure of the least kinds go.
fn prune_crowded_relations(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let most = context.config.most_relations as usize;
    let crowded = view.crowded(context.config.most_relations, context.number(), CROWDED_PER_BATCH)?;
    let full = crowded.len() as u32 == CROWDED_PER_BATCH;
    let mut batch = RhythmBatch { looked_at: crowded.len() as u32, ..RhythmBatch::default() };
    for (number, _) in &crowded {
        let outgoing: Vec<_> =
            view.relations(*number)?.into_iter().filter(|relation| relation.from == *number).collect();
        let known: Vec<(RelationKind, f64)> =
            outgoing.iter().map(|relation| (relation.kind, relation.confidence)).collect();
        for place in prunable_relations(&known, most, most * 9 / 10) {
            let what = MemoryChange::Unrelated { to: outgoing[place].to, kind: outgoing[place].kind };
            let reason = format!("{} relations went out from it, of {most} that may", outgoing.len());
            batch.effects.push(MemoryEffect { on: MemoryEnd::Known(*number), what, reason });
        }
    }
    Ok(StepDecision::continue_after(batch, crowded.last().map(|(number, _)| *number).filter(|_| full)))
}
