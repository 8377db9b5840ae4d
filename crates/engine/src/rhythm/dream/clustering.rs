//! Clustering: which active memories belong together, by an entity or by relations. What is found is written down for the
//! steps that follow.

use crate::rhythm::step_context::{StepContext, StepDecision};
use cairn_cognition::cluster::{Bond, ClusterMember, clusters};
use cairn_domain::RelationKind;
use cairn_store::{ClusterRecord, Result, RhythmBatch, View};
use std::collections::BTreeMap;

/// Memories read at a time.
const PAGE_MEMORIES: u32 = 1_000;
/// Relations that are looked at.
const MAX_RELATIONS: u32 = 20_000;
/// Clusters that are kept, the largest first.
const MAX_CLUSTERS: usize = 500;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, _: &StepContext<'_>) -> Result<StepDecision> {
    let mut items = Vec::new();
    let mut number = 0;
    loop {
        let records = view.active(number, PAGE_MEMORIES)?;
        let (Some(first), Some(last)) = (records.first(), records.last()) else { break };
        let mut named: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, entity) in view.mentions_between(first.number, last.number)? {
            named.entry(number).or_default().push(entity);
        }
        number = last.number + 1;
        items.extend(records.into_iter().filter(|record| record.memory.form.is_told()).map(|record| {
            ClusterMember {
                number: record.number,
                category: record.memory.category,
                importance: record.memory.importance,
                entities: named.remove(&record.number).unwrap_or_default(),
            }
        }));
    }
    let related = related_pairs(view)?;
    let looked_at = items.len() as u32;
    let mut found = Vec::new();
    for (place, (bond, members)) in clusters(&items, &related).into_iter().take(MAX_CLUSTERS).enumerate() {
        let name = match bond {
            Bond::Entity(entity) => view.entity_at(entity)?.map_or(String::new(), |entity| entity.slug),
            Bond::Kind(category, first) => format!("{category} from {first}"),
        };
        let member = |number| ClusterRecord { place: place as u32, name: name.clone(), number };
        found.extend(members.into_iter().map(member));
    }
    let note = format!("{} clusters", found.last().map_or(0, |last| last.place + 1));
    Ok(StepDecision::last(RhythmBatch { looked_at, clusters: Some(found), note, ..RhythmBatch::default() }))
}

fn related_pairs(view: &mut View<'_>) -> Result<Vec<(u32, u32)>> {
    let mut related = Vec::new();
    for kind in [RelationKind::Elaborates, RelationKind::RelatedTo] {
        related.extend(view.related_pairs(kind, MAX_RELATIONS)?);
    }
    Ok(related)
}
