//! Which function decides each step.

use crate::{
    agent::Agent,
    belief::{consolidation as belief, revalidation},
    error::Result,
    growth::{
        contemplation, crystallization,
        evolution::scaffold,
        inquiry,
        standing::{judged, weigh},
    },
    rhythm::{
        catalog::RhythmStep,
        digest::{calendar, category, profile, prose, reflection, stretch},
        disk_space,
        dream::{
            abstraction, clustering, consolidation, emotion, fading, foresight, forgetting, promotion,
            redundancy, rehearsal, replay, utility,
        },
        layer::{intake, perspective, review},
        step_context::{StepContext, StepDecision},
    },
};
use cairn_domain::DigestKind;
use cairn_store::View;

impl RhythmStep {
    /// Decides the next batch.
    pub(crate) async fn decide(self, agent: &Agent, context: &StepContext<'_>) -> Result<StepDecision> {
        match self {
            Self::Consolidation => return consolidation::decide(agent, context).await,
            Self::Intake => return intake::decide(agent, context).await,
            Self::Space => return disk_space::decide(agent, context).await,
            Self::Crystallization => return crystallization::decide(agent, context).await,
            Self::Friction => return scaffold::decide(agent, context).await,
            _ => {}
        }
        let decided = agent.store.read(|view| {
            let version = view.memory_version()?;
            let mut decided = self.decide_on(view, context)?;
            decided.batch.version = version;
            Ok(decided)
        });
        let mut decided = decided.await?;
        prose::reword_digests(agent, &mut decided.batch, context.config.most_calls).await;
        judged::judge_days(agent, &mut decided.batch, context.config.most_calls).await;
        Ok(decided)
    }

    fn decide_on(self, view: &mut View<'_>, context: &StepContext<'_>) -> cairn_store::Result<StepDecision> {
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
            Self::Consolidation | Self::Intake | Self::Space | Self::Crystallization | Self::Friction => {
                Ok(StepDecision::nothing(""))
            }
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
            Self::Inquiries => inquiry::decide(view, context),
            Self::Contemplation => contemplation::decide(view, context),
            Self::Standing => weigh::decide(view, context),
        }
    }
}
