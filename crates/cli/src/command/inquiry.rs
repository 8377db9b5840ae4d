//! `cairn inquiries`: what the agent thinks about, and what came of it.

use super::invocation::Invocation;
use crate::{args::LimitArgs, failure::Failure, show};
use cairn_domain::ContemplationPass;
use cairn_engine::{GrowthPattern, InquiryPage, Missing};
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM};

pub(crate) async fn inquiries(
    invocation: &Invocation,
    reference: Option<String>,
    limit: &LimitArgs,
) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    if let Some(reference) = reference {
        let page = agent.inquiry(reference.parse()?).await?;
        let patterns = agent.growth_patterns().await?;
        let came_to =
            |pattern: &GrowthPattern| page.vector.as_ref().is_some_and(|it| it.text == pattern.text);
        let patterns: Vec<GrowthPattern> = patterns.into_iter().filter(came_to).collect();
        invocation.answer(
            || wire::Inquiry::from(&page),
            || {
                print_inquiry(&page);
                print_patterns(&patterns);
            },
        );
        return Ok(());
    }
    let (pages, patterns) = (agent.inquiries(limit.limit as u32).await?, agent.growth_patterns().await?);
    invocation.answer(
        || wire::Inquiries::new(&pages, &patterns),
        || {
            print_list(&pages);
            print_patterns(&patterns);
        },
    );
    Ok(())
}

fn print_list(pages: &[InquiryPage]) {
    if pages.is_empty() {
        err!("there is no inquiry; `cairn rhythms run contemplation` looks for what does not fit");
        return;
    }
    let mut table = show::table(&["ref", "source", "question", "seen", "passes", "next"]);
    for InquiryPage { inquiry, .. } in pages {
        table.add_row([
            inquiry.id.to_string(),
            inquiry.source.to_string(),
            inquiry.question.clone(),
            inquiry.seen.to_string(),
            format!("{} of 3", inquiry.progress.passes),
            inquiry.progress.due_at.map_or_else(|| "done".to_owned(), |due| due.minute()),
        ]);
    }
    out!("{table}");
}

fn print_patterns(patterns: &[GrowthPattern]) {
    for pattern in patterns {
        out!("{CYAN}{}×{CYAN:#} {}  {DIM}{}{DIM:#}", pattern.times, pattern.text, pattern.fate.told());
    }
}

fn print_inquiry(page: &InquiryPage) {
    let inquiry = &page.inquiry;
    out!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", inquiry.question, inquiry.id);
    out!("  {}, opened {}, seen {}×", inquiry.source, inquiry.opened_at.minute(), inquiry.seen);
    for one in &page.evidence {
        out!("  {DIM}{}{DIM:#} “{}”", one.reference, one.quoted);
    }
    for pass in &page.passes {
        out!("{BOLD}{}{BOLD:#} {}  {}", pass.pass, pass.made_at.minute(), pass.text);
        for one in page.connected.iter().filter(|_| pass.pass == ContemplationPass::Connect) {
            out!("  {DIM}{}{DIM:#} “{}”", one.reference, one.quoted);
        }
    }
    if let Some(due) = inquiry.progress.due_at {
        err!("the next pass is due {}", due.minute());
    }
}
