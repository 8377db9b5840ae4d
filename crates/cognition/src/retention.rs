//! Retention: how likely a memory is still there after so many days.
