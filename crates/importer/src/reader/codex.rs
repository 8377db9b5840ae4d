//! Codex CLI: a file for each session, a record on each line. Events repeat what items say; reasoning, turn contexts and
//! what the program wrote in the user's place are left out.

use crate::{
    archive::open_unpacked,
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, draft, with},
    record::each_line,
    value::{answer, call, fingerprint, folder_name, moment, name, role, text, texts_of},
};
use cairn_domain::{Draft, Mode, Role};
use serde_json::Value;
use std::{collections::HashMap, path::Path};

pub(crate) fn read_rollout(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let mut rollout = Rollout {
        session: stem.split('.').next().unwrap_or_default().to_owned(),
        thread: None,
        cwd: Value::Null,
        tools: HashMap::new(),
        seen: HashMap::new(),
    };
    let broken = each_line(open_unpacked(path)?, |line| rollout.line(&line, out));
    out.left_out("lines that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

struct Rollout {
    session: String,
    thread: Option<String>,
    cwd: Value,
    /// The tool behind each call.
    tools: HashMap<String, String>,
    /// How often words without an id were said.
    seen: HashMap<String, u32>,
}

impl Rollout {
    fn line(&mut self, line: &Value, out: &mut Gatherer<'_>) {
        let payload = &line["payload"];
        match line["type"].as_str() {
            Some("session_meta") => {
                self.session = name(payload, "id").unwrap_or_else(|| self.session.clone());
                self.cwd = payload["cwd"].clone();
                self.thread = text(payload, "cwd").and_then(folder_name);
                out.counted("sessions", 1);
            }
            Some("response_item") => self.item(payload, &line["timestamp"], out),
            _ => {}
        }
    }

    fn item(&mut self, item: &Value, at: &Value, out: &mut Gatherer<'_>) {
        let tool = || name(item, "name").unwrap_or_else(|| "shell".to_owned());
        match item["type"].as_str().unwrap_or_default() {
            "message" => self.message(item, at, out),
            "function_call" | "custom_tool_call" => {
                let tool = tool();
                self.tools.extend(name(item, "call_id").map(|id| (id, tool.clone())));
                let input = item.get("arguments").or_else(|| item.get("input")).unwrap_or(&Value::Null);
                self.tool(&tool, call(&tool, input), item, at, out);
            }
            "local_shell_call" => self.tool("shell", call("shell", &item["action"]), item, at, out),
            "web_search_call" => self.tool("web_search", call("web_search", &item["action"]), item, at, out),
            "function_call_output" | "custom_tool_call_output" => {
                let known = name(item, "call_id").and_then(|id| self.tools.get(&id).cloned());
                let output = if item["output"]["content"].is_null() {
                    &item["output"]
                } else {
                    &item["output"]["content"]
                };
                self.tool(&known.unwrap_or_else(|| "tool".to_owned()), answer(output), item, at, out);
            }
            "reasoning" => {
                out.counted("thoughts_left_out", 1);
                out.left_out("the model's thoughts", 1);
            }
            _ => {}
        }
    }

    fn message(&mut self, item: &Value, at: &Value, out: &mut Gatherer<'_>) {
        let speaks = role(item["role"].as_str().unwrap_or_default());
        if speaks == Role::System {
            out.counted("injected_left_out", 1);
            return out.left_out("the program's own instructions", 1);
        }
        let texts = texts_of(&item["content"]);
        let typed: Vec<String> = texts.iter().filter(|text| !is_injected(text)).cloned().collect();
        if speaks == Role::User && typed.len() < texts.len() {
            out.counted("injected_left_out", 1);
            out.left_out("what the program wrote in the user's place", 1);
        }
        let words = if speaks == Role::User { typed } else { texts }.join("\n");
        let draft = self.draft(speaks, words, item, at, out);
        out.said(draft);
    }

    fn tool(&mut self, tool: &str, words: String, item: &Value, at: &Value, out: &mut Gatherer<'_>) {
        let draft = self.draft(Role::Tool, words, item, at, out);
        out.said(Draft { speaker: Some(tool.to_owned()), ..draft });
    }

    fn draft(&mut self, role: Role, words: String, item: &Value, at: &Value, out: &Gatherer<'_>) -> Draft {
        let id = name(item, "id").unwrap_or_else(|| {
            let made = fingerprint(&[&self.session, role.as_str(), &at.to_string(), &words]);
            let times = self.seen.entry(made.clone()).or_default();
            *times += 1;
            format!("{made}#{times}")
        });
        let draft = Draft {
            session: Some(self.session.clone()),
            thread: self.thread.clone(),
            mode: Some(Mode::Code),
            ..draft(role, out.id(&id), moment(at), words)
        };
        with(draft, "cwd", &self.cwd)
    }
}

/// Whether the program wrote a text in the user's place.
pub(crate) fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    let Some(tag) = text.strip_prefix('<').and_then(|rest| rest.split(['>', ' ', '\n']).next()) else {
        return false;
    };
    let is_name = !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let known =
        ["environment_context", "user_instructions", "session_context", "system-reminder", "turn_aborted"];
    is_name && (known.contains(&tag) || tag.ends_with("_instructions")) && text.contains(&format!("</{tag}>"))
}

/// The memories that Codex made of its sessions.
pub(crate) fn read_memories(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    database.each("SELECT * FROM stage1_outputs", |row| {
        let thread = name(&row, "thread_id").unwrap_or_default();
        let at = moment(&row["generated_at"]);
        for (field, kind) in [("raw_memory", GatheredKind::Memory), ("rollout_summary", GatheredKind::Digest)]
        {
            if let Some(words) = text(&row, field) {
                let memory = draft(Role::Tool, out.id(&format!("{field}:{thread}")), at, words);
                let memory = Draft { session: Some(thread.clone()), mode: Some(Mode::Code), ..memory };
                out.fed(kind, memory);
            }
        }
    })
}
