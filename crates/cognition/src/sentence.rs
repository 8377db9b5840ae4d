//! Sentences: where one thought ends and the next begins.
