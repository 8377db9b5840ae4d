//! Resources, which are read without a tool: how the memory is doing, and who the agent is.

use crate::MemoryTools;
use cairn_engine::EngineError;
use rmcp::{
    ErrorData,
    model::{
        ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
        ResourceTemplate,
    },
};
use serde_json::json;

const STATUS: &str = "cairn://agent/status";
const IDENTITY: &str = "cairn://identity/";

impl MemoryTools {
    pub(crate) fn resources(&self) -> Result<ListResourcesResult, ErrorData> {
        let status = Resource::new(STATUS, "status")
            .with_title("How the memory is doing")
            .with_description("Counts, what still waits to be looked at, and whether meaning is searched. JSON, about 100 tokens.")
            .with_mime_type("application/json");
        let files = self.agent.identity_files().map_err(|error| broken(&error))?;
        let identity = files.into_iter().map(|file| {
            Resource::new(format!("{IDENTITY}{file}"), file)
                .with_description("Who the agent is; written by its operator.")
                .with_mime_type("text/markdown")
        });
        Ok(ListResourcesResult::with_all_items(std::iter::once(status).chain(identity).collect()))
    }

    pub(crate) fn resource_templates() -> ListResourceTemplatesResult {
        let identity = ResourceTemplate::new(format!("{IDENTITY}{{file}}"), "identity")
            .with_description("A file that says who the agent is, such as SOUL.md.")
            .with_mime_type("text/markdown");
        ListResourceTemplatesResult::with_all_items(vec![identity])
    }

    pub(crate) async fn resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let contents = if uri == STATUS {
            ResourceContents::text(self.status().await.map_err(|error| broken(&error))?, uri)
                .with_mime_type("application/json")
        } else if let Some(file) = uri.strip_prefix(IDENTITY) {
            let text = self.agent.identity_file(file).map_err(|error| missing(uri, &error))?;
            ResourceContents::text(text, uri).with_mime_type("text/markdown")
        } else {
            let problem = format!("there is no resource {uri}; hint: `resources/list` names those there are");
            return Err(ErrorData::resource_not_found(problem, Some(json!({"uri": uri}))));
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }

    async fn status(&self) -> Result<String, EngineError> {
        let (all, forming) = (self.agent.stats().await?, self.agent.forming().await?);
        let status = json!({
            "agent": self.agent.name(), "messages": all.counts.messages, "memories": all.counts.memories,
            "entities": all.counts.entities, "waiting_to_be_formed": forming.messages.saturating_sub(forming.done),
            "waiting_for_vectors": all.pending_embeddings, "language_model": self.agent.has_language_model(),
        });
        Ok(status.to_string())
    }
}

fn broken(error: &EngineError) -> ErrorData {
    ErrorData::internal_error(format!("{error}; hint: {}", error.hint()), None)
}

fn missing(uri: &str, error: &EngineError) -> ErrorData {
    let problem = format!("{error}; hint: {}", error.hint());
    ErrorData::resource_not_found(problem, Some(json!({"uri": uri})))
}
