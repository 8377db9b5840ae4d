//! `cairn hook --host`: what Codex, Gemini CLI, opencode and Cursor tell, each in its own words, and what they are told.

use crate::support::{Cairn, erasing::signed_in};
use serde_json::{Value, json};
use std::fs;

const PROMPT: &str = "Which unit do the tides of Skagen have?";
const ANSWER: &str = "They are logged in centimeters.";

/// A session as one host tells it.
struct HostSession<'a> {
    cairn: &'a Cairn,
    host: &'static str,
    id: &'static str,
}

impl HostSession<'_> {
    fn hook(&self, event: &str, more: Value) -> Value {
        let mut input = match self.host {
            "cursor" => json!({"conversation_id": self.id, "workspace_roots": ["/home/mara/tides"]}),
            _ => {
                json!({"session_id": self.id, "cwd": "/home/mara/tides", "transcript_path": "/nowhere/s.jsonl"})
            }
        };
        let more = serde_json::from_value::<serde_json::Map<_, _>>(more).expect("an object");
        input.as_object_mut().expect("an object").extend(more);
        let line = format!("hook {event} --host {} --within-ms 30000", self.host);
        let ran = self.cairn.feed(&line, input.to_string());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
        if ran.stdout.is_empty() { Value::Null } else { serde_json::from_str(&ran.stdout).expect("JSON") }
    }

    /// The words for the model, from where this host looks for them.
    fn shown(&self, event: &str, more: Value) -> String {
        let answer = self.hook(event, more);
        let words = match self.host {
            "codex" | "gemini" => &answer["hookSpecificOutput"]["additionalContext"],
            _ => &answer["additional_context"],
        };
        words.as_str().unwrap_or_default().to_owned()
    }

    fn prompt(&self, text: &str) -> Value {
        match self.host {
            // Gemini CLI puts what another hook said before the prompt.
            "gemini" => {
                json!({"prompt": format!("<hook_context>The user lives in Rome.</hook_context>\n\n{text}")})
            }
            _ => json!({"prompt": text}),
        }
    }

    fn used_a_tool(&self) -> Value {
        let call = json!({"command": "make tides"});
        match self.host {
            "codex" => {
                json!({"tool_name": "Bash", "tool_use_id": "c1", "tool_input": call, "tool_response": "12 gauges"})
            }
            "gemini" => json!({"tool_name": "run_shell_command", "tool_input": call,
                               "tool_response": {"llmContent": "<untrusted_context>\n12 gauges\n</untrusted_context>", "returnDisplay": ""}}),
            "cursor" => {
                json!({"tool_name": "Shell", "tool_use_id": "c1", "tool_input": call, "tool_output": "12 gauges"})
            }
            _ => {
                json!({"tool_name": "bash", "tool_use_id": "c1", "tool_input": call, "tool_response": "12 gauges"})
            }
        }
    }

    fn answered(&self) -> Value {
        match self.host {
            "gemini" => json!({"prompt": PROMPT, "prompt_response": ANSWER}),
            "cursor" => json!({"text": ANSWER}),
            _ => json!({"last_assistant_message": ANSWER}),
        }
    }
}

fn said(cairn: &Cairn) -> Vec<(String, String)> {
    let entries = cairn.json("timeline -k 50")["entries"].clone();
    let of = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    entries.as_array().expect("entries").iter().map(|entry| (of(entry, "role"), of(entry, "text"))).collect()
}

/// covers: L-28, W-98, W-100, W-101
#[test]
fn every_host_is_told_what_is_known_and_nothing_it_tells_is_lost() {
    for host in ["codex", "gemini", "opencode", "cursor"] {
        let cairn = Cairn::new();
        cairn.at("2026-11-12T10:00:00Z");
        cairn.done(
            "remember 'I always log the tides of Skagen in centimeters.' --session before --thread tides",
        );
        cairn.at("2026-11-15T10:00:00Z");
        let first = HostSession { cairn: &cairn, host, id: "first" };
        let start = first.shown("session-start", json!({"source": "startup"}));
        assert!(start.contains("centimeters"), "{host}: {start}");
        first.hook("user-prompt-submit", first.prompt(PROMPT));
        // Another hook tells the same prompt: once is enough.
        cairn.at("2026-11-15T10:00:01Z");
        first.hook("user-prompt-submit", first.prompt(PROMPT));
        cairn.at("2026-11-15T10:00:05Z");
        first.hook("post-tool-use", first.used_a_tool());
        cairn.at("2026-11-15T10:00:09Z");
        first.hook("stop", first.answered());
        first.hook("stop", json!({"status": "completed"}));
        let told = said(&cairn);
        let roles: Vec<&str> = told.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["user", "user", "tool", "tool", "assistant"], "{host}: {told:?}");
        assert_eq!((told[1].1.as_str(), told[4].1.as_str()), (PROMPT, ANSWER), "{host}");
        assert!(told[2].1.contains("make tides"), "{host}: {told:?}");
        assert_eq!(told[3].1, "12 gauges", "{host}");
        // The same an hour later is said again.
        cairn.at("2026-11-15T11:00:00Z");
        first.hook("user-prompt-submit", first.prompt(PROMPT));
        assert_eq!(said(&cairn).len(), 6, "{host}");
        // Killed here: the next session is told of it.
        cairn.at("2026-11-16T10:00:00Z");
        let second = HostSession { cairn: &cairn, host, id: "second" };
        let start = second.shown("session-start", json!({"source": "startup"}));
        assert!(start.contains("Skagen have?"), "{host}: {start}");
        assert_ne!(cairn.json("handoff list")["handoffs"], json!([]), "{host}: a stop writes one");
    }
}

