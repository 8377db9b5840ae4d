//! Failures as people see them: `error:` and `hint:` on standard error, 2 for wrong usage, 1 for the rest.

use cairn_domain::Invalid;
use cairn_engine::EngineError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::ExitCode;

/// Something that went wrong, what to do next, and whose fault it was.
pub(crate) struct Failure {
    problem: String,
    hint: String,
    code: u8,
}

impl Failure {
    /// The machine's fault.
    pub(crate) fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into(), code: 1 }
    }

    pub(crate) fn report(self) -> ExitCode {
        let (red, cyan) = (crate::show::RED, crate::show::CYAN);
        anstream::eprintln!("{red}error:{red:#} {}", self.problem);
        anstream::eprintln!("{cyan}hint:{cyan:#} {}", self.hint);
        ExitCode::from(self.code)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let code = if error.is_usage() { 2 } else { 1 };
        Self { problem: error.to_string(), hint: error.hint(), code }
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Self { problem: invalid.problem, hint: invalid.hint, code: 2 }
    }
}

/// What clap refuses, in the same form as everything else; help and version are no failures.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let rendered = error.render().to_string();
    let problem = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "which command?".to_owned()
        }
        _ => summary(&rendered),
    };
    Failure { problem, hint: hint(error), code: 2 }.report()
}

/// The first paragraph of what clap says, on one line.
fn summary(rendered: &str) -> String {
    let paragraph = rendered.split("\n\n").next().unwrap_or(rendered);
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_start_matches("error: ").to_owned()
}

fn hint(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let suggestion =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    match suggestion.into_iter().find_map(text) {
        Some(suggestion) => format!("did you mean `{suggestion}`? `cairn --help` lists the commands"),
        None => "`cairn --help` lists the commands, `cairn COMMAND --help` shows examples".to_owned(),
    }
}
