//! Bind: what was found in a text, as the store keeps it.

use cairn_cognition::{
    entity::{Mention, slug},
    statement::Statement,
};
use cairn_store::{NewMention, StatementRecord};

/// Statements in the form in which they are stored, trusted as far as their source is.
pub(crate) fn statement_records(statements: &[Statement], source_confidence: f64) -> Vec<StatementRecord> {
    let stored = |statement: &Statement| StatementRecord {
        number: 0,
        subject: statement.subject.clone(),
        attribute: statement.attribute.clone(),
        value: statement.value.clone(),
        negated: statement.negated,
        single: statement.single,
        confidence: statement.confidence,
        pending: statement.is_pending(source_confidence),
    };
    statements.iter().map(stored).collect()
}

/// The names in a text, as they are stored.
pub(crate) fn mention_records(entities: &[Mention], text: &str) -> Vec<NewMention> {
    let mention = |entity: &Mention| {
        let written = text.get(entity.range.clone()).map(slug);
        NewMention {
            kind: entity.kind,
            name: entity.name.clone(),
            slug: entity.slug.clone(),
            alias: written.filter(|written| !written.is_empty() && *written != entity.slug),
        }
    };
    entities.iter().map(mention).collect()
}
