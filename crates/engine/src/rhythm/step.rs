//! The steps of rhythms: what there is to do, in which order, and who decides it.

use super::{
    digest::{self, calendar, category, profile, reflection, stretch},
    dream::{
        abstraction, clustering, consolidation, emotion, fading, foresight, forgetting, promotion,
        redundancy, rehearsal, replay, utility,
    },
    layer::{intake, perspective, review},
    schedule::Schedule,
    space,
};
use crate::belief::{consolidation as belief, revalidation};
use crate::{Agent, BeliefConfig, Config, LayerConfig, Result, RhythmConfig, Schedules};
use cairn_domain::{DigestKind, Time};
use cairn_store::{Batch, View};

/// What routes a rhythm to what carries it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// The night.
    Dream,
    /// What is about to be lost.
    Rehearsal,
    /// What was said.
    Intake,
    /// A layer.
    Consolidation,
    /// What is condensed.
    Digests,
    /// Room.
    Compaction,
    /// What is held true.
    Beliefs,
    /// Whether it still is.
    Revalidation,
}

/// A rhythm: when, and what.
#[derive(Debug, Clone)]
pub(crate) struct Rhythm {
    pub(crate) name: String,
    pub(crate) tag: Tag,
    pub(crate) schedule: Schedule,
    /// The layer it belongs to, if it does to one.
    pub(crate) layer: Option<String>,
    pub(crate) steps: Vec<Step>,
}

/// A step of a rhythm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Memories lose stability, each tier in its own time.
    TierDecay,
    /// Feelings make memories last.
    Emotion,
    /// What was used together grows together.
    Replay,
    /// Episodes become knowledge, useless knowledge goes to rest.
    Promotion,
    /// Utility drifts back to the middle.
    Utility,
    /// What is about to be lost is called to mind.
    Rehearsal,
    /// What was intended for a time that is over ends.
    Foresight,
    /// What contradicts, is useless or too much goes to rest.
    Forgetting,
    /// What belongs together is found.
    Clustering,
    /// What fades and belongs together becomes one theme.
    Consolidation,
    /// Of two that say the same the less useful goes to rest.
    Redundancy,
    /// What happens again and again becomes a pattern.
    Abstraction,
    /// What was said becomes memories, each in its layer.
    Intake,
    /// The memories of a layer are promoted, demoted or left.
    Review,
    /// What a layer looks back on, holds now and looks forward to is written anew.
    Perspectives,
    /// Days are condensed.
    Days,
    /// Weeks are condensed.
    Weeks,
    /// Months are condensed.
    Months,
    /// What is known of entities is condensed, and what they are parts of is inferred.
    Profiles,
    /// What is known of categories is condensed.
    Categories,
    /// Lessons are drawn, and what happened is looked back on.
    Reflection,
    /// Stretches of conversation that are old and hardly opened are condensed.
    Stretches,
    /// Indexes are written together, and room is given back.
    Space,
    /// What memories say together becomes belief.
    Beliefs,
    /// Beliefs that are due are looked at again.
    Revalidation,
}

/// The night, in its order.
const DREAM: [Step; 12] = [
    Step::TierDecay,
    Step::Emotion,
    Step::Replay,
    Step::Promotion,
    Step::Utility,
    Step::Rehearsal,
    Step::Foresight,
    Step::Forgetting,
    Step::Clustering,
    Step::Consolidation,
    Step::Redundancy,
    Step::Abstraction,
];

/// What is done to a layer.
const CONSOLIDATION: [Step; 2] = [Step::Review, Step::Perspectives];

/// What is condensed.
const DIGESTS: [Step; 7] = [
    Step::Days,
    Step::Weeks,
    Step::Months,
    Step::Profiles,
    Step::Categories,
    Step::Reflection,
    Step::Stretches,
];

/// What makes room.
const COMPACTION: [Step; 2] = [Step::Redundancy, Step::Space];

/// What a step decides on.
pub(crate) struct Context<'a> {
    /// The moment of the run.
    pub(crate) now: Time,
    /// How far the step came.
    pub(crate) place: i64,
    pub(crate) config: &'a RhythmConfig,
    pub(crate) beliefs: &'a BeliefConfig,
    /// The layer that the rhythm belongs to, if it does to one.
    pub(crate) layer: Option<(&'a str, &'a LayerConfig)>,
}

impl Context<'_> {
    /// The number that a step goes on from.
    pub(crate) fn number(&self) -> u32 {
        self.place as u32
    }
}

/// What one batch of a step decides, and where it goes on; `None` when the step is done.
pub(crate) struct Decided {
    pub(crate) batch: Batch,
    pub(crate) next: Option<i64>,
}

impl Decided {
    /// The step is done with this batch.
    pub(crate) fn last(batch: Batch) -> Self {
        Self { batch, next: None }
    }

    /// The step has nothing to do, and why.
    pub(crate) fn nothing(note: impl Into<String>) -> Self {
        Self::last(Batch { note: note.into(), ..Batch::default() })
    }

    /// The step goes on at the next number if the page was full.
    pub(crate) fn page(batch: Batch, last: Option<u32>, full: bool) -> Self {
        Self { batch, next: last.filter(|_| full).map(|last| i64::from(last) + 1) }
    }
}

