//! Canonical keys: what a claim is about, spelt the same however it was said. A key is a pure function of what it is made
//! of; nothing that a model says is ever part of one.

use crate::plain::fold;
use cairn_domain::{BeliefKind, Facet, SubjectType};

/// Maximum characters of a key segment; longer ones are cut and end in their hash.
const SEGMENT_CHARS: usize = 64;

/// A segment of a key: small letters, digits and underscores, a hyphen for whatever stands between them. What cannot be
/// spelt so is told apart by its hash.
pub fn segment(text: &str) -> String {
    let folded = fold(text);
    let mut segment = String::with_capacity(folded.len());
    let mut lost = false;
    for c in folded.chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' {
            segment.push(c);
        } else {
            lost |= c.is_alphanumeric();
            if !segment.is_empty() && !segment.ends_with('-') {
                segment.push('-');
            }
        }
    }
    let spelt = segment.trim_matches('-');
    if !lost && spelt.len() <= SEGMENT_CHARS {
        return spelt.to_owned();
    }
    let begin = spelt[..spelt.len().min(SEGMENT_CHARS - 17)].trim_end_matches('-');
    let hash = format!("{:016x}", fnv1a(folded.as_bytes()));
    if begin.is_empty() { hash } else { format!("{begin}-{hash}") }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The slot of a key: a facet of the closed list and, where it can have several, its topic.
pub fn slot(facet: Facet, topic: Option<&str>) -> String {
    match topic.map(segment).filter(|topic| !topic.is_empty()) {
        Some(topic) => format!("{facet}.{topic}"),
        None => facet.to_string(),
    }
}

/// The key of a claim about a subject: `entity:user:identity:residence`, `global:world_fact:property.port`.
pub fn canonical_key(subject: SubjectType, subject_id: &str, kind: BeliefKind, slot: &str) -> String {
    match subject {
        SubjectType::Global => format!("{subject}:{kind}:{slot}"),
        SubjectType::Entity | SubjectType::Project | SubjectType::Tool | SubjectType::Agent => {
            format!("{subject}:{}:{kind}:{slot}", segment(subject_id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: K-44, K-45, K-46, K-47, K-48, K-49, K-50, X-K1, X-K2
    #[test]
    fn keys_follow_their_patterns() {
        for (subject, id, kind, facet, topic, key) in [
            (
                SubjectType::Entity,
                "user",
                BeliefKind::OperatorPreference,
                Facet::Prefers,
                Some("mongodb+postgresql"),
                "entity:user:operator_preference:prefers.mongodb-postgresql",
            ),
            (
                SubjectType::Project,
                "CallScrub.io",
                BeliefKind::ProjectState,
                Facet::Status,
                None,
                "project:callscrub-io:project_state:status",
            ),
            (
                SubjectType::Tool,
                "Telegram",
                BeliefKind::ToolingState,
                Facet::Property,
                Some("port"),
                "tool:telegram:tooling_state:property.port",
            ),
            (
                SubjectType::Agent,
                "self",
                BeliefKind::SelfModel,
                Facet::Habit,
                Some("recall"),
                "agent:self:self_model:habit.recall",
            ),
            (
                SubjectType::Global,
                "",
                BeliefKind::WorldFact,
                Facet::Property,
                Some("Türkiye capital"),
                "global:world_fact:property.turkiye-capital",
            ),
            (
                SubjectType::Entity,
                "Şule",
                BeliefKind::RelationshipFact,
                Facet::Relationship,
                Some("sister"),
                "entity:sule:relationship_fact:relationship.sister",
            ),
        ] {
            assert_eq!(canonical_key(subject, id, kind, &slot(facet, topic)), key);
        }
    }

    #[test]
    fn what_cannot_be_spelt_is_told_apart() {
        assert_eq!(segment("  Node.js / C++ "), "node-js-c");
        assert_eq!(segment("--"), "");
        assert_ne!(segment("東京"), segment("大阪"));
        assert!(!segment("東京").is_empty());
        let (long, longer) = ("a".repeat(90), "a".repeat(91));
        assert!(segment(&long).len() <= SEGMENT_CHARS && segment(&long) != segment(&longer));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: K-118, I5
        #[test]
        fn a_segment_is_the_same_every_time_and_holds_nothing_else(text in "\\PC{0,120}") {
            let spelt = segment(&text);
            prop_assert_eq!(&segment(&text), &spelt);
            prop_assert_eq!(&segment(&text.to_lowercase()), &spelt);
            prop_assert!(spelt.len() <= SEGMENT_CHARS);
            prop_assert!(spelt.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c)));
            prop_assert!(!spelt.starts_with('-') && !spelt.ends_with('-') && !spelt.contains("--"));
        }
    }
}
