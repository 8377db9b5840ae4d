//! Skills and procedures, for programs.

use cairn_domain::Time;
use cairn_engine::{SeenFailure, SeenProcedure, SeenSkill};
use schemars::JsonSchema;
use serde::Serialize;

/// How work with tools went.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Skills {
    /// Each project, the most worked in first.
    pub projects: Vec<ProjectSkills>,
}

/// How work with tools went in one project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectSkills {
    /// The project; none of messages without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Calls of tools that were looked at.
    pub calls: usize,
    /// When the first of them was made.
    pub since: Time,
    /// The things that were tried, the most often tried first.
    pub skills: Vec<Skill>,
    /// Steps that worked in the same order three times or more, the surest first.
    pub procedures: Vec<SkillProcedure>,
}

/// How one thing that is done with a tool went.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Skill {
    /// The tool that it was last done with.
    pub tool: String,
    /// The thing that is done: a command without its arguments, or the tool itself.
    pub kind: String,
    /// How often it was tried.
    pub tried: u32,
    /// How often it worked.
    pub worked: u32,
    /// How long it took when it worked, in milliseconds: the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    /// When it was tried last.
    pub last_at: Time,
    /// How it failed, and what fixed it: the last failure that was fixed, or the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<SkillFailure>,
}

/// How something failed, and what fixed it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkillFailure {
    /// The line of the output that tells it.
    pub line: String,
    /// The message with the output.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The steps after which it worked again in the same session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed_by: Vec<SkillFix>,
}

/// A step after which something worked again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkillFix {
    /// The thing that was done: `Edit lib.rs`; the command, if it is the same that failed, written otherwise.
    pub label: String,
    /// The message that called it.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// Steps that worked in the same order again and again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkillProcedure {
    /// The project; none of messages without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The steps, in order.
    pub steps: Vec<SkillStep>,
    /// How often it worked.
    pub worked: u32,
    /// How often a step of it failed since it last worked.
    pub failed_since: u32,
    /// How sure it is that it works, 0 to 1.
    pub confidence: f64,
    /// When it worked last.
    pub last_at: Time,
    /// The messages with the first call of the newest times that it worked, the newest first.
    pub evidence: Vec<String>,
}

/// A step of a procedure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkillStep {
    /// The thing that is done: `cargo test`, `Edit CHANGELOG.md`.
    pub label: String,
    /// The command with its arguments, if it was the same each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Skills {
    /// At most `limit` skills, and as many procedures, of each project.
    pub fn new(projects: &[cairn_engine::ProjectSkills], limit: usize) -> Self {
        let project = |project: &cairn_engine::ProjectSkills| ProjectSkills {
            thread: project.thread.clone(),
            calls: project.calls,
            since: project.since,
            skills: project.skills.iter().take(limit).map(Skill::from).collect(),
            procedures: project.procedures.iter().take(limit).map(SkillProcedure::from).collect(),
        };
        Self { projects: projects.iter().map(project).collect() }
    }
}

impl From<&SeenSkill> for Skill {
    fn from(seen: &SeenSkill) -> Self {
        let SeenSkill { tool, kind, tried, worked, median_ms, last_at, failure } = seen.clone();
        let failure = failure.as_ref().map(SkillFailure::from);
        Self { tool, kind, tried, worked, median_ms, last_at, failure }
    }
}

impl From<&SeenFailure> for SkillFailure {
    fn from(seen: &SeenFailure) -> Self {
        let fixed_by = seen
            .fixed_by
            .iter()
            .map(|step| SkillFix { label: step.label.clone(), reference: step.call.to_string() });
        Self { line: seen.line.clone(), reference: seen.result.to_string(), fixed_by: fixed_by.collect() }
    }
}

impl From<&SeenProcedure> for SkillProcedure {
    fn from(seen: &SeenProcedure) -> Self {
        let steps =
            seen.steps.iter().map(|it| SkillStep { label: it.label.clone(), command: it.written.clone() });
        Self {
            thread: seen.thread.clone(),
            steps: steps.collect(),
            worked: seen.worked,
            failed_since: seen.failed_since,
            confidence: seen.confidence,
            last_at: seen.last_at,
            evidence: seen.evidence.iter().map(ToString::to_string).collect(),
        }
    }
}
