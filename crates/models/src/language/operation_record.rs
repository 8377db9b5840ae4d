//! One line of the ops log: a decision that a language model was asked about. The caller that decides writes it.

use super::guarded_models::ModelReply;
use cairn_domain::Time;
use serde::{Deserialize, Serialize};

/// A decision that a language model was asked about, and how that went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpsRecord {
    /// When it was decided.
    pub ts: Time,
    /// The kind of decision, in a word.
    pub op: String,
    /// The input, in a few words.
    pub input: String,
    /// The result, in a few words.
    pub output: String,
    /// Which model was asked last; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How long all calls took together.
    pub latency_ms: u64,
    /// Whether a model answered.
    pub success: bool,
    /// Whether the decision was made without a model.
    pub fallback: bool,
    /// Why no model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The intent of the question, for one about a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// How well what was found fits on average, for one about a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avg_relevance: Option<f64>,
    /// How much was found, for one about a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_count: Option<usize>,
}

impl OpsRecord {
    /// A record of what the calls themselves tell; the caller fills in the rest.
    pub fn of(asked: &ModelReply, op: impl Into<String>, ts: Time) -> Self {
        Self {
            ts,
            op: op.into(),
            input: String::new(),
            output: String::new(),
            model: asked.calls.last().map(|call| call.model.clone()),
            latency_ms: asked.calls.iter().map(|call| call.latency_ms).sum(),
            success: asked.answer.is_ok(),
            fallback: asked.answer.is_err(),
            error: asked.answer.as_ref().err().map(ToString::to_string),
            intent: None,
            avg_relevance: None,
            result_count: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ModelError,
        language::{guarded_models::ModelCall, model::LanguageModelAnswer},
    };
    use serde_json::json;

    fn call(model: &str, latency_ms: u64, error: Option<ModelError>) -> ModelCall {
        ModelCall { model: model.to_owned(), latency_ms, error }
    }

    /// covers: C-147, X-B11
    #[test]
    fn a_record_has_its_fields_and_says_whether_the_decision_fell_back() {
        let ts: Time = "2026-03-01T12:00:00Z".parse().expect("a time");
        let answer = LanguageModelAnswer { value: json!({}), tokens_in: 1, tokens_out: 1 };
        let failed = ModelError::BudgetSpent;
        let calls = vec![call("first", 400, Some(failed)), call("second", 50, None)];
        let record = OpsRecord {
            input: "five memories about routing".to_owned(),
            output: "one theme".to_owned(),
            intent: Some("technical".to_owned()),
            avg_relevance: Some(0.72),
            result_count: Some(5),
            ..OpsRecord::of(&ModelReply { answer: Ok(answer), calls }, "consolidation", ts)
        };
        let line = json!({
            "ts": "2026-03-01T12:00:00Z",
            "op": "consolidation",
            "input": "five memories about routing",
            "output": "one theme",
            "model": "second",
            "latencyMs": 450,
            "success": true,
            "fallback": false,
            "intent": "technical",
            "avgRelevance": 0.72,
            "resultCount": 5,
        });
        assert_eq!(serde_json::to_value(&record).expect("JSON"), line);
        let nobody = ModelReply { answer: Err(ModelError::NoLanguageModel), calls: Vec::new() };
        let line = json!({
            "ts": "2026-03-01T12:00:00Z",
            "op": "form",
            "input": "",
            "output": "",
            "latencyMs": 0,
            "success": false,
            "fallback": true,
            "error": "no language model is configured",
        });
        assert_eq!(serde_json::to_value(OpsRecord::of(&nobody, "form", ts)).expect("JSON"), line);
    }
}