impl Step {
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
        }
    }

    /// Decides the next batch.
    pub(crate) async fn decide(self, agent: &Agent, context: &Context<'_>) -> Result<Decided> {
        match self {
            Self::Consolidation => return consolidation::decide(agent, context).await,
            Self::Intake => return intake::decide(agent, context).await,
            Self::Space => return space::decide(agent, context).await,
            _ => {}
        }
        let decided = agent.store.read(|view| {
            let version = view.memory_version()?;
            let mut decided = self.decide_on(view, context)?;
            decided.batch.version = version;
            Ok(decided)
        });
        let mut decided = decided.await?;
        digest::word(agent, &mut decided.batch, context.config.most_calls).await;
        Ok(decided)
    }

    fn decide_on(self, view: &mut View<'_>, context: &Context<'_>) -> cairn_store::Result<Decided> {
        match self {
            Self::TierDecay => fading::decide(view, context),
            Self::Emotion => emotion::decide(view, context),
            Self::Replay => replay::decide(view, context),
            Self::Promotion => promotion::decide(view, context),
            Self::Utility => utility::decide(view, context),
            Self::Rehearsal => rehearsal::decide(view, context),
            Self::Foresight => foresight::decide(view, context),
            Self::Forgetting => forgetting::decide(view, context),
            Self::Clustering => clustering::decide(view, context),
            Self::Consolidation | Self::Intake | Self::Space => Ok(Decided::nothing("")),
            Self::Redundancy => redundancy::decide(view, context),
            Self::Abstraction => abstraction::decide(view, context),
            Self::Review => review::decide(view, context),
            Self::Perspectives => perspective::decide(view, context),
            Self::Days => calendar::decide(view, context, DigestKind::Day),
            Self::Weeks => calendar::decide(view, context, DigestKind::Week),
            Self::Months => calendar::decide(view, context, DigestKind::Month),
            Self::Profiles => profile::decide(view, context),
            Self::Categories => category::decide(view, context),
            Self::Reflection => reflection::decide(view, context),
            Self::Stretches => stretch::decide(view, context),
            Self::Beliefs => belief::decide(view, context),
            Self::Revalidation => revalidation::decide(view, context),
        }
    }
}

/// The rhythms that a configuration names, in the order in which they are carried out when several are due.
pub(crate) fn rhythms(config: &Config) -> Vec<Rhythm> {
    let rhythm = |name: String, tag: Tag, cron: &str, layer: Option<&str>| {
        // The configuration was checked when it was read.
        let schedule = Schedule::new(cron, &config.rhythms.time_zone).ok()?;
        Some(Rhythm { name, tag, schedule, layer: layer.map(str::to_owned), steps: tag.steps() })
    };
    let Schedules { intake, dream, rehearsal, digests, compaction, beliefs, revalidation } =
        &config.rhythms.schedule;
    let mut all = vec![rhythm("intake".to_owned(), Tag::Intake, intake, None)];
    for (layer, config) in &config.layers.0 {
        let name = format!("consolidation:{layer}");
        all.push(rhythm(name, Tag::Consolidation, &config.consolidation_interval, Some(layer)));
    }
    all.push(rhythm("dream".to_owned(), Tag::Dream, dream, None));
    all.push(rhythm("rehearsal".to_owned(), Tag::Rehearsal, rehearsal, None));
    all.push(rhythm("digests".to_owned(), Tag::Digests, digests, None));
    all.push(rhythm("compaction".to_owned(), Tag::Compaction, compaction, None));
    all.push(rhythm("beliefs".to_owned(), Tag::Beliefs, beliefs, None));
    all.push(rhythm("revalidation".to_owned(), Tag::Revalidation, revalidation, None));
    all.into_iter().flatten().collect()
}

impl Tag {
    /// What carries it out.
    fn steps(self) -> Vec<Step> {
        match self {
            Self::Intake => vec![Step::Intake],
            Self::Consolidation => CONSOLIDATION.to_vec(),
            Self::Dream => DREAM.to_vec(),
            Self::Rehearsal => vec![Step::Rehearsal],
            Self::Digests => DIGESTS.to_vec(),
            Self::Compaction => COMPACTION.to_vec(),
            Self::Beliefs => vec![Step::Beliefs],
            // What came in since counts first.
            Self::Revalidation => vec![Step::Beliefs, Step::Revalidation],
        }
    }

    /// Whether it belongs to the night shift: only in its hours, and not while somebody is speaking.
    pub(crate) fn is_night_shift(self) -> bool {
        match self {
            Self::Dream | Self::Rehearsal | Self::Compaction => true,
            Self::Intake | Self::Consolidation | Self::Digests | Self::Beliefs | Self::Revalidation => false,
        }
    }

    /// The word by which it is routed.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Dream => "dream",
            Self::Rehearsal => "rehearsal",
            Self::Intake => "intake",
            Self::Consolidation => "consolidation",
            Self::Digests => "digests",
            Self::Compaction => "compaction",
            Self::Beliefs => "beliefs",
            Self::Revalidation => "revalidation",
        }
    }
}
