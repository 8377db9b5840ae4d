//! Both stores against one suite, and the house rules that a compiler does not check.

mod beliefs;
mod filters;
mod inert;
mod module_order;
mod names;
mod postgres;
mod reading_order;
mod stores;
mod tidy;
