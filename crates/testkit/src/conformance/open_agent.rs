//! Opening an agent and asking it, for every case.

use cairn_domain::AgentName;
use cairn_engine::{Agent, Disclosure, Effects, Home, Missing, Question};
use std::path::Path;

pub(super) async fn agent(home: &Home, name: &str) -> Agent {
    let name: AgentName = name.parse().expect("a name");
    home.agent(&name, Missing::Create).await.expect("an agent")
}

pub(super) async fn found(agent: &Agent, question: Question) -> Vec<String> {
    let recall = agent.answer(question, Effects::None).await.expect("an answer");
    recall.hits.into_iter().map(|hit| hit.found.text().to_owned()).collect()
}

/// The same agent under another name: exported whole and imported.
pub(super) async fn moved(home: &Home, from: &Agent) -> Agent {
    let folder = tempfile::tempdir().expect("a folder");
    let (bundle, mut bytes) = (folder.path().join("main.cairn"), Vec::new());
    from.export(&mut bytes, Path::new("bundle"), Disclosure::Whole).await.expect("exported");
    std::fs::write(&bundle, &bytes).expect("written");
    let to = agent(home, "moved").await;
    to.import(&bundle).await.expect("imported");
    to
}
