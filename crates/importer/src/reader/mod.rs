//! One reader for each product.

pub(crate) mod basic_memory;
pub(crate) mod chatgpt;
pub(crate) mod claude_ai;
pub(crate) mod claude_mem;
pub(crate) mod codex;
pub(crate) mod cognee;
pub(crate) mod cursor;
pub(crate) mod gemini_cli;
pub(crate) mod graphiti;
pub(crate) mod hindsight;
pub(crate) mod letta;
pub(crate) mod letta_code;
pub(crate) mod mcp_memory;
pub(crate) mod mem0;
pub(crate) mod mempalace;
pub(crate) mod opencode;
pub(crate) mod openmemory;
pub(crate) mod takeout;
