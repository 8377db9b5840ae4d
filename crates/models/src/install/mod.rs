//! Installing the local model: the files by size and hash (`files`), where they can come from (`source`), downloading them
//! (`fetch`), and checking and renaming them into place (`installation`).

pub(crate) mod fetch;
pub(crate) mod files;
pub(crate) mod installation;
pub(crate) mod source;
