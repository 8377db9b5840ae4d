//! Standalone text: a statement that is understood without its conversation.
