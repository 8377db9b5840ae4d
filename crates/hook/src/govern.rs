//! Before and after a tool is used: the governor is asked by the operator's rules (`govern.toml`), the host is told in its own way, and
//! what became of an action that was decided about is kept.
//!
//! Without rules there is silence. Where the memory cannot be opened in time, the decision holds that nobody permitted anything.

use crate::{
    Input,
    state::{PendingAction, State},
};
use cairn_domain::{Friction, GovernorDecision, OutcomeVerification, Time};
use cairn_engine::{
    ActionDraft, Agent, DraftPath, EngineError, GovernRequest, GovernRules, ObservedOutcome, PathAccess,
    decide_without_authority,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Tools of the host that only read the path they are given.
const READING_TOOLS: [&str; 6] = ["Read", "Glob", "Grep", "LS", "NotebookRead", "LSP"];
/// The fields of a tool's input that name a path.
const PATH_FIELDS: [&str; 3] = ["file_path", "path", "notebook_path"];
/// Words of a command that are looked at for files.
const MAX_COMMAND_WORDS: usize = 500;
/// Characters of what a tool said that an outcome tells.
const MAX_EFFECT_CHARS: usize = 300;

/// The rules of a home, and a question about one use of a tool.
pub struct ToolQuestion {
    rules: GovernRules,
    request: GovernRequest,
    key: String,
}

impl ToolQuestion {
    /// The question about a use of a tool; none if the operator has no rules.
    pub fn of(home: &Path, agent_folder: &Path, input: &Input) -> Option<Self> {
        let user_home = std::env::home_dir();
        let rules = match GovernRules::read(home, user_home.as_deref()) {
            Ok(rules) => rules?,
            Err(error) => GovernRules::unreadable(&error.to_string()),
        };
        let state = State::read(agent_folder, &input.session_id);
        let key = action_key(input);
        let in_a_row = if state.last_action == key { state.in_a_row + 1 } else { 1 };
        let asked_before = state.asked.contains(&key);
        let action = action_draft(input, user_home);
        let request = GovernRequest { action, authority: Vec::new(), in_a_row, asked_before };
        Some(Self { rules, request, key })
    }

    /// The decision as if nobody had permitted anything.
    pub fn decide_without_authority(&self, now: Time) -> GovernorDecision {
        decide_without_authority(&self.rules, &self.request, now)
    }

    /// Notes for the next hook that this was proposed.
    pub fn note(&self, agent_folder: &Path, session: &str) {
        if self.rules.repeats.is_none() {
            return;
        }
        let mut state = State::read(agent_folder, session);
        self.count(&mut state);
        let _ = state.write(agent_folder, session);
    }

    fn count(&self, state: &mut State) {
        state.in_a_row = self.request.in_a_row;
        state.last_action.clone_from(&self.key);
    }
}

/// The decision with the agent's leases, kept in the ledger, as the host reads it.
pub(crate) async fn before_tool(agent: &Agent, input: &Input) -> Result<Option<Value>, EngineError> {
    let folder = agent.folder();
    let home = folder.parent().and_then(Path::parent).unwrap_or(folder);
    let Some(question) = ToolQuestion::of(home, folder, input) else { return Ok(None) };
    let governed = agent.govern(&question.rules, &question.request).await?;
    let mut state = State::read(folder, &input.session_id);
    question.count(&mut state);
    if let Some(receipt) = governed.receipt {
        state.remember_pending(PendingAction { key: question.key.clone(), receipt });
    }
    if governed.decision.mode == Friction::Ask {
        state.asked.push(question.key.clone());
    }
    state.write(folder, &input.session_id)?;
    Ok(host_answer(&governed.decision))
}

/// Keeps what became of an action that was decided about. That it was done answers the question, if one was asked.
pub(crate) async fn after_tool(agent: &Agent, input: &Input, state: &mut State) -> Result<(), EngineError> {
    if input.tool_name.is_none() {
        return Ok(());
    }
    let key = action_key(input);
    state.asked.retain(|asked| *asked != key);
    let Some(receipt) = state.take_pending(&key) else { return Ok(()) };
    let response = match &input.error {
        Some(error) => &json!({"error": error, "interrupted": input.is_interrupt}),
        None => &input.tool_response,
    };
    let failed = failure_class(response);
    let observed = ObservedOutcome {
        decision: receipt,
        effect: effect_words(response),
        verification: if failed.is_some() {
            OutcomeVerification::Failed
        } else {
            OutcomeVerification::Reported
        },
        failure_class: failed,
        residual_risk: Some("the tool's own report is the only evidence".to_owned()),
    };
    match agent.record_outcome(&observed).await {
        // The decision's words were erased meanwhile.
        Ok(_) | Err(EngineError::Invalid(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A decision in the words of the host.
pub fn host_answer(decision: &GovernorDecision) -> Option<Value> {
    let said = reason_text(decision);
    let answer = |specific: Value| {
        let mut specific = specific;
        specific["hookEventName"] = "PreToolUse".into();
        json!({"suppressOutput": true, "hookSpecificOutput": specific})
    };
    let permission =
        |word: &str| answer(json!({"permissionDecision": word, "permissionDecisionReason": said}));
    match decision.mode {
        Friction::Proceed => None,
        Friction::Verify => Some(answer(json!({"additionalContext": said}))),
        Friction::Ask => Some(permission("ask")),
        Friction::Defer | Friction::Approve | Friction::Refuse => Some(permission("deny")),
        Friction::Pause => {
            let mut paused = permission("deny");
            paused["continue"] = false.into();
            paused["stopReason"] = said.clone().into();
            Some(paused)
        }
    }
}

fn reason_text(decision: &GovernorDecision) -> String {
    let mut said = vec![format!("cairn: {}", decision.mode)];
    let strongest =
        decision.reasons.iter().filter(|reason| reason.minimum == decision.mode || reason.lease.is_some());
    said.extend(strongest.map(|reason| format!("{} ({})", reason.reason, reason.reference)));
    let ended =
        decision.authority.iter().filter(|standing| !standing.authorizes && standing.why.starts_with("it"));
    said.extend(ended.map(|standing| format!("{}: {}", standing.reference, standing.why)));
    said.extend(decision.instead.iter().map(|instead| format!("instead: {instead}")));
    said.extend(decision.required_checks.iter().cloned());
    said.join("; ")
}

/// The files that a use of a tool names: its paths, and the words of its command, any of which may be one.
pub(crate) fn touched_files(input: &Input) -> Vec<String> {
    let field = |name: &str| input.tool_input.get(name).and_then(Value::as_str);
    let is_sign = |sign: char| sign.is_whitespace() || "'\"`;|&()<>=:,".contains(sign);
    let words = field("command").into_iter().flat_map(|command| command.split(is_sign));
    let named = PATH_FIELDS.into_iter().filter_map(field).chain(words.take(MAX_COMMAND_WORDS));
    named.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn action_draft(input: &Input, user_home: Option<PathBuf>) -> ActionDraft {
    let tool = input.tool_name.clone().unwrap_or_default();
    let access = if READING_TOOLS.contains(&tool.as_str()) { PathAccess::Read } else { PathAccess::Write };
    let field = |name: &str| input.tool_input.get(name).and_then(Value::as_str);
    let paths =
        PATH_FIELDS.into_iter().filter_map(field).map(|text| DraftPath { text: text.to_owned(), access });
    ActionDraft {
        paths: paths.collect(),
        command: field("command").map(str::to_owned),
        folder: input.cwd.as_ref().map_or_else(|| PathBuf::from("/"), PathBuf::from),
        user_home,
        tool,
    }
}

/// The same use of the same tool has the same key.
fn action_key(input: &Input) -> String {
    let tool = input.tool_name.as_deref().unwrap_or_default();
    let mut whole = input.tool_input.clone();
    if let Some(fields) = whole.as_object_mut() {
        // What the model says about its call is not the call.
        fields.remove("description");
    }
    blake3::hash(format!("{tool}\n{whole}").as_bytes()).to_hex()[..24].to_owned()
}

fn failure_class(response: &Value) -> Option<String> {
    let is_true = |name: &str| response.get(name).and_then(Value::as_bool) == Some(true);
    if is_true("interrupted") {
        return Some("interrupted".to_owned());
    }
    let failed =
        is_true("is_error") || is_true("isError") || response.get("error").is_some_and(|it| !it.is_null());
    failed.then(|| "tool_error".to_owned())
}

fn effect_words(response: &Value) -> String {
    let field =
        |name: &str| response.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let said =
        field("stdout").or_else(|| field("stderr")).or_else(|| field("error")).or_else(|| response.as_str());
    let said = match said {
        Some(said) => said.to_owned(),
        // A command that printed nothing.
        None if response.is_null() || response.get("stdout").is_some() => String::new(),
        None => response.to_string(),
    };
    said.chars().take(MAX_EFFECT_CHARS).collect()
}
