//! Intake: what was said and not looked at yet becomes memories; each new one comes to the layer that takes its category
//! or else to that of its tier, where what a running session has in mind is working memory, and what it changes about the things it speaks of is noted with what it rests on. What was written into the diary becomes private
//! memories, sealed as it is; how many is all that is told.

use crate::{
    agent::Agent,
    error::Result,
    rhythm::{
        config::Layers,
        step_context::{StepContext, StepDecision},
        watermark,
    },
};
use cairn_cognition::promotion::{is_held, quiet_since};
use cairn_domain::{HandoffReason, LONG_TERM_LAYER, RelationKind, SHORT_TERM_LAYER, Tier, WORKING_LAYER};
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, RhythmBatch, View};

pub(in crate::rhythm) async fn decide(agent: &Agent, context: &StepContext<'_>) -> Result<StepDecision> {
    let mut note = String::new();
    if context.place == 0 {
        agent.form(&mut |_| {}).await?;
        agent.hear_about_shared().await?;
        for session in agent.end_quiet_sessions().await? {
            agent.write_handoff(&session, HandoffReason::Gap).await?;
        }
        // A diary that cannot be opened keeps nothing else from being taken in.
        note = match agent.take_in_diary().await {
            Ok(taken) => taken.note(),
            Err(error) => format!("the diary was left: {error}"),
        };
    }
    let decided = agent.store.read(|view| {
        let version = view.memory_version()?;
        let mut decided = assign_layers(view, context, &agent.config.layers)?;
        decided.batch.version = version;
        Ok(decided)
    });
    let mut decided = decided.await?;
    decided.batch.note = note;
    Ok(decided)
}

fn assign_layers(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    layers: &Layers,
) -> cairn_store::Result<StepDecision> {
    let from = view.watermark(watermark::INTAKE)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let mut batch = RhythmBatch { looked_at: records.len() as u32, ..RhythmBatch::default() };
    let numbers: Vec<u32> = records.iter().map(|record| record.number).collect();
    let in_mind = view.in_running_sessions(&numbers, quiet_since(context.now))?;
    for record in &records {
        let (is, on) = (record.memory.layer.as_str(), MemoryEnd::Known(record.number));
        let tier = match record.memory.tier {
            Tier::Episodic if in_mind.contains(&record.number) && !is_held(&record.memory) => {
                let what = MemoryChange::Tier(Tier::Episodic, Tier::Working);
                let reason = "a running session has it in mind".to_owned();
                batch.effects.push(MemoryEffect { on, what, reason });
                Tier::Working
            }
            tier => tier,
        };
        let own = layers.taking(record.memory.category);
        let belongs = own.or_else(|| layer_of_tier(tier));
        let known = [WORKING_LAYER, SHORT_TERM_LAYER, LONG_TERM_LAYER].contains(&is);
        if let Some(belongs) = belongs.filter(|belongs| known && *belongs != is) {
            let what = MemoryChange::Layer(is.to_owned(), belongs.to_owned());
            let reason = match own {
                Some(_) => format!("the layer takes what is of category {}", record.memory.category),
                None => format!("it is {tier}"),
            };
            batch.effects.push(MemoryEffect { on, what, reason });
        }
        note_changed_properties(view, record, &mut batch)?;
    }
    if let Some(last) = records.last() {
        batch.watermarks.push((watermark::INTAKE.to_owned(), i64::from(last.number) + 1));
    }
    Ok(StepDecision { batch, next: full.then_some(context.place + 1) })
}

/// The layer that belongs to how a memory is kept; none of its own for what is dormant.
pub(super) fn layer_of_tier(tier: Tier) -> Option<&'static str> {
    match tier {
        Tier::Working => Some(WORKING_LAYER),
        Tier::Episodic => Some(SHORT_TERM_LAYER),
        Tier::Semantic => Some(LONG_TERM_LAYER),
        Tier::Dormant => None,
    }
}

/// Notes every property whose value differs between a memory and the one it replaced.
fn note_changed_properties(
    view: &mut View<'_>,
    record: &MemoryRecord,
    batch: &mut RhythmBatch,
) -> cairn_store::Result<()> {
    let replaced: Vec<u32> = view
        .relations(record.number)?
        .into_iter()
        .filter(|relation| relation.kind == RelationKind::Supersedes && relation.from == record.number)
        .map(|relation| relation.to)
        .collect();
    if replaced.is_empty() {
        return Ok(());
    }
    let now: Vec<_> = view.statements(record.number)?.into_iter().filter(|said| said.single).collect();
    for old in view.memories_at(&replaced)? {
        for was in view.statements(old.number)?.into_iter().filter(|said| said.single) {
            let same = now.iter().find(|is| (&is.subject, &is.attribute) == (&was.subject, &was.attribute));
            let Some(is) = same.filter(|is| is.value != was.value) else { continue };
            let reason = format!("{} of {}; before: {}", is.attribute, is.subject, old.memory.id);
            let what = MemoryChange::Property(was.value, is.value.clone());
            batch.effects.push(MemoryEffect { on: MemoryEnd::Known(record.number), what, reason });
        }
    }
    Ok(())
}
