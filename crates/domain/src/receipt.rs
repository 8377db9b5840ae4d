//! Receipts: what was changed about what is held true, by whom, from what to what and why. Each holds the hash of the one
//! before it, so that none can be changed, left out or put in later without the chain telling.

use crate::{Time, word::words};
use serde::{Deserialize, Serialize};

/// The hash of a receipt.
pub type ReceiptHash = [u8; 32];

/// The `previous` hash of the first receipt, before which there is none.
pub const FIRST_LINK: ReceiptHash = [0; 32];

/// The subject of a receipt about a key under which nothing is held. Keys are made of somebody's words and the subject cannot be
/// erased, so that the key itself is told: it is what was.
pub const SOME_KEY: &str = "a key";

/// One entry of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Its place in the ledger, from 1.
    pub number: u64,
    /// When.
    pub at: Time,
    /// Who: a rhythm, `user`, `agent`, `operator:…`.
    pub actor: String,
    /// The action that was taken.
    pub action: ReceiptAction,
    /// To what: a ref, or the name of a setting. It holds nobody's words, for it stays.
    pub subject: String,
    /// From what, to what and why. It may quote somebody, and is kept apart so that it can be erased; its hash stays.
    pub told: ReceiptDetail,
}

/// The part of a receipt that may quote somebody.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceiptDetail {
    /// From what; empty if there was nothing.
    pub was: String,
    /// To what.
    pub becomes: String,
    /// Why.
    pub reason: String,
    /// How it is undone, if an operator did it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub undo: String,
}

words!(
    /// An action about a belief, or about something else that is protected.
    ReceiptAction, "an action of a receipt" {
        /// It is held from now on.
        Create = "create",
        /// More speaks for it.
        Reinforce = "reinforce",
        /// Something speaks against it.
        Contradict = "contradict",
        /// Something stands beside it.
        Context = "context",
        /// Another took its place.
        Supersede = "supersede",
        /// It is held again after it had gone stale.
        Reactivate = "reactivate",
        /// It wants to be looked at again.
        Stale = "stale",
        /// More speaks against it than for it.
        Invalidate = "invalidate",
        /// It was looked at again, and stands.
        Revalidate = "revalidate",
        /// Nothing is held for this reason.
        Skip = "skip",
        /// An operator verified it.
        AcceptVerified = "accept_verified",
        /// An operator did not accept it.
        Reject = "reject",
        /// An operator wants to see it again later.
        Defer = "defer",
        /// An operator took it back.
        Retract = "retract",
        /// An operator undid what another receipt tells.
        Rollback = "rollback",
        /// An operator set something that is protected.
        Configure = "configure",
        /// An operator erased words for good.
        Erase = "erase",
        /// A bundle was taken in, with what was decided where it comes from or without it.
        Import = "import",
        /// The governor decided how an action goes on.
        Decide = "decide",
        /// The effect of such an action was observed.
        Outcome = "outcome",
        /// Such an outcome ended a lease.
        Stop = "stop",
    }
);

impl ReceiptDetail {
    /// As it is kept.
    ///
    /// # Panics
    /// Never: four texts are always JSON.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("texts are always JSON")
    }

    /// The hash of what is kept.
    pub fn hash(text: &str) -> ReceiptHash {
        *blake3::hash(text.as_bytes()).as_bytes()
    }
}

impl Receipt {
    /// Its hash behind `previous`: of everything in it, what it tells by the hash of that.
    pub fn link(&self, previous: &ReceiptHash, told: &ReceiptHash) -> ReceiptHash {
        let mut hasher = blake3::Hasher::new();
        let (number, at) = (self.number.to_le_bytes(), self.at.millis().to_le_bytes());
        let parts: [&[u8]; 7] = [
            previous,
            &number,
            &at,
            self.actor.as_bytes(),
            self.action.as_str().as_bytes(),
            self.subject.as_bytes(),
            told,
        ];
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        *hasher.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn receipt(number: u64, actor: &str, subject: &str) -> Receipt {
        let told = ReceiptDetail { becomes: "User lives in Rome.".into(), ..ReceiptDetail::default() };
        let (at, action) = (Time::from_millis(7), ReceiptAction::Create);
        Receipt { number, at, actor: actor.into(), action, subject: subject.into(), told }
    }

    /// covers: I7
    #[test]
    fn every_part_of_a_receipt_is_in_its_hash() {
        let (first, told) = (receipt(1, "beliefs", "blf_1"), [1; 32]);
        let hash = first.link(&FIRST_LINK, &told);
        let mut others = vec![
            first.link(&[9; 32], &told),
            first.link(&FIRST_LINK, &[2; 32]),
            receipt(2, "beliefs", "blf_1").link(&FIRST_LINK, &told),
            receipt(1, "belief", "sblf_1").link(&FIRST_LINK, &told),
            Receipt { at: Time::from_millis(8), ..first.clone() }.link(&FIRST_LINK, &told),
            Receipt { action: ReceiptAction::Skip, ..first.clone() }.link(&FIRST_LINK, &told),
        ];
        others.push(hash);
        others.sort_unstable();
        others.dedup();
        assert_eq!(others.len(), 7);
        assert_eq!(first.link(&FIRST_LINK, &told), hash);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_a_receipt_tells_reads_back(was in "\\PC{0,40}", becomes in "\\PC{0,40}", reason in "\\PC{0,40}") {
            let told = ReceiptDetail { was, becomes, reason, undo: String::new() };
            prop_assert_eq!(serde_json::from_str::<ReceiptDetail>(&told.text()).expect("readable"), told);
        }
    }
}
