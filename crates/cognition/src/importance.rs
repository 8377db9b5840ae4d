//! Importance: four channels, one number, a priority.
