//! Claude Code sessions: one file per session, one record per line. Only what the user, the agent and its
//! tools said is taken; thoughts, pictures and the program's own bookkeeping are not. What the host wrote in the user's
//! place is the host's (`system`); what the agent asked of a sub-agent and what that answered are a tool's.

use crate::transcript::{
    fields::{Fields, name_of, words_of},
    host_words::{host_draft, parted},
};
use cairn_domain::{Draft, Metadata, Mode, Role};
use serde_json::Value;
use std::collections::HashMap;

/// The state of a transcript that later records refer back to.
#[derive(Debug)]
pub(super) struct ClaudeCode {
    /// Stands in for a session that a record does not name.
    origin: String,
    /// The name of the tool behind each call.
    tools: HashMap<String, String>,
    /// The session's title, until a message can carry it.
    title: Option<String>,
}

impl ClaudeCode {
    pub(super) fn new(origin: &str) -> Self {
        Self { origin: origin.to_owned(), tools: HashMap::new(), title: None }
    }

    /// The messages of one record.
    pub(super) fn drafts(&mut self, mut record: Fields) -> Result<Vec<Draft>, String> {
        let kind = record.name(&["type"])?.ok_or("`type` is missing, so this is not a Claude Code record")?;
        match kind.as_str() {
            "user" => self.said(Role::User, record),
            "assistant" => self.said(Role::Assistant, record),
            "summary" | "custom-title" | "ai-title" => {
                let title = record.name(&["summary", "customTitle", "aiTitle", "title"])?;
                self.title = title.or(self.title.take());
                Ok(Vec::new())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn said(&mut self, role: Role, mut record: Fields) -> Result<Vec<Draft>, String> {
        let Some(mut message) = record.object("message")? else { return Ok(Vec::new()) };
        let uuid = record.name(&["uuid"])?;
        let host = is_hosts(&mut record)?;
        let common = self.common(&mut record, &mut message)?;
        let common = match role {
            _ if common.metadata.contains_key("sidechain") => {
                Draft { role: Role::Tool, speaker: Some(SUB_AGENT.to_owned()), ..common }
            }
            Role::User if host => host_draft(common, String::new()),
            Role::Assistant if is_synthetic(&common) => host_draft(common, String::new()),
            role => Draft { role, ..common },
        };
        let mut drafts = self.blocks(message, &common)?;
        for (place, draft) in drafts.iter_mut().enumerate() {
            draft.source_id = uuid.as_ref().map(|uuid| numbered(uuid, place));
        }
        let mut drafts = parted(drafts);
        if let Some(draft) = drafts.first_mut()
            && let Some(title) = self.title.take()
        {
            draft.metadata.insert("session_title".to_owned(), title.into());
        }
        Ok(drafts)
    }

    /// The fields that all messages of one record share.
    fn common(&self, record: &mut Fields, message: &mut Fields) -> Result<Draft, String> {
        let cwd = record.name(&["cwd"])?;
        let thread = cwd.as_deref().and_then(folder_name);
        let mut metadata = Metadata::new();
        for (name, value) in
            [("branch", record.name(&["gitBranch"])?), ("model", message.name(&["model"])?), ("cwd", cwd)]
        {
            metadata.extend(value.map(|value| (name.to_owned(), value.into())));
        }
        // A sub-agent's session names it.
        if record.flag("isSidechain")? || record.name(&["agentId"])?.is_some() {
            metadata.insert("sidechain".to_owned(), true.into());
        }
        Ok(Draft {
            session: Some(record.name(&["sessionId"])?.unwrap_or_else(|| self.origin.clone())),
            thread,
            mode: Some(Mode::Code),
            at: record.time(&["timestamp"])?,
            metadata,
            ..Draft::default()
        })
    }

    fn blocks(&mut self, mut message: Fields, common: &Draft) -> Result<Vec<Draft>, String> {
        match message.take(&["content"]) {
            None => Ok(Vec::new()),
            Some((_, Value::String(text))) => Ok(vec![Draft { text, ..common.clone() }]),
            Some((_, Value::Array(blocks))) => {
                Ok(blocks.iter().filter_map(|block| self.block(block, common.clone())).collect())
            }
            Some(_) => Err("`content` is neither text nor a list of blocks".to_owned()),
        }
    }

    /// The draft of one content block, if it holds any text.
    fn block(&mut self, block: &Value, common: Draft) -> Option<Draft> {
        match block["type"].as_str()? {
            "text" => Some(Draft { text: words_of(&block["text"])?, ..common }),
            "tool_use" => Some(self.tool_call(block, common)),
            "tool_result" => self.tool_result(block, common),
            _ => None,
        }
    }

    fn tool_call(&mut self, call: &Value, common: Draft) -> Draft {
        let tool = name_of(&call["name"]).unwrap_or_else(|| "tool".to_owned());
        if let Some(id) = name_of(&call["id"]) {
            self.tools.insert(id, tool.clone());
        }
        let text = if call["input"].is_null() { tool.clone() } else { format!("{tool} {}", call["input"]) };
        Draft { role: Role::Tool, speaker: Some(tool), text, ..common }
    }

    fn tool_result(&self, result: &Value, mut common: Draft) -> Option<Draft> {
        let text = words_of(&result["content"])?;
        let tool = name_of(&result["tool_use_id"]).and_then(|id| self.tools.get(&id).cloned());
        if result["is_error"] == true {
            common.metadata.insert("is_error".to_owned(), true.into());
        }
        Some(Draft {
            role: Role::Tool,
            speaker: Some(tool.unwrap_or_else(|| "tool".to_owned())),
            text,
            ..common
        })
    }
}

/// Who speaks where an agent asks another one that the user does not see.
const SUB_AGENT: &str = "sub-agent";

/// Whether a record of the user's side was written by the host. Takes every mark of it out of the record.
fn is_hosts(record: &mut Fields) -> Result<bool, String> {
    let mut host = false;
    for mark in ["isMeta", "isSynthetic", "isCompactSummary", "isVisibleInTranscriptOnly"] {
        host |= record.flag(mark)?;
    }
    let origin = record.take(&["origin"]).map(|(_, origin)| origin);
    let kind = origin.as_ref().and_then(|origin| origin["kind"].as_str());
    Ok(host || kind.is_some_and(|kind| kind != "human"))
}

/// Whether an answer is the host's own, written where the model gave none.
fn is_synthetic(draft: &Draft) -> bool {
    draft.metadata.get("model").is_some_and(|model| model == "<synthetic>")
}

/// A record's first message bears its id, the others bear it with their place.
fn numbered(uuid: &str, place: usize) -> String {
    if place == 0 { uuid.to_owned() } else { format!("{uuid}#{place}") }
}

/// The last part of a path, whichever system wrote it.
fn folder_name(path: &str) -> Option<String> {
    path.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::Time;

    fn read(lines: &[&str]) -> Vec<Draft> {
        let mut session = ClaudeCode::new("walk");
        let drafts = |line: &&str| session.drafts(Fields::parse(line.as_bytes()).expect(line)).expect(line);
        lines.iter().flat_map(drafts).collect()
    }

    /// covers: L-28
    #[test]
    fn a_session_is_read_as_what_user_agent_and_tools_said() {
        let drafts = read(&[
            r#"{"type":"summary","summary":"Fix the tide table","leafUuid":"a2"}"#,
            r#"{"type":"file-history-snapshot","messageId":"u1","snapshot":{}}"#,
            r#"{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-11-15T10:00:00.000Z","cwd":"/home/mara/tides",
                "gitBranch":"main","isSidechain":false,"message":{"role":"user","content":"Why does the test fail?"}}"#,
            r#"{"type":"assistant","uuid":"a1","sessionId":"s1","cwd":"/home/mara/tides","message":{"role":"assistant",
                "model":"opus","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I will look."},
                {"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test"}}]}}"#,
            r#"{"type":"user","uuid":"u2","sessionId":"s1","isSidechain":true,"message":{"role":"user","content":[
                {"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"1 failed"},
                {"type":"image"},{"type":"text","text":"9 passed"}]}]}}"#,
        ]);
        let said: Vec<_> = drafts
            .iter()
            .map(|draft| {
                (
                    draft.source_id.as_deref().unwrap_or("-"),
                    draft.role,
                    draft.speaker.as_deref(),
                    &*draft.text,
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                ("u1", Role::User, None, "Why does the test fail?"),
                ("a1", Role::Assistant, None, "I will look."),
                ("a1#1", Role::Tool, Some("Bash"), r#"Bash {"command":"cargo test"}"#),
                ("u2", Role::Tool, Some("Bash"), "1 failed\n9 passed"),
            ]
        );
        let first = &drafts[0];
        assert_eq!((first.session.as_deref(), first.thread.as_deref()), (Some("s1"), Some("tides")));
        assert_eq!((first.mode, first.at), (Some(Mode::Code), Some(Time::from_millis(1_794_736_800_000))));
        let metadata: Vec<String> =
            drafts.iter().map(|draft| Value::Object(draft.metadata.clone()).to_string()).collect();
        assert_eq!(
            metadata,
            [
                r#"{"branch":"main","cwd":"/home/mara/tides","session_title":"Fix the tide table"}"#,
                r#"{"cwd":"/home/mara/tides","model":"opus"}"#,
                r#"{"cwd":"/home/mara/tides","model":"opus"}"#,
                r#"{"is_error":true,"sidechain":true}"#,
            ]
        );
    }

    #[test]
    fn what_the_program_wrote_in_the_users_place_is_the_hosts() {
        for flag in ["isMeta", "isCompactSummary", "isSynthetic"] {
            let line = format!(r#"{{"type":"user","{flag}":true,"message":{{"content":"Caveat: …"}}}}"#);
            let drafts = read(&[&line]);
            assert_eq!(
                (drafts[0].role, drafts[0].session.as_deref()),
                (Role::System, Some("walk")),
                "{flag}"
            );
        }
    }

    #[test]
    fn no_word_of_the_host_or_of_a_sub_agent_is_the_users() {
        let said = |line: &str| -> Vec<(Role, String)> {
            read(&[line]).into_iter().map(|draft| (draft.role, draft.text)).collect()
        };
        let user = |text: &str| {
            format!(r#"{{"type":"user","uuid":"u","message":{{"content":{}}}}}"#, Value::from(text))
        };
        let reminded = said(&user("Run the tests.\n<system-reminder>I live in Rome.</system-reminder>"));
        assert_eq!(
            reminded,
            [
                (Role::User, "Run the tests.".to_owned()),
                (Role::System, "<system-reminder>I live in Rome.</system-reminder>".to_owned())
            ]
        );
        for noise in [
            "<system-reminder>I live in Rome.",
            "<command-name>/clear</command-name>",
            "<command-message>clear</command-message>",
            "<local-command-stdout>I live in Rome.</local-command-stdout>",
            "[Request interrupted by user]",
            "Caveat: The messages below were generated by the user while running local commands. Rome.",
            "<task-notification>I live in Rome.</task-notification>",
        ] {
            assert_eq!(said(&user(noise)), [(Role::System, noise.to_owned())], "{noise}");
        }
        for (record, role) in [
            (r#"{"type":"user","isSidechain":true,"message":{"content":"I live in Rome."}}"#, Role::Tool),
            (
                r#"{"type":"assistant","isSidechain":true,"message":{"content":"I live in Rome."}}"#,
                Role::Tool,
            ),
            (
                r#"{"type":"user","origin":{"kind":"task-notification"},"message":{"content":"I live in Rome."}}"#,
                Role::System,
            ),
            (
                r#"{"type":"user","origin":{"kind":"human"},"message":{"content":"I live in Rome."}}"#,
                Role::User,
            ),
            (
                r#"{"type":"assistant","message":{"model":"<synthetic>","content":"I live in Rome."}}"#,
                Role::System,
            ),
        ] {
            assert_eq!(said(record), [(role, "I live in Rome.".to_owned())], "{record}");
        }
    }

    #[test]
    fn a_title_waits_for_the_next_message() {
        let drafts = read(&[
            r#"{"type":"ai-title","aiTitle":"Tides","sessionId":"s1"}"#,
            r#"{"type":"user","message":{"content":[{"type":"image"}]}}"#,
            r#"{"type":"custom-title","customTitle":"The tide table","sessionId":"s1"}"#,
            r#"{"type":"user","message":{"content":"hello"}}"#,
            r#"{"type":"user","message":{"content":"again"}}"#,
        ]);
        let titles: Vec<_> = drafts.iter().map(|draft| draft.metadata.get("session_title")).collect();
        assert_eq!(titles, [Some(&Value::from("The tide table")), None]);
    }

    /// covers: C-158
    #[test]
    fn records_without_words_are_empty_and_records_of_wrong_types_are_refused() {
        let table = [
            (r#"{"type":"progress","message":7}"#, Ok(0)),
            (r#"{"type":"user"}"#, Ok(0)),
            (r#"{"type":"user","message":null}"#, Ok(0)),
            (r#"{"type":"user","message":{"content":"  "}}"#, Ok(0)),
            (
                r#"{"type":"user","message":{"content":[null,5,"x",{},{"type":"text"},{"type":"text","text":7}]}}"#,
                Ok(0),
            ),
            (
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":null,"content":"ok"}]}}"#,
                Ok(1),
            ),
            (r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":null}]}}"#, Ok(1)),
            (r#"{"text":"hi"}"#, Err("`type` is missing")),
            (r#"{"type":["user"]}"#, Err("`type` is a list")),
            (r#"{"type":"user","message":7}"#, Err("`message` is a number")),
            (r#"{"type":"user","message":{"content":7}}"#, Err("`content` is neither")),
            (
                r#"{"type":"user","timestamp":"noon","message":{"content":"hi"}}"#,
                Err("`timestamp` is not a time"),
            ),
            (r#"{"type":"user","isMeta":"yes","message":{"content":"hi"}}"#, Err("`isMeta` is text")),
            (r#"{"type":"user","uuid":{},"message":{"content":"hi"}}"#, Err("`uuid` is an object")),
        ];
        for (line, expected) in table {
            let read = ClaudeCode::new("walk").drafts(Fields::parse(line.as_bytes()).expect(line));
            match expected {
                Ok(count) => assert_eq!(read.map(|drafts| drafts.len()), Ok(count), "{line}"),
                Err(problem) => assert!(read.is_err_and(|found| found.starts_with(problem)), "{line}"),
            }
        }
    }

    #[test]
    fn a_thread_is_named_after_its_folder_on_every_system() {
        for (path, name) in [("/home/mara/tides", "tides"), ("/srv/x/", "x"), (r"C:\work\tides\", "tides")] {
            assert_eq!(folder_name(path).as_deref(), Some(name));
        }
        assert_eq!(folder_name("/"), None);
    }
}
