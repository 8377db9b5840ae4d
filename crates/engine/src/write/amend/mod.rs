//! Changing memories that are there: `correct` replaces one that is wrong, `reflect` adds what the agent makes of some, `feedback` moves how useful one counts,
//! `strengthen` notes which were shown, `session_end` what a session leaves behind, `pin_and_rest` how one is kept, `undo` takes back what was decided. None of them takes
//! words away.

pub(super) mod correct;
mod feedback;
mod pin_and_rest;
pub(super) mod reflect;
mod session_end;
mod strengthen;
mod undo;
