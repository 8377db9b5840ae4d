//! Synaptic tags: what an important moment does for the small ones around it.
