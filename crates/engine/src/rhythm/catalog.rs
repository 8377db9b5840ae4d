//! Every rhythm there is: its kind, its schedule and its steps in order.

use crate::{
    config::Config,
    rhythm::{kind::RhythmKind, schedule::Schedule},
};

/// A rhythm: when, and what.
#[derive(Debug, Clone)]
pub(crate) struct Rhythm {
    pub(crate) name: String,
    pub(crate) tag: RhythmKind,
    pub(crate) schedule: Schedule,
    /// The layer it belongs to, if it does to one.
    pub(crate) layer: Option<String>,
    pub(crate) steps: Vec<RhythmStep>,
}

/// A step of a rhythm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RhythmStep {
    /// Memories lose stability, each tier in its own time.
    TierDecay,
    /// Feelings make memories last.
    Emotion,
    /// Memories used together are linked more strongly.
    Replay,
    /// Episodes become knowledge, useless knowledge goes to rest.
    Promotion,
    /// Utility drifts back to the middle.
    Utility,
    /// Memories about to fade are rehearsed.
    Rehearsal,
    /// Plans whose time is over expire.
    Foresight,
    /// Contradicted, useless and surplus memories go dormant.
    Forgetting,
    /// Groups of related memories are found.
    Clustering,
    /// Fading memories of one cluster become a theme.
    Consolidation,
    /// Of two that say the same the less useful goes to rest.
    Redundancy,
    /// Repeated events become a pattern.
    Abstraction,
    /// New messages become memories, each in its layer.
    Intake,
    /// The memories of a layer are promoted, demoted or left.
    Review,
    /// The retrospective, current and future digests of a layer are rewritten.
    Perspectives,
    /// Days are condensed.
    Days,
    /// Weeks are condensed.
    Weeks,
    /// Months are condensed.
    Months,
    /// Entities get digests, and their parents are inferred.
    Profiles,
    /// Categories get digests.
    Categories,
    /// Lessons are drawn, and what happened is looked back on.
    Reflection,
    /// Stretches of conversation that are old and hardly opened are condensed.
    Stretches,
    /// Indexes are written together, and room is given back.
    Space,
    /// Memories that agree become beliefs.
    Beliefs,
    /// Beliefs that are due are looked at again.
    Revalidation,
    /// Whatever did not fit becomes an inquiry.
    Inquiries,
    /// The passes that are due are made.
    Contemplation,
    /// Vectors that say the same become proposals.
    Crystallization,
    /// Finished days move where the user stands.
    Standing,
    /// Friction in work with tools becomes proposals.
    Friction,
}

/// The night, in its order.
const DREAM: [RhythmStep; 12] = [
    RhythmStep::TierDecay,
    RhythmStep::Emotion,
    RhythmStep::Replay,
    RhythmStep::Promotion,
    RhythmStep::Utility,
    RhythmStep::Rehearsal,
    RhythmStep::Foresight,
    RhythmStep::Forgetting,
    RhythmStep::Clustering,
    RhythmStep::Consolidation,
    RhythmStep::Redundancy,
    RhythmStep::Abstraction,
];

/// The steps of a layer's consolidation.
const CONSOLIDATION: [RhythmStep; 2] = [RhythmStep::Review, RhythmStep::Perspectives];

/// The steps that write digests.
const DIGESTS: [RhythmStep; 7] = [
    RhythmStep::Days,
    RhythmStep::Weeks,
    RhythmStep::Months,
    RhythmStep::Profiles,
    RhythmStep::Categories,
    RhythmStep::Reflection,
    RhythmStep::Stretches,
];

/// The steps that free disk space.
const COMPACTION: [RhythmStep; 2] = [RhythmStep::Redundancy, RhythmStep::Space];

/// From what did not fit to what is proposed.
const CONTEMPLATION: [RhythmStep; 3] =
    [RhythmStep::Inquiries, RhythmStep::Contemplation, RhythmStep::Crystallization];

impl RhythmStep {
    /// Its name in logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::TierDecay => "tier decay",
            Self::Emotion => "emotion",
            Self::Replay => "replay",
            Self::Promotion => "promotion",
            Self::Utility => "utility decay",
            Self::Rehearsal => "rehearsal",
            Self::Foresight => "foresight",
            Self::Forgetting => "forgetting",
            Self::Clustering => "clustering",
            Self::Consolidation => "consolidation",
            Self::Redundancy => "redundancy",
            Self::Abstraction => "abstraction",
            Self::Intake => "intake",
            Self::Review => "review",
            Self::Perspectives => "perspectives",
            Self::Days => "days",
            Self::Weeks => "weeks",
            Self::Months => "months",
            Self::Profiles => "profiles",
            Self::Categories => "categories",
            Self::Reflection => "reflection",
            Self::Stretches => "stretches",
            Self::Space => "space",
            Self::Beliefs => "beliefs",
            Self::Revalidation => "revalidation",
            Self::Inquiries => "inquiries",
            Self::Contemplation => "contemplation",
            Self::Crystallization => "crystallization",
            Self::Standing => "standing",
            Self::Friction => "friction",
        }
    }
}

