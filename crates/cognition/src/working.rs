//! Working memory: the few things that a running session has in mind.
