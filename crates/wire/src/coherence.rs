//! Coherence, for programs.

use cairn_domain::{CoherenceLevel, EntropySource, ExchangeEntropy, ExchangeId, MessageId, Time};
use cairn_engine::{CoherenceConfig, CoherenceState};
use schemars::JsonSchema;
use serde::Serialize;

/// The entropy of exchanges over time.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Coherence {
    /// How the session stands that was asked for; none if none was, or nothing of it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<CoherenceStanding>,
    /// The newest first.
    pub exchanges: Vec<MeasuredExchange>,
}

/// How a session stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CoherenceStanding {
    /// The level: calm, elevated, warning or critical.
    pub level: CoherenceLevel,
    /// Since when its entropy has been critical without a break.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_since: Option<Time>,
}

/// The entropy of one exchange and what it was found in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MeasuredExchange {
    /// The exchange.
    #[serde(rename = "ref")]
    pub reference: ExchangeId,
    /// Its session.
    pub session: String,
    /// When its newest measured message was said.
    pub at: Time,
    /// The sum of its weighted contributions, from 0 to 2.
    pub entropy: f64,
    /// The contributions.
    pub parts: Vec<EntropyContribution>,
}

/// One contribution to the entropy of an exchange.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntropyContribution {
    /// Its source.
    pub source: EntropySource,
    /// How strongly it was found, from 0 to 1.
    pub strength: f64,
    /// The weight of the source.
    pub weight: f64,
    /// The words or the record that it was found in.
    pub saw: String,
    /// The message that was looked at.
    pub message: MessageId,
}

impl Coherence {
    /// The line of a session, or of all, with the weights that are in force.
    pub fn new(
        exchanges: &[ExchangeEntropy],
        state: Option<&CoherenceState>,
        config: &CoherenceConfig,
    ) -> Self {
        let measured = |it: &ExchangeEntropy| MeasuredExchange {
            reference: it.exchange,
            session: it.session.clone(),
            at: it.at,
            entropy: it.entropy,
            parts: it
                .parts
                .iter()
                .map(|part| EntropyContribution {
                    source: part.source,
                    strength: part.strength,
                    weight: config.weights.of(part.source),
                    saw: part.saw.clone(),
                    message: part.message,
                })
                .collect(),
        };
        let state =
            state.map(|state| CoherenceStanding { level: state.level, critical_since: state.critical_since });
        Self { state, exchanges: exchanges.iter().map(measured).collect() }
    }
}
