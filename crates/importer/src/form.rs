//! The forms in which products leave things, each with its product.

use crate::product::Product;

/// The form of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each variant is named after its product and the file")]
pub enum Form {
    Transcript,
    ChatGptZip,
    ChatGptList,
    ClaudeAiZip,
    ClaudeAiList,
    TakeoutZip,
    TakeoutActivity,
    TakeoutConversation,
    TakeoutPage,
    CodexRollout,
    CodexPrompts,
    CodexMemories,
    GeminiCliLog,
    GeminiCliSession,
    GeminiCliPrompts,
    OpenCodeDatabase,
    OpenCodeExport,
    OpenCodeStorage,
    CursorDatabase,
    CursorTranscript,
    ClaudeMemDatabase,
    ClaudeMemExport,
    OpenMemoryDatabase,
    OpenMemoryZip,
    Mem0Qdrant,
    Mem0Chroma,
    Mem0Faiss,
    Mem0Npm,
    Mem0List,
    Mem0History,
    McpMemoryLines,
    BasicMemoryFolder,
    BasicMemoryIndex,
    PalaceChroma,
    PalaceExact,
    PalaceGraph,
    PalaceTunnels,
    PalaceIdentity,
    PalaceExport,
    LettaAgentFile,
    LettaMessages,
    LettaPassages,
    LettaCodeBackend,
    HindsightZip,
    GraphitiDump,
    CogneeFolder,
    CogneeTar,
    CogneeGraph,
}

impl Form {
    /// The product that leaves it.
    pub fn product(self) -> Product {
        match self {
            Self::Transcript => Product::Transcript,
            Self::ChatGptZip | Self::ChatGptList => Product::ChatGpt,
            Self::ClaudeAiZip | Self::ClaudeAiList => Product::ClaudeAi,
            Self::TakeoutZip | Self::TakeoutActivity | Self::TakeoutConversation | Self::TakeoutPage => {
                Product::Takeout
            }
            Self::CodexRollout | Self::CodexPrompts | Self::CodexMemories => Product::Codex,
            Self::GeminiCliLog | Self::GeminiCliSession | Self::GeminiCliPrompts => Product::GeminiCli,
            Self::OpenCodeDatabase | Self::OpenCodeExport | Self::OpenCodeStorage => Product::OpenCode,
            Self::CursorDatabase | Self::CursorTranscript => Product::Cursor,
            Self::ClaudeMemDatabase | Self::ClaudeMemExport => Product::ClaudeMem,
            Self::OpenMemoryDatabase | Self::OpenMemoryZip => Product::OpenMemory,
            Self::Mem0Qdrant
            | Self::Mem0Chroma
            | Self::Mem0Faiss
            | Self::Mem0Npm
            | Self::Mem0List
            | Self::Mem0History => Product::Mem0,
            Self::McpMemoryLines => Product::McpMemory,
            Self::BasicMemoryFolder | Self::BasicMemoryIndex => Product::BasicMemory,
            Self::PalaceChroma
            | Self::PalaceExact
            | Self::PalaceGraph
            | Self::PalaceTunnels
            | Self::PalaceIdentity
            | Self::PalaceExport => Product::MemPalace,
            Self::LettaAgentFile | Self::LettaMessages | Self::LettaPassages => Product::Letta,
            Self::LettaCodeBackend => Product::LettaCode,
            Self::HindsightZip => Product::Hindsight,
            Self::GraphitiDump => Product::Graphiti,
            Self::CogneeFolder | Self::CogneeTar | Self::CogneeGraph => Product::Cognee,
        }
    }
}

impl Form {
    /// Every form that is one file.
    pub const FILES: [Self; 43] = [
        Self::ChatGptZip,
        Self::ChatGptList,
        Self::ClaudeAiZip,
        Self::ClaudeAiList,
        Self::TakeoutZip,
        Self::TakeoutActivity,
        Self::TakeoutConversation,
        Self::TakeoutPage,
        Self::CodexRollout,
        Self::CodexPrompts,
        Self::CodexMemories,
        Self::GeminiCliLog,
        Self::GeminiCliSession,
        Self::GeminiCliPrompts,
        Self::OpenCodeDatabase,
        Self::OpenCodeExport,
        Self::CursorDatabase,
        Self::CursorTranscript,
        Self::ClaudeMemDatabase,
        Self::ClaudeMemExport,
        Self::OpenMemoryDatabase,
        Self::OpenMemoryZip,
        Self::Mem0Qdrant,
        Self::Mem0Chroma,
        Self::Mem0Faiss,
        Self::Mem0Npm,
        Self::Mem0List,
        Self::Mem0History,
        Self::McpMemoryLines,
        Self::BasicMemoryIndex,
        Self::PalaceChroma,
        Self::PalaceExact,
        Self::PalaceGraph,
        Self::PalaceTunnels,
        Self::PalaceIdentity,
        Self::LettaAgentFile,
        Self::LettaMessages,
        Self::LettaPassages,
        Self::HindsightZip,
        Self::GraphitiDump,
        Self::CogneeTar,
        Self::CogneeGraph,
        Self::Transcript,
    ];
}
