//! Names the messages that their transcript does not name. The name depends only on what was said before
//! in the same reader, so reading a file again, or a longer version of it, gives every message the name it
//! had, while a second "yes" stays a second message.

use cairn_domain::{Draft, Time, is_prompt_source_id};
use std::collections::HashMap;

/// Prefix of the names given here.
const MADE_UP: &str = "line:";
/// Prefix of the names of corrections.
pub(crate) const CORRECTION: &str = "correction:";

/// Prefix of the names of what passed `cairn proxy`.
const PROXIED: &str = "proxy:";

/// The caller's id of something that passed `cairn proxy`, by the digest of what came before it and of itself.
pub fn proxied_source_id(digest: &str) -> String {
    format!("{PROXIED}{digest}")
}

/// Whether an id was given by us and not by the caller.
pub fn is_made_up(source_id: &str) -> bool {
    let starts = [MADE_UP, CORRECTION, PROXIED];
    is_prompt_source_id(source_id) || starts.iter().any(|start| source_id.starts_with(start))
}

/// How often each combination of session, sender, time and words has occurred without an id.
#[derive(Debug, Default)]
pub(super) struct Occurrences(HashMap<u64, u64>);

impl Occurrences {
    /// Names `draft` if it needs a name. With a time it is told apart by that, unless it is a repetition.
    pub(super) fn name(&mut self, draft: &mut Draft) {
        if draft.source_id.is_some() {
            return;
        }
        let digest = digest(draft);
        let occurrence = self.0.entry(digest).or_default();
        *occurrence += 1;
        if draft.at.is_none() || *occurrence > 1 {
            draft.source_id = Some(format!("{MADE_UP}{digest:016x}:{occurrence}"));
        }
    }
}

/// Each part goes in with its length, so that no two lists of parts run together.
fn digest(draft: &Draft) -> u64 {
    let at = draft.at.map(Time::millis).map(|ms| ms.to_string());
    let parts =
        [draft.session.as_deref(), Some(draft.role.as_str()), draft.speaker.as_deref(), at.as_deref()];
    let mut hasher = blake3::Hasher::new();
    for part in parts.map(Option::unwrap_or_default).into_iter().chain([draft.text.as_str()]) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    let mut digest = [0; 8];
    hasher.finalize_xof().fill(&mut digest);
    u64::from_be_bytes(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::Role;

    #[test]
    fn a_repetition_gets_a_name_of_its_own_and_a_message_with_a_time_needs_none() {
        let mut occurrences = Occurrences::default();
        let mut name = |at: Option<i64>, role: Role, text: &str| {
            let mut draft = Draft { at: at.map(Time::from_millis), ..Draft::new(role, text) };
            occurrences.name(&mut draft);
            draft.source_id
        };
        let first = name(None, Role::User, "yes").expect("a name");
        assert_eq!(first, "line:47944e5f461de06a:1", "it is kept for good, so it may never change");
        assert_eq!(name(None, Role::User, "yes"), Some(first.replace(":1", ":2")));
        assert_ne!(name(None, Role::Assistant, "yes"), Some(first), "somebody else said it");
        assert_eq!(name(Some(5), Role::User, "yes"), None);
        assert_eq!(name(Some(6), Role::User, "yes"), None);
        assert!(name(Some(5), Role::User, "yes").is_some_and(|name| name.ends_with(":2")));
    }

    #[test]
    fn a_name_that_the_transcript_gives_is_left_alone() {
        let mut draft = Draft { source_id: Some("ext-1".to_owned()), ..Draft::new(Role::User, "yes") };
        Occurrences::default().name(&mut draft);
        assert_eq!(draft.source_id.as_deref(), Some("ext-1"));
    }
}
