//! The proof that every protected write asks for.

/// Proof that an operator signed in, or has declared in advance what may be done.
#[derive(Debug, Clone)]
pub struct Grant {
    authority: String,
    origin: GrantOrigin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GrantOrigin {
    SignedIn,
    /// Nobody signed in: an operator has declared in advance what may be done.
    Declared,
}

impl Grant {
    pub(crate) fn signed_in(key_id: &str) -> Self {
        Self { authority: format!("operator:{key_id}"), origin: GrantOrigin::SignedIn }
    }

    /// For what an operator has declared in advance, with this receipt.
    pub(crate) fn declared(receipt: u64) -> Self {
        Self { authority: format!("declared:{receipt}"), origin: GrantOrigin::Declared }
    }

    /// The actor that receipts name.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) fn is_declared(&self) -> bool {
        self.origin == GrantOrigin::Declared
    }
}
