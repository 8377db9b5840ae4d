//! Contradiction: whether a new statement and a known one cannot both hold, and whether they say something about the same thing.
