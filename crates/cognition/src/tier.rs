//! Tiers and sub-tiers: how a memory is kept and how much that weighs. A tier says how fast a memory loses stability, a
//! sub-tier what it counts when memories are ranked. The words that make a rule or an instruction are data, one file a
//! language.

use crate::{
    lexicon::{SubTierClass, WordList},
    pattern::Patterns,
};
use cairn_domain::{Category, DataSource, Tier, WriteSource};
use std::sync::LazyLock;

/// Words of rules (`schematic`) and of instructions (`procedural`).
static SUB_TIER_PATTERNS: LazyLock<Patterns<SubTierClass>> = LazyLock::new(Patterns::read);

/// Only this much of a text is read.
const MAX_READ_BYTES: usize = 4_096;

/// Orders that are to be kept from now on.
static RULES: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::read_plain(WordList::Rules));

/// Whether a text orders how something is to be done from now on, whatever else it was taken for.
pub fn orders_a_rule(text: &str) -> bool {
    RULES.find(&text[..text.floor_char_boundary(MAX_READ_BYTES)]).next().is_some()
}

/// How many times as fast as its category a memory of this tier loses stability.
pub fn decay_multiplier(tier: Tier) -> f64 {
    match tier {
        Tier::Working => 10.0,
        Tier::Episodic => 3.0,
        Tier::Semantic => 1.0,
        Tier::Dormant => 0.0,
    }
}

/// The tier of a memory when it is made: what is captured is an episode, what a dream makes of several is knowledge.
pub fn first_tier(source: WriteSource) -> Tier {
    match source {
        WriteSource::Observer | WriteSource::Formation | WriteSource::Manual => Tier::Episodic,
        WriteSource::Dream => Tier::Semantic,
    }
}

/// The kind of a memory within its tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubTier {
    /// An episode that a person told.
    Personal,
    /// An episode that was seen to happen.
    Observed,
    /// An episode of another agent's.
    Vicarious,
    /// Knowledge of how something always is.
    Schematic,
    /// Knowledge of how something is done.
    Procedural,
    /// Any other knowledge.
    Factual,
}

impl SubTier {
    /// Factor of a memory's score.
    pub fn weight(self) -> f64 {
        match self {
            Self::Personal | Self::Schematic => 1.1,
            Self::Procedural => 1.05,
            Self::Observed | Self::Factual => 1.0,
            Self::Vicarious => 0.9,
        }
    }

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Observed => "observed",
            Self::Vicarious => "vicarious",
            Self::Schematic => "schematic",
            Self::Procedural => "procedural",
            Self::Factual => "factual",
        }
    }
}

/// The kind of a memory within its tier: an episode's kind follows from its source, that of knowledge from its category
/// and text. Working memories count as episodes. Dormant ones count as knowledge, which they were before they went
/// dormant.
pub fn sub_tier(tier: Tier, source: DataSource, category: Category, text: &str) -> SubTier {
    match tier {
        Tier::Working | Tier::Episodic => episode_sub_tier(source),
        Tier::Semantic | Tier::Dormant => knowledge_sub_tier(category, text),
    }
}

fn episode_sub_tier(source: DataSource) -> SubTier {
    match source {
        DataSource::UserMessage => SubTier::Personal,
        DataSource::Federation => SubTier::Vicarious,
        DataSource::AssistantMessage
        | DataSource::System
        | DataSource::File
        | DataSource::Task
        | DataSource::Feed
        | DataSource::Shown => SubTier::Observed,
    }
}

