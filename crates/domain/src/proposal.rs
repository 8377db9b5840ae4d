//! Proposals: changes of an identity file that wait for an operator. Whoever proposes writes nothing but the proposal.

use crate::{Invalid, MILLIS_PER_DAY, Time, word::words};

/// A proposal that nobody decides about is closed after this long.
pub const PROPOSAL_TIMEOUT_MS: i64 = 7 * MILLIS_PER_DAY;
/// Maximum proposals that wait at the same time.
pub const MAX_PENDING_PROPOSALS: usize = 5;

words!(
    /// Where a proposal stands.
    ProposalStatus, "a status of a proposal" {
        /// It waits for an operator.
        Pending = "pending",
        /// An operator accepted it, and the file says so.
        Accepted = "accepted",
        /// An operator did not accept it.
        Rejected = "rejected",
        /// Nobody decided about it in time.
        Expired = "expired",
        /// It was accepted, and the file was restored.
        RolledBack = "rolled_back",
    }
);

words!(
    /// Who made a proposal.
    ProposalOrigin, "an origin of a proposal" {
        /// The agent, because it wants to.
        Agent = "agent",
        /// Growth: several inquiries came to the same.
        Growth = "growth",
        /// Code evolution: work with tools met the same friction again.
        Evolution = "evolution",
    }
);

impl ProposalStatus {
    /// The status of a proposal at `now`, if it is stored with `self` and waits until `expires_at`.
    pub fn at(self, expires_at: Time, now: Time) -> Self {
        match self {
            Self::Pending if expires_at <= now => Self::Expired,
            status => status,
        }
    }
}

/// A change of one passage of an identity file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityEdit {
    /// The name of the file, such as `SOUL.md`.
    pub file: String,
    /// The passage that goes, word for word; none if the new one is added at the end.
    pub replaces: Option<String>,
    /// The new passage.
    pub text: String,
}

impl IdentityEdit {
    /// The file after the change, if it says `current` now.
    pub fn applied_to(&self, current: &str) -> Result<String, Invalid> {
        match self.replaces.as_deref() {
            Some(passage) => match current.matches(passage).count() {
                1 => Ok(current.replacen(passage, &self.text, 1)),
                0 => Err(self.unfit("does not have the passage that would be replaced")),
                _ => Err(self.unfit("has the passage that would be replaced several times")),
            },
            None if has_lines(current, self.text.trim()) => Err(self.unfit("already says this")),
            None => Ok(added(current, self.text.trim())),
        }
    }

    fn unfit(&self, why: &str) -> Invalid {
        let hint = format!("read identity/{} again and propose what fits it", self.file);
        Invalid::new(format!("{} {why}", self.file), hint)
    }
}

/// Whether the lines of `text` stand in `current` one after the other.
fn has_lines(current: &str, text: &str) -> bool {
    format!("\n{current}\n").contains(&format!("\n{text}\n"))
}

/// The heading under which an identity file lists principles.
const PRINCIPLES: &str = "principles";

/// A point goes to the end of the principles, if there is such a section; anything else to the end of the file.
fn added(current: &str, text: &str) -> String {
    match end_of_principles(current).filter(|_| is_list_item(text)) {
        Some(end) if !current[end..].trim().is_empty() => {
            format!("{}\n{}", appended(&current[..end], text), &current[end..])
        }
        _ => appended(current, text),
    }
}

/// A list goes on in the next line; anything else is a paragraph of its own.
fn appended(current: &str, text: &str) -> String {
    let before = current.trim_end();
    if before.is_empty() {
        return format!("{text}\n");
    }
    let is_indented = |line: &&str| line.starts_with(' ') && !line.trim().is_empty();
    let goes_on = before.lines().rev().find(|line| !is_indented(line)).is_some_and(is_list_item);
    format!("{before}{}{text}\n", if goes_on && is_list_item(text) { "\n" } else { "\n\n" })
}

/// Where the section of the principles ends: at the next heading, or with the file.
fn end_of_principles(current: &str) -> Option<usize> {
    let (mut at, mut inside) = (0, false);
    for line in current.split_inclusive('\n') {
        let heading = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim());
        if inside && heading.is_some() {
            return Some(at);
        }
        inside |= heading.is_some_and(|heading| heading.eq_ignore_ascii_case(PRINCIPLES));
        at += line.len();
    }
    inside.then_some(at)
}

fn is_list_item(line: &str) -> bool {
    line.starts_with("- ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(replaces: Option<&str>, text: &str) -> IdentityEdit {
        let (file, replaces) = ("SOUL.md".to_owned(), replaces.map(str::to_owned));
        IdentityEdit { file, replaces, text: text.to_owned() }
    }

    /// covers: W-82
    #[test]
    fn an_edit_touches_its_passage_and_nothing_else() {
        let soul = "# Soul\n\n- Be honest.\n- Be brief.\n";
        for (replaces, text, becomes) in [
            (None, "- Be kind.", "# Soul\n\n- Be honest.\n- Be brief.\n- Be kind.\n"),
            (None, "Be", "# Soul\n\n- Be honest.\n- Be brief.\n\nBe\n"),
            (None, "I wait.", "# Soul\n\n- Be honest.\n- Be brief.\n\nI wait.\n"),
            (Some("Be brief."), "Be as long as needed.", "# Soul\n\n- Be honest.\n- Be as long as needed.\n"),
        ] {
            assert_eq!(edit(replaces, text).applied_to(soul).as_deref(), Ok(becomes));
        }
        assert_eq!(edit(None, "- Be kind.").applied_to("").as_deref(), Ok("- Be kind.\n"));
        let parts = "# Soul\n\n## Principles\n- Be honest,\n  also late.\n\n## Voice\n- Be brief.\n";
        for (text, becomes) in [
            (
                "- Be kind.",
                "# Soul\n\n## Principles\n- Be honest,\n  also late.\n- Be kind.\n\n## Voice\n- Be brief.\n",
            ),
            (
                "I wait.",
                "# Soul\n\n## Principles\n- Be honest,\n  also late.\n\n## Voice\n- Be brief.\n\nI wait.\n",
            ),
        ] {
            assert_eq!(edit(None, text).applied_to(parts).as_deref(), Ok(becomes));
        }
        let last = "## Voice\n- Be brief.\n\n# PRINCIPLES\n";
        assert_eq!(
            edit(None, "- Be kind.").applied_to(last).as_deref(),
            Ok("## Voice\n- Be brief.\n\n# PRINCIPLES\n\n- Be kind.\n")
        );
        for (replaces, text) in [(None, "- Be brief."), (Some("Be loud."), "x"), (Some("Be "), "x")] {
            assert!(edit(replaces, text).applied_to(soul).is_err(), "{replaces:?} {text}");
        }
    }

    /// covers: X-W8
    #[test]
    fn a_proposal_waits_seven_days() {
        let until = Time::from_millis(PROPOSAL_TIMEOUT_MS);
        let before = Time::from_millis(PROPOSAL_TIMEOUT_MS - 1);
        assert_eq!(ProposalStatus::Pending.at(until, before), ProposalStatus::Pending);
        assert_eq!(ProposalStatus::Pending.at(until, until), ProposalStatus::Expired);
        assert_eq!(ProposalStatus::Accepted.at(until, until), ProposalStatus::Accepted);
        assert_eq!(MAX_PENDING_PROPOSALS, 5);
    }
}
