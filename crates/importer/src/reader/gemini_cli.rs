//! Gemini CLI: a log of one session. The first sight of a message counts, for its words and for its time: each resume
//! writes all of them again.

use crate::{
    archive::{open_unpacked, read_bounded},
    error::{ImporterError, Result},
    gathered::{Gatherer, draft},
    reader::codex::is_injected,
    record::{each_line, whole},
    value::{answer, call, fingerprint, folder_name, list, moment, name, role, text, texts_of},
};
use cairn_domain::{Draft, Mode, Role};
use cairn_engine::transcript::typed_words;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
};

/// One thing that was said, where the log has it first.
struct LoggedWords {
    message: String,
    draft: Draft,
}

struct Log {
    session: String,
    thread: Option<String>,
    said: Vec<LoggedWords>,
    /// Messages whose words were seen, calls and answers of tools that were.
    seen: HashSet<String>,
    tools: HashMap<String, String>,
    thoughts: HashSet<String>,
    notices: u64,
}

pub(crate) fn read_log(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut log = Log::of(path);
    let broken = each_line(open_unpacked(path)?, |line| log.line(&line, out));
    out.left_out("lines that cannot be read", broken.map_err(ImporterError::file(path))?);
    log.tell(out);
    Ok(())
}

pub(crate) fn read_session(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    let mut log = Log::of(path);
    log.header(&record);
    for message in list(&record["messages"]) {
        log.message(message, out);
    }
    log.tell(out);
    Ok(())
}

impl Log {
    fn of(path: &Path) -> Self {
        Self {
            session: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            thread: project(path),
            said: Vec::new(),
            seen: HashSet::new(),
            tools: HashMap::new(),
            thoughts: HashSet::new(),
            notices: 0,
        }
    }

    fn header(&mut self, record: &Value) {
        self.session = name(record, "sessionId").unwrap_or_else(|| self.session.clone());
    }

    fn line(&mut self, line: &Value, out: &Gatherer<'_>) {
        if let Some(back) = text(line, "$rewindTo") {
            return self.rewind(back);
        }
        if line["$set"].is_object() {
            for message in list(&line["$set"]["messages"]) {
                self.message(message, out);
            }
            return;
        }
        if line["type"].is_string() {
            return self.message(line, out);
        }
        self.header(line);
    }

    /// Marks everything after a message as left.
    fn rewind(&mut self, id: &str) {
        let at = self.said.iter().rposition(|said| said.message == id);
        for said in self.said.iter_mut().skip(at.map_or(usize::MAX, |at| at + 1)) {
            said.draft.metadata.insert("branch".to_owned(), "edited".into());
        }
    }

    fn message(&mut self, message: &Value, out: &Gatherer<'_>) {
        let id = name(message, "id").unwrap_or_else(|| fingerprint(&[&message.to_string()]));
        let speaks = match message["type"].as_str() {
            Some("user") => Role::User,
            Some("gemini") => role("model"),
            _ => {
                self.notices += u64::from(self.seen.insert(format!("notice:{id}")));
                return;
            }
        };
        if !list(&message["thoughts"]).is_empty()
            || list(&message["content"]).iter().any(|part| part["thought"] == true)
        {
            self.thoughts.insert(id.clone());
        }
        let at = moment(&message["timestamp"]);
        let words: Vec<String> =
            texts_of(&message["content"]).into_iter().filter(|text| !is_injected(text)).collect();
        let words = words.join("\n");
        // What hooks said stands before the prompt, in an element of the program's.
        let words = if speaks == Role::User { typed_words(&words).unwrap_or_default() } else { words };
        if !words.trim().is_empty() && self.seen.insert(format!("words:{id}")) {
            self.push(&id, draft(speaks, out.id(&id), at, words));
        }
        for part in list(&message["content"]) {
            self.tool_call(&id, &part["functionCall"], at, out);
            self.tool_answer(&id, &part["functionResponse"], at, out);
        }
        for tool_call in list(&message["toolCalls"]) {
            let at = moment(&tool_call["timestamp"]).or(at);
            self.tool_call(&id, tool_call, at, out);
            for part in list(&tool_call["result"]) {
                self.tool_answer(&id, &part["functionResponse"], at, out);
            }
        }
    }

    fn tool_call(
        &mut self,
        message: &str,
        asked: &Value,
        at: Option<cairn_domain::Time>,
        out: &Gatherer<'_>,
    ) {
        let (Some(id), Some(tool)) = (name(asked, "id"), name(asked, "name")) else { return };
        if self.seen.insert(format!("call:{id}")) {
            self.tools.insert(id.clone(), tool.clone());
            let words = call(&tool, &asked["args"]);
            let asked = draft(Role::Tool, out.id(&format!("{id}#call")), at, words);
            self.push(message, Draft { speaker: Some(tool), ..asked });
        }
    }

    fn tool_answer(
        &mut self,
        message: &str,
        given: &Value,
        at: Option<cairn_domain::Time>,
        out: &Gatherer<'_>,
    ) {
        let Some(id) = name(given, "id") else { return };
        if self.seen.insert(format!("answer:{id}")) {
            let response = &given["response"];
            let output = response.get("output").or_else(|| response.get("error")).unwrap_or(response);
            let tool = name(given, "name").or_else(|| self.tools.get(&id).cloned());
            let given = draft(Role::Tool, out.id(&format!("{id}#answer")), at, answer(output));
            self.push(message, Draft { speaker: tool, ..given });
        }
    }

    fn push(&mut self, message: &str, said: Draft) {
        let draft = Draft {
            session: Some(self.session.clone()),
            thread: self.thread.clone(),
            mode: Some(Mode::Code),
            ..said
        };
        self.said.push(LoggedWords { message: message.to_owned(), draft });
    }

    fn tell(self, out: &mut Gatherer<'_>) {
        out.counted("sessions", 1);
        out.counted("thoughts_left_out", self.thoughts.len() as u64);
        out.left_out("messages with the model's thoughts, without them", self.thoughts.len() as u64);
        out.counted("notices_left_out", self.notices);
        out.left_out("the program's notices", self.notices);
        for LoggedWords { draft, .. } in self.said {
            out.said(draft);
        }
    }
}

/// The project's folder, which a file beside the sessions names.
fn project(path: &Path) -> Option<String> {
    let folder = path.parent()?.parent()?;
    let named = fs::read_to_string(folder.join(".project_root")).ok();
    let own = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    named.as_deref().map(str::trim).and_then(folder_name).or(own)
}