/// How one change of a step of the night reads to a person, and several; none of a step that only moves numbers.
pub(crate) fn told_changes(name: &str) -> Option<(&'static str, &'static str)> {
    let night = [RhythmStep::Standing, RhythmStep::Friction];
    let mut steps = DREAM.iter().chain(&DIGESTS).chain(&night);
    Some(match steps.find(|step| step.name() == name)? {
        RhythmStep::TierDecay => ("1 memory faded", "memories faded"),
        RhythmStep::Promotion => ("1 memory changed its tier", "memories changed their tier"),
        RhythmStep::Rehearsal => ("1 fading memory was rehearsed", "fading memories were rehearsed"),
        RhythmStep::Foresight => ("1 plan ran out", "plans ran out"),
        RhythmStep::Forgetting => ("1 memory went to rest", "memories went to rest"),
        RhythmStep::Consolidation => ("1 theme was made of memories", "themes were made of memories"),
        RhythmStep::Redundancy => ("1 repetition went to rest", "repetitions went to rest"),
        RhythmStep::Abstraction => ("1 pattern was noted", "patterns were noted"),
        RhythmStep::Standing => ("1 score of standing was weighed", "scores of standing were weighed"),
        RhythmStep::Friction => {
            ("1 change was proposed against friction", "changes were proposed against friction")
        }
        RhythmStep::Days => ("1 day was condensed", "days were condensed"),
        RhythmStep::Weeks => ("1 week was condensed", "weeks were condensed"),
        RhythmStep::Months => ("1 month was condensed", "months were condensed"),
        RhythmStep::Profiles => ("1 profile was written anew", "profiles were written anew"),
        RhythmStep::Categories => ("1 category was summed up", "categories were summed up"),
        RhythmStep::Reflection => ("1 lesson was drawn", "lessons were drawn"),
        RhythmStep::Stretches => ("1 stretch of talk was condensed", "stretches of talk were condensed"),
        _ => return None,
    })
}

/// The rhythms that a configuration names, in the order in which they are carried out when several are due.
pub(crate) fn configured_rhythms(config: &Config) -> Vec<Rhythm> {
    let rhythm = |name: String, tag: RhythmKind, cron: &str, layer: Option<&str>| {
        // The configuration was checked when it was read.
        let schedule = Schedule::new(cron, &config.rhythms.time_zone).ok()?;
        Some(Rhythm { name, tag, schedule, layer: layer.map(str::to_owned), steps: tag.steps() })
    };
    let (intake, later): (Vec<_>, Vec<_>) =
        config.rhythms.schedule.by_kind().into_iter().partition(|(kind, _)| *kind == RhythmKind::Intake);
    let own = |(kind, cron): (RhythmKind, &str)| rhythm(kind.as_str().to_owned(), kind, cron, None);
    let layers = config.layers.0.iter().map(|(layer, config)| {
        let name = format!("{}:{layer}", RhythmKind::Consolidation.as_str());
        rhythm(name, RhythmKind::Consolidation, &config.consolidation_interval, Some(layer))
    });
    let all = intake.into_iter().map(own).chain(layers).chain(later.into_iter().map(own));
    all.flatten().collect()
}

impl RhythmKind {
    /// Its steps, in order.
    fn steps(self) -> Vec<RhythmStep> {
        match self {
            Self::Intake => vec![RhythmStep::Intake],
            Self::Consolidation => CONSOLIDATION.to_vec(),
            Self::Dream => DREAM.to_vec(),
            Self::Rehearsal => vec![RhythmStep::Rehearsal],
            Self::Digests => DIGESTS.to_vec(),
            Self::Compaction => COMPACTION.to_vec(),
            Self::Beliefs => vec![RhythmStep::Beliefs],
            // What came in since counts first.
            Self::Revalidation => vec![RhythmStep::Beliefs, RhythmStep::Revalidation],
            Self::Contemplation => CONTEMPLATION.to_vec(),
            Self::Standing => vec![RhythmStep::Standing],
            Self::Evolution => vec![RhythmStep::Friction],
        }
    }
}
