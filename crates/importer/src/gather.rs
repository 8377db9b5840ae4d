//! Reads what was recognized: the one place that knows which reader a form has.

use crate::{
    error::Result,
    form::Form,
    gathered::{Gathered, Gatherer},
    reader::{
        basic_memory, chatgpt, claude_ai, claude_mem, codex, cognee, cursor, gemini_cli, graphiti, hindsight,
        letta, letta_code, mcp_memory,
        mem0::{self, HistoryUse},
        mempalace, opencode, openmemory, takeout,
    },
    recognize::Source,
};
use jiff::tz::TimeZone;

/// Reads a source and hands over each piece. `zone` is that of whoever wrote times without one; `beside` are all sources of
/// the same move, since some say the same.
pub fn gather(
    source: &Source,
    beside: &[Source],
    zone: &TimeZone,
    take: &mut dyn FnMut(Gathered),
) -> Result<()> {
    let out = &mut Gatherer::new(source.form.product(), take);
    let path = source.path.as_path();
    match source.form {
        // The engine reads these line by line, and follows them while they grow.
        Form::Transcript => Ok(()),
        Form::ChatGptZip => chatgpt::read_zip(path, out),
        Form::ChatGptList => chatgpt::read_list(path, out),
        Form::ClaudeAiZip => claude_ai::read_zip(path, out),
        Form::ClaudeAiList => claude_ai::read_list(path, out),
        Form::TakeoutZip => takeout::read_zip(path, out),
        Form::TakeoutActivity => takeout::read_activity(path, out),
        Form::TakeoutConversation => takeout::read_conversation(path, out),
        Form::TakeoutPage => {
            out.left_out("activity as a page: ask Google Takeout for My Activity as JSON", 1);
            Ok(())
        }
        Form::CodexRollout => codex::read_rollout(path, out),
        Form::CodexMemories => codex::read_memories(path, out),
        Form::CodexPrompts | Form::GeminiCliPrompts => {
            out.left_out("a list of prompts that the sessions have, too", 1);
            Ok(())
        }
        Form::GeminiCliLog => gemini_cli::read_log(path, out),
        Form::GeminiCliSession => gemini_cli::read_session(path, out),
        Form::OpenCodeDatabase => opencode::read_database(path, out),
        Form::OpenCodeExport => opencode::read_export(path, out),
        Form::OpenCodeStorage => opencode::read_storage(path, out),
        Form::CursorDatabase => cursor::read_database(path, out),
        Form::CursorTranscript => cursor::read_transcript(path, out),
        Form::ClaudeMemDatabase => claude_mem::read_database(path, out),
        Form::ClaudeMemExport => claude_mem::read_export(path, out),
        Form::OpenMemoryDatabase => openmemory::read_database(path, out),
        Form::OpenMemoryZip => openmemory::read_zip(path, out),
        Form::Mem0Qdrant => mem0::read_qdrant(path, out),
        Form::Mem0Chroma => mem0::read_chroma(path, out),
        Form::Mem0Faiss => mem0::read_faiss(path, out),
        Form::Mem0Npm => mem0::read_npm(path, out),
        Form::Mem0List => mem0::read_list(path, out),
        Form::Mem0History => mem0::read_history(path, history_use(beside), out),
        Form::McpMemoryLines => mcp_memory::read(path, out),
        Form::BasicMemoryFolder => basic_memory::read_folder(path, out),
        Form::BasicMemoryIndex => basic_memory::read_index(path, out),
        Form::PalaceChroma => mempalace::read_chroma(path, zone, out),
        Form::PalaceExact => mempalace::read_exact(path, zone, out),
        Form::PalaceGraph => mempalace::read_graph(path, out),
        Form::PalaceTunnels => mempalace::read_tunnels(path, out),
        Form::PalaceIdentity => mempalace::read_identity(path, out),
        Form::PalaceExport => mempalace::read_export(path, zone, out),
        Form::LettaAgentFile => letta::read_agent_file(path, out),
        Form::LettaMessages => letta::read_messages(path, out),
        Form::LettaPassages => letta::read_passages(path, out),
        Form::LettaCodeBackend => letta_code::read_backend(path, out),
        Form::HindsightZip => hindsight::read_zip(path, out),
        Form::GraphitiDump => graphiti::read_dump(path, out),
        Form::CogneeFolder => cognee::read_folder(path, out),
        Form::CogneeTar => cognee::read_tar(path, out),
        Form::CogneeGraph => cognee::read_graph(path, out),
    }
}

/// A history alone rescues the texts; beside the memories it would mix their owners.
fn history_use(beside: &[Source]) -> HistoryUse {
    let stores = [Form::Mem0Qdrant, Form::Mem0Chroma, Form::Mem0Faiss, Form::Mem0Npm, Form::Mem0List];
    if beside.iter().any(|source| stores.contains(&source.form)) {
        HistoryUse::Beside
    } else {
        HistoryUse::Rescue
    }
}
