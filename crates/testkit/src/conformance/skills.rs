//! Skills, the same in every store.

use super::open_agent::{agent, moved};
use crate::{SimulatedClock, say};
use cairn_domain::{Draft, Role};
use cairn_engine::{Agent, Briefing, Effects, Home, ProjectSkills, Question, SeenProcedure};

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

/// covers: C-258, W-113
pub(super) async fn what_worked_three_times_is_told_where_it_fits(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    used(&agent, clock, "before", "cargo build", "built").await;
    for version in 1..=3 {
        clock.pass_ms(60_000);
        let asked =
            say(&format!("asked-{version}"), "s1", Role::User, &format!("Release version {version}."));
        agent.remember(Draft { thread: Some("tides".to_owned()), ..asked }).await.expect("kept");
        for command in ["cargo set-version --bump minor", "git tag -a", "git push --tags"] {
            used(&agent, clock, &format!("{version}-{command}"), command, "fine").await;
        }
    }
    agent.form(&mut |_| {}).await.expect("formed");
    let told = skills(&agent).await;
    let procedure = &told[0].procedures[0];
    assert_eq!((told[0].procedures.len(), procedure.worked, procedure.evidence.len()), (1, 3, 3));
    let order = "cargo set-version --bump minor → git tag -a → git push --tags";
    assert_eq!(procedure.order(), order);

    let shown = |query: &str, thread: &str| {
        let (query, thread) = (Some(query.to_owned()), Some(thread.to_owned()));
        let briefing = Briefing { query, thread, tokens: 800, ..Briefing::default() };
        let agent = &agent;
        async move { agent.context(&briefing, Effects::None).await.expect("a brief").text().contains(order) }
    };
    assert!(shown("Please release version 4", "tides").await);
    assert!(!shown("Please release version 4", "kiln").await, "another project");
    assert!(!shown("How deep is the harbor?", "tides").await, "nothing of the kind");
    let answered = |query: &str| {
        let question = Question { thread: Some("tides".to_owned()), ..Question::new(query) };
        let agent = &agent;
        async move {
            let recall = agent.answer(question, Effects::None).await.expect("an answer");
            recall.procedures.iter().map(SeenProcedure::order).collect::<Vec<_>>()
        }
    };
    assert_eq!(answered("How do I release a version?").await, [order]);
    assert!(answered("When was the version released?").await.is_empty(), "it does not ask how");
    assert_eq!(skills(&moved(home, &agent).await).await, told);
}
