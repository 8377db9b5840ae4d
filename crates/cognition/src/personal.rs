//! Personal data: what identifies a person, and how private that makes a text.
