//! Bounds of numbers in the configuration.

/// Refuses a number outside its bounds, by the name of its setting.
pub(crate) fn check_range(name: &str, value: f64, least: f64, most: f64) -> std::result::Result<(), String> {
    let fits = value.is_finite() && (least..=most).contains(&value);
    if fits { Ok(()) } else { Err(format!("{name} = {value}, and it must lie between {least} and {most}")) }
}
