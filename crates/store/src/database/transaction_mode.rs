//! The kinds of transactions, which both drivers begin in their own way.

/// Whether a transaction reads or writes, and beside whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionMode {
    /// Reads one unchanging view.
    Read,
    /// Writes while nobody else writes to this agent.
    Write,
    /// Writes beside others who write to this agent: for leases and other short rows of their own.
    Claim,
}

/// The guarantee that a commit gives when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitDurability {
    /// Survives a crash of the process. The archive, synced before it, survives a power cut.
    ArchiveBacked,
    /// Survives a power cut by itself, and deleted content is overwritten on disk.
    Full,
}
