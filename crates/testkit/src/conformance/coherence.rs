//! The entropy of exchanges, the same in every store.

use super::open_agent::{agent, moved};
use crate::{SimulatedClock, say};
use cairn_domain::{EntropySource, ExchangeEntropy, Role};
use cairn_engine::Home;

fn has(measured: &ExchangeEntropy, source: EntropySource) -> bool {
    measured.parts.iter().any(|part| part.source == source)
}

/// covers: W-72, W-73, W-74, X-W6
pub(super) async fn an_exchange_is_one_row_that_moves_with_its_agent(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    agent.remember(say("1", "s1", Role::User, "My sister lives in Oslo.")).await.expect("kept");
    agent.remember(say("2", "s1", Role::Assistant, "Noted.")).await.expect("kept");
    clock.pass_ms(60_000);
    agent.remember(say("3", "s1", Role::User, "You are just a machine.")).await.expect("kept");
    agent
        .remember(say("4", "s1", Role::Assistant, "As you told me before, your uncle repairs lighthouses."))
        .await
        .expect("kept");
    agent.remember(say("5", "s2", Role::User, "Hello there.")).await.expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
    let line = agent.coherence(Some("s1"), 10).await.expect("measured");
    assert_eq!(line.len(), 2, "{line:?}");
    let (second, first) = (&line[0], &line[1]);
    assert!(has(second, EntropySource::IdentityChallenge) && has(second, EntropySource::Confabulation));
    assert!(has(first, EntropySource::NovelConcept) && second.entropy > first.entropy, "{line:?}");
    let all = agent.coherence(None, 10).await.expect("measured");
    assert_eq!((all.len(), agent.coherence(None, 1).await.expect("measured").len()), (3, 1));

    let here = moved(home, &agent).await;
    assert_eq!(here.coherence(None, 10).await.expect("measured"), all);
}
