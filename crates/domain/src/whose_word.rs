//! Whose word something is, and what one word may do to another. Every path that replaces, joins, ends or weighs asks here;
//! `docs/authority.md` has the same table for people.

use crate::DataSource;

/// Whose word something is. A later one outranks an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhoseWord {
    /// A file's, a feed's, another agent's, or what the user only shows: whoever wrote it is not here.
    Outside,
    /// The agent's, its host's, its tools' and its tasks', and whatever was derived from memories.
    Agent,
    /// The user's own.
    User,
    /// The operator's, who has signed in.
    Operator,
}

impl WhoseWord {
    /// Every one, the least first.
    pub const ALL: [Self; 4] = [Self::Outside, Self::Agent, Self::User, Self::Operator];

    /// Whose word evidence is, by the role that it names. A role that nobody knows is nobody's here.
    pub fn of_role(role: &str) -> Self {
        match role {
            "operator" => Self::Operator,
            "user" => Self::User,
            "assistant" | "system" | "tool" | "task" | "feedback" | "lesson" | "reflection" | "theme"
            | "pattern" => Self::Agent,
            _ => Self::Outside,
        }
    }

    /// Whether what this one says against a word of `known` lowers it. The user's word and the operator's are lowered by the
    /// user's or the operator's alone; what an agent or somebody outside said is lowered by anybody.
    pub fn weighs_against(self, known: Self) -> bool {
        self >= Self::User || known < Self::User
    }
}

impl DataSource {
    /// Whose word words from here are.
    pub fn whose_word(self) -> WhoseWord {
        match self {
            Self::UserMessage => WhoseWord::User,
            Self::AssistantMessage | Self::System | Self::Task => WhoseWord::Agent,
            Self::File | Self::Feed | Self::Federation | Self::Shown => WhoseWord::Outside,
        }
    }
}

/// How a statement came upon what it speaks against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeaksAgainst {
    /// The two cannot stand beside each other, by a rule or by the judge.
    Found,
    /// It is a correction, and names what it corrects.
    Named,
    /// It claims a time that has not come yet, however it came upon the other.
    FromTheFuture,
}

impl SpeaksAgainst {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Found, Self::Named, Self::FromTheFuture];
}

/// Whether a statement from `new` may take the place of one from `known`. The user's word is replaced by the user's alone.
/// An agent replaces what it said itself and, by naming it, what is not the user's. What comes from outside replaces
/// nothing, and neither does what claims a time that has not come.
pub fn may_replace(new: DataSource, known: DataSource, how: SpeaksAgainst) -> bool {
    let (word, over) = (new.whose_word(), known.whose_word());
    match (word, how) {
        (_, SpeaksAgainst::FromTheFuture) | (WhoseWord::Outside, _) => false,
        (WhoseWord::User | WhoseWord::Operator, _) => true,
        (WhoseWord::Agent, SpeaksAgainst::Found) => new == known,
        (WhoseWord::Agent, SpeaksAgainst::Named) => over < WhoseWord::User,
    }
}

/// Whether words from `new` may become part of a memory from `known`, its text included: both are the same one's word.
pub fn may_join(new: DataSource, known: DataSource) -> bool {
    new.whose_word() == known.whose_word()
}

/// Whether words from `new` may be counted for a memory from `known` that says the same, instead of making one. The user's
/// word is never merely evidence of what somebody else said: it would be replaced with it.
pub fn may_attest(new: DataSource, known: DataSource) -> bool {
    new.whose_word() < WhoseWord::User || known.whose_word() >= WhoseWord::User
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: X-P10
    #[test]
    fn the_users_word_is_replaced_by_the_users_alone() {
        let all = DataSource::ALL;
        for (new, known) in all.iter().flat_map(|new| all.iter().map(move |known| (*new, *known))) {
            for how in SpeaksAgainst::ALL {
                let is_told = new.whose_word() > WhoseWord::Outside;
                let expected = match how {
                    SpeaksAgainst::FromTheFuture => false,
                    _ if new == DataSource::UserMessage => true,
                    SpeaksAgainst::Named => is_told && known != DataSource::UserMessage,
                    SpeaksAgainst::Found => is_told && new == known,
                };
                assert_eq!(may_replace(new, known, how), expected, "{new} over {known}, {how:?}");
            }
            let users = |source| source == DataSource::UserMessage;
            assert!(!may_join(new, known) || users(new) == users(known), "{new} into {known}");
            assert!(!may_attest(new, known) || !users(new) || users(known), "{new} for {known}");
        }
    }

    /// covers: X-P10
    #[test]
    fn only_a_person_lowers_what_a_person_said_or_verified() {
        for (known, by, lowers) in [
            ("operator", "operator", true),
            ("operator", "user", true),
            ("user", "user", true),
            ("operator", "assistant", false),
            ("operator", "file", false),
            ("user", "assistant", false),
            ("user", "tool", false),
            ("user", "feedback", false),
            ("user", "feed", false),
            ("user", "shown", false),
            ("user", "whoever", false),
            ("assistant", "assistant", true),
            ("assistant", "file", true),
            ("file", "feed", true),
        ] {
            let weighs = WhoseWord::of_role(by).weighs_against(WhoseWord::of_role(known));
            assert_eq!(weighs, lowers, "{by} against {known}");
        }
    }
}
