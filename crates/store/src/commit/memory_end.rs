//! Which memory a decision speaks of: one that is there, or one that is made with it.

/// A memory that a decision speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEnd {
    /// A memory that is there.
    Known(u32),
    /// One of those to be made.
    Made(usize),
}

impl MemoryEnd {
    /// Its number, once the memories to be made have theirs.
    pub(crate) fn number(self, made: &[u32]) -> Option<u32> {
        match self {
            Self::Known(number) => Some(number),
            Self::Made(at) => made.get(at).copied(),
        }
    }
}
