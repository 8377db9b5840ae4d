//! Resources, which are read without a tool: how the memory is doing, who the agent is, and where each thread stood.

use crate::MemoryTools;
use cairn_engine::EngineError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
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
const THREAD: &str = "cairn://thread/";
const HANDOFF: &str = "/handoff";
/// Threads whose handoffs are listed, those written last.
const MAX_LISTED_HANDOFFS: u32 = 20;

impl MemoryTools {
    pub(crate) async fn resources(&self) -> Result<ListResourcesResult, ErrorData> {
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
        let stored = self.agent.handoffs(MAX_LISTED_HANDOFFS).await.map_err(|error| broken(&error))?;
        let handoffs = stored.into_iter().filter(|stored| stored.handoff.is_some()).filter_map(|stored| {
            let thread = stored.scope.thread()?;
            let resource = Resource::new(
                format!("{THREAD}{}{HANDOFF}", encoded(thread)),
                format!("handoff of {thread}"),
            );
            let said = "Where this thread stood: decisions, open ends, dates, each with its ref.";
            Some(resource.with_description(said).with_mime_type("text/markdown"))
        });
        let all = std::iter::once(status).chain(identity).chain(handoffs);
        Ok(ListResourcesResult::with_all_items(all.collect()))
    }

    pub(crate) fn resource_templates() -> ListResourceTemplatesResult {
        let identity = ResourceTemplate::new(format!("{IDENTITY}{{file}}"), "identity")
            .with_description("A file that says who the agent is, such as SOUL.md.")
            .with_mime_type("text/markdown");
        let handoff = ResourceTemplate::new(format!("{THREAD}{{name}}{HANDOFF}"), "handoff")
            .with_description("Where a thread stood: decisions, open ends, dates, each with its ref.")
            .with_mime_type("text/markdown");
        ListResourceTemplatesResult::with_all_items(vec![identity, handoff])
    }

    pub(crate) async fn resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let contents = if uri == STATUS {
            ResourceContents::text(self.status().await.map_err(|error| broken(&error))?, uri)
                .with_mime_type("application/json")
        } else if let Some(file) = uri.strip_prefix(IDENTITY) {
            let text = self.agent.identity_file(file).map_err(|error| missing(uri, &error))?;
            ResourceContents::text(text, uri).with_mime_type("text/markdown")
        } else if let Some(thread) = uri.strip_prefix(THREAD).and_then(|rest| rest.strip_suffix(HANDOFF)) {
            let text = self.agent.handoff_text(&decoded(thread)).await.map_err(|error| broken(&error))?;
            let Some(text) = text else {
                let problem = format!(
                    "there is no handoff at {uri}; hint: `cairn handoff write --thread NAME` makes one"
                );
                return Err(ErrorData::resource_not_found(problem, Some(json!({"uri": uri}))));
            };
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

/// A name as it stands in an address: every byte but plain ones as `%41`.
fn encoded(name: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(name, ESCAPED).to_string()
}

/// The name that stands in an address so; what is no escape stands for itself.
fn decoded(name: &str) -> String {
    percent_decode_str(name).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_of_a_thread_has_an_address() {
        for name in ["tides", "harbor & gauge", "ölçüm/2026", "100%", "%zz", ""] {
            assert_eq!(decoded(&encoded(name)), name);
        }
        assert_eq!(decoded("100%"), "100%");
    }
}
