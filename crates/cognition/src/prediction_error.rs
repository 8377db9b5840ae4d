//! The prediction-error gate: what becomes of a statement, given what is known.
