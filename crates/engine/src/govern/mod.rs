//! Govern: when something may shape an action. `rules` reads what an operator wrote, `action` finds out what an action would touch,
//! `lease` what an operator permits for a while, `decision` decides and keeps the decision, `outcome` what became of it; `sharing` who
//! reads whose memories, `trust` how they turn out, `heard` what the user's words say of that; `state_record` says of everything that may shape behavior where it stands, and `maturation` what may become so.
//!
//! It is dry by nature: it answers and records, and never acts. Whoever asks holds an agent's handle; rules and leases are
//! written by an operator alone.

mod action;
mod decision;
mod heard;
mod lease;
mod maturation;
mod outcome;
mod rules;
mod sharing;
mod state_record;
mod trust;

pub use action::{ActionDraft, DraftPath};
pub use decision::{GovernRequest, Governed, RecordedDecision, decide_without_authority};
pub use lease::{LeaseEnd, StandingLease, lease_terms};
pub use outcome::{ObservedOutcome, RecordedOutcome};
pub use rules::{GOVERN_FILE, GovernRules, RepeatRule};
pub use sharing::{PeerReport, SharingReport, SourceAccess, SourceReport};
