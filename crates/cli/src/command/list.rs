//! `cairn agents`, `threads`, `sessions` and `stats`.

use super::invocation::Invocation;
use crate::{failure::Failure, show};
use cairn_engine::Missing;
use cairn_wire as wire;

pub(crate) async fn agents(invocation: &Invocation) -> Result<(), Failure> {
    let mut agents = Vec::new();
    for name in invocation.home.agents(&invocation.agent).await? {
        let agent = invocation.home.agent(&name, Missing::Refuse).await?;
        agents.push((name, agent.stats().await?));
    }
    invocation.answer(
        || agents.iter().map(|(name, stats)| wire::Stats::new(name, stats)).collect::<wire::Agents>(),
        || {
            if agents.is_empty() {
                err!("there is no agent in {} yet; `cairn init` creates one", invocation.home);
                return;
            }
            let mut table = show::table(&["agent", "messages", "sessions", "threads", "on disk"]);
            for (name, stats) in &agents {
                let counts = stats.counts;
                let numbers =
                    [counts.messages, counts.sessions, counts.threads].map(|count| count.to_string());
                let [messages, sessions, threads] = numbers;
                table.add_row([name.to_string(), messages, sessions, threads, show::bytes(stats.disk_bytes)]);
            }
            out!("{table}");
        },
    );
    Ok(())
}

pub(crate) async fn threads(invocation: &Invocation, limit: usize) -> Result<(), Failure> {
    let threads = invocation.open(Missing::Refuse).await?.threads(limit).await?;
    invocation.answer(
        || threads.iter().collect::<wire::Threads>(),
        || {
            let mut table = show::table(&["thread", "messages", "sessions", "from", "to"]);
            for thread in &threads {
                let (messages, sessions) = (thread.messages.to_string(), thread.sessions.to_string());
                table.add_row([
                    &thread.name,
                    &messages,
                    &sessions,
                    &thread.first_at.minute(),
                    &thread.last_at.minute(),
                ]);
            }
            out!("{table}");
        },
    );
    Ok(())
}

pub(crate) async fn sessions(invocation: &Invocation, limit: usize) -> Result<(), Failure> {
    let sessions = invocation.open(Missing::Refuse).await?.sessions(limit).await?;
    invocation.answer(
        || sessions.iter().collect::<wire::Sessions>(),
        || {
            let mut table = show::table(&["session", "title", "thread", "messages", "last"]);
            for session in &sessions {
                let title = session.title.as_deref().unwrap_or("");
                let thread = session.thread.as_deref().unwrap_or("");
                let (messages, last) = (session.messages.to_string(), session.last_at.minute());
                table.add_row([session.name.as_str(), title, thread, &messages, &last]);
            }
            out!("{table}");
        },
    );
    Ok(())
}

pub(crate) async fn stats(invocation: &Invocation) -> Result<(), Failure> {
    let stats = invocation.open(Missing::Refuse).await?.stats().await?;
    invocation.answer(
        || wire::Stats::new(&invocation.agent, &stats),
        || {
            let counts = stats.counts;
            let mut table = show::table(&["what", "how much"]);
            for (what, count) in [
                ("messages", counts.messages),
                ("  embedded", counts.embedded),
                ("exchanges", counts.exchanges),
                ("sessions", counts.sessions),
                ("threads", counts.threads),
                ("memories", counts.memories),
                ("  from messages looked at", counts.formed),
                ("entities", counts.entities),
                ("digests", counts.digests),
                ("beliefs", counts.beliefs),
            ] {
                table.add_row([what.to_owned(), count.to_string()]);
            }
            for (what, size) in [
                ("on disk", stats.disk_bytes),
                ("  archive", stats.archive_bytes),
                ("  index", stats.index_bytes),
            ] {
                table.add_row([what.to_owned(), show::bytes(size)]);
            }
            out!("{table}");
        },
    );
    Ok(())
}
