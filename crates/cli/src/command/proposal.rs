//! `cairn propose`, and proposals in `cairn review`.

use super::{invocation::Invocation, operator::sign_in_operator, remember::read_stdin};
use crate::{args::ProposeArgs, failure::Failure, show};
use cairn_domain::{ProposalId, ProposalStatus};
use cairn_engine::{Audience, Missing, ProposalReview, StoredProposal, alignment::Alignment};
use cairn_operator::{ProposalOutcome, ProposalVerdict, decide_proposal};
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM, GREEN, RED, YELLOW};

pub(crate) async fn propose(invocation: &Invocation, args: ProposeArgs) -> Result<(), Failure> {
    let ProposeArgs { file, text, reason, replaces, evidence } = args;
    let text = if text == "-" { read_stdin()? } else { text };
    let request = wire::ProposeRequest { file, text, replaces, reason, evidence };
    let agent = invocation.open(Missing::Refuse).await?;
    let stored = agent.propose(request.by_agent(), Audience::Operator).await?;
    invocation.answer(
        || wire::Proposal::from(&stored),
        || {
            let record = &stored.record;
            out!("{GREEN}proposed{GREEN:#}  {}  identity/{}", record.id, record.file);
            err!("it waits until {}; `cairn review show {}` shows it", record.expires_at.minute(), record.id);
        },
    );
    Ok(())
}

/// Prints the proposals of the queue, above its beliefs.
pub(super) fn print_proposals(proposals: &[StoredProposal]) {
    if proposals.is_empty() {
        return;
    }
    let mut table = show::table(&["ref", "file", "passage", "by", "waits until", "status"]);
    for StoredProposal { record, status, .. } in proposals {
        table.add_row([
            record.id.to_string(),
            record.file.clone(),
            record.text.clone(),
            record.origin.to_string(),
            record.expires_at.minute(),
            status.to_string(),
        ]);
    }
    out!("{table}");
}

pub(super) async fn show_proposal(invocation: &Invocation, id: ProposalId) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let review = agent.review_proposal(id).await?;
    invocation.answer(|| wire::ProposalPage::from(&review), || print_review(&review));
    Ok(())
}

fn print_review(review: &ProposalReview) {
    let (record, status) = (&review.proposal.record, review.proposal.status);
    out!("{BOLD}identity/{}{BOLD:#}  {status}  {DIM}{}{DIM:#}", record.file, record.id);
    out!("  {}", record.reason);
    out!("  by {}, waits until {}", record.origin, record.expires_at.minute());
    if let Some(until) = record.deferred_until {
        out!("  postponed until {}", until.minute());
    }
    if let Some(scaffold) = &review.proposal.scaffold {
        out!("  expects: {}", scaffold.expects);
        out!("  verify: {}", scaffold.verify);
        out!("  take back: {}", scaffold.rollback);
    }
    out!("{BOLD}difference{BOLD:#}");
    match &review.after {
        Ok(_) => review.diff.lines().for_each(print_difference),
        Err(invalid) => out!("  {}", invalid.problem),
    }
    out!("{BOLD}evidence{BOLD:#}");
    for one in &review.proposal.evidence {
        out!("  {CYAN}{}{CYAN:#} “{}”", one.reference, one.quoted);
    }
    if review.proposal.evidence.is_empty() {
        out!("  none was given");
    }
    out!("{BOLD}alignment with SOUL.md{BOLD:#}");
    for one in &review.alignment {
        let color = match one.alignment {
            Alignment::Conflicts => RED,
            Alignment::Neutral => DIM,
            Alignment::Supports => GREEN,
        };
        out!("  {color}{:<9}{color:#} {}", one.alignment.as_str(), one.passage);
    }
    if review.alignment.is_empty() {
        out!("  it has no principles");
    }
    for receipt in &review.receipts {
        out!("{BOLD}receipt {}{BOLD:#} {} by {}", receipt.number, receipt.action, receipt.actor);
    }
    out!("{BOLD}confirms{BOLD:#}  {}  {DIM}the change, its evidence and the file{DIM:#}", review.confirms);
    if status == ProposalStatus::Pending {
        err!("nothing was changed; to decide, run `cairn review decide {} …`", record.id);
    }
}

fn print_difference(line: &str) {
    let color = match line.as_bytes().first() {
        Some(b'+') => GREEN,
        Some(b'-') => RED,
        Some(b'@') => YELLOW,
        _ => DIM,
    };
    out!("  {color}{line}{color:#}");
}

pub(super) async fn decide(invocation: &Invocation, verdict: ProposalVerdict) -> Result<(), Failure> {
    let grant = sign_in_operator(invocation).await?;
    let outcome = decide_proposal(&grant, &invocation.home, &invocation.agent, verdict).await?;
    print_outcome(invocation, &outcome);
    Ok(())
}

pub(super) fn print_outcome(invocation: &Invocation, outcome: &ProposalOutcome) {
    let receipt = &outcome.receipt;
    invocation.answer(
        || wire::ProposalDecided {
            reference: outcome.proposal,
            status: outcome.status,
            receipt: receipt.into(),
        },
        || {
            out!("{GREEN}{}{GREEN:#}  {}", outcome.status, outcome.proposal);
            show::print_receipt(receipt);
        },
    );
}
