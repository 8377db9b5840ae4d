//! Weights and thresholds of entropy.

use crate::config_range::check_range;
use cairn_domain::{EntropySource, MAX_ENTROPY};
use serde::{Deserialize, Serialize};

/// Weights and thresholds of entropy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoherenceConfig {
    /// Whether entropy is measured and told at all.
    pub enabled: bool,
    /// Above this a context holds anchors.
    pub anchors_above: f64,
    /// From this on a session is in a state of warning.
    pub warn_from: f64,
    /// From this on, for so many minutes, the operator is told.
    pub critical_from: f64,
    /// The minutes.
    pub critical_minutes: u32,
    /// The weight of each source.
    pub weights: EntropyWeights,
}

/// The weight of each source of entropy: its contribution when it is found at full strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "each is the weight of the source it is named after")]
pub struct EntropyWeights {
    pub correction: f64,
    pub contradiction: f64,
    pub identity_challenge: f64,
    pub novel_concept: f64,
    pub strong_emotion: f64,
    pub paradox: f64,
    pub temporal_mismatch: f64,
    pub r#loop: f64,
    pub confabulation: f64,
    pub principle_tension: f64,
    pub quality_decay: f64,
    pub surprise: f64,
}

impl Default for CoherenceConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            anchors_above: 0.4,
            warn_from: 0.8,
            critical_from: 1.0,
            critical_minutes: 45,
            weights: EntropyWeights::default(),
        }
    }
}

impl Default for EntropyWeights {
    fn default() -> Self {
        Self {
            correction: 0.4,
            contradiction: 0.4,
            identity_challenge: 0.4,
            novel_concept: 0.3,
            strong_emotion: 0.3,
            paradox: 0.2,
            temporal_mismatch: 0.3,
            r#loop: 0.4,
            confabulation: 0.4,
            principle_tension: 0.4,
            quality_decay: 0.2,
            surprise: 0.2,
        }
    }
}

impl EntropyWeights {
    /// The weight of a source.
    pub fn of(&self, source: EntropySource) -> f64 {
        match source {
            EntropySource::Correction => self.correction,
            EntropySource::Contradiction => self.contradiction,
            EntropySource::IdentityChallenge => self.identity_challenge,
            EntropySource::NovelConcept => self.novel_concept,
            EntropySource::StrongEmotion => self.strong_emotion,
            EntropySource::Paradox => self.paradox,
            EntropySource::TemporalMismatch => self.temporal_mismatch,
            EntropySource::Loop => self.r#loop,
            EntropySource::Confabulation => self.confabulation,
            EntropySource::PrincipleTension => self.principle_tension,
            EntropySource::QualityDecay => self.quality_decay,
            EntropySource::Surprise => self.surprise,
        }
    }
}

impl CoherenceConfig {
    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { anchors_above, warn_from, critical_from, critical_minutes, weights, .. } = self;
        for (name, value) in
            [("anchors_above", anchors_above), ("warn_from", warn_from), ("critical_from", critical_from)]
        {
            check_range(&format!("coherence.{name}"), *value, 0.0, MAX_ENTROPY)?;
        }
        check_range("coherence.critical_minutes", f64::from(*critical_minutes), 1.0, 1_440.0)?;
        for source in EntropySource::ALL {
            check_range(&format!("coherence.weights.{source}"), weights.of(source), 0.0, MAX_ENTROPY)?;
        }
        Ok(())
    }
}
