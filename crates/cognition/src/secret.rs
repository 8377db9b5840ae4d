//! Secrets: keys, tokens, passwords and card numbers, masked at the door.
