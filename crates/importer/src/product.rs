//! The products that are known, in one table: what the command's help, refusals and the documentation print.

/// A product whose leavings can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// Cairn's own lines, and Claude Code's sessions: read by the engine, line by line.
    Transcript,
    /// ChatGPT's account export.
    ChatGpt,
    /// Claude.ai's account export.
    ClaudeAi,
    /// Google Takeout: Gemini.
    Takeout,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// opencode.
    OpenCode,
    /// Cursor.
    Cursor,
    /// claude-mem.
    ClaudeMem,
    /// mem0: Python, npm and its platform.
    Mem0,
    /// `OpenMemory`.
    OpenMemory,
    /// The reference memory server of the Model Context Protocol.
    McpMemory,
    /// basic-memory.
    BasicMemory,
    /// `MemPalace`.
    MemPalace,
    /// Letta, formerly `MemGPT`.
    Letta,
    /// Letta Code's local agents.
    LettaCode,
    /// Hindsight.
    Hindsight,
    /// Graphiti.
    Graphiti,
    /// Cognee.
    Cognee,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct KnownProduct {
    /// The product.
    pub product: Product,
    /// Its name in ids, speakers and commands.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The files and folders that are read.
    pub reads: &'static str,
    /// Usual places below the user's home.
    pub places: &'static [&'static str],
}

/// Every known product, the most wanted first.
pub const KNOWN_PRODUCTS: &[KnownProduct] = &[
    row(
        Product::Transcript,
        "claude-code",
        "Claude Code",
        "its sessions (.jsonl); Cairn's own lines",
        &[".claude/projects"],
    ),
    row(Product::ChatGpt, "chatgpt", "ChatGPT", "the export's ZIP, or conversations.json", &[]),
    row(
        Product::ClaudeAi,
        "claude-ai",
        "Claude.ai",
        "the export's ZIP, its parts, or conversations.json",
        &[],
    ),
    row(
        Product::Takeout,
        "gemini",
        "Google Takeout (Gemini)",
        "MyActivity.json, conversation_N.txt",
        &["Takeout"],
    ),
    row(Product::Codex, "codex", "Codex CLI", "rollouts (.jsonl, .jsonl.zst), its memories", &[".codex"]),
    row(Product::GeminiCli, "gemini-cli", "Gemini CLI", "session files (.jsonl, .json)", &[".gemini/tmp"]),
    row(
        Product::OpenCode,
        "opencode",
        "opencode",
        "opencode.db, its storage folder, opencode export",
        &[".local/share/opencode"],
    ),
    row(
        Product::Cursor,
        "cursor",
        "Cursor",
        "state.vscdb, agent transcripts",
        &[".config/Cursor/User", "Library/Application Support/Cursor/User", ".cursor/projects"],
    ),
    row(
        Product::ClaudeMem,
        "claude-mem",
        "claude-mem",
        "claude-mem.db, its export",
        &[".claude-mem/claude-mem.db"],
    ),
    row(
        Product::Mem0,
        "mem0",
        "mem0",
        "Qdrant, Chroma, FAISS and npm stores, history.db, get_all",
        &[".mem0"],
    ),
    row(Product::OpenMemory, "openmemory", "OpenMemory", "openmemory.db, memories_export_USER.zip", &[]),
    row(Product::McpMemory, "mcp-memory", "reference memory server", "memory.jsonl", &[]),
    row(Product::BasicMemory, "basic-memory", "basic-memory", "a folder of its notes", &["basic-memory"]),
    row(
        Product::MemPalace,
        "mempalace",
        "MemPalace",
        "the palace, its knowledge graph, tunnels and identity",
        &[".mempalace"],
    ),
    row(Product::Letta, "letta", "Letta", "agent files (.af), listings of messages and archival memory", &[]),
    row(Product::LettaCode, "letta-code", "Letta Code", "lc-local-backend", &[".letta/lc-local-backend"]),
    row(Product::Hindsight, "hindsight", "Hindsight", "the ZIP of a bank or of its documents", &[]),
    row(Product::Graphiti, "graphiti", "Graphiti", "a JSON dump of episodes, nodes and edges", &[]),
    row(Product::Cognee, "cognee", "Cognee", "COGX (folder or .tar.gz), its JSON export", &[]),
];

const fn row(
    product: Product,
    name: &'static str,
    title: &'static str,
    reads: &'static str,
    places: &'static [&'static str],
) -> KnownProduct {
    KnownProduct { product, name, title, reads, places }
}

impl Product {
    /// Its row of the table.
    pub fn known(self) -> &'static KnownProduct {
        KNOWN_PRODUCTS.iter().find(|known| known.product == self).unwrap_or(&KNOWN_PRODUCTS[0])
    }

    /// Its name in ids, speakers and commands.
    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        self.known().title
    }
}

/// The known products in one line.
pub(crate) fn known_names() -> String {
    let rows: Vec<String> =
        KNOWN_PRODUCTS.iter().map(|known| format!("{} ({})", known.title, known.reads)).collect();
    rows.join("; ")
}
