//! State: how a session stands, and which sessions have been in a critical state for too long.

use super::config::CoherenceConfig;
use crate::{Agent, Result, write::stored_name};
use cairn_domain::{CoherenceLevel, ExchangeEntropy, MILLIS_PER_DAY, MILLIS_PER_MINUTE, Time};
use cairn_store::CoherenceFilter;
use std::collections::BTreeMap;

/// Exchanges that the state of a session is read from.
const MAX_STATE_EXCHANGES: u32 = 200;
/// Exchanges that are looked at for sessions in a critical state.
const MAX_RECENT_EXCHANGES: u32 = 2_000;

/// How the coherence of a session stands.
#[derive(Debug, Clone, PartialEq)]
pub struct CoherenceState {
    /// The level.
    pub level: CoherenceLevel,
    /// Since when its entropy has been critical without a break.
    pub critical_since: Option<Time>,
    /// Its newest exchange.
    pub newest: ExchangeEntropy,
}

impl CoherenceState {
    /// The state of a session by its exchanges, the newest first.
    pub(crate) fn of(exchanges: &[ExchangeEntropy], config: &CoherenceConfig) -> Option<Self> {
        let newest = exchanges.first()?.clone();
        let critical = exchanges.iter().take_while(|it| it.entropy >= config.critical_from);
        let critical_since = critical.last().map(|first| first.at);
        let lasts = critical_since.map_or(0, |since| newest.at.millis() - since.millis());
        let is_critical =
            critical_since.is_some() && lasts >= i64::from(config.critical_minutes) * MILLIS_PER_MINUTE;
        let level = match newest.entropy {
            _ if is_critical => CoherenceLevel::Critical,
            entropy if entropy >= config.warn_from => CoherenceLevel::Warning,
            entropy if entropy > config.anchors_above => CoherenceLevel::Elevated,
            _ => CoherenceLevel::Calm,
        };
        Some(Self { level, critical_since, newest })
    }
}

impl Agent {
    /// The entropy of at most `limit` exchanges, of one session or of all, the newest first.
    pub async fn coherence(&self, session: Option<&str>, limit: u32) -> Result<Vec<ExchangeEntropy>> {
        let filter = CoherenceFilter { session: session.map(stored_name), since: None };
        Ok(self.store.read(|view| view.coherence(&filter, limit)).await?)
    }

    /// How a session stands; `None` if nothing of it was measured.
    pub async fn coherence_state(&self, session: &str) -> Result<Option<CoherenceState>> {
        let exchanges = self.coherence(Some(session), MAX_STATE_EXCHANGES).await?;
        Ok(CoherenceState::of(&exchanges, &self.config.coherence))
    }

    /// Sessions of the last day that are in a critical state.
    pub(crate) async fn critical_sessions(&self) -> Result<Vec<CoherenceState>> {
        if !self.config.coherence.enabled {
            return Ok(Vec::new());
        }
        let since = Some(Time::from_millis(self.now().millis() - MILLIS_PER_DAY));
        let filter = CoherenceFilter { session: None, since };
        let recent = self.store.read(|view| view.coherence(&filter, MAX_RECENT_EXCHANGES)).await?;
        let mut sessions: BTreeMap<String, Vec<ExchangeEntropy>> = BTreeMap::new();
        for exchange in recent {
            sessions.entry(exchange.session.clone()).or_default().push(exchange);
        }
        let states =
            sessions.values().filter_map(|exchanges| CoherenceState::of(exchanges, &self.config.coherence));
        Ok(states.filter(|state| state.level == CoherenceLevel::Critical).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::ExchangeId;

    /// covers: W-109, X-W6
    #[test]
    fn a_session_is_critical_when_it_has_been_so_for_three_quarters_of_an_hour() {
        let config = CoherenceConfig::default();
        let level = |said: &[(i64, f64)]| {
            let exchanges: Vec<ExchangeEntropy> = said
                .iter()
                .rev()
                .map(|(minute, entropy)| ExchangeEntropy {
                    exchange: ExchangeId::from_bytes([*minute as u8; 16]),
                    session: "s".to_owned(),
                    at: Time::from_millis(minute * MILLIS_PER_MINUTE),
                    entropy: *entropy,
                    parts: Vec::new(),
                })
                .collect();
            CoherenceState::of(&exchanges, &config).map(|state| state.level)
        };
        for (said, expected) in [
            (&[][..], None),
            (&[(0, 0.4)], Some(CoherenceLevel::Calm)),
            (&[(0, 0.41)], Some(CoherenceLevel::Elevated)),
            (&[(0, 0.8)], Some(CoherenceLevel::Warning)),
            (&[(0, 1.0), (44, 1.2)], Some(CoherenceLevel::Warning)),
            (&[(0, 1.0), (45, 1.2)], Some(CoherenceLevel::Critical)),
            (&[(0, 1.0), (20, 0.2), (45, 1.2)], Some(CoherenceLevel::Warning)),
            (&[(0, 1.0), (45, 1.2), (46, 0.1)], Some(CoherenceLevel::Calm)),
        ] {
            assert_eq!(level(said), expected, "{said:?}");
        }
    }
}
