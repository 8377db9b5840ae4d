//! Dual strength: how well a memory is stored, and how easily it comes to mind.
