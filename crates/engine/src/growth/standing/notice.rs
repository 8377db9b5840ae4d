//! Notice: the patterns of standing in a message of the user.

use super::config::StandingConfig;
use crate::meter;
use cairn_cognition::{
    shown::ShownWords,
    standing::{StandingSign, standing_signs},
};
use cairn_domain::{Message, Role, StandingEvidence};
use std::time::Instant;

/// The one whose standing it is.
pub(crate) const SUBJECT: &str = "user";

/// The patterns in a message; none of what others say, or of what he only shows.
pub(crate) fn notice_standing(message: &Message, config: StandingConfig) -> Vec<StandingEvidence> {
    if !config.enabled || message.role != Role::User {
        return Vec::new();
    }
    let evidence = |StandingSign { pattern, confidence, saw }: StandingSign| StandingEvidence {
        message: message.id,
        subject: SUBJECT.to_owned(),
        pattern: pattern.name.to_owned(),
        dimension: pattern.dimension,
        direction: pattern.direction,
        confidence,
        saw,
        at: message.at,
    };
    let begun = Instant::now();
    let found =
        standing_signs(&ShownWords::of(&message.text).own_words()).into_iter().map(evidence).collect();
    meter::standing(begun.elapsed());
    found
}
