//! How a talk went, said plainly: its tone, and what was said that tells who somebody is, where it was tense and what matters
//! always. Nothing here reads or writes anything.

use super::remark::SpokenMessage;
use crate::quote;
use cairn_cognition::tier::{SubTier, sub_tier};
use cairn_domain::{Category, HandoffLine, Role, Tier};

/// A talk is warm above this mean of what was felt, and tense below its negative.
const MARKED_VALENCE: f64 = 0.15;
/// A statement is tense if it is this unpleasant …
const TENSE_VALENCE: f64 = -0.4;
/// … and this exciting.
const TENSE_AROUSAL: f64 = 0.4;

/// The way in which a statement tells of the people and not of the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoodAnchor {
    Identity,
    Tension,
    Principle,
}

impl MoodAnchor {
    const ALL: [Self; 3] = [Self::Identity, Self::Tension, Self::Principle];

    fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Tension => "tension",
            Self::Principle => "principle",
        }
    }
}

/// The lines about how a talk of so many exchanges went; none of nothing.
pub(crate) fn mood_lines(spoken: &[SpokenMessage<'_>], exchanges: u32) -> Vec<HandoffLine> {
    let users: Vec<&SpokenMessage<'_>> = spoken.iter().filter(|it| it.message.role == Role::User).collect();
    let Some(last) = users.last() else { return Vec::new() };
    let felt: Vec<f64> = users
        .iter()
        .flat_map(|it| &it.statements)
        .map(|statement| statement.character.felt.valence)
        .collect();
    let mean = felt.iter().sum::<f64>() / (felt.len() as f64).max(1.0);
    let tone = match mean {
        mean if mean >= MARKED_VALENCE => "warm",
        mean if mean <= -MARKED_VALENCE => "tense",
        _ => "even",
    };
    let depth =
        format!("{tone} in tone, {exchanges} {} deep", if exchanges == 1 { "exchange" } else { "exchanges" });
    let mut lines = vec![HandoffLine::new(&depth, None, vec![last.message.id.to_string()])];
    for anchor in MoodAnchor::ALL {
        // The newest of a kind stands for it.
        let anchored = users.iter().rev().find_map(|it| {
            let statement =
                it.statements.iter().rev().find(|statement| anchor_of(statement) == Some(anchor))?;
            Some((it.message, statement))
        });
        if let Some((message, statement)) = anchored {
            let (who, said) = (quote::speaker(message), quote::line(&statement.said));
            let text = format!("{}: {} {who}: {said}", anchor.as_str(), message.at.day());
            lines.push(HandoffLine::new(&text, None, vec![message.id.to_string()]));
        }
    }
    lines
}

fn anchor_of(statement: &crate::write::Proposition) -> Option<MoodAnchor> {
    let felt = &statement.character.felt;
    let is_principle = statement.category == Category::Preference
        && sub_tier(
            Tier::Semantic,
            cairn_domain::DataSource::UserMessage,
            statement.category,
            &statement.said,
        ) == SubTier::Schematic;
    match statement.category {
        _ if felt.valence <= TENSE_VALENCE && felt.arousal >= TENSE_AROUSAL => Some(MoodAnchor::Tension),
        _ if is_principle => Some(MoodAnchor::Principle),
        Category::Entity => Some(MoodAnchor::Identity),
        _ => None,
    }
}
