//! Exchanges: the messages of one turn. Derived from the order of messages in a session, never stored
//! as text of their own and never rewritten.

use crate::Role;

/// Where a message stands in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangePlace {
    /// It opens a new exchange.
    Opens,
    /// It continues the exchange of the message before it.
    Continues,
}

/// The place of a message said in `role` after a message said in `before` (`None`: the session begins).
/// An exchange is opened by the first message of a session and by every user message that follows
/// something that is not the user's.
pub fn place_after(before: Option<Role>, role: Role) -> ExchangePlace {
    match (before, role) {
        (None, _) | (Some(Role::Assistant | Role::System | Role::Tool), Role::User) => ExchangePlace::Opens,
        (Some(Role::User), Role::User) | (Some(_), Role::Assistant | Role::System | Role::Tool) => {
            ExchangePlace::Continues
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-02
    #[test]
    fn a_user_message_after_an_answer_opens_an_exchange() {
        use Role::{Assistant, System, Tool, User};
        let session = [User, User, Assistant, Tool, Assistant, User, Assistant, System, User];
        let mut before = None;
        let opens: Vec<bool> = session
            .iter()
            .map(|role| {
                let opens = place_after(before, *role) == ExchangePlace::Opens;
                before = Some(*role);
                opens
            })
            .collect();
        assert_eq!(opens, [true, false, false, false, false, true, false, false, true]);
    }
}
