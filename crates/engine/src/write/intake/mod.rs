//! Taking words in: `validation` masks secrets and checks a draft, `capture` appends messages, `ingest` a whole
//! transcript, `prompt` a prompt before its transcript, `follow` a folder of transcripts while they are being written; `idempotency` lets a write that is sent
//! again be done once.

pub(super) mod capture;
pub(super) mod follow;
pub(super) mod idempotency;
pub(super) mod ingest;
pub(super) mod prompt;
pub(super) mod validation;
