//! The observer: what of a message is worth looking at, and what kind of thing it says.
