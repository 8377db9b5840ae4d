//! Utility: how useful a memory has been.
