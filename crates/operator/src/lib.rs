//! What only an operator may do. Whoever signs in gets a [`Grant`]; every protected write asks for one, and there is no other
//! way to make one: agents, their tools and their keys never reach this crate.
//!
//! In reading order: `key` is the sealed key and signing in; `review` decides about beliefs; `govern` plans, applies and undoes
//! changes of modes, configuration and identity; `low_risk` verifies what was declared beforehand; `import` takes over what
//! was decided elsewhere; `erase` takes words away for good.
//!
//! On one's own machine an agent with a shell of the same user can read any file, the operator's key included. That is why
//! the key is sealed with a passphrase, which is asked for on the terminal and kept nowhere.
//!
//! A grant cannot be made up:
//!
//! ```compile_fail
//! let grant = cairn_operator::Grant { authority: "me".to_owned() };
//! ```

mod erase;
mod error;
mod govern;
mod import;
mod key;
mod low_risk;
mod review;

pub use cairn_store::protected::{Erasure, Words};
pub use erase::{Erased, erase, plan_erasure};
pub use error::OperatorError;
pub use govern::{Applied, Plan, Wanted, apply, plan, undo};
pub use import::import;
pub use key::{OperatorKey, sign_in, sign_in_with_key};
pub use low_risk::apply_low_risk;
pub use review::{Outcome, Verdict, decide, roll_back};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, OperatorError>;

/// Proof that an operator signed in, or has declared beforehand what may be done.
#[derive(Debug, Clone)]
pub struct Grant {
    authority: String,
    /// Nobody signed in: an operator has declared beforehand what may be done.
    declared: bool,
}

impl Grant {
    /// As receipts name whoever signed in.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}
