//! Digests: what a day, a week and a month were about (`calendar`), what is known of an entity (`profile`) and of a
//! category (`category`), what is looked back on when enough has happened (`reflection`), and what old conversations were
//! about (`stretch`). Without a language model they are made of whole texts of memories, the weightiest first chosen, and
//! say nothing that is not in one; a model may say a few of them as a paragraph. Each cites what it stands on and is written
//! anew when that has changed. `lines` is what they are made of, `prose` the rewording by a model.

pub(super) mod calendar;
pub(super) mod category;
pub(super) mod lines;
pub(super) mod profile;
pub(super) mod prose;
pub(super) mod reflection;
pub(super) mod stretch;
