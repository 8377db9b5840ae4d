//! `cairn handoff`: where the last session, or a thread, stood.

use super::invocation::Invocation;
use crate::{
    args::{HandoffCommand, HandoffThread},
    failure::Failure,
    show,
};
use cairn_domain::HandoffHealth;
use cairn_engine::{Agent, Missing, StoredHandoff};
use cairn_wire as wire;
use show::{DIM, GREEN};

pub(crate) async fn handoff(invocation: &Invocation, what: HandoffCommand) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    match what {
        HandoffCommand::Show(HandoffThread { thread }) => {
            show_one(invocation, &agent, thread.as_deref()).await
        }
        HandoffCommand::Write(HandoffThread { thread }) => write(invocation, &agent, thread.as_deref()).await,
        HandoffCommand::List { thread, limit } => {
            let stored = match thread.thread {
                Some(thread) => agent.handoff(Some(&thread)).await?.into_iter().collect(),
                None => agent.handoffs(limit.limit as u32).await?,
            };
            invocation.answer(|| stored.iter().collect::<wire::Handoffs>(), || print_list(&stored));
            Ok(())
        }
    }
}

async fn show_one(invocation: &Invocation, agent: &Agent, thread: Option<&str>) -> Result<(), Failure> {
    let stored = agent.handoff(thread).await?.filter(|stored| stored.health != HandoffHealth::Absent);
    let Some(stored) = stored else {
        let about =
            thread.map_or_else(|| "the last session".to_owned(), |thread| format!("the thread `{thread}`"));
        return Err(Failure::new(
            format!("there is no handoff of {about}"),
            "`cairn handoff write` writes one",
        ));
    };
    let health = stored.health;
    invocation.answer(
        || wire::Handoff::from(&stored),
        || {
            out!("{}", stored.text.trim_end());
            err!("{DIM}{health}, written {}{DIM:#}", stored.written_at.minute());
        },
    );
    Ok(())
}

async fn write(invocation: &Invocation, agent: &Agent, thread: Option<&str>) -> Result<(), Failure> {
    // What was replaced is known only once it was formed.
    agent.form(&mut |_| {}).await?;
    let written = agent.write_handoff_of(thread).await?;
    invocation.answer(
        || written.iter().collect::<wire::Handoffs>(),
        || {
            for stored in &written {
                let file =
                    stored.file.as_ref().map_or_else(String::new, |file| format!("  {}", file.display()));
                out!("{GREEN}written{GREEN:#}  {}{file}", stored.scope.key());
            }
        },
    );
    Ok(())
}

fn print_list(stored: &[StoredHandoff]) {
    if stored.is_empty() {
        err!("there is no handoff yet; `cairn handoff write` writes one");
        return;
    }
    let mut table = show::table(&["about", "condition", "written", "reason", "exchanges", "compactions"]);
    for stored in stored {
        let read = stored.handoff.as_ref();
        let told = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        table.add_row([
            stored.scope.key(),
            stored.health.to_string(),
            stored.written_at.minute(),
            told(read.map(|it| it.reason.to_string())),
            told(read.map(|it| it.exchanges.to_string())),
            told(read.map(|it| it.compactions.to_string())),
        ]);
    }
    out!("{table}");
}
