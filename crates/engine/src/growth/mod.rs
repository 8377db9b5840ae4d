//! Growth: signals of what an agent is becoming. Nothing here changes an identity file, a belief or a configuration.

pub(crate) mod coherence;

pub use coherence::{CoherenceConfig, CoherenceState, EntropyWeights};
