//! Failures as users see them: `error:` and `hint:` on standard error; exit code 2 for wrong usage, 1 for the rest.

use cairn_domain::Invalid;
use cairn_engine::EngineError;
use cairn_importer::ImporterError;
use cairn_operator::OperatorError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::ExitCode;

/// An error for people, its hint, and the exit code.
pub(crate) struct Failure {
    problem: String,
    hint: String,
    code: u8,
}

impl Failure {
    /// Wrong usage.
    pub(crate) fn usage(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: 2, ..Self::new(problem, hint) }
    }

    /// Any other failure.
    pub(crate) fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into(), code: 1 }
    }

    /// Problem and hint on one line.
    pub(crate) fn one_line(&self) -> String {
        format!("{} ({})", self.problem, self.hint).replace('\n', " ")
    }

    pub(crate) fn report(self) -> ExitCode {
        let (red, cyan) = (crate::show::RED, crate::show::CYAN);
        err!("{red}error:{red:#} {}", self.problem);
        err!("{cyan}hint:{cyan:#} {}", self.hint);
        ExitCode::from(self.code)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let code = if error.is_usage() { 2 } else { 1 };
        Self { problem: error.to_string(), hint: error.hint(), code }
    }
}

impl From<ImporterError> for Failure {
    fn from(error: ImporterError) -> Self {
        match error {
            ImporterError::Engine(error) => error.into(),
            other => Self::new(other.to_string(), other.hint()),
        }
    }
}

impl From<OperatorError> for Failure {
    fn from(error: OperatorError) -> Self {
        let code = if error.is_usage() { 2 } else { 1 };
        Self { problem: error.to_string(), hint: error.hint(), code }
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Self { problem: invalid.problem, hint: invalid.hint, code: 2 }
    }
}

/// Reports what clap rejects in the same form as everything else; help and version are not failures.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // Our own value types bring their own problem and hint.
    if let Some(invalid) =
        std::error::Error::source(error).and_then(|source| source.downcast_ref::<Invalid>())
    {
        return Failure::from(invalid.clone()).report();
    }
    let rendered = error.render().to_string();
    let problem = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "no command was given".to_owned()
        }
        _ => first_paragraph(&rendered),
    };
    Failure { problem, hint: usage_hint(error), code: 2 }.report()
}

/// The first paragraph of what clap says, on one line.
fn first_paragraph(rendered: &str) -> String {
    let paragraph = rendered.split("\n\n").next().unwrap_or(rendered);
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_start_matches("error: ").to_owned()
}

fn usage_hint(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        // The best suggestion comes last.
        Some(ContextValue::Strings(texts)) => texts.last().cloned(),
        _ => None,
    };
    if error.kind() == ErrorKind::InvalidUtf8 {
        return "pass UTF-8 text; `iconv -t UTF-8 FILE | cairn remember -` converts a file".to_owned();
    }
    let suggestion =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    match suggestion.into_iter().find_map(text) {
        Some(suggestion) => format!("did you mean `{suggestion}`? `cairn --help` lists the commands"),
        None => "`cairn --help` lists the commands, `cairn COMMAND --help` shows examples".to_owned(),
    }
}
