//! Relate: how a new memory belongs to those around it.

use crate::write::{
    decide::{
        gate::GateJudgment,
        neighborhood::{Neighbor, Neighborhood},
    },
    prepare::message::Proposition,
};
use cairn_cognition::{
    keywords::query_terms,
    relation::{CauseSide, ComparedMemory, causal_relation, strongest_relation},
};
use cairn_domain::{RelationKind, Verdict};
use cairn_store::RelationRecord;

/// Relations that one memory brings along.
const MAX_NEW_RELATIONS: usize = 6;
/// How sure a relation is that rests on likeness alone.
const SIMILARITY_ONLY_CONFIDENCE: f64 = 0.4;

/// The relations of a new memory to those around it, at most one to each.
pub(crate) fn relations_of(
    proposition: &Proposition,
    entities: &[String],
    judgment: &GateJudgment,
    around: &Neighborhood,
) -> Vec<RelationRecord> {
    if proposition.poisoned {
        return Vec::new();
    }
    let words = query_terms(&proposition.text);
    let side = ComparedMemory { words: &words, entities, category: proposition.category };
    let replaced = |at: usize| judgment.replaced.iter().any(|(place, _)| *place == at);
    let nearest = judgment.nearest.as_ref().map(|(at, _)| *at).filter(|_| judgment.decision.related);
    let relation = |(at, near): (usize, &Neighbor)| {
        if judgment.decision.verdict == Verdict::Supersede && replaced(at) {
            return None;
        }
        if let Some(mark) = judgment.marks.iter().find(|mark| mark.place == at) {
            let (kind, confidence, reason) =
                (RelationKind::Contradicts, mark.confidence, mark.reason.clone());
            return Some(RelationRecord { from: 0, to: near.record.number, kind, confidence, reason });
        }
        let known = ComparedMemory {
            words: near.content_terms(),
            entities: &near.entities,
            category: near.record.memory.category,
        };
        let to = near.record.number;
        if let Some((cause, confidence, reason)) = causal_relation(&proposition.text, &side, &known) {
            // The edge goes from the new memory; that the known one causes it is the same edge, told from its other end.
            let kind = match cause {
                CauseSide::New => RelationKind::Causes,
                CauseSide::Known => RelationKind::Elaborates,
            };
            return Some(RelationRecord { from: 0, to, kind, confidence, reason });
        }
        if let Some((kind, confidence, reason)) = strongest_relation(&side, &known) {
            return Some(RelationRecord { from: 0, to, kind, confidence, reason });
        }
        let alike = || format!("like it by {:.2}, without being about the same", near.similarity);
        (nearest == Some(at)).then(|| RelationRecord {
            from: 0,
            to,
            kind: RelationKind::RelatedTo,
            confidence: SIMILARITY_ONLY_CONFIDENCE,
            reason: alike(),
        })
    };
    let mut relations: Vec<RelationRecord> = around.near.iter().enumerate().filter_map(relation).collect();
    // A mark is never what there was no room for.
    relations.sort_by_key(|relation| relation.kind != RelationKind::Contradicts);
    relations.truncate(MAX_NEW_RELATIONS);
    relations
}
