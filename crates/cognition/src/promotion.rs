//! Promotion and demotion: when an episode becomes knowledge, and when knowledge that nobody uses goes to rest. Both are
//! decided on what a memory has been through, and each decision says why.

use crate::{forgetting::may_go_dormant, strength::Strength};
use cairn_domain::{MILLIS_PER_DAY, Memory, Tier, Time};

/// Accesses that make an episode knowledge.
pub const PROMOTED_ACCESSES: u32 = 3;
/// Utility that makes an old enough episode knowledge.
pub const PROMOTED_UTILITY: f64 = 0.7;
/// Days before a useful episode is promoted.
pub const SEASONED_DAYS: f64 = 7.0;
/// Episodes that share an entity, each used at least once, that become knowledge.
pub const PROMOTED_SHARING_EPISODES: u32 = 3;
/// Days without use …
pub const DEMOTED_IDLE_DAYS: f64 = 60.0;
/// … after which knowledge below this utility goes dormant.
pub const DEMOTED_UTILITY: f64 = 0.2;

/// Days without use after which the session that had a memory in mind is over.
pub const SESSION_QUIET_DAYS: f64 = 2.0 / 24.0;

/// A session that used nothing of what it has in mind since this moment is over, whether or not anybody says so.
pub fn quiet_since(now: Time) -> Time {
    Time::from_millis(now.millis() - (SESSION_QUIET_DAYS * MILLIS_PER_DAY as f64) as i64)
}

/// The strength that a memory holds.
pub fn strength_of(memory: &Memory) -> Strength {
    let Memory { storage, stability, accesses, accessed_at, .. } = *memory;
    Strength { storage, stability, accesses, last_access: accessed_at }
}

/// Whether nothing may let a memory go: it is pinned, immutable or a flashbulb.
pub fn is_held(memory: &Memory) -> bool {
    memory.pinned || memory.immutable || memory.flashbulb
}

/// Whether a memory has company: at least [`PROMOTED_SHARING_EPISODES`] episodes that were used share one of its entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpisodeCompany {
    /// It is one of several about the same thing.
    Several,
    /// It is alone, or nearly.
    Few,
}

/// The tier that a memory moves to at this moment, and why; `None` if it stays.
pub fn tier_change(memory: &Memory, now: Time, company: EpisodeCompany) -> Option<(Tier, String)> {
    match memory.tier {
        Tier::Episodic => promotion_reason(memory, now, company).map(|why| (Tier::Semantic, why)),
        Tier::Semantic => demotion_reason(memory, now).map(|why| (Tier::Dormant, why)),
        Tier::Working => {
            let is_over = memory.accessed_at.days_until(now) >= SESSION_QUIET_DAYS;
            let over = |tier| (tier, "its session is over".to_owned());
            (is_over && !is_held(memory)).then(|| {
                promotion_reason(memory, now, company)
                    .map_or(over(Tier::Episodic), |why| (Tier::Semantic, why))
            })
        }
        Tier::Dormant => None,
    }
}

fn promotion_reason(memory: &Memory, now: Time, company: EpisodeCompany) -> Option<String> {
    // What would go to rest as knowledge stays the episode it is.
    if memory.pinned || memory.immutable || demotion_reason(memory, now).is_some() {
        return None;
    }
    let age = memory.valid_from.days_until(now);
    if memory.accesses >= PROMOTED_ACCESSES {
        Some(format!("used {} times", memory.accesses))
    } else if memory.utility >= PROMOTED_UTILITY && age >= SEASONED_DAYS {
        Some(format!("utility {:.2} after {age:.0} days", memory.utility))
    } else if company == EpisodeCompany::Several && memory.accesses >= 1 {
        Some("three or more memories that were used share an entity with it".to_owned())
    } else {
        None
    }
}

