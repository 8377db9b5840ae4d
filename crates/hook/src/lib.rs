//! Hooks: what a coding agent's host tells us while it runs, and what it is told in return. At the start of a session and at
//! each prompt the host gets what the memory knows of it; before a tool is used the governor decides by the operator's rules;
//! at every other event what the transcript has gained is taken in.
//!
//! A server of the same home does the work, if there is one (`ask`); else the hook does it alone.
//!
//! A hook never holds a session up: it has a budget of time, and whoever calls [`answer`] lets it go when that is spent.
//! Its input is the host's word about its own session; the words in the transcript count as those of whoever spoke.

mod ask;
mod event;
mod govern;
mod host;
mod input;

mod spool;
mod state;
mod timing;
mod words;

pub use ask::{Ask, Reply, ask, socket};
pub use event::Event;
pub use govern::{ToolQuestion, host_answer};
pub use host::Host;
pub use input::Input;
pub use spool::{drain_spool, has_spooled_words, spool};
pub use timing::{Timing, note, section_timings, timings};

use cairn_domain::{HandoffReason, Time};
use cairn_engine::{
    Agent, Brief, Briefing, Effects, EngineError, Following, IdentityAudience, StartSource,
    limits::{HOOK_PROMPT_TOKENS, HOOK_START_TOKENS},
    transcript::Format,
};
use serde_json::Value;
use state::State;
use std::path::{Path, PathBuf};

/// The answer for the host; `None` if there is nothing to say.
///
/// `at` is when the host called: the same event is known by it, whoever answers in the end.
pub async fn answer(
    agent: &Agent,
    (host, event): (Host, Event),
    input: &Input,
    at: Time,
) -> Result<Option<Value>, EngineError> {
    if event == Event::PreToolUse {
        return govern::before_tool(agent, input).await;
    }
    let mut state = State::read(agent.folder(), &input.session_id);
    if event == Event::SessionStart && input.begins_anew() {
        // Whatever was shown is no longer before the model.
        state.shown.clear();
    }
    if host.has_transcript() {
        capture(agent, event, input, &mut state).await?;
    }
    spool::keep_some(agent).await?;
    words::keep(agent, (host, event), input, at).await?;
    match event {
        Event::SessionStart => catch_up(agent, &input.session_id).await,
        Event::PostToolUse | Event::PostToolUseFailure => {
            govern::after_tool(agent, input, &mut state).await?;
        }
        Event::UserPromptSubmit
        | Event::PreToolUse
        | Event::SubagentStop
        | Event::PreCompact
        | Event::Stop
        | Event::SessionEnd => {}
    }
    let brief = match event {
        Event::SessionStart => begin(agent, host, input, &state).await?,
        Event::UserPromptSubmit if input.says_something() => {
            let (query, tokens) = (input.prompt.clone(), HOOK_PROMPT_TOKENS);
            let briefing = Briefing { query, tokens, ..briefing(input, &state) };
            agent.context(&briefing, Effects::Strengthen).await?
        }
        Event::PostToolUse | Event::PostToolUseFailure => {
            agent.context_of_files(&govern::touched_files(input), &input.session_id).await?
        }
        Event::UserPromptSubmit
        | Event::PreToolUse
        | Event::SubagentStop
        | Event::PreCompact
        | Event::Stop
        | Event::SessionEnd => Brief::default(),
    };
    write_handoff(agent, event, input).await?;
    let block = brief.text();
    state.shown.extend(brief.refs);
    state.write(agent.folder(), &input.session_id)?;
    timing::note_sections(agent.folder(), &brief.sections);
    Ok((!block.is_empty()).then(|| host.answer(event, &block)))
}

/// Writes down where the session stands, at the moments after which it may not go on.
async fn write_handoff(agent: &Agent, event: Event, input: &Input) -> Result<(), EngineError> {
    match event {
        Event::Stop => drop(agent.write_handoff(&input.session_id, HandoffReason::Exchange).await?),
        Event::PreCompact => drop(agent.write_handoff(&input.session_id, HandoffReason::Compaction).await?),
        Event::SessionEnd => {
            agent.write_handoff(&input.session_id, HandoffReason::SessionEnd).await?;
            agent.end_session(&input.session_id).await?;
        }
        Event::SessionStart
        | Event::UserPromptSubmit
        | Event::PreToolUse
        | Event::PostToolUse
        | Event::PostToolUseFailure
        | Event::SubagentStop => {}
    }
    Ok(())
}

/// The beginning of a session: its last exchanges if it goes on, else where the thread, or the last session, was left.
async fn begin(agent: &Agent, host: Host, input: &Input, state: &State) -> Result<Brief, EngineError> {
    let (thread, source) = (input.thread(), StartSource::of_word(input.source.as_deref()));
    let occasion = agent.start_occasion(&input.session_id, thread, source).await?;
    // A session that is taken up again has its identity before it.
    let identity = input
        .begins_anew()
        .then(|| IdentityAudience { host: host.to_string(), session: input.session_kind() });
    let briefing = Briefing { tokens: HOOK_START_TOKENS, occasion, identity, ..briefing(input, state) };
    let brief = agent.context(&briefing, Effects::Strengthen).await?;
    agent.session_begun(thread, source, occasion).await?;
    Ok(brief)
}

/// The request for a brief that shows nothing twice in a session, and nothing the session itself has said.
fn briefing(input: &Input, state: &State) -> Briefing {
    let (thread, session) = (input.thread().map(str::to_owned), Some(input.session_id.clone()));
    let folder = input.cwd.as_ref().map(PathBuf::from);
    Briefing { thread, session, shown: state.shown.clone(), folder, ..Briefing::default() }
}

/// Takes in what the transcript has gained. What the last hook read is read again, because a tool's answer may stand right
/// behind the call that the last hook ended with; nothing is kept twice. A sub-agent's own transcript is complete when it stops.
async fn capture(agent: &Agent, event: Event, input: &Input, state: &mut State) -> Result<(), EngineError> {
    if let Some(path) = input.transcript_path.as_deref() {
        capture_transcript(agent, Path::new(path), state).await?;
    }
    if event == Event::SubagentStop
        && let Some(path) = input.agent_transcript_path.as_deref()
    {
        capture_transcript(agent, Path::new(path), &mut State::default()).await?;
    }
    Ok(())
}

/// Takes in what the transcripts of other sessions have gained since their last hook: their hosts may have been killed.
/// One that cannot be read keeps nobody from beginning.
async fn catch_up(agent: &Agent, session: &str) {
    for (file, mut state) in State::of_others(agent, session) {
        let Some(path) = state.transcript.clone() else { continue };
        if capture_transcript(agent, &path, &mut state).await.is_ok() {
            let _ = state.replace(&file);
        }
    }
}

async fn capture_transcript(agent: &Agent, path: &Path, state: &mut State) -> Result<(), EngineError> {
    let Ok(metadata) = path.metadata() else { return Ok(()) };
    if state.transcript.as_deref() != Some(path) || metadata.len() < state.read_to {
        *state =
            State { transcript: Some(path.to_owned()), read_from: 0, read_to: 0, ..std::mem::take(state) };
    }
    if metadata.len() == state.read_to {
        return Ok(());
    }
    let mut following = Following::resume(path, Format::ClaudeCode, state.read_from);
    agent.follow(path, &mut following, &mut |_| {}).await?;
    let reached = following.offset(path).unwrap_or(state.read_to);
    (state.read_from, state.read_to) = (state.read_to.min(reached), reached);
    Ok(())
}
