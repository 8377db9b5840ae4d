//! The protected writes, which only an operator may do. Signing in yields a [`Grant`]; every one requires it, and there is no
//! other way to get one: agents, their tools and their keys never reach this crate.
//!
//! In reading order: `error`; `operator_secret`, `grant` and `operator_key` (signing in); `api_key` gives out keys; `reason` checks the reason of a
//! write and `setting_value` the stored form of a setting; `review` decides about beliefs; `preview` shows what a decision would change; `low_risk` verifies what was
//! declared in advance; `lease` checks what is permitted for a while; `training` whether work may be exported; `interrupted` ends decisions that were cut short; `configure` plans, applies and undoes changes of modes, configuration and identity, `share` those of what agents share, `proposal` decides about those that an agent proposed; `import` imports
//! decisions made elsewhere; `erase` deletes words for good.
//!
//! An agent with a shell under the same user can read any file, including the operator's key. That is why the key is encrypted
//! with a passphrase, which is asked for on the terminal and stored nowhere.
//!
//! A grant cannot be made up:
//!
//! ```compile_fail
//! let grant = cairn_operator::Grant { authority: "me".to_owned() };
//! ```

mod api_key;
mod configure;
mod erase;
mod error;
mod grant;
mod import;
mod interrupted;
mod lease;
mod low_risk;
mod operator_key;
mod operator_secret;
mod preview;
mod proposal;
mod reason;
mod review;
mod setting_value;
mod share;
mod training;

pub use api_key::{add_key, list_keys, revoke_key};
pub use cairn_store::protected::{Erasure, Words};
pub use configure::{AppliedChange, ChangePlan, WantedChange, apply, plan, undo};
pub use erase::{Erased, erase, erase_standing, plan_erasure};
pub use error::{OperatorError, Result};
pub use grant::Grant;
pub use import::import;
pub use interrupted::finish_interrupted;
pub use low_risk::apply_low_risk;
pub use operator_key::{OperatorKey, sign_in, sign_in_with_key};
pub use preview::{DecisionPreview, preview};
pub use proposal::{
    ProposalOutcome, ProposalVerdict, decide_proposal, roll_back_last_decision, roll_back_proposal,
};
pub use review::{ReviewOutcome, ReviewVerdict, decide, roll_back};
pub use share::{SharingChange, SharingState, apply_sharing, plan_sharing};
