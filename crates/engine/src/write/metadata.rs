//! Fields of a message's metadata that mean something to the engine. Their names are stored, so they never change.

/// Where the words come from, if not from the message's speaker.
pub const DATA_SOURCE: &str = "data_source";
/// Whether a person, or the agent of its own accord, asked to remember it.
pub const ASKED: &str = "asked_to_remember";
/// Whether an agent tells it for its user: "I" is the user, and the word is still the agent's.
pub(crate) const TOLD_FOR_USER: &str = "told_for_user";
/// The memory or message that it corrects. Only a correction bears it.
pub(crate) const CORRECTS: &str = "corrects";
/// The records that it looks back on. Only a reflection bears it.
pub(crate) const REFLECTS_ON: &str = "reflects_on";
/// The trigger of a message that was set as an intention.
pub(crate) const INTENTION: &str = "intention";
/// Which kinds of secret were masked in it.
pub(crate) const MASKED_SECRETS: &str = "masked_secrets";