#[test]
fn codex_gets_no_field_that_it_refuses_and_an_unknown_host_nothing() {
    let cairn = Cairn::new();
    cairn.done("remember 'I always log the tides of Skagen in centimeters.' --session before --thread tides");
    let session = HostSession { cairn: &cairn, host: "codex", id: "s" };
    let answer = session.hook("session-start", json!({"source": "startup"}));
    assert_eq!(answer.as_object().map(|fields| fields.len()), Some(1), "{answer}");
    let refused = cairn.feed("hook stop --host vim", "{\"session_id\": \"s\"}");
    assert_eq!((refused.code, refused.stdout.as_str()), (0, ""), "a session is never held up");
    assert!(refused.stderr.contains("vim"), "{}", refused.stderr);
}

/// The deeds of a sub-agent are a tool's word, its task is nobody's wish.
#[test]
fn a_sub_agent_leaves_what_it_found_and_nothing_in_the_users_name() {
    let cairn = Cairn::new();
    let record = |uuid: &str, kind: &str, content: Value| {
        json!({"type": kind, "uuid": uuid, "sessionId": "s", "agentId": "a1", "isSidechain": true, "cwd": "/home/mara/tides",
               "timestamp": "2026-11-15T10:00:00.000Z", "message": {"role": kind, "content": content}})
    };
    let lines = [
        record("u1", "user", json!("Find the gauge; I live in Rome and I want tea.")),
        record(
            "u2",
            "assistant",
            json!([{"type": "tool_use", "id": "t1", "name": "Grep", "input": {"path": "gauges.csv"}}]),
        ),
        record("u3", "assistant", json!([{"type": "text", "text": "The gauge of Esbjerg is number 7."}])),
    ];
    let text = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n";
    cairn.write("agent-a1.jsonl", text);
    fs::write(cairn.path("s.jsonl"), "").expect("a transcript");
    let input = json!({"session_id": "s", "cwd": "/home/mara/tides", "transcript_path": cairn.path("s.jsonl"), "agent_id": "a1",
                       "agent_type": "Explore", "agent_transcript_path": cairn.path("agent-a1.jsonl"),
                       "last_assistant_message": "The gauge of Esbjerg is number 7."});
    for _ in 0..2 {
        let ran = cairn.feed("hook subagent-stop --within-ms 30000", input.to_string());
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    }
    let told = said(&cairn);
    assert!(told.iter().all(|(role, _)| role == "tool"), "{told:?}");
    assert_eq!(told.iter().filter(|(_, text)| text.contains("Esbjerg")).count(), 1, "{told:?}");
    assert!(told.iter().any(|(_, text)| text.contains("gauges.csv")), "{told:?}");
    cairn.done("form");
    assert_eq!(
        cairn.json("memories list --all")["memories"],
        json!([]),
        "nobody said that they live in Rome"
    );
}

/// covers: W-98, W-100
#[test]
fn what_a_hook_has_no_time_to_keep_is_kept_by_the_next_one() {
    let cairn = Cairn::new();
    cairn.done("remember 'I always log the tides of Skagen in centimeters.' --session before --thread tides");
    let input = json!({"session_id": "first", "cwd": "/home/mara/tides", "prompt": PROMPT});
    let hurried = cairn.feed("hook user-prompt-submit --host codex --within-ms 1", input.to_string());
    assert_eq!((hurried.code, hurried.stdout.as_str()), (0, ""), "{}", hurried.stderr);
    assert!(hurried.stderr.contains("no answer within 1 ms"), "{}", hurried.stderr);
    let second = HostSession { cairn: &cairn, host: "codex", id: "second" };
    second.hook("stop", second.answered());
    let told = said(&cairn);
    assert_eq!(told.iter().filter(|(role, text)| role == "user" && text == PROMPT).count(), 1, "{told:?}");
    assert!(told.iter().any(|(role, text)| role == "assistant" && text == ANSWER), "{told:?}");
    let left = fs::read_dir(cairn.path("home/agents/main/hooks/spool")).expect("the folder").count();
    assert_eq!(left, 0, "nothing is left over");
}

/// covers: W-98
#[test]
fn an_erasure_takes_spooled_words_of_its_session_and_leaves_those_of_others() {
    let cairn = Cairn::new();
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    cairn.done("remember 'I always log the tides of Skagen in centimeters.' --session before");
    for (session, prompt) in
        [("gone", "The gauge of Esbjerg is Henrik's."), ("stays", "The gauge of Ribe is Signe's.")]
    {
        let input = json!({"session_id": session, "cwd": "/home/mara/tides", "prompt": prompt});
        let hurried = cairn.feed("hook user-prompt-submit --host codex --within-ms 1", input.to_string());
        assert!(hurried.stderr.contains("no answer within 1 ms"), "{}", hurried.stderr);
    }
    let spool = cairn.path("home/agents/main/hooks/spool");
    fs::write(spool.join("000000000000001-torn.json"), "{\"host\": \"co").expect("a torn file");
    let ran = signed_in(&cairn, "erase --session gone --yes --reason 'asked to be forgotten'");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = said(&cairn);
    assert!(told.iter().any(|(_, text)| text.contains("Signe")), "{told:?}");
    assert!(!told.iter().any(|(_, text)| text.contains("Henrik")), "{told:?}");
    assert!(!spool.exists(), "nothing is left beside the memory");
}
