//! Entities: the names in a text.
