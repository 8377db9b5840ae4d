//! Opening an agent and asking it, for every case.

use cairn_domain::AgentName;
use cairn_engine::{Agent, Effects, Home, Missing, Question};

pub(super) async fn agent(home: &Home, name: &str) -> Agent {
    let name: AgentName = name.parse().expect("a name");
    home.agent(&name, Missing::Create).await.expect("an agent")
}

pub(super) async fn found(agent: &Agent, question: Question) -> Vec<String> {
    let recall = agent.answer(question, Effects::None).await.expect("an answer");
    recall.hits.into_iter().map(|hit| hit.found.text().to_owned()).collect()
}
