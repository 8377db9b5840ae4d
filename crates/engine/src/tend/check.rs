//! One thing that was examined, and how it stands.

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The thing that was checked.
    pub name: &'static str,
    /// How it stands.
    pub health: Health,
    /// The finding.
    pub detail: String,
    /// How to fix it, if there is anything to fix.
    pub fix: Option<String>,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// In order.
    Good,
    /// It was broken and is in order now.
    Mended,
    /// Works, and wants a look.
    Warning,
    /// Broken.
    Bad,
}

impl Check {
    /// In order.
    pub fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Good, detail: detail.into(), fix: None }
    }

    /// Broken, and what to do.
    pub fn bad(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, health: Health::Bad, detail: detail.into(), fix: Some(fix.into()) }
    }

    /// Works, and wants a look.
    pub fn warning(name: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        Self { name, health: Health::Warning, detail: detail.into(), fix: Some(fix.to_owned()) }
    }

    pub(super) fn mended(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Mended, detail: detail.into(), fix: None }
    }
}
