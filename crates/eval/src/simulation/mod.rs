//! A simulated life: `simulate` lives it, `result` holds what became of it, and `report_page` draws that.

pub(crate) mod report_page;
pub(crate) mod result;
pub mod simulate;
