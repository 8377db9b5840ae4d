//! Skills, the same in every store.

use super::open_agent::{agent, moved};
use crate::{SimulatedClock, say};
use cairn_domain::{Draft, Role};
use cairn_engine::{Agent, Home, ProjectSkills};

async fn used(agent: &Agent, clock: &SimulatedClock, id: &str, command: &str, result: &str) {
    let call = format!("Bash {{\"command\":\"{command}\"}}");
    for (half, text) in [("call", call.as_str()), ("result", result)] {
        clock.pass_ms(1_500);
        let draft = say(&format!("{id}-{half}"), "s1", Role::Tool, text);
        let (speaker, thread) = (Some("Bash".to_owned()), Some("tides".to_owned()));
        agent.remember(Draft { speaker, thread, ..draft }).await.expect("kept");
    }
}

async fn skills(agent: &Agent) -> Vec<ProjectSkills> {
    agent.skills(Some("tides")).await.expect("listed")
}

/// covers: C-257
pub(super) async fn skills_are_read_from_the_messages_of_tools(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    let long = format!("{}\nerror: tide table is empty", "compiling ş\n".repeat(500));
    used(&agent, clock, "1", "cargo test", &long).await;
    used(&agent, clock, "3", "touch src/table.rs", "written").await;
    used(&agent, clock, "4", "cargo test --all", "all fine").await;
    let told = skills(&agent).await;
    let test = &told[0].skills[0];
    assert_eq!(
        (test.kind.as_str(), test.tried, test.worked, test.median_ms),
        ("cargo test", 2, 1, Some(1_500))
    );
    let failure = test.failure.as_ref().expect("it failed");
    assert_eq!(failure.line, "error: tide table is empty", "the end of a long output");
    assert_eq!(failure.fixed_by[0].label, "touch");
    assert!(agent.skills(Some("kiln")).await.expect("listed").is_empty());
    assert_eq!(skills(&moved(home, &agent).await).await, told);
}
