//! `cairn review`: the beliefs and proposals that wait for an operator, and the operator's decisions.

use super::{invocation::Invocation, operator::sign_in_operator, proposal};
use crate::{
    args::{DecideArgs, ReviewCommand},
    failure::Failure,
    show,
};
use cairn_domain::{BeliefId, BeliefStatus, Invalid, ProposalId, Ref};
use cairn_engine::{Missing, Resolved, Review, ReviewScope};
use cairn_operator::{ProposalVerdict, ReviewOutcome, ReviewVerdict};
use cairn_store::BeliefRecord;
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM, GREEN, RED, YELLOW};

pub(crate) async fn review(invocation: &Invocation, what: ReviewCommand) -> Result<(), Failure> {
    match what {
        ReviewCommand::List { all, limit } => list(invocation, all, limit.limit as u32).await,
        ReviewCommand::Show { reference } => match reference.parse() {
            Ok(id) => proposal::show_proposal(invocation, id).await,
            Err(_) => show_belief(invocation, &reference).await,
        },
        ReviewCommand::Decide(args) => decide(invocation, args).await,
        ReviewCommand::Rollback { receipt, reason, yes } => {
            if !yes {
                return Err(Failure::usage(
                    "this undoes a decision",
                    "add --yes to do it; nothing was changed",
                ));
            }
            let (home, agent) = (&invocation.home, &invocation.agent);
            let grant = sign_in_operator(invocation).await?;
            let proposal = cairn_operator::roll_back_proposal(&grant, home, agent, receipt, &reason).await?;
            if let Some(outcome) = proposal {
                proposal::print_outcome(invocation, &outcome);
                return Ok(());
            }
            let outcome = cairn_operator::roll_back(&grant, home, agent, receipt, &reason).await?;
            print_outcome(invocation, &outcome);
            Ok(())
        }
    }
}

/// Lists the proposals and the beliefs that wait for review, grouped by their evidence. Concludes nothing.
pub(super) async fn list(invocation: &Invocation, all: bool, limit: u32) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let scope = if all { ReviewScope::All } else { ReviewScope::Waiting };
    let waiting = agent.to_review(scope, limit).await?;
    let proposals = agent.proposals_to_review(scope, limit).await?;
    let mode = agent.provenance_mode().await?;
    invocation.answer(
        || wire::ReviewQueue::new(mode, &waiting, &proposals),
        || {
            proposal::print_proposals(&proposals);
            let columns = ["ref", "sources", "confidence", "freshness", "evidence", "belief", "status"];
            let mut table = show::table(&columns);
            for (BeliefRecord { belief, .. }, shape) in &waiting {
                let sources =
                    format!("{} of {} kinds", belief.parts.source_count, belief.parts.source_diversity);
                table.add_row([
                    belief.id.to_string(),
                    sources,
                    format!("{:.2}", belief.confidence),
                    format!("{:.2}", belief.freshness),
                    shape.as_str().replace('_', " "),
                    belief.summary.clone(),
                    format!("{} {}", belief.lane, belief.status),
                ]);
            }
            out!("{table}");
            if waiting.is_empty() && proposals.is_empty() {
                err!("nothing to review; `cairn rhythms run beliefs` forms beliefs from memories");
            }
        },
    );
    Ok(())
}

pub(super) fn belief_id(reference: &str) -> Result<BeliefId, Failure> {
    match reference.parse()? {
        Ref::Belief(id) => Ok(id),
        other => {
            Err(Invalid::new(format!("{other} is not a belief"), "use a ref from `cairn beliefs`").into())
        }
    }
}

pub(super) async fn show_belief(invocation: &Invocation, reference: &str) -> Result<(), Failure> {
    let id = belief_id(reference)?;
    let agent = invocation.open(Missing::Refuse).await?;
    let review = agent.review(id).await?;
    invocation.answer(|| wire::ReviewPage::from(&review), || print_review(&review));
    Ok(())
}

fn print_review(review: &Review) {
    let belief = &review.why.record.belief;
    let color = match belief.status {
        BeliefStatus::Active => GREEN,
        BeliefStatus::Stale => YELLOW,
        BeliefStatus::Superseded | BeliefStatus::Invalidated | BeliefStatus::Retracted => RED,
    };
    out!("{BOLD}{}{BOLD:#}", belief.summary);
    out!("  {} {color}{} {}{color:#} {DIM}{}{DIM:#}", belief.kind, belief.lane, belief.status, belief.id);
    out!("  {}", review.why.in_words);
    if let Some((until, receipt)) = review.deferred_until.zip(review.deferred_by) {
        out!("  postponed until {} by receipt {receipt}", until.minute());
    }
    out!("{BOLD}sources, read again{BOLD:#}");
    for Resolved { source, quoted, says, verification } in &review.sources {
        let share = verification.coverage * 100.0;
        out!("  {CYAN}{}{CYAN:#} {share:.0} %  {DIM}{source}{DIM:#}", verification.state);
        out!("    quoted:   “{quoted}”");
        match says {
            Some(says) => out!("    says now: “{says}”"),
            None => out!("    it is gone"),
        }
    }
    let (recommended, because) = &review.recommended;
    out!("{BOLD}recommended{BOLD:#}  {}: {because}", recommended.as_str());
    out!("{BOLD}confirms{BOLD:#}     {}  {DIM}the text, and what its sources say{DIM:#}", review.confirms);
    if belief.status.stands() {
        err!("nothing was changed; to decide, run `cairn review decide {} …`", belief.id);
    }
}

async fn decide(invocation: &Invocation, args: DecideArgs) -> Result<(), Failure> {
    let DecideArgs { reference, decision, reason, confirm, until, consumers } = args;
    if let Ok(proposal) = reference.parse::<ProposalId>() {
        let verdict = ProposalVerdict { proposal, decision, reason, confirm, until };
        return proposal::decide(invocation, verdict).await;
    }
    let verdict =
        ReviewVerdict { belief: belief_id(&reference)?, decision, reason, confirm, until, consumers };
    let outcome = cairn_operator::decide(
        &sign_in_operator(invocation).await?,
        &invocation.home,
        &invocation.agent,
        verdict,
    )
    .await?;
    print_outcome(invocation, &outcome);
    Ok(())
}

fn print_outcome(invocation: &Invocation, outcome: &ReviewOutcome) {
    let receipt = &outcome.receipt;
    invocation.answer(
        || wire::Decided {
            receipt: receipt.into(),
            belief: outcome.belief,
            confirms: outcome.confirms.clone(),
        },
        || {
            out!("{GREEN}{}{GREEN:#}  {}", receipt.action, outcome.belief);
            show::print_receipt(receipt);
        },
    );
}
