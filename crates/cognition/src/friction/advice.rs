//! Advice: the passage that friction asks for, what it is expected to change, and how one sees whether it did.

use super::kind::{Friction, FrictionKind};
use crate::{
    excerpt::on_one_line,
    injection::{OrderSource, injected_order},
    secret::mask,
};

/// Characters that are quoted of an output or of the user.
const MAX_QUOTED_CHARS: usize = 140;

/// A passage for a file of the agent's scaffold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The file: how tools behave here stands in TOOLS.md, how to work in AGENTS.md.
    pub file: &'static str,
    /// The passage.
    pub text: String,
    /// The expected effect.
    pub expects: String,
    /// How one sees whether it came.
    pub verify: String,
}

/// The passage that friction in a project asks for. What a tool said is quoted only if it gives no orders; none is made of a name
/// that would.
pub fn advice(friction: &Friction, project: Option<&str>) -> Option<Advice> {
    let place = match project {
        Some(project) => format!("In {}: ", quotable(project)?),
        None => String::new(),
    };
    let (file, text, expects) = passage(friction)?;
    let kind = friction.kind.as_str();
    let verify = format!(
        "`cairn evolution report` counts `{kind}` since the decision; it should stay at 0 for two weeks of work"
    );
    Some(Advice { file, text: format!("- {place}{text}"), expects, verify })
}

/// The file, the passage and the expected effect.
fn passage(friction: &Friction) -> Option<(&'static str, String, String)> {
    let subject = quotable(&friction.subject)?;
    let said = quotable(&friction.line).filter(|line| !line.is_empty());
    let said = said.map_or_else(String::new, |line| format!(" (“{line}”)"));
    Some(match friction.kind {
        FrictionKind::Detour => {
            let instead = quotable(friction.instead.as_deref()?)?;
            let text = format!("`{subject}` fails here{said}; `{instead}` works.");
            ("TOOLS.md", text, "the way that works is taken at once".to_owned())
        }
        FrictionKind::Missing => {
            let text =
                format!("`{subject}` is not there{said}: look for what is, or ask, before it is needed.");
            ("TOOLS.md", text, format!("`{subject}` is not looked for in vain"))
        }
        FrictionKind::MissedEdit => {
            let text =
                format!("Read the lines of a file again right before changing them with `{subject}`{said}.");
            ("TOOLS.md", text, "changes of files apply the first time".to_owned())
        }
        FrictionKind::Timeout => {
            let text = format!(
                "`{subject}` takes longer than a call may: run it in the background, or a part of it."
            );
            ("TOOLS.md", text, format!("`{subject}` ends in time"))
        }
        FrictionKind::RepeatedFailure => {
            let text = format!("`{subject}` fails here{said}: find out why before relying on it.");
            ("TOOLS.md", text, "the cause is known, and the failure does not come back".to_owned())
        }
        FrictionKind::BlindRetry => {
            let text = format!(
                "When `{subject}` fails, change something before calling it again: the same call fails the same way."
            );
            ("AGENTS.md", text, "a call that failed is not repeated unchanged".to_owned())
        }
        FrictionKind::CallLoop => {
            let text =
                format!("After the third `{subject}` with the same result, stop and say what is missing.");
            ("AGENTS.md", text, "no call is made again and again for the same result".to_owned())
        }
        FrictionKind::RefusedCall => {
            let text = format!("Ask before calling `{subject}`: it was not let run.");
            ("AGENTS.md", text, format!("`{subject}` is called only when it is wanted"))
        }
        FrictionKind::CorrectedHabit => {
            let text = format!("The user said more than once: “{subject}”");
            ("AGENTS.md", text, "the user does not have to say it again".to_owned())
        }
        FrictionKind::Unsolved => {
            let text = "Before saying that something is fixed, do what the user does and look at the result."
                .to_owned();
            ("AGENTS.md", text, "fewer requests say that it is still not right".to_owned())
        }
    })
}

/// A text as it may stand in a passage: on one line, without secrets; none if it gives orders.
fn quotable(text: &str) -> Option<String> {
    let line = on_one_line(&mask(text).text);
    let line: String = line.chars().filter(|sign| *sign != '`').take(MAX_QUOTED_CHARS).collect();
    injected_order(&line, OrderSource::Other).is_none().then_some(line)
}
