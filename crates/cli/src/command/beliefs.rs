//! `cairn beliefs`, and `cairn why blf_…`. Read-only.

use super::{
    invocation::Invocation,
    look,
    review::{self, belief_id},
};
use crate::{
    args::{BeliefsArgs, BeliefsCommand, BeliefsFilter},
    failure::Failure,
    show_evidence::print_beliefs,
};
use cairn_engine::Missing;
use cairn_store::BeliefFilter;
use cairn_wire as wire;

pub(crate) async fn beliefs(invocation: &Invocation, args: BeliefsArgs) -> Result<(), Failure> {
    match args.what {
        Some(BeliefsCommand::Show { reference }) => {
            let agent = invocation.open(Missing::Refuse).await?;
            look::explain(invocation, &agent, &belief_id(&reference)?.to_string()).await.map(drop)
        }
        Some(BeliefsCommand::Diagnose { reference: Some(reference), .. }) => {
            review::show_belief(invocation, &reference).await
        }
        Some(BeliefsCommand::Diagnose { reference: None, limit }) => {
            review::list(invocation, true, limit.limit as u32).await
        }
        Some(BeliefsCommand::List(filter)) => list(invocation, filter).await,
        None => list(invocation, args.filter).await,
    }
}

async fn list(invocation: &Invocation, filter: BeliefsFilter) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let BeliefsFilter { kind, subject, status, due, all, limit } = filter;
    let due_by = due.then(|| invocation.home.now());
    let filter = BeliefFilter { kind, subject, status, due_by, all };
    let found = agent.beliefs(filter, limit.limit as u32).await?;
    invocation.answer(|| found.iter().collect::<wire::Beliefs>(), || print_beliefs(&found));
    Ok(())
}
