//! The one way in. `batch` appends messages durably; `take_in` makes the rows of a message; `memo` is what a writer remembers
//! between transactions; `reconcile` brings database and archive together again after a crash.

mod batch;
mod memo;
mod reconcile;
mod take_in;

pub use batch::Appended;
pub(crate) use batch::append;
pub(crate) use memo::Memo;
pub(crate) use reconcile::{reconcile, take_in_all_days};
pub(crate) use take_in::title_from;
