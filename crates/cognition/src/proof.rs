//! Proof: what a prompt invites its reader to claim about the running state of a machine. Such claims are true only now, so each is
//! to be verified, or named as unverified.

use crate::{file_name::file_names, lexicon::ProofClass, pattern::Patterns};
use regex::Regex;
use std::sync::LazyLock;

static CUES: LazyLock<Patterns<ProofClass>> = LazyLock::new(Patterns::read);
static PORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:port|portu?nda)\s+(\d{2,5})\b|\b(\d{2,5})(?:\.|'?\p{L}*)?\s+port|(?:localhost|127\.0\.0\.1):(\d{2,5})\b").expect("a pattern")
});

/// Claims of one prompt that are looked at.
const MAX_CLAIMS: usize = 6;
/// Only this much of a prompt is read.
const MAX_READ_BYTES: usize = 8_192;

/// Something that is to be verified before it is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvitedClaim<'a> {
    /// Whether a file is there, and what is in it.
    Path(&'a str),
    /// Whether something listens on a port of this machine.
    Port(u16),
    /// The state of the repository.
    Repository,
    /// Whether something runs.
    Process,
    /// The version of something.
    Version,
    /// How something is configured.
    Configuration,
}

/// The claims that a prompt invites, those about something it names first.
pub fn invited_claims(prompt: &str) -> Vec<InvitedClaim<'_>> {
    let prompt = &prompt[..prompt.floor_char_boundary(MAX_READ_BYTES)];
    let classes = CUES.classes_in(prompt);
    let has = |class: ProofClass| classes.contains(&class);
    let asks = prompt.contains(['?', '？']);
    let mut claims: Vec<InvitedClaim<'_>> = Vec::new();
    if asks || has(ProofClass::File) {
        claims.extend(file_names(prompt).into_iter().map(InvitedClaim::Path));
    }
    if asks || has(ProofClass::Process) {
        let numbers = PORT.captures_iter(prompt).filter_map(|found| {
            let number = found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3))?;
            number.as_str().parse::<u16>().ok().filter(|port| *port > 0)
        });
        for port in numbers.map(InvitedClaim::Port) {
            if !claims.contains(&port) {
                claims.push(port);
            }
        }
    }
    let has_port = claims.iter().any(|claim| matches!(claim, InvitedClaim::Port(_)));
    for (class, claim) in [
        (ProofClass::Repository, InvitedClaim::Repository),
        (ProofClass::Process, InvitedClaim::Process),
        (ProofClass::Version, InvitedClaim::Version),
        (ProofClass::Configuration, InvitedClaim::Configuration),
    ] {
        let told = claim == InvitedClaim::Process && has_port;
        if asks && has(class) && !told {
            claims.push(claim);
        }
    }
    claims.truncate(MAX_CLAIMS);
    claims
}

#[cfg(test)]
mod tests {
    use super::{InvitedClaim::*, *};

    /// covers: W-107, W-114
    #[test]
    fn a_prompt_invites_claims_about_what_is_true_only_now() {
        for (prompt, claims) in [
            ("Does src/import.rs exist?", &[Path("src/import.rs")][..]),
            ("Is the server still running on port 8080?", &[Port(8080)]),
            ("Is localhost:5432 up?", &[Port(5432)]),
            ("Which branch are we on?", &[Repository]),
            ("Is the importer running?", &[Process]),
            ("Which version of SQLite is installed?", &[Version]),
            ("How is logging configured?", &[Configuration]),
            ("Sunucu hâlâ çalışıyor mu?", &[Process]),
            ("Write src/import.rs, please.", &[]),
            ("Where does Caroline work?", &[]),
            ("I live near the port of Lisbon.", &[]),
        ] {
            assert_eq!(invited_claims(prompt), claims, "{prompt}");
        }
    }
}