/// The category decides, then the words; a rule about how to do something is a rule.
fn knowledge_sub_tier(category: Category, text: &str) -> SubTier {
    match category {
        Category::Pattern => return SubTier::Schematic,
        Category::Procedure => return SubTier::Procedural,
        Category::Preference
        | Category::Fact
        | Category::Decision
        | Category::Correction
        | Category::Plan
        | Category::Entity
        | Category::Other => {}
    }
    let classes = SUB_TIER_PATTERNS.classes_in(&text[..text.floor_char_boundary(MAX_READ_BYTES)]);
    if classes.contains(&SubTierClass::Schematic) {
        SubTier::Schematic
    } else if classes.contains(&SubTierClass::Procedural) {
        SubTier::Procedural
    } else {
        SubTier::Factual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_an_order_and_not_a_habit() {
        for (text, orders) in [
            ("Always run the tests with make check.", true),
            ("In this repo, always run make check first.", true),
            ("please never push to main", true),
            ("We build with make: never call cargo yourself.", true),
            ("Her zaman make check ile test et.", true),
            ("Sakın main dalına itme.", true),
            ("I always take the tram.", false),
            ("My sister never calls.", false),
            ("Never. It's been lore since a wedding.", false),
            ("Write a haiku about the sea.", false),
            ("Hep çay içerim.", false),
        ] {
            assert_eq!(orders_a_rule(text), orders, "{text}");
        }
    }

    /// covers: C-218, C-219, C-220, C-221
    #[test]
    fn each_tier_decays_in_its_own_time() {
        for (tier, times) in
            [(Tier::Working, 10.0), (Tier::Episodic, 3.0), (Tier::Semantic, 1.0), (Tier::Dormant, 0.0)]
        {
            assert!((decay_multiplier(tier) - times).abs() < 1e-12, "{tier}");
        }
    }

    /// covers: C-219
    #[test]
    fn what_is_captured_is_an_episode() {
        for (source, tier) in [
            (WriteSource::Observer, Tier::Episodic),
            (WriteSource::Formation, Tier::Episodic),
            (WriteSource::Manual, Tier::Episodic),
            (WriteSource::Dream, Tier::Semantic),
        ] {
            assert_eq!(first_tier(source), tier, "{source}");
        }
    }

    /// covers: C-239, C-240, C-241
    #[test]
    fn an_episode_is_told_by_where_it_comes_from() {
        for (source, expected, weight) in [
            (DataSource::UserMessage, SubTier::Personal, 1.1),
            (DataSource::AssistantMessage, SubTier::Observed, 1.0),
            (DataSource::System, SubTier::Observed, 1.0),
            (DataSource::File, SubTier::Observed, 1.0),
            (DataSource::Task, SubTier::Observed, 1.0),
            (DataSource::Feed, SubTier::Observed, 1.0),
            (DataSource::Shown, SubTier::Observed, 1.0),
            (DataSource::Federation, SubTier::Vicarious, 0.9),
        ] {
            for tier in [Tier::Working, Tier::Episodic] {
                let found = sub_tier(tier, source, Category::Pattern, "always and never");
                assert_eq!(found, expected, "{source}");
                assert!((found.weight() - weight).abs() < 1e-12, "{source}");
            }
        }
    }

    /// covers: C-242, C-243, C-244
    #[test]
    fn knowledge_is_told_by_what_it_says() {
        for (category, text, expected, weight) in [
            (Category::Pattern, "User asks for tests on Fridays.", SubTier::Schematic, 1.1),
            (Category::Fact, "Deploys always go through staging.", SubTier::Schematic, 1.1),
            (Category::Preference, "User NEVER drinks coffee.", SubTier::Schematic, 1.1),
            (Category::Other, "The rules of the house: shoes off.", SubTier::Schematic, 1.1),
            (Category::Fact, "Toplantılar her zaman sabah yapılıyor.", SubTier::Schematic, 1.1),
            (Category::Preference, "Kullanıcı asla et yemez.", SubTier::Schematic, 1.1),
            (Category::Fact, "Ekibin kuralı: önce test yazılır.", SubTier::Schematic, 1.1),
            (Category::Procedure, "Always restart the router first.", SubTier::Procedural, 1.05),
            (Category::Fact, "User knows how to prune olive trees.", SubTier::Procedural, 1.05),
            (Category::Other, "Yedek nasıl alınır, README'de yazıyor.", SubTier::Procedural, 1.05),
            (Category::Fact, "Sunucunun nasıl kurulacağı wikide.", SubTier::Procedural, 1.05),
            (Category::Fact, "User lives in Lisbon.", SubTier::Factual, 1.0),
            (Category::Fact, "User met the ruler of the fair.", SubTier::Factual, 1.0),
            (Category::Fact, "Hepsi Ankara'da oturuyor.", SubTier::Factual, 1.0),
            (Category::Entity, "", SubTier::Factual, 1.0),
        ] {
            for tier in [Tier::Semantic, Tier::Dormant] {
                let found = sub_tier(tier, DataSource::UserMessage, category, text);
                assert_eq!(found, expected, "{text}");
                assert!((found.weight() - weight).abs() < 1e-12, "{text}");
            }
        }
        assert_eq!(SubTier::Schematic.as_str(), "schematic");
    }

    #[test]
    fn a_text_of_any_size_is_told_at_once() {
        let huge = "ş(".repeat(8 << 20);
        assert_eq!(sub_tier(Tier::Semantic, DataSource::File, Category::Fact, &huge), SubTier::Factual);
    }
}
