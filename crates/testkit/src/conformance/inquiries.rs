//! Inquiries, the same in every store.

use super::open_agent::{agent, moved};
use crate::SimulatedClock;
use cairn_domain::{CONNECT_AFTER_MS, ContemplationPass, Draft, Role, SYNTHESIZE_AFTER_MS};
use cairn_engine::{Agent, Audience, CorrectedBy, CorrectionDraft, FormMemories, Home, InquiryPage};

async fn contemplate(agent: &Agent) -> Vec<InquiryPage> {
    agent.run_rhythm("contemplation", &mut |_| {}).await.expect("carried out");
    agent.inquiries(10).await.expect("listed")
}

/// covers: W-75, W-76, W-77, W-78
pub(super) async fn what_did_not_fit_is_thought_about(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    let said = Draft::new(Role::User, "The kiln costs 30 euros.");
    let kept = agent.remember_on_request(said, FormMemories::Now).await.expect("kept");
    let memory = kept.formed.expect("formed").decisions[0].memory.expect("a memory");
    let correction =
        CorrectionDraft { text: "The kiln costs 45 euros.".to_owned(), by: CorrectedBy::User, at: None };
    let reference = cairn_domain::Ref::Memory(memory);
    agent.correct_record(reference, correction, Audience::Operator).await.expect("corrected");

    let passes = |page: &InquiryPage| page.passes.iter().map(|pass| pass.pass).collect::<Vec<_>>();
    let opened = contemplate(&agent).await;
    assert_eq!((opened.len(), passes(&opened[0])), (1, vec![ContemplationPass::Clarify]));
    assert_eq!(contemplate(&agent).await, opened, "nothing is done twice");
    clock.pass_ms(CONNECT_AFTER_MS);
    assert_eq!(passes(&contemplate(&agent).await[0]).len(), 2);
    clock.pass_ms(SYNTHESIZE_AFTER_MS);
    let done = contemplate(&agent).await;
    assert_eq!(passes(&done[0]), ContemplationPass::ALL);
    let patterns = agent.growth_patterns().await.expect("listed");
    assert_eq!((patterns.len(), patterns[0].times), (1, 1));

    let moved = moved(home, &agent).await;
    assert_eq!(moved.inquiries(10).await.expect("listed"), done, "it moves with the agent");
}
