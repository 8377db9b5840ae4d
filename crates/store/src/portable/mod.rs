//! Memories on their way from one store to another: the rows that cannot be made again from messages, table by table, as
//! JSON. What can be derived from them (terms, vectors) stays behind and is made anew.
//!
//! In reading order: `tables` lists the tables and their columns, `column_words` which of them hold words, `row` is one row, `decided` what an operator had decided
//! about them, `transfer` reads and writes them.

mod column_words;
mod decided;
mod row;
mod tables;
mod transfer;

pub use decided::DecidedThere;
pub use row::PortableRow;
pub use transfer::TakenRows;
pub(crate) use transfer::take_decided;
