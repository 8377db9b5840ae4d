//! Digests of entities: the weightiest active memories that name one, for every entity named by at least three. Parent
//! entities are inferred here too, from how often entities appear together.

use crate::rhythm::{
    digest::lines::{DIGESTS_PER_BATCH, MAX_DIGEST_LINES, inputs_fingerprint, undated_line},
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::{parent_entity::entity_parents, utility::weighed_value};
use cairn_domain::{Digest, DigestKind, Privacy};
use cairn_store::{MemoryRecord, Result, RhythmBatch, View};
use std::collections::BTreeMap;

/// Entities that are looked at, the most frequent first.
const MAX_ENTITIES: u32 = 500;
/// Memories of one entity that are looked at.
const MAX_MEMORIES: u32 = 200;
/// Fewer memories make no profile.
const MIN_MENTIONS: usize = 3;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let known: BTreeMap<String, String> = view
        .digest_inputs(DigestKind::Profile)?
        .into_iter()
        .map(|(scope, _, inputs)| (scope, inputs))
        .collect();
    let entities = view.entities(None, MAX_ENTITIES)?;
    let mut batch = RhythmBatch::default();
    for (at, entity) in entities.iter().enumerate().skip(context.place as usize) {
        if batch.digests.len() == DIGESTS_PER_BATCH {
            return Ok(StepDecision { batch, next: Some(at as i64) });
        }
        if (entity.mentions as usize) < MIN_MENTIONS {
            break;
        }
        let numbers = view.hub(&entity.slug, MAX_MEMORIES)?;
        let mut records = view.memories_at(&numbers)?;
        records.retain(|record| record.memory.is_active() && record.memory.privacy != Privacy::Private);
        batch.looked_at += records.len() as u32;
        let weight =
            |record: &MemoryRecord| weighed_value(0.0, record.memory.utility, record.memory.importance);
        records.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(b.number.cmp(&a.number)));
        let enough = records.len() >= MIN_MENTIONS;
        records.truncate(MAX_DIGEST_LINES);
        let inputs = inputs_fingerprint(records.iter().map(|record| (record.number, record.revision)));
        if !enough || known.get(&entity.slug).is_some_and(|known| *known == inputs) {
            continue;
        }
        let lines: Vec<String> = records.iter().map(undated_line).collect();
        batch.digests.push(Digest {
            kind: DigestKind::Profile,
            scope: entity.slug.clone(),
            from: entity.first_seen,
            until: context.now,
            text: lines.join("\n"),
            sources: records.iter().map(|record| record.memory.id.to_string()).collect(),
            inputs,
            made_by: "rules".to_owned(),
        });
    }
    let mentions: BTreeMap<u32, u32> = entities.iter().map(|entity| (entity.id, entity.mentions)).collect();
    let parents = entity_parents(&view.cooccurrences(2)?, &mentions);
    if parents != view.entity_parents()? {
        batch.entity_parents = Some(parents);
    }
    Ok(StepDecision::last(batch))
}
