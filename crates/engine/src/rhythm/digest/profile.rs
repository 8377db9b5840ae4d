//! What is known of an entity: the weightiest active memories that name it, for every entity that at least three do. Beside
//! it what entities are parts of, inferred from how often they stand together.

use super::{LINES, PER_BATCH, fingerprint, line};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{topic::parents, utility::worth};
use cairn_domain::{Digest, DigestKind, Privacy};
use cairn_store::{Batch, MemoryRecord, Result, View};
use std::collections::BTreeMap;

/// Entities that are looked at, the most frequent first.
const ENTITIES: u32 = 500;
/// Memories of one entity that are looked at.
const MEMORIES: u32 = 200;
/// Fewer memories make no profile.
const LEAST: usize = 3;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let known: BTreeMap<String, String> = view
        .digest_inputs(DigestKind::Profile)?
        .into_iter()
        .map(|(scope, _, inputs)| (scope, inputs))
        .collect();
    let entities = view.entities(None, ENTITIES)?;
    let mut batch = Batch::default();
    for (at, entity) in entities.iter().enumerate().skip(context.place as usize) {
        if batch.digests.len() == PER_BATCH {
            return Ok(Decided { batch, next: Some(at as i64) });
        }
        if (entity.mentions as usize) < LEAST {
            break;
        }
        let numbers = view.hub(&entity.slug, MEMORIES)?;
        let mut records = view.memories_at(&numbers)?;
        records.retain(|record| record.memory.is_active() && record.memory.privacy != Privacy::Private);
        batch.looked_at += records.len() as u32;
        let weight = |record: &MemoryRecord| worth(0.0, record.memory.utility, record.memory.importance);
        records.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(b.number.cmp(&a.number)));
        let enough = records.len() >= LEAST;
        records.truncate(LINES);
        let inputs = fingerprint(records.iter().map(|record| (record.number, record.revision)));
        if !enough || known.get(&entity.slug).is_some_and(|known| *known == inputs) {
            continue;
        }
        let lines: Vec<String> = records.iter().map(|record| line(record, false)).collect();
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
    let topics = parents(&view.cooccurrences(2)?, &mentions);
    if topics != view.topics()? {
        batch.topics = Some(topics);
    }
    Ok(Decided::last(batch))
}
