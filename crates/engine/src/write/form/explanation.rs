//! The stored explanation of a decision, put together from what each step found.

use crate::write::{
    decide::gate::GateJudgment,
    prepare::message::{PreparedMessage, Proposition},
    reasons::{Foreseen, Reasons, Said},
};
use cairn_cognition::{entity::Mention, statement::Statement, temporal::Foresight};

/// Every step that led to a decision.
pub(crate) fn decision_reasons(
    proposition: &Proposition,
    prepared: &PreparedMessage,
    judgment: &GateJudgment,
) -> Reasons {
    let foreseen =
        |foresight: &Foresight| Foreseen { words: foresight.words.clone(), until: foresight.until };
    Reasons {
        filters: prepared.filters.clone(),
        classes: proposition.character.classes.clone(),
        entities: proposition.entities.iter().map(Mention::uri).collect(),
        emotion: proposition.character.felt.clone(),
        density: proposition.character.density,
        statements: said_statements(&proposition.statements),
        foresight: proposition.foresight.as_ref().map(foreseen),
        nearest: judgment.nearest.as_ref().map(|(_, nearest)| nearest.clone()),
        contradiction: judgment.replaced.first().map(|(_, clash)| clash.clone()),
        importance: judgment.weighed.clone(),
        prediction_error: judgment.decision.prediction_error,
        verdict: Some(judgment.decision.verdict),
        reason: judgment.decision.reason.clone(),
        worded_by: None,
    }
}

/// Statements in the form in which reasons store them.
pub(crate) fn said_statements(statements: &[Statement]) -> Vec<Said> {
    let said = |statement: &Statement| Said {
        subject: statement.subject.clone(),
        attribute: statement.attribute.clone(),
        value: statement.value.clone(),
        negated: statement.negated,
    };
    statements.iter().map(said).collect()
}
