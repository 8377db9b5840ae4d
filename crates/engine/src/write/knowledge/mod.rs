//! Files of the workspace become memories that cite their lines.

pub(super) mod import;
