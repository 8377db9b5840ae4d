//! Times: what "yesterday" and "next Tuesday" meant on the day they were said, and which statements are plans. All words
//! are data under `lexicon/`.

mod asked;
mod calendar;
mod dated;
mod foresight;
mod found;
mod meaning;
mod phrase;
mod tense;
mod values;

pub use asked::{Window, windows};
pub use calendar::DaySpan;
pub use dated::{Dated, ToldTime, dated, dated_in, told, told_ahead};
pub use foresight::{FORESIGHT_DAYS, Foresight, foresight, foresight_in};

#[cfg(test)]
mod tests;