fn demotion_reason(memory: &Memory, now: Time) -> Option<String> {
    let idle = memory.accessed_at.days_until(now);
    let goes = !is_held(memory)
        && idle >= DEMOTED_IDLE_DAYS
        && memory.utility < DEMOTED_UTILITY
        && may_go_dormant(memory.category, memory.valid_from.days_until(now));
    goes.then(|| format!("not used for {idle:.0} days, utility {:.2}", memory.utility))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cairn_domain::{
        Category, DataSource, Form, MemoryId, Mode, Privacy, SHORT_TERM_LAYER, Status, TemporalType,
        WriteSource,
    };

    pub(crate) fn day(day: f64) -> Time {
        Time::from_millis((day * MILLIS_PER_DAY as f64) as i64)
    }

    /// A plain fact of day 0.
    pub(crate) fn memory() -> Memory {
        Memory {
            id: MemoryId::of("a", 0),
            text: "User lives in Lisbon.".to_owned(),
            form: Form::Fact,
            category: Category::Fact,
            status: Status::New,
            tier: Tier::Episodic,
            layer: SHORT_TERM_LAYER.to_owned(),
            session: None,
            thread: None,
            mode: Mode::Chat,
            temporal_type: TemporalType::Persistent,
            valid_from: day(0.0),
            valid_until: None,
            recorded_at: day(0.0),
            write_source: WriteSource::Formation,
            data_source: DataSource::UserMessage,
            source_confidence: 0.7,
            source_hash: None,
            privacy: Privacy::Open,
            pinned: false,
            immutable: false,
            flashbulb: false,
            importance: 0.5,
            utility: 0.5,
            utility_at: day(0.0),
            storage: 1.0,
            stability: 1.0,
            accesses: 0,
            accessed_at: day(0.0),
            surfaced: 0,
            valence: 0.0,
            arousal: 0.0,
            emotion: None,
        }
    }

    /// covers: C-210, C-228, C-229, C-230, C-231, X-C18, X-C20
    #[test]
    fn an_episode_that_is_used_is_useful_or_has_company_becomes_knowledge() {
        use EpisodeCompany::{Few, Several};
        for (accesses, utility, age, company, pinned, becomes) in [
            (0, 0.5, 100.0, Few, false, None),
            (2, 0.5, 1.0, Few, false, None),
            (3, 0.5, 0.0, Few, false, Some(Tier::Semantic)),
            (3, 0.5, 0.0, Few, true, None),
            (0, 0.7, 6.9, Few, false, None),
            (0, 0.7, 7.0, Few, false, Some(Tier::Semantic)),
            (0, 0.69, 70.0, Few, false, None),
            (1, 0.5, 1.0, Several, false, Some(Tier::Semantic)),
            (0, 0.5, 1.0, Several, false, None),
            (1, 0.5, 1.0, Several, true, None),
        ] {
            let memory = Memory { accesses, utility, pinned, ..memory() };
            let found = tier_change(&memory, day(age), company).map(|(tier, _)| tier);
            assert_eq!(
                found, becomes,
                "used {accesses}, utility {utility}, {age} days, {company:?}, {pinned}"
            );
        }
        let immutable = Memory { accesses: 9, immutable: true, ..memory() };
        assert_eq!(tier_change(&immutable, day(1.0), EpisodeCompany::Several), None);
    }

    /// covers: C-210, C-232, C-233, X-C4
    #[test]
    fn knowledge_that_nobody_uses_goes_to_rest() {
        let known = Memory { tier: Tier::Semantic, utility: 0.19, ..memory() };
        for (memory, idle, rests) in [
            (known.clone(), 60.0, true),
            (known.clone(), 59.9, false),
            (Memory { utility: 0.2, ..known.clone() }, 600.0, false),
            (Memory { pinned: true, ..known.clone() }, 600.0, false),
            (Memory { immutable: true, ..known.clone() }, 600.0, false),
            (Memory { flashbulb: true, ..known.clone() }, 600.0, false),
            (Memory { category: Category::Preference, ..known.clone() }, 600.0, false),
            (Memory { tier: Tier::Dormant, ..known }, 600.0, false),
        ] {
            assert_eq!(
                tier_change(&memory, day(idle), EpisodeCompany::Several).is_some(),
                rests,
                "{memory:?} after {idle}"
            );
        }
    }
}
