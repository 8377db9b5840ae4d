//! The unit interval: most quantities of this crate are numbers from 0 to 1.

/// The value held between 0 and 1; 0 if it is not a number.
pub(crate) fn clamp_to_unit(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}
