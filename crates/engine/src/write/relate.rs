//! Relate: how a new memory belongs to those around it.

use super::{
    gate::Judged,
    neighbourhood::{Neighbour, Neighbourhood},
    prepare::Piece,
};
use cairn_cognition::{
    keywords::query_terms,
    relation::{Cause, Side, causes, relate},
};
use cairn_domain::{RelationKind, Verdict};
use cairn_store::RelationRecord;

/// Relations that one memory brings along.
const MOST: usize = 6;
/// How sure a relation is that rests on likeness alone.
const ALIKE: f64 = 0.4;

/// The relations of a new memory to those around it, at most one to each.
pub(super) fn relations(
    piece: &Piece,
    entities: &[String],
    judged: &Judged,
    around: &Neighbourhood,
) -> Vec<RelationRecord> {
    if piece.poisoned {
        return Vec::new();
    }
    let words = query_terms(&piece.text);
    let side = Side { words: &words, entities, category: piece.category };
    let replaced = judged.contradicted.as_ref().map(|(at, _)| *at);
    let nearest = judged.nearest.as_ref().map(|(at, _)| *at).filter(|_| judged.decision.related);
    let relation = |(at, near): (usize, &Neighbour)| {
        if judged.decision.verdict == Verdict::Supersede && replaced == Some(at) {
            return None;
        }
        let known =
            Side { words: near.content(), entities: &near.entities, category: near.record.memory.category };
        let to = near.record.number;
        if let Some((cause, confidence, reason)) = causes(&piece.text, &side, &known) {
            // The edge goes from the new memory; that the known one causes it is the same edge, told from its other end.
            let kind = match cause {
                Cause::New => RelationKind::Causes,
                Cause::Known => RelationKind::Elaborates,
            };
            return Some(RelationRecord { from: 0, to, kind, confidence, reason });
        }
        if let Some((kind, confidence, reason)) = relate(&side, &known) {
            return Some(RelationRecord { from: 0, to, kind, confidence, reason });
        }
        let alike = || format!("like it by {:.2}, without being about the same", near.similarity);
        (nearest == Some(at)).then(|| RelationRecord {
            from: 0,
            to,
            kind: RelationKind::RelatedTo,
            confidence: ALIKE,
            reason: alike(),
        })
    };
    around.near.iter().enumerate().filter_map(relation).take(MOST).collect()
}
