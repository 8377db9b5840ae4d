//! Growth: signals of what an agent is becoming. Nothing here changes an identity file, a belief or a configuration.

pub(crate) mod coherence;
pub(crate) mod standing;

pub use coherence::{CoherenceConfig, CoherenceState, EntropyWeights};
pub use standing::{DimensionStanding, StandingConfig, StandingReport};
