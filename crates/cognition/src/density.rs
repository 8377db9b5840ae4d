//! Information density: how much a text says.
