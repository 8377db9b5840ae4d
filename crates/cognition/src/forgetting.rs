//! Forgetting: the floating threshold and how long each category is kept at least.
