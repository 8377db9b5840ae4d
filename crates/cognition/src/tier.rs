//! Tiers and sub-tiers: how a memory is kept and how much that weighs.
